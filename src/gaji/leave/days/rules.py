"""What can be written of days of leave."""

from collections.abc import Mapping
from dataclasses import dataclass

from gaji.core.validation import Attribute, Catalogue, Day, Faults, Group, Integer, Record, Schema, read_attributes
from gaji.leave.quantities import Thousandths

MOST_DATES = 366
MOST_HOURS = 24_000
READ_ONLY = ("id", "employee_id", "type", "days", "payslip_id")

ATTRIBUTES = (
    Attribute("date", Day(), "The day.", required=True, example="2026-05-04"),
    Attribute("type_id", Integer(least=1), "The leave type.", required=True, example=1),
    Attribute(
        "hours", Thousandths("hours", 1, MOST_HOURS), "Hours of leave; null or absent for the whole day.", example=4
    ),
)
LEAVE_DAY = Catalogue("leave_day", ATTRIBUTES, read_only=READ_ONLY)


@dataclass(frozen=True)
class Dates:
    """Several days of leave."""

    def read(self, value: object, path: str, faults: Faults) -> list[Record] | None:
        if not isinstance(value, list) or not 1 <= len(value) <= MOST_DATES:
            faults[path] = f"must be an array of 1 to {MOST_DATES} dates"
            return None
        return [self._one(given, f"{path}.{place}", faults) for place, given in enumerate(value)]

    def _one(self, given: object, path: str, faults: Faults) -> Record:
        if not isinstance(given, Mapping):
            faults[path] = "must be an object"
            return dict.fromkeys((one.name for one in ATTRIBUTES), None)
        return read_attributes(ATTRIBUTES, given, given, f"{path}.", faults)

    def schema(self) -> Schema:
        return {"type": "array", "minItems": 1, "maxItems": MOST_DATES, "items": Group(ATTRIBUTES).schema()}


DATES = Attribute(
    "dates",
    Dates(),
    "The days.",
    required=True,
    example=[{"date": "2026-05-04", "hours": None, "type_id": 1}, {"date": "2026-05-05", "hours": 4, "type_id": 1}],
)
LEAVE_DAYS = Catalogue("leave_days", (DATES,), read_only=())
