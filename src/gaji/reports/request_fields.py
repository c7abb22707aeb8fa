"""The fields that reports are asked for with, in a JSON body or in a query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.core.errors import INVALID, Errors, ValidationError
from gaji.core.validation import MAX_ID, Attribute, Boolean, DateType, Integer, JsonSchema, Record, Text, parse_integer

MOST_IDS = 200_000
MOST_NAMES = 1000
MOST_TOLD = 100
"""Of what is wrong with a long list: a huge body must not make a huge answer."""
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2199, 12, 31)
"""Outside of these there is nothing that anyone can mean."""


class Unsplit(list[str]):
    """Values of a query: each can be several, with commas between them."""


@dataclass(frozen=True)
class Ids:
    """Ids of records. None at all means any."""

    def parse(self, value: object, path: str, errors: Errors) -> list[int] | None:
        if isinstance(value, Unsplit):
            value = [part.strip() for text in value for part in text.split(",") if part.strip()]
        if not isinstance(value, list) or len(value) > MOST_IDS:
            errors.add(path, INVALID, reason=f"must be an array of at most {MOST_IDS:,} ids")
            return None
        numbers = [parse_integer(one) for one in value]
        wrong = [one for one, number in zip(value, numbers, strict=True) if number is None or not 0 < number <= MAX_ID]
        if wrong:
            errors.add(path, INVALID, reason=f"must be an array of ids, and these are none: {told(wrong)}")
        return [] if wrong else [number for number in dict.fromkeys(numbers) if number is not None]

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "maxItems": MOST_IDS, "items": {"type": "integer", "minimum": 1}}


@dataclass(frozen=True)
class ListOfNames:
    """Names of things. None at all means no choice."""

    def parse(self, value: object, path: str, errors: Errors) -> list[str] | None:
        if not isinstance(value, list) or len(value) > MOST_NAMES:
            errors.add(path, INVALID, reason=f"must be an array of at most {MOST_NAMES:,} names")
            return None
        wrong = [one for one in value if isinstance(one, bool) or not isinstance(one, str | int)]
        if wrong:
            errors.add(path, INVALID, reason=f"must be an array of names, and these are none: {told(wrong)}")
            return None
        return value if isinstance(value, Unsplit) else [str(one) for one in value]

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "maxItems": MOST_NAMES, "items": Text(max_length=1000).json_schema()}


@dataclass(frozen=True)
class DayInReach(DateType):
    """A date that something can be reported about."""

    def parse(self, value: object, path: str, errors: Errors) -> date | None:
        day = super().read(value, path, errors)
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            errors.add(path, INVALID, reason=f"must be from {FIRST_DAY} to {LAST_DAY}")
            return None
        return day


ARRAYS = (Ids, ListOfNames)
WAVE_IDS = Attribute("wave_ids", Ids(), "Only payslips, or employees, of these waves.")
EMPLOYEE_IDS = Attribute("employee_ids", Ids(), "Only these employees.")
HUMANIZE = Attribute("humanize", Boolean(), "Amounts as people read them, `$1,234.50`, and not as numbers.")
START_DATE = Attribute("start_date", DayInReach(), "The first day.", required=True, example="2026-01-01")
END_DATE = Attribute("end_date", DayInReach(), "The last day.", required=True, example="2026-03-31")
DATE = Attribute("date", DayInReach(), "The day at whose end it is so.", required=True, example="2026-03-31")
WAVE_ID = Attribute("wave_id", Integer(minimum=1), "The wave.", required=True, example=1)
PERIOD_OFFSET = Attribute(
    "period_offset",
    Integer(minimum=-(10**6), maximum=10**6),
    "Its period that is selected.",
    required=True,
    example=218,
)


def from_query(attributes: Sequence[Attribute], query: Mapping[str, Sequence[str]]) -> Record:
    """The body that a query stands for: arrays are repeated, or have commas between their values."""
    body: Record = {}
    for one in attributes:
        values = [*query.get(one.name, ()), *query.get(f"{one.name}[]", ())]
        if isinstance(one.type, ARRAYS):
            body[one.name] = Unsplit(text for text in values if text.strip()) or None
        elif values:
            body[one.name] = values[-1]
    return body


def in_order(record: Record, errors: Errors) -> None:
    """That a span of days does not end before it begins."""
    start, end = record.get("start_date"), record.get("end_date")
    if start is not None and end is not None and end < start:
        errors.add("end_date", INVALID, reason=f"must not be before start_date, {start}")


def refuse_unknown(name: str, what: str, unknown: Sequence[object], errors: Errors) -> None:
    """Name what there is not in this client."""
    if unknown:
        errors.add(name, INVALID, reason=f"there is no {what} {told(unknown)} in this client")


def told(values: Sequence[object]) -> str:
    """The first of these values, and how many more there are."""
    shown = ", ".join(str(one)[:MOST_TOLD] for one in values[:MOST_TOLD])
    more = len(values) - MOST_TOLD
    return f"{shown} and {more:,} more" if more > 0 else shown


def refuse(errors: Mapping[str, str]) -> None:
    """Refuse a request with all that is wrong with it, if anything is."""
    if errors:
        raise ValidationError(errors)


def unwrapped(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields in a body, which may or may not be wrapped."""
    inner = body.get("report")
    return inner if isinstance(inner, Mapping) else body
