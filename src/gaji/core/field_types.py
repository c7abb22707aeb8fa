"""Types of attributes in a request: texts, integers, booleans, dates and values of a closed list."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, Protocol

from gaji.core.error_codes import (
    CONTROL_CHARACTER,
    LENGTH_OUT_OF_RANGE,
    NO_SUCH_DATE,
    NOT_A_BOOLEAN,
    NOT_A_DATE,
    NOT_A_STRING,
    NOT_ALLOWED,
    NOT_AN_INTEGER,
    NOT_IN_LIST,
    OUT_OF_RANGE,
    TOO_LONG,
    WRONG_LENGTH,
)
from gaji.core.errors import ErrorCode, Errors, InvalidValue
from gaji.engine.dates import MAX_DATE, MIN_DATE

JsonSchema = dict[str, Any]
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
INTEGER = re.compile(r"-?\d{1,19}", re.ASCII)
MAX_ID = 2**63 - 1
MAX_LISTED_VALUES = 12
DATE_SCHEMA: JsonSchema = {"type": "string", "format": "date", "pattern": r"^(19|20|21)\d{2}-\d{2}-\d{2}$"}
"""The JSON Schema of a date in a request. JSON Schema has no bounds for dates; the pattern gives the years."""


class FieldType(Protocol):
    """The type of an attribute. `parse` returns the value as Gaji stores it, or adds an error under `path`."""

    def parse(self, value: object, path: str, errors: Errors) -> Any: ...

    def json_schema(self) -> JsonSchema: ...


@dataclass(frozen=True)
class TextPattern:
    """A regular expression for a whole text, and the error of a text that does not match."""

    regex: str
    error: ErrorCode

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The regular expression, compiled once."""
        return re.compile(self.regex)


@dataclass(frozen=True)
class Text:
    """A string."""

    min_length: int = 0
    max_length: int = 255
    pattern: TextPattern | None = None
    normalise: Callable[[str], str] | None = None
    """Returns the normal form, or raises InvalidValue."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        if not isinstance(value, str):
            errors.add(path, NOT_A_STRING)
        elif len(value) > self.max_length:
            self._add_length_error(path, errors)
        elif CONTROL_CHARACTERS.search(value):
            errors.add(path, CONTROL_CHARACTER)
        elif len(value) < self.min_length:
            self._add_length_error(path, errors)
        elif self.pattern and not self.pattern.compiled.fullmatch(value):
            errors.add(path, self.pattern.error)
        elif self.normalise:
            try:
                return self.normalise(value)
            except InvalidValue as error:
                errors.add(path, error.kind, **error.params)
        else:
            return value
        return None

    def _add_length_error(self, path: str, errors: Errors) -> None:
        if self.min_length == self.max_length:
            errors.add(path, WRONG_LENGTH, length=self.max_length)
        elif self.min_length == 0:
            errors.add(path, TOO_LONG, max_length=self.max_length)
        else:
            errors.add(path, LENGTH_OUT_OF_RANGE, min_length=self.min_length, max_length=self.max_length)

    def json_schema(self) -> JsonSchema:
        schema: JsonSchema = {"type": "string", "maxLength": self.max_length}
        if self.min_length:
            schema["minLength"] = self.min_length
        schema["pattern"] = f"^{self.pattern.regex}$" if self.pattern else "^[^\\x00-\\x1f\\x7f-\\x9f]*$"
        return schema


@dataclass(frozen=True)
class Integer:
    """An integer. Numeric strings are accepted."""

    minimum: int = 0
    maximum: int = MAX_ID

    def parse(self, value: object, path: str, errors: Errors) -> int | None:
        number = parse_integer(value)
        if number is None:
            errors.add(path, NOT_AN_INTEGER)
        elif not self.minimum <= number <= self.maximum:
            errors.add(path, OUT_OF_RANGE, minimum=self.minimum, maximum=self.maximum)
        else:
            return number
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


@dataclass(frozen=True)
class Boolean:
    """A JSON boolean, or the strings `true` and `false`."""

    def parse(self, value: object, path: str, errors: Errors) -> bool | None:
        if isinstance(value, bool):
            return value
        if value in ("true", "false"):
            return value == "true"
        errors.add(path, NOT_A_BOOLEAN)
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class DateType:
    """A date, `YYYY-MM-DD`, from 1900 to 2199."""

    def parse(self, value: object, path: str, errors: Errors) -> date | None:
        if isinstance(value, date):
            # A stored value. It may be outside the bounds, because versions before 0.2.0 did not check them.
            return value
        if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
            errors.add(path, NOT_A_DATE)
            return None
        try:
            day = date.fromisoformat(value)
        except ValueError:
            errors.add(path, NO_SUCH_DATE, value=value)
            return None
        if not MIN_DATE <= day <= MAX_DATE:
            errors.add(path, OUT_OF_RANGE, minimum=MIN_DATE, maximum=MAX_DATE)
            return None
        return day

    def json_schema(self) -> JsonSchema:
        return dict(DATE_SCHEMA)


@dataclass(frozen=True)
class OneOf:
    """One value of a closed list. Numeric strings are accepted for integers."""

    values: Sequence[str | int]
    list_name: str
    """The list is served at /constants/<list_name>."""
    title: str = ""
    """The name of the JSON Schema. Default: that of the list."""

    def parse(self, value: object, path: str, errors: Errors) -> str | int | None:
        choice: object = value
        if self.values and isinstance(self.values[0], int):
            choice = parse_integer(value)
        if isinstance(choice, str | int) and not isinstance(choice, bool) and choice in self.values:
            return choice
        if len(self.values) <= MAX_LISTED_VALUES:
            errors.add(path, NOT_ALLOWED, allowed=self.values)
        else:
            errors.add(path, NOT_IN_LIST, list=self.list_name)
        return None

    def json_schema(self) -> JsonSchema:
        type_name = "integer" if self.values and isinstance(self.values[0], int) else "string"
        return {"title": self.title or pascal_case(self.list_name), "type": type_name, "enum": list(self.values)}


def parse_integer(value: object) -> int | None:
    """Return the integer in a JSON number or a numeric string, or None.

    >>> parse_integer("42"), parse_integer(Decimal("42.0")), parse_integer("4.5"), parse_integer(True)
    (42, 42, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal) and value.is_finite() and abs(value) < MAX_ID and value == int(value):
        return int(value)
    if isinstance(value, str) and INTEGER.fullmatch(value):
        return int(value)
    return None


def pascal_case(name: str) -> str:
    """Return a name as the name of a type.

    >>> pascal_case("pay_point"), pascal_case("leave_liability_v2")
    ('PayPoint', 'LeaveLiabilityV2')
    """
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))
