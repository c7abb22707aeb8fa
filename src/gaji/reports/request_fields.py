"""Request fields that reports have in common, in a JSON body or in a query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import MAX_ID, Boolean, DateType, Integer, JsonSchema, Text, parse_integer
from gaji.core.validation import MAX_NAME_LENGTH, Attribute, Record, suggest

MAX_IDS = 200_000
MAX_NAMES = 1000
MAX_LISTED = 100
"""Invalid values named in a message, and characters of each. Limits the size of the response to a large body."""

NOT_AN_ID_LIST = ErrorCode("not_an_id_list", "must be an array of at most {maximum} IDs")
INVALID_IDS = ErrorCode("invalid_ids", "must be an array of IDs; these are not valid: {values}")
NOT_A_NAME_LIST = ErrorCode("not_a_name_list", "must be an array of at most {maximum} names")
INVALID_NAMES = ErrorCode("invalid_names", "must be an array of names; these are not valid: {values}")
END_BEFORE_START = ErrorCode("end_before_start_date", "must not be before start_date, {start_date}")
UNKNOWN_FIELD = ErrorCode("unknown_field", "is not a field of the report {report}")
UNKNOWN_VALUES = ErrorCode("unknown_values", "{resource} not found in this client: {values}")

_encode = msgspec.json.Encoder(decimal_format="number").encode


class RawNameList(list[str]):
    """Values of a query parameter. Each value may contain several names, separated by commas."""


@dataclass(frozen=True)
class IdList:
    """IDs of records. An empty list selects all records."""

    def parse(self, value: object, path: str, errors: Errors) -> list[int] | None:
        if isinstance(value, RawNameList):
            value = [part.strip() for text in value for part in text.split(",") if part.strip()]
        if not isinstance(value, list) or len(value) > MAX_IDS:
            errors.add(path, NOT_AN_ID_LIST, maximum=f"{MAX_IDS:,}")
            return None
        numbers = [parse_integer(element) for element in value]
        invalid = [
            element
            for element, number in zip(value, numbers, strict=True)
            if number is None or not 0 < number <= MAX_ID
        ]
        if invalid:
            errors.add(path, INVALID_IDS, values=format_values(invalid))
        return [] if invalid else [number for number in dict.fromkeys(numbers) if number is not None]

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "maxItems": MAX_IDS, "items": {"type": "integer", "minimum": 1}}


@dataclass(frozen=True)
class NameList:
    """Names of choices. An empty list selects the default."""

    def parse(self, value: object, path: str, errors: Errors) -> list[str] | None:
        if not isinstance(value, list) or len(value) > MAX_NAMES:
            errors.add(path, NOT_A_NAME_LIST, maximum=f"{MAX_NAMES:,}")
            return None
        invalid = [element for element in value if isinstance(element, bool) or not isinstance(element, str | int)]
        if invalid:
            errors.add(path, INVALID_NAMES, values=format_values(invalid))
            return None
        return value if isinstance(value, RawNameList) else [str(element) for element in value]

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "maxItems": MAX_NAMES, "items": Text(max_length=1000).json_schema()}


LIST_TYPES = (IdList, NameList)
WAVE_IDS = Attribute("wave_ids", IdList(), "Only payslips, or employees, of these waves.")
EMPLOYEE_IDS = Attribute("employee_ids", IdList(), "Only these employees.")
HUMANIZE = Attribute("humanize", Boolean(), "Return amounts as text, `$1,234.50`, instead of numbers.")
START_DATE = Attribute("start_date", DateType(), "The first day.", required=True, example="2026-01-01")
END_DATE = Attribute("end_date", DateType(), "The last day.", required=True, example="2026-03-31")
DATE = Attribute("date", DateType(), "The day. Balances are those at its end.", required=True, example="2026-03-31")
WAVE_ID = Attribute("wave_id", Integer(minimum=1), "The wave.", required=True, example=1)
PERIOD_OFFSET = Attribute(
    "period_offset",
    Integer(minimum=-(10**6), maximum=10**6),
    "The selected period of the wave.",
    required=True,
    example=218,
)


def body_from_query(attributes: Sequence[Attribute], query: Mapping[str, Sequence[str]]) -> Record:
    """Return the body for a query. Arrays are repeated parameters, or comma-separated values.

    Parameters that are not fields of the report stay in the body, where they are reported as unknown.
    """
    lists = {attribute.name for attribute in attributes if isinstance(attribute.type, LIST_TYPES)}
    body: Record = {}
    for parameter, values in query.items():
        name = parameter.removesuffix("[]")
        if name in lists:
            texts = RawNameList(text for text in values if text.strip())
            body[name] = RawNameList([*(body.get(name) or ()), *texts]) or None
        else:
            body[parameter] = values[-1]
    return body


def check_unknown_fields(report_id: str, known: Sequence[str], body: Mapping[str, Any], errors: Errors) -> None:
    """Add an error for each field that the report does not have, with the field that was probably meant."""
    unknown = [name for name in body if name not in known]
    for name in unknown[:MAX_LISTED]:
        path = name[:MAX_NAME_LENGTH]
        suggestion = suggest(name, known) if path == name else None
        errors.add(path, UNKNOWN_FIELD, report=report_id, suggestion=suggestion)


def check_date_order(record: Record, errors: Errors) -> None:
    """Add an error if the end date is before the start date."""
    start, end = record.get("start_date"), record.get("end_date")
    if start is not None and end is not None and end < start:
        errors.add("end_date", END_BEFORE_START, start_date=start)


def check_known(path: str, resource: str, unknown: Sequence[object], errors: Errors) -> None:
    """Add an error if there are unknown values."""
    if unknown:
        errors.add(path, UNKNOWN_VALUES, resource=resource, values=format_values(unknown))


def format_values(values: Sequence[object]) -> str:
    """Return the first values, and the number of further ones."""
    listed = ", ".join(_value_text(value)[:MAX_LISTED] for value in values[:MAX_LISTED])
    more = len(values) - MAX_LISTED
    return f"{listed} and {more:,} more" if more > 0 else listed


def _value_text(value: object) -> str:
    """Return a text as it is, and another value as JSON."""
    return value if isinstance(value, str) else _encode(value).decode()


def unwrap_body(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a body, which may be wrapped in `report`."""
    inner = body.get("report")
    if not isinstance(inner, Mapping):
        return body
    return {**{name: value for name, value in body.items() if name != "report"}, **inner}
