"""What can be written of a leave type."""

from collections.abc import Set

from gaji.core.validation import Attribute, Catalogue, Faults, Record, Rule, Text

NAME_TAKEN = "is the name of another leave type of this client"

LEAVE_TYPE = Catalogue(
    "leave_type",
    (Attribute("name", Text(least=1, most=100), "Name, unique in the client.", required=True, example="study_leave"),),
    read_only=("id", "client_id", "system_type", "created_at", "updated_at"),
)


def unlike(other_names: Set[str]) -> Rule:
    """That a type does not have the name of another of its client."""

    def check(record: Record, faults: Faults) -> None:
        if record["name"] and plain(record["name"]) in other_names:
            faults.setdefault("name", NAME_TAKEN)

    return check


def plain(name: str) -> str:
    """A name as names are compared."""
    return name.strip(" ").lower()
