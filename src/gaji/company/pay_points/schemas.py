"""What can be written of a pay point."""

from collections.abc import Set

from gaji.company.addresses import PHYSICAL_ADDRESS
from gaji.core.errors import Errors
from gaji.core.validation import Attribute, Record, Rule, Schema, Text

PAY_POINT = Schema(
    "pay_point",
    (
        Attribute("name", Text(min_length=1), "Name, unique in the client.", required=True, example="Warehouse"),
        PHYSICAL_ADDRESS,
    ),
)


def named_apart(names: Set[str]) -> Rule:
    """That no other pay point of the client has this name, in whatever case."""

    def check(record: Record, errors: Errors) -> None:
        if record["name"] and record["name"].strip().lower() in names:
            errors.setdefault("name", taken(record["name"]))

    return check


def taken(name: str) -> str:
    """What to say of a name that another pay point has."""
    return f"{name} is the name of another pay point of this client"
