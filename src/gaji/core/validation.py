"""Attributes: how what a caller may write is described, checked and documented, each thing said once.

A resource lists its attributes; from that list come the check of a create or an update with all faults at once, the
warnings about names it does not know, and the JSON Schema in the API's documentation.
"""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Protocol

from gaji.core.errors import Invalid

Record = dict[str, Any]
Faults = dict[str, str]
Schema = dict[str, Any]
Rule = Callable[[Record, Faults], None]

UNREADABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters and stray surrogates: nothing that a person writes in a form."""
MOST_ID = 2**63 - 1
MOST_WARNINGS = 100
MOST_NAME_CHARACTERS = 60
"""A longer name is no slip of the keyboard; looking for what it may have meant would only take time."""


class Kind(Protocol):
    """What a value may be. `read` gives the value as Gaji keeps it, or names what is wrong under `path`."""

    def read(self, value: object, path: str, faults: Faults) -> Any: ...

    def schema(self) -> Schema: ...


@dataclass(frozen=True)
class Text:
    """A string a person wrote."""

    least: int = 0
    most: int = 255
    pattern: str | None = None
    hint: str = ""
    """What to say when the pattern does not match."""
    check: Callable[[str], str] | None = None
    """Gives the normal form, or raises ValueError with what is wrong."""

    def read(self, value: object, path: str, faults: Faults) -> str | None:
        if not isinstance(value, str):
            faults[path] = "must be a string"
        elif UNREADABLE.search(value):
            faults[path] = "must not contain control characters"
        elif not self.least <= len(value) <= self.most:
            faults[path] = self._length()
        elif self.pattern and not re.fullmatch(self.pattern, value):
            faults[path] = self.hint
        elif self.check:
            try:
                return self.check(value)
            except ValueError as error:
                faults[path] = str(error)
        else:
            return value
        return None

    def _length(self) -> str:
        if self.least == self.most:
            return f"must be exactly {self.most} characters"
        if self.least == 0:
            return f"must be at most {self.most} characters"
        return f"must be {self.least} to {self.most} characters"

    def schema(self) -> Schema:
        shape: Schema = {"type": "string", "maxLength": self.most}
        if self.least:
            shape["minLength"] = self.least
        shape["pattern"] = f"^{self.pattern}$" if self.pattern else "^[^\\x00-\\x1f\\x7f-\\x9f]*$"
        return shape


@dataclass(frozen=True)
class Integer:
    """A whole number, also given as a numeric string."""

    least: int = 0
    most: int = MOST_ID

    def read(self, value: object, path: str, faults: Faults) -> int | None:
        number = whole_number(value)
        if number is None:
            faults[path] = "must be an integer"
        elif not self.least <= number <= self.most:
            faults[path] = f"must be from {self.least} to {self.most}"
        else:
            return number
        return None

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class Boolean:
    """A JSON boolean, or the strings `true` and `false`."""

    def read(self, value: object, path: str, faults: Faults) -> bool | None:
        if isinstance(value, bool):
            return value
        if value in ("true", "false"):
            return value == "true"
        faults[path] = "must be true or false"
        return None

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "boolean"}, {"enum": ["true", "false"]}]}


@dataclass(frozen=True)
class Day:
    """A date, `YYYY-MM-DD`."""

    def read(self, value: object, path: str, faults: Faults) -> date | None:
        if isinstance(value, date):
            return value
        if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
            try:
                return date.fromisoformat(value)
            except ValueError:
                faults[path] = f"{value} is not a day of the calendar"
                return None
        faults[path] = "must be a date such as 2026-03-31"
        return None

    def schema(self) -> Schema:
        return {"type": "string", "format": "date"}


@dataclass(frozen=True)
class OneOf:
    """One value of a closed list; integers also given as numeric strings."""

    values: Sequence[str | int]
    list_name: str
    """Where the API lists the values: /constants/<list_name>."""

    def read(self, value: object, path: str, faults: Faults) -> str | int | None:
        wanted: object = value
        if self.values and isinstance(self.values[0], int):
            wanted = whole_number(value)
        if isinstance(wanted, str | int) and not isinstance(wanted, bool) and wanted in self.values:
            return wanted
        if len(self.values) <= 12:
            faults[path] = "must be one of " + ", ".join(str(one) for one in self.values)
        else:
            faults[path] = f"is not in the list /constants/{self.list_name}"
        return None

    def schema(self) -> Schema:
        return {"enum": list(self.values)}


@dataclass(frozen=True)
class Condition:
    """That a neighbour of an attribute has one of some values."""

    attribute: str
    values: tuple[str | int, ...]

    def holds(self, record: Mapping[str, Any]) -> bool:
        """Whether it is so in this record."""
        return record.get(self.attribute) in self.values

    def __str__(self) -> str:
        return f"{self.attribute} is {' or '.join(_in_json(value) for value in self.values)}"


def when(attribute: str, *values: str | int) -> Condition:
    """The condition that this neighbour has one of these values."""
    return Condition(attribute, values)


@dataclass(frozen=True)
class Attribute:
    """One thing a caller may write: its name, what it may be and when it must be there."""

    name: str
    kind: Kind
    description: str
    required: bool = False
    required_if: Condition | None = None
    only_if: Condition | None = None
    """When the attribute means anything; given otherwise, it is a fault."""
    default: Any = None
    """What an absent value means. For a group, an empty object gives its children's defaults."""
    example: Any = None

    def schema(self) -> Schema:
        shape = self.kind.schema()
        if not self.required:
            shape = _or_null(shape)
        shape = {**shape, "description": self.explanation}
        if self.default is not None:
            shape["default"] = self.default
        if self.example is not None:
            shape["examples"] = [self.example]
        return shape

    @property
    def explanation(self) -> str:
        """The description with its conditions."""
        needed = f" Required if {self.required_if}." if self.required_if else ""
        limited = f" Only if {self.only_if}." if self.only_if else ""
        return self.description + needed + limited


