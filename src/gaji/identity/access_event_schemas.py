"""The response schema of access events."""

from gaji.core.field_types import JsonSchema, OneOf
from gaji.core.json_schemas import IDENTIFIER, TIMESTAMP
from gaji.identity.access_events import KINDS

KIND = OneOf(KINDS, "access_event_kind", title="AccessEventKind")

ACCESS_EVENT: JsonSchema = {
    "type": "object",
    "title": "AccessEvent",
    "required": [
        *("id", "kind", "user_id", "user_name", "api_key_id", "path", "address", "user_agent", "count"),
        *("first_at", "last_at"),
    ],
    "properties": {
        "id": IDENTIFIER,
        "kind": {**KIND.json_schema(), "description": "What happened."},
        "user_id": {
            "type": ["integer", "null"],
            "description": "The user. For `sign_in_failed`, the one whose email was entered, or null if single sign-on "
            "failed for someone who is not known.",
        },
        "user_name": {
            "type": ["string", "null"],
            "description": "Name or email of the user. Null if deleted or not known.",
        },
        "api_key_id": {"type": ["integer", "null"], "description": "The API key that was used, if any."},
        "path": {
            "type": "string",
            "description": "What was downloaded, or whose identifiers were read. `single_sign_on` for sign-ins at the "
            "provider of the account, with the reason if they failed. Empty for other kinds.",
        },
        "address": {"type": "string", "description": "Network address that the request came from."},
        "user_agent": {"type": "string", "description": "Browser or program, as it calls itself."},
        "count": {
            "type": "integer",
            "description": "How often it happened that day. Reads of identifiers are counted once an hour.",
        },
        "first_at": TIMESTAMP,
        "last_at": TIMESTAMP,
    },
}
ACCESS_EVENT_EXAMPLE = {
    "id": 91,
    "kind": "identifiers",
    "user_id": 3,
    "user_name": "Siti Aminah",
    "api_key_id": 7,
    "path": "/clients/1/employees",
    "address": "203.0.113.7",
    "user_agent": "rostering/1.0",
    "count": 2,
    "first_at": "2026-03-02T09:30:00.000000+08:00",
    "last_at": "2026-03-02T10:05:00.000000+08:00",
}
