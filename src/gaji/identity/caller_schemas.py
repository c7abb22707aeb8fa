"""The response schema of the caller: user, account, clients and the limits of the API key."""

from gaji.core.constants import one_of
from gaji.core.field_types import JsonSchema
from gaji.core.json_schemas import IDENTIFIER, TIMESTAMP


def _object(title: str, properties: dict[str, JsonSchema]) -> JsonSchema:
    return {"type": "object", "title": title, "required": list(properties), "properties": properties}


USER = _object(
    "CurrentUser",
    {
        "id": IDENTIFIER,
        "email": {"type": "string"},
        "name": {"type": "string", "description": "Empty if the user has not entered a name."},
        "administrator": {"type": "boolean", "description": "Whether the user can create clients."},
    },
)
ACCOUNT = _object("CurrentAccount", {"id": IDENTIFIER, "name": {"type": "string"}})
CLIENT = _object(
    "ClientAccess",
    {
        "id": IDENTIFIER,
        "name": {"type": ["string", "null"], "description": "Null for the role `employee`."},
        "role": {**one_of("role").json_schema(), "description": "The user's role for the client."},
        "employee_id": {
            "type": ["integer", "null"],
            "description": "The user's employee record, for the role `employee`.",
        },
    },
)
API_KEY = _object(
    "CurrentApiKey",
    {
        "id": IDENTIFIER,
        "name": {"type": "string"},
        "hint": {"type": "string", "description": "The last characters of the key."},
        "read_only": {"type": "boolean", "description": "Whether requests that write are rejected."},
        "hide_identifiers": {
            "type": "boolean",
            "description": "Whether NRIC, FIN and account numbers are masked.",
        },
        "limited_to_clients": {
            "type": "boolean",
            "description": "Whether the key is limited to some of the user's clients. `clients` has only these.",
        },
        "requests_per_minute": {
            "type": ["integer", "null"],
            "description": "The rate limit of the key in each server process. Null: no limit.",
        },
        "created_at": TIMESTAMP,
        "expires_at": {"type": ["string", "null"], "format": "date-time"},
    },
)
ME_SCHEMA = _object(
    "CurrentCaller",
    {"user": USER, "account": ACCOUNT, "clients": {"type": "array", "items": CLIENT}, "api_key": API_KEY},
)
ME_EXAMPLE = {
    "user": {"id": 3, "email": "siti@example.com", "name": "Siti Aminah", "administrator": True},
    "account": {"id": 1, "name": "Merlion Payroll Services"},
    "clients": [{"id": 1, "name": "Merlion Logistics Pte Ltd", "role": "owner", "employee_id": None}],
    "api_key": {
        "id": 7,
        "name": "Rostering",
        "hint": "x4Qa",
        "read_only": False,
        "hide_identifiers": True,
        "limited_to_clients": False,
        "requests_per_minute": 600,
        "created_at": "2026-03-02T09:30:00.000000+08:00",
        "expires_at": None,
    },
}