@dataclass(frozen=True)
class Group:
    """An object of attributes."""

    attributes: Sequence[Attribute]

    def read(self, value: object, path: str, faults: Faults) -> Record | None:
        if not isinstance(value, Mapping):
            faults[path] = "must be an object"
            return None
        return read_attributes(self.attributes, value, value, f"{path}.", faults)

    def schema(self) -> Schema:
        return object_schema(self.attributes)


def object_schema(attributes: Sequence[Attribute], *, partial: bool = False) -> Schema:
    """The JSON Schema of an object with these attributes; a partial one requires none of them."""
    shape: Schema = {"type": "object", "properties": {one.name: one.schema() for one in attributes}}
    if partial:
        return shape
    if required := [one.name for one in attributes if one.required]:
        shape["required"] = required
    if neighbours := dict.fromkeys(one.required_if.attribute for one in attributes if one.required_if):
        shape["allOf"] = [_conditional(neighbour, attributes) for neighbour in neighbours]
    return shape


def _conditional(neighbour: str, attributes: Sequence[Attribute]) -> Schema:
    """What is required beside each value of a neighbour.

    One choice for each neighbour, because a chain of `if` and `then` is more than test generators can see through.
    """
    needed: dict[str | int, tuple[str, ...]] = {}
    for one in attributes:
        if one.required_if and one.required_if.attribute == neighbour:
            needed |= {value: (*needed.get(value, ()), one.name) for value in one.required_if.values}
    choices: list[Schema] = [
        {
            "required": [neighbour, *names],
            "properties": {
                neighbour: {"enum": [value for value in needed if needed[value] == names]},
                **{name: {"not": {"type": "null"}} for name in names},
            },
        }
        for names in dict.fromkeys(needed.values())
    ]
    return {"anyOf": [*choices, {"properties": {neighbour: {"not": {"enum": list(needed)}}}}]}


