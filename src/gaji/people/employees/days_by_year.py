"""Days in Singapore by calendar year, as an attribute of employees."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gaji.core import clock
from gaji.core.error_codes import OUT_OF_RANGE
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import JsonSchema, parse_integer

FIRST_YEAR, LAST_YEAR = 1900, 2199
MAX_DAYS = 366
MAX_YEARS = 100
LIST = re.compile(r"\s*(\d{4})\s*:\s*(\d{1,3})\s*")
"""One year of the form that spreadsheets and pages use, such as `2026: 90`."""

NOT_DAYS_BY_YEAR = ErrorCode("not_days_by_year", "must be days by year, such as 2026: 90")


@dataclass(frozen=True)
class DaysByYear:
    """Days by calendar year: an object, a text such as `2026: 90; 2025: 200`, or a number for the current year."""

    def parse(self, value: object, path: str, errors: Errors) -> dict[str, int] | None:
        if isinstance(value, str):
            value = _parse_text(value)
        elif parse_integer(value) is not None:
            value = {str(clock.today().year): value}
        if not isinstance(value, Mapping) or len(value) > MAX_YEARS:
            errors.add(path, NOT_DAYS_BY_YEAR)
            return None
        days_by_year: dict[str, int] = {}
        for year, days in value.items():
            number = parse_integer(days)
            if not (re.fullmatch(r"\d{4}", str(year), re.ASCII) and FIRST_YEAR <= int(year) <= LAST_YEAR):
                errors.add(path, NOT_DAYS_BY_YEAR)
            elif days is None:
                continue
            elif number is None or not 0 <= number <= MAX_DAYS:
                errors.add(f"{path}.{year}", OUT_OF_RANGE, minimum=0, maximum=MAX_DAYS)
            else:
                days_by_year[str(year)] = number
        return dict(sorted(days_by_year.items()))

    def json_schema(self) -> JsonSchema:
        return {
            "type": "object",
            "propertyNames": {"pattern": "^(19|20|21)[0-9]{2}$"},
            "additionalProperties": {"type": ["integer", "null"], "minimum": 0, "maximum": MAX_DAYS},
            "maxProperties": MAX_YEARS,
        }


def days_by_year_text(days_by_year: Mapping[str, int]) -> str:
    """Return the text that spreadsheets and pages show.

    >>> days_by_year_text({"2025": 200, "2026": 90})
    '2025: 200; 2026: 90'
    """
    return "; ".join(f"{year}: {days}" for year, days in days_by_year.items())


def _parse_text(text: str) -> Mapping[str, str] | None:
    matches = [LIST.fullmatch(part) for part in text.split(";") if part.strip()]
    days = {match[1]: match[2] for match in matches if match}
    return days if len(days) == len(matches) else None
