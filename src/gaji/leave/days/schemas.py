"""Request schemas of leave days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.core.error_codes import NOT_AN_OBJECT
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import DateType, Integer, JsonSchema
from gaji.core.validation import Attribute, Group, Record, Schema, parse_attributes
from gaji.leave.quantities import Thousandths

MAX_DATES = 366
MAX_MILLIHOURS = 24_000
READ_ONLY = ("id", "employee_id", "type", "days", "payslip_id")

NOT_DATES = ErrorCode("not_dates", "must be an array of 1 to {maximum} dates")
NOT_LEAVE_DAY_IDS = ErrorCode("not_leave_day_ids", "must be an array of 1 to {maximum} leave day IDs")


class LeaveDayInput(msgspec.Struct, frozen=True, kw_only=True):
    """A leave day as a caller writes it."""

    date: date
    type_id: int
    millihours: int | None
    """None for the whole day."""


class LeaveDaysInput(msgspec.Struct, frozen=True, kw_only=True):
    """Several leave days as a caller writes them."""

    dates: Sequence[Mapping[str, Any]]


HOURS_TYPE = Thousandths("hours", 1, MAX_MILLIHOURS)
ATTRIBUTES = (
    Attribute("date", DateType(), "The day.", required=True, example="2026-05-04"),
    Attribute("type_id", Integer(minimum=1), "The leave type.", required=True, example=1),
    Attribute(
        "hours",
        HOURS_TYPE,
        "Hours of leave. Null or absent for the whole day.",
        example=4,
        field="millihours",
    ),
)
LEAVE_DAY = Schema("leave_day", ATTRIBUTES, read_only=READ_ONLY, struct=LeaveDayInput)


@dataclass(frozen=True)
class DateList:
    """An array of leave days."""

    element_attributes = ATTRIBUTES
    element_read_only = READ_ONLY

    def parse(self, value: object, path: str, errors: Errors) -> list[Record] | None:
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_DATES:
            errors.add(path, NOT_DATES, maximum=MAX_DATES)
            return None
        return [self._parse_day(element, f"{path}.{index}", errors) for index, element in enumerate(value)]

    def _parse_day(self, element: object, path: str, errors: Errors) -> Record:
        if not isinstance(element, Mapping):
            errors.add(path, NOT_AN_OBJECT)
            return dict.fromkeys((attribute.key for attribute in ATTRIBUTES), None)
        return parse_attributes(ATTRIBUTES, element, element, f"{path}.", errors)

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "minItems": 1, "maxItems": MAX_DATES, "items": Group(ATTRIBUTES).json_schema()}


DATES = Attribute(
    "dates",
    DateList(),
    "The days.",
    required=True,
    example=[{"date": "2026-05-04", "hours": None, "type_id": 1}, {"date": "2026-05-05", "hours": 4, "type_id": 1}],
)
LEAVE_DAYS = Schema("leave_days", (DATES,), read_only=(), struct=LeaveDaysInput)


class LeaveDayIdsInput(msgspec.Struct, frozen=True, kw_only=True):
    """The IDs of leave days to delete."""

    ids: Sequence[int]


@dataclass(frozen=True)
class LeaveDayIds:
    """An array of IDs of leave days."""

    def parse(self, value: object, path: str, errors: Errors) -> list[int | None] | None:
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_DATES:
            errors.add(path, NOT_LEAVE_DAY_IDS, maximum=MAX_DATES)
            return None
        return [Integer(minimum=1).parse(element, f"{path}.{index}", errors) for index, element in enumerate(value)]

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "minItems": 1, "maxItems": MAX_DATES, "items": Integer(minimum=1).json_schema()}


LEAVE_DAY_IDS = Schema(
    "leave_days",
    (Attribute("ids", LeaveDayIds(), "The leave days.", required=True, example=[31, 32]),),
    read_only=(),
    struct=LeaveDayIdsInput,
    title="LeaveDayIds",
)
