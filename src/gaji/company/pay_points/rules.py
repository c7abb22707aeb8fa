"""What can be written of a pay point."""

from collections.abc import Set

from gaji.company.addresses import PHYSICAL_ADDRESS
from gaji.core.validation import Attribute, Catalogue, Faults, Record, Rule, Text

PAY_POINT = Catalogue(
    "pay_point",
    (
        Attribute("name", Text(least=1), "Name, unique in the client.", required=True, example="Warehouse"),
        PHYSICAL_ADDRESS,
    ),
)


def named_apart(names: Set[str]) -> Rule:
    """That no other pay point of the client has this name, in whatever case."""

    def check(record: Record, faults: Faults) -> None:
        if record["name"] and record["name"].strip().lower() in names:
            faults.setdefault("name", taken(record["name"]))

    return check


def taken(name: str) -> str:
    """What to say of a name that another pay point has."""
    return f"{name} is the name of another pay point of this client"
