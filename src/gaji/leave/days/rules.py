"""What can be written of days of leave."""

from collections.abc import Mapping
from dataclasses import dataclass

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import Attribute, DateType, Group, Integer, JsonSchema, Record, Schema, parse_attributes
from gaji.leave.quantities import Thousandths

MOST_DATES = 366
MOST_HOURS = 24_000
READ_ONLY = ("id", "employee_id", "type", "days", "payslip_id")

ATTRIBUTES = (
    Attribute("date", DateType(), "The day.", required=True, example="2026-05-04"),
    Attribute("type_id", Integer(minimum=1), "The leave type.", required=True, example=1),
    Attribute(
        "hours", Thousandths("hours", 1, MOST_HOURS), "Hours of leave; null or absent for the whole day.", example=4
    ),
)
LEAVE_DAY = Schema("leave_day", ATTRIBUTES, read_only=READ_ONLY)


@dataclass(frozen=True)
class Dates:
    """Several days of leave."""

    def parse(self, value: object, path: str, errors: Errors) -> list[Record] | None:
        if not isinstance(value, list) or not 1 <= len(value) <= MOST_DATES:
            errors.add(path, INVALID, reason=f"must be an array of 1 to {MOST_DATES} dates")
            return None
        return [self._one(given, f"{path}.{place}", errors) for place, given in enumerate(value)]

    def _one(self, given: object, path: str, errors: Errors) -> Record:
        if not isinstance(given, Mapping):
            errors.add(path, INVALID, reason="must be an object")
            return dict.fromkeys((one.name for one in ATTRIBUTES), None)
        return parse_attributes(ATTRIBUTES, given, given, f"{path}.", errors)

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "minItems": 1, "maxItems": MOST_DATES, "items": Group(ATTRIBUTES).json_schema()}


DATES = Attribute(
    "dates",
    Dates(),
    "The days.",
    required=True,
    example=[{"date": "2026-05-04", "hours": None, "type_id": 1}, {"date": "2026-05-05", "hours": 4, "type_id": 1}],
)
LEAVE_DAYS = Schema("leave_days", (DATES,), read_only=())
