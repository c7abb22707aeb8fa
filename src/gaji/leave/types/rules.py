"""What can be written of a leave type."""

from collections.abc import Set

from gaji.core.errors import Errors
from gaji.core.validation import Attribute, Record, Rule, Schema, Text

NAME_TAKEN = "is the name of another leave type of this client"

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
)


def unlike(other_names: Set[str]) -> Rule:
    """That a type does not have the name of another of its client."""

    def check(record: Record, errors: Errors) -> None:
        if record["name"] and plain(record["name"]) in other_names:
            errors.setdefault("name", NAME_TAKEN)

    return check


def plain(name: str) -> str:
    """A name as names are compared."""
    return name.strip(" ").lower()
