"""Request schema of leave types."""

from collections.abc import Set

import msgspec

from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Text
from gaji.core.validation import Attribute, Record, Rule, Schema

LEAVE_TYPE_NAME_TAKEN = ErrorCode("leave_type_name_taken", "is the name of another leave type of this client")


class LeaveTypeInput(msgspec.Struct, frozen=True, kw_only=True):
    """A leave type as a caller writes it."""

    name: str


LEAVE_TYPE = Schema(
    "leave_type",
    (
        Attribute(
            "name",
            Text(min_length=1, max_length=100),
            "Name, unique in the client.",
            required=True,
            example="study_leave",
        ),
    ),
    read_only=("id", "client_id", "system_type", "created_at", "updated_at"),
    struct=LeaveTypeInput,
)


def unique_name_rule(other_names: Set[str]) -> Rule:
    """Return the rule that a leave type does not have the name of another one."""

    def check(record: Record, errors: Errors) -> None:
        if record["name"] and normalise_name(record["name"]) in other_names:
            errors.add_if_absent("name", LEAVE_TYPE_NAME_TAKEN)

    return check


def normalise_name(name: str) -> str:
    """Return a name in the form in which names are compared."""
    return name.strip(" ").lower()
