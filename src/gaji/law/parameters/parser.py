"""Readers for parameter files: typed fields, histories, and errors that name the file and the key."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Any, TypeVar

from gaji.law.columns import RATE_SCALE
from gaji.law.errors import InvalidParameterFile
from gaji.law.months import Month
from gaji.law.parameters.history import DatedValue, History
from gaji.law.rounding import CENTS_PER_DOLLAR

T = TypeVar("T")
Document = Mapping[str, Any]
"""A parsed parameter file."""

PARTS_PER_PERCENT = RATE_SCALE // 100
MAX_NUMBER = 10**9
"""The largest number that a parameter file may contain."""


class TableReader:
    """Reads one table of a parameter file field by field. Missing, invalid and unknown fields raise an error."""

    def __init__(self, file: str, key: str, fields: object) -> None:
        self.file = file
        self.key = key
        if not isinstance(fields, Mapping):
            raise InvalidParameterFile(file, key, f"must be a table, not {fields!r}")
        self.content: Mapping[str, Any] = fields
        self._read: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self.content

    def path(self, name: str) -> str:
        """The full name of a field."""
        return f"{self.key}.{name}" if self.key else name

    def error(self, name: str, reason: str) -> InvalidParameterFile:
        """Return the error for a field."""
        return InvalidParameterFile(self.file, self.path(name), reason)

    def reject_unknown(self) -> None:
        """Reject fields that were not read, because a misspelt name would otherwise have no effect."""
        if unknown := [name for name in self.content if name not in self._read]:
            raise self.error(unknown[0], "is not a known field")

    def text(self, name: str) -> str:
        """Read a string that is not blank."""
        value = self._value(name)
        if not isinstance(value, str) or not value.strip():
            raise self.error(name, f"must be a string, not {value!r}")
        return value

    def choice(self, name: str, options: Sequence[str]) -> str:
        """Read one of these strings."""
        value = self._value(name)
        if value not in options:
            raise self.error(name, f"must be one of {', '.join(options)}, not {value!r}")
        return str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """Read a list of distinct strings."""
        values = self._value(name)
        if not isinstance(values, list) or not all(isinstance(value, str) and value for value in values):
            raise self.error(name, f"must be a list of strings, not {values!r}")
        if len(set(values)) != len(values):
            raise self.error(name, "contains a duplicate")
        return tuple(values)

    def choices(self, name: str, options: Sequence[str]) -> tuple[str, ...]:
        """Read a list of distinct strings, each of them one of the options."""
        values = self.texts(name)
        if unknown := [value for value in values if value not in options]:
            raise self.error(name, f"may only contain {', '.join(options)}, not {unknown[0]!r}")
        return values

    def flag(self, name: str) -> bool:
        """Read a boolean."""
        value = self._value(name)
        if not isinstance(value, bool):
            raise self.error(name, f"must be true or false, not {value!r}")
        return value

    def whole_number(self, name: str) -> int:
        """Read a whole number that is not negative."""
        return self._scaled(name, 1, "a whole number")

    def cents(self, name: str) -> int:
        """Read an amount in dollars that is not negative, as cents."""
        return self._scaled(name, CENTS_PER_DOLLAR, "an amount in dollars and cents")

    def cents_above_zero(self, name: str) -> int:
        """Read an amount in dollars above zero, as cents: a ceiling or a cap."""
        amount = self.cents(name)
        if amount == 0:
            raise self.error(name, "must be above 0")
        return amount

    def percent(self, name: str) -> int:
        """Read a percentage as parts of 100,000."""
        parts = self._scaled(name, PARTS_PER_PERCENT, "a percentage with at most three decimals")
        if parts > RATE_SCALE:
            raise self.error(name, "must be at most 100 percent")
        return parts

    def factor(self, name: str) -> int:
        """Read a factor as parts of 100,000."""
        return self._scaled(name, RATE_SCALE, "a factor with at most five decimals")

    def day(self, name: str) -> date:
        """Read a date."""
        value = self._value(name)
        if type(value) is not date:  # A datetime is a date too, but is not valid here.
            raise self.error(name, f"must be a date such as 2026-01-01, not {value!r}")
        return value

    def month(self, name: str) -> Month:
        """Read a month such as "2026-01"."""
        try:
            return Month.parse(self.text(name))
        except ValueError:
            raise self.error(name, 'must be a month such as "2026-01"') from None

    def table(self, name: str) -> "TableReader":
        """Return a reader for a nested table."""
        return TableReader(self.file, self.path(name), self._value(name))

    def tables(self, name: str, *, allow_empty: bool = False) -> list["TableReader"]:
        """Return readers for a list of tables, which must not be empty unless that is allowed."""
        rows = self._value(name)
        if not isinstance(rows, list) or not (rows or allow_empty):
            raise self.error(name, "must be a list of tables")
        return [TableReader(self.file, f"{self.path(name)}[{number}]", row) for number, row in enumerate(rows, start=1)]

    def _value(self, name: str) -> Any:
        self._read.add(name)
        if name not in self.content:
            raise self.error(name, "is missing")
        return self.content[name]

    def _scaled(self, name: str, scale: int, expected: str) -> int:
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite():
            raise self.error(name, f"must be {expected}, not {value!r}")
        if value > MAX_NUMBER:
            raise self.error(name, f"must be at most {MAX_NUMBER}")
        scaled = value * scale
        if scaled != int(scaled) or scaled < 0:
            raise self.error(name, f"must be {expected} and must not be negative, not {value}")
        return int(scaled)


class SubjectReader:
    """Reads one parameter file key by key into histories."""

    def __init__(self, name: str, file: str, document: Document) -> None:
        self.name = name
        self._fields = TableReader(file, "", document)
        self.title = self._fields.text("subject")
        self.covered_from = self._fields.month("covered_from")
        self.covered_until = self._fields.month("covered_until")
        if self.covered_until < self.covered_from:
            raise self._fields.error("covered_until", f"is before covered_from, {self.covered_from}")

    def __contains__(self, key: str) -> bool:
        return key in self._fields

    def history(self, key: str, read: Callable[[TableReader], T], *, from_the_start: bool = True) -> History[T]:
        """Read the history under this key; `read` converts the fields of an entry to a value.

        With `from_the_start`, it must start no later than the first month that the file covers.
        """
        table = self._fields.table(key)
        unit = table.text("unit")
        values = tuple(self._dated_value(key, row, read) for row in table.tables("values"))
        table.reject_unknown()
        self._check_order(table, values)
        oldest, newest = Month.from_date(values[-1].since), Month.from_date(values[0].since)
        if from_the_start and oldest > self.covered_from:
            raise table.error("values", f"start in {oldest}, but the file covers months from {self.covered_from}")
        if newest > self.covered_until:
            raise table.error("values", f"go up to {newest}, but the file covers months until {self.covered_until}")
        return History(f"{self.name}.{key}", unit, values, self.covered_until)

    def cents(self, key: str) -> History[int]:
        """Read a history of amounts in dollars."""
        return self.history(key, lambda entry: entry.cents("value"))

    def cents_above_zero(self, key: str) -> History[int]:
        """Read a history of ceilings or caps."""
        return self.history(key, lambda entry: entry.cents_above_zero("value"))

    def whole_number(self, key: str) -> History[int]:
        """Read a history of whole numbers."""
        return self.history(key, lambda entry: entry.whole_number("value"))

    def percent(self, key: str) -> History[int]:
        """Read a history of percentages."""
        return self.history(key, lambda entry: entry.percent("value"))

    def choice(self, key: str, *options: str) -> History[str]:
        """Read a history of a switch with these options."""
        return self.history(key, lambda entry: entry.choice("value", options))

    def change_dates(self, *histories: History[object]) -> list[date]:
        """The dates on which any of these histories changes, from the first day that the file covers."""
        first = self.covered_from.first_day
        return sorted({max(value.since, first) for history in histories for value in history.values})

    def error(self, key: str, since: date, name: str, reason: str) -> InvalidParameterFile:
        """Return the error for a field of the value from a date, for checks across values."""
        return InvalidParameterFile(self._fields.file, f"{key} from {since}.{name}", reason)

    def reject_unknown(self) -> None:
        """Reject keys that were not read."""
        self._fields.reject_unknown()

    def _dated_value(self, key: str, row: TableReader, read: Callable[[TableReader], T]) -> DatedValue[T]:
        since = row.day("from")
        # Errors from here on name the entry by its date, which is easier to find in the file than its position.
        entry = TableReader(row.file, f"{key} from {since}", {n: v for n, v in row.content.items() if n != "from"})
        if since.day != 1:
            raise entry.error("from", "must be the first day of a month")
        value = DatedValue(read(entry), since, entry.text("source"))
        entry.reject_unknown()
        return value

    def _check_order(self, table: TableReader, values: Sequence[DatedValue[T]]) -> None:
        for newer, older in pairwise(values):
            if newer.since == older.since:
                raise table.error("values", f"has two values from {newer.since}")
            if newer.since < older.since:
                raise table.error("values", f"must list the newest first: {older.since} comes after {newer.since}")
