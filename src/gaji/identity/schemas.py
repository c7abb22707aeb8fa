"""Request schemas for members of a client and for API keys."""

from dataclasses import dataclass

import msgspec

from gaji.core.constants import one_of
from gaji.core.error_codes import NOT_AN_EMAIL
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Boolean, Integer, JsonSchema, Text, TextPattern, parse_integer
from gaji.core.validation import Attribute, Schema, when
from gaji.identity.roles import EMPLOYEE

IS_EMPLOYEE = when("role", EMPLOYEE)
MAX_EMAIL_LENGTH = 254
MAX_KEY_DAYS = 3650

NOT_CLIENT_IDS = ErrorCode("not_client_ids", "must be an array of client IDs")


class RoleInput(msgspec.Struct, frozen=True, kw_only=True):
    """The role of a member for a client."""

    role: str
    employee_id: int | None


class NewMemberInput(msgspec.Struct, frozen=True, kw_only=True):
    """A new member of a client."""

    email: str
    role: str
    employee_id: int | None


class ApiKeyInput(msgspec.Struct, frozen=True, kw_only=True):
    """A new API key."""

    name: str
    client_ids: list[int] | None
    read_only: bool
    hide_identifiers: bool
    expires_in_days: int | None


@dataclass(frozen=True)
class ClientIds:
    """An array of client IDs."""

    def parse(self, value: object, path: str, errors: Errors) -> list[int] | None:
        """Return the IDs, or add an error."""
        numbers = [parse_integer(item) for item in value] if isinstance(value, list) else [None]
        client_ids = [number for number in numbers if number is not None and number > 0]
        if len(client_ids) < len(numbers):
            errors.add(path, NOT_CLIENT_IDS)
        return client_ids

    def json_schema(self) -> JsonSchema:
        """Return the JSON Schema."""
        return {"type": "array", "items": {"type": "integer", "minimum": 1}}


# Printable ASCII only: PostgreSQL lower-cases other characters in its own way.
EMAIL = Text(
    min_length=3,
    max_length=MAX_EMAIL_LENGTH,
    pattern=TextPattern(r"[!-?A-~]+@[!-?A-~]+", NOT_AN_EMAIL),
)
_ROLE = (
    Attribute("role", one_of("role"), "Role of the member.", required=True),
    Attribute(
        "employee_id",
        Integer(minimum=1),
        "The member's employee record.",
        required_if=IS_EMPLOYEE,
        only_if=IS_EMPLOYEE,
    ),
)
ROLE = Schema("membership", _ROLE, struct=RoleInput)
NEW_MEMBER = Schema(
    "membership",
    (Attribute("email", EMAIL, "The email to sign in with.", required=True), *_ROLE),
    struct=NewMemberInput,
)
API_KEY = Schema(
    "api_key",
    (
        Attribute(
            "name", Text(min_length=1, max_length=100), "Purpose of the key.", required=True, example="Rostering"
        ),
        Attribute("client_ids", ClientIds(), "Companies that the key can access. If blank: all."),
        Attribute("read_only", Boolean(), "The key can read but not change anything.", default=False),
        Attribute("hide_identifiers", Boolean(), "NRIC, FIN and account numbers are masked.", default=False),
        Attribute("expires_in_days", Integer(minimum=1, maximum=MAX_KEY_DAYS), "Days until the key expires."),
    ),
    struct=ApiKeyInput,
)