@dataclass
class Reading:
    """A body that was read: the whole record, and what was noticed about names that do nothing."""

    record: Record
    warnings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Catalogue:
    """What a caller may write of one resource, and which attributes are only ever read."""

    resource: str
    attributes: Sequence[Attribute]
    read_only: Sequence[str] = ("id", "client_id", "created_at", "updated_at")
    rules: Sequence[Rule] = ()
    """Checks over the whole record; a value that is not valid by itself is None there."""

    def read_new(self, body: Mapping[str, Any], *checks: Rule) -> Reading:
        """The record that a create asks for; raises Invalid with every fault, those of the checks included."""
        body = self.unwrapped(body)
        return self._read(body, body, checks)

    def read_change(self, body: Mapping[str, Any], current: Record, *checks: Rule) -> Reading:
        """The record after an update: only what is supplied changes, null clears, the whole is checked."""
        body = self.unwrapped(body)
        return self._read(merged(current, body), body, checks)

    def schema(self, *, partial: bool = False) -> Schema:
        """The JSON Schema of a body."""
        return object_schema(self.attributes, partial=partial)

    def unwrapped(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The attributes in a body, which may or may not be wrapped in the resource's name."""
        if self.resource not in body:
            return body
        inner = body[self.resource]
        if not isinstance(inner, Mapping):
            raise Invalid({self.resource: "must be an object"})
        return {**{name: value for name, value in body.items() if name != self.resource}, **inner}

    def _read(self, whole: Mapping[str, Any], body: Mapping[str, Any], checks: Sequence[Rule]) -> Reading:
        faults: Faults = {}
        record = read_attributes(self.attributes, whole, body, "", faults)
        for rule in (*self.rules, *checks):
            rule(record, faults)
        if faults:
            raise Invalid(faults)
        return Reading(record, _warnings(self.attributes, self.read_only, body))


def merged(current: Mapping[str, Any], change: Mapping[str, Any]) -> Record:
    """The current values with the change laid over them; objects are merged, null clears."""
    result = dict(current)
    for name, value in change.items():
        old = current.get(name)
        result[name] = merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return result


def whole_number(value: object) -> int | None:
    """The integer that a JSON number or a numeric string stands for, if it is one.

    >>> whole_number("42"), whole_number(Decimal("42.0")), whole_number("4.5"), whole_number(True)
    (42, 42, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal) and value.is_finite() and abs(value) < MOST_ID and value == int(value):
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,19}", value, re.ASCII):
        return int(value)
    return None


def near_miss(name: str, known: Sequence[str]) -> str | None:
    """The known name that was probably meant.

    >>> near_miss("nirc", ["nric", "race"])
    'nric'
    """
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return close[0] if close else None


def read_attributes(
    attributes: Sequence[Attribute],
    whole: Mapping[str, Any],
    supplied: Mapping[str, Any],
    prefix: str,
    faults: Faults,
) -> Record:
    """The values of the whole record. What does not apply is a fault where it was supplied, and dropped otherwise."""
    record: Record = {one.name: _read_value(one, whole, supplied, prefix, faults) for one in attributes}
    for one in attributes:
        path = prefix + one.name
        if one.only_if and not one.only_if.holds(record):
            undecided = prefix + one.only_if.attribute in faults
            if record[one.name] is not None and supplied.get(one.name) is not None and not undecided:
                faults[path] = f"is only possible when {one.only_if}"
            record[one.name] = None
        elif record[one.name] is None and path not in faults:
            if one.required:
                faults[path] = "is required"
            elif one.required_if and one.required_if.holds(record):
                neighbour = one.required_if.attribute
                faults[path] = f"is required when {neighbour} is {_in_json(record[neighbour])}"
            record[one.name] = _default(one, path, faults)
    return record


def _read_value(
    one: Attribute, whole: Mapping[str, Any], supplied: Mapping[str, Any], prefix: str, faults: Faults
) -> Any:
    value = whole.get(one.name)
    path = prefix + one.name
    if isinstance(one.kind, Group) and isinstance(value, Mapping):
        given = supplied.get(one.name)
        return read_attributes(
            one.kind.attributes, value, given if isinstance(given, Mapping) else {}, f"{path}.", faults
        )
    blank = isinstance(value, str) and not value.strip()
    if value is None or (blank and not (isinstance(one.kind, Text) and one.kind.least == 0 and _optional(one))):
        return None
    return one.kind.read(value, path, faults)


def _optional(one: Attribute) -> bool:
    return not one.required and one.required_if is None


def _default(one: Attribute, path: str, faults: Faults) -> Any:
    if isinstance(one.kind, Group) and one.default is not None:
        return read_attributes(one.kind.attributes, one.default, {}, f"{path}.", faults)
    return one.default


def _warnings(
    attributes: Sequence[Attribute], read_only: Sequence[str], body: Mapping[str, Any], prefix: str = ""
) -> dict[str, str]:
    known = {one.name: one for one in attributes}
    found: dict[str, str] = {}
    unnamed = 0
    for name, value in body.items():
        if name in read_only and not prefix:
            continue
        if name in known:
            kind = known[name].kind
            if isinstance(kind, Group) and isinstance(value, Mapping):
                found |= _warnings(kind.attributes, (), value, f"{prefix}{name}.")
            continue
        if len(found) < MOST_WARNINGS:
            meant = near_miss(name, list(known)) if len(name) <= MOST_NAME_CHARACTERS else None
            hint = f" Did you mean {meant}?" if meant else ""
            found[f"{prefix}{name[:MOST_NAME_CHARACTERS]}"] = f"Unknown attribute, ignored.{hint}"
        else:
            unnamed += 1
    if unnamed:
        found[f"{prefix}…"] = f"Unknown attributes, ignored: {unnamed:,} more."
    return found


def _in_json(value: str | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _or_null(shape: Schema) -> Schema:
    if "enum" in shape:
        return {**shape, "enum": [*shape["enum"], None]}
    if "anyOf" in shape:
        return {**shape, "anyOf": [*shape["anyOf"], {"type": "null"}]}
    return {**shape, "type": [shape["type"], "null"]}
