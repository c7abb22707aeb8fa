"""Declarative request schemas: validation, warnings and JSON Schema from one definition.

A resource lists its attributes in a `Schema`. A create or an update is checked against it, and all errors are reported
at once. Valid input becomes a frozen struct.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from msgspec import Struct
from msgspec.structs import asdict

from gaji.core.error_codes import NAME_TAKEN, NOT_AN_OBJECT, NOT_APPLICABLE, REQUIRED, REQUIRED_WHEN
from gaji.core.errors import (
    ERROR_CODES,
    ErrorCode,
    Errors,
    ValidationError,
    invalid,
)
from gaji.core.field_types import FieldType, JsonSchema, Text, pascal_case
from gaji.engine.invalid_input import InputProblem, InvalidInput

T = TypeVar("T")
Record = dict[str, Any]
"""Values during validation, before they become a struct."""
Rule = Callable[[Record, Errors], None]
"""A check over several attributes. A value that is not valid is None in the record."""

MAX_WARNINGS = 100
MAX_NAME_LENGTH = 60
"""Longer attribute names are cut in messages and get no suggestion."""


INPUT_ERROR_CODES: Mapping[InputProblem, ErrorCode] = {problem: ERROR_CODES[problem] for problem in InputProblem}


def add_input_error(errors: Errors, path: str, error: InvalidInput) -> None:
    """Record the error of a value that the engine rejected."""
    errors.add(path, INPUT_ERROR_CODES[error.problem], **error.params)


@dataclass(frozen=True)
class Condition:
    """The condition that a sibling attribute has one of some values."""

    attribute: str
    values: tuple[str | int, ...]

    def holds(self, record: Mapping[str, Any]) -> bool:
        """Return whether the condition holds for this record."""
        return record.get(self.attribute) in self.values

    @property
    def values_text(self) -> str:
        """The values, as messages name them."""
        return " or ".join(_json_text(value) for value in self.values)

    def __str__(self) -> str:
        return f"{self.attribute} is {self.values_text}"


def when(attribute: str, *values: str | int) -> Condition:
    """Return the condition that a sibling attribute has one of these values."""
    return Condition(attribute, values)


@dataclass(frozen=True)
class Attribute:
    """One attribute that a caller may write: its name, type and when it is required."""

    name: str
    type: FieldType
    description: str
    required: bool = False
    required_if: Condition | None = None
    only_if: Condition | None = None
    """When the attribute applies. Sending it otherwise is an error."""
    default: Any = None
    """The value when the attribute is absent. For a group, an empty object means the defaults of its children."""
    example: Any = None
    field: str = ""
    """The name of the parsed value, if it has another unit than the attribute: `millidays` for `days`."""

    @property
    def key(self) -> str:
        """The name of the parsed value in a record and in a struct."""
        return self.field or self.name

    def json_schema(self, *, partial: bool = False) -> JsonSchema:
        """Return the JSON Schema. In a partial object nothing has a default, because absent means unchanged."""
        schema = self.type.json_schema(partial=partial) if isinstance(self.type, Group) else self.type.json_schema()
        if not self.required:
            schema = _nullable(schema)
        schema = {**schema, "description": self.full_description}
        if self.default is not None and not partial and not isinstance(self.default, dict | list):
            schema["default"] = self.default
        if self.example is not None:
            schema["examples"] = [self.example]
        return schema

    @property
    def full_description(self) -> str:
        """The description with its conditions."""
        required = f" Required if {self.required_if}." if self.required_if else ""
        applicable = f" Only if {self.only_if}." if self.only_if else ""
        return self.description + required + applicable


@dataclass(frozen=True)
class Group:
    """A nested object. With a `struct`, valid input is built as that struct."""

    attributes: Sequence[Attribute]
    struct: Callable[..., Any] | None = None
    null_if_blank: bool = False
    """Whether an object whose values are all null means null, because it is read that way."""

    def parse(self, value: object, path: str, errors: Errors) -> Record | None:
        if not isinstance(value, Mapping):
            errors.add(path, NOT_AN_OBJECT)
            return None
        return parse_attributes(self.attributes, value, value, f"{path}.", errors)

    def json_schema(self, *, partial: bool = False) -> JsonSchema:
        return object_schema(self.attributes, partial=partial)


@runtime_checkable
class ObjectArray(Protocol):
    """The type of an attribute that is an array of objects."""

    @property
    def element_attributes(self) -> Sequence[Attribute]:
        """The attributes of an element that a caller may write."""

    @property
    def element_read_only(self) -> Sequence[str]:
        """The attributes of an element that are only read."""


def object_schema(attributes: Sequence[Attribute], *, partial: bool = False) -> JsonSchema:
    """Return the JSON Schema of an object with these attributes. A partial object requires none of them."""
    schema: JsonSchema = {
        "type": "object",
        "properties": {attribute.name: attribute.json_schema(partial=partial) for attribute in attributes},
    }
    if partial:
        return schema
    if required := [attribute.name for attribute in attributes if attribute.required]:
        schema["required"] = required
    conditions = (attribute.required_if for attribute in attributes if attribute.required_if)
    if siblings := dict.fromkeys(condition.attribute for condition in conditions):
        schema["allOf"] = [_conditional_schema(sibling, attributes) for sibling in siblings]
    return schema


def _conditional_schema(sibling: str, attributes: Sequence[Attribute]) -> JsonSchema:
    """Return what each value of a sibling attribute requires.

    This is one `anyOf` for each sibling, because test generators cannot follow a chain of `if` and `then`.
    """
    required: dict[str | int, tuple[str, ...]] = {}
    for attribute in attributes:
        if attribute.required_if and attribute.required_if.attribute == sibling:
            required |= {value: (*required.get(value, ()), attribute.name) for value in attribute.required_if.values}
    choices: list[JsonSchema] = [
        {
            "required": [sibling, *names],
            "properties": {
                sibling: {"enum": [value for value in required if required[value] == names]},
                **{name: {"not": {"type": "null"}} for name in names},
            },
        }
        for names in dict.fromkeys(required.values())
    ]
    return {"anyOf": [*choices, {"properties": {sibling: {"not": {"enum": list(required)}}}}]}


class RequestBody(dict[str, Any]):
    """The JSON object of a request. Schemas that parse it record their warnings, which failing responses show too."""

    def __init__(self, values: Mapping[str, Any], warnings: dict[str, str] | None = None) -> None:
        super().__init__(values)
        self.warnings = {} if warnings is None else warnings

    def with_values(self, values: Mapping[str, Any]) -> "RequestBody":
        """Return a body with other values that records its warnings in the same place."""
        return RequestBody(values, self.warnings)


def replace_values(body: Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a body with other values. Warnings about the body of a request are still recorded."""
    return body.with_values(values) if isinstance(body, RequestBody) else values


@dataclass
class ValidatedInput(Generic[T]):
    """A body that passed validation, and warnings about unknown attributes."""

    data: T
    warnings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Schema(Generic[T]):
    """The attributes of a resource that a caller may write, and the names that are read-only."""

    resource: str
    attributes: Sequence[Attribute]
    read_only: Sequence[str] = ("id", "client_id", "created_at", "updated_at")
    rules: Sequence[Rule] = ()
    struct: Callable[..., T] = field(kw_only=True)
    """The frozen struct that valid input is built as; its fields are the keys of the attributes."""
    title: str = field(default="", kw_only=True)
    """The name of the JSON Schema of a create. Default: that of the resource, with the suffix `Input`."""

    def parse_create(self, body: Mapping[str, Any], *rules: Rule) -> ValidatedInput[T]:
        """Validate the body of a create. Raises ValidationError with every error."""
        body = self.unwrap(body)
        return self._parse(body, body, rules)

    def parse_update(self, body: Mapping[str, Any], current: Record, *rules: Rule) -> ValidatedInput[T]:
        """Validate the record after an update: only what the body supplies changes, and null clears a value."""
        body = self.unwrap(body)
        return self._parse(merge_changes(current, body), body, rules)

    def json_schema(self, *, partial: bool = False) -> JsonSchema:
        """Return the JSON Schema of a body."""
        name = pascal_case(self.resource)
        title = f"{name}Update" if partial else self.title or f"{name}Input"
        return {"title": title, **object_schema(self.attributes, partial=partial)}

    def unwrap(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the attributes of a body, which may be wrapped in the name of the resource."""
        if self.resource not in body:
            return body
        attributes = body[self.resource]
        if not isinstance(attributes, Mapping):
            raise invalid(self.resource, NOT_AN_OBJECT)
        unwrapped = {**{name: value for name, value in body.items() if name != self.resource}, **attributes}
        return replace_values(body, unwrapped)

    def build(self, record: Record) -> T:
        """Build the struct of a valid record."""
        return build_struct(self.struct, self.attributes, record)

    def _parse(self, merged: Mapping[str, Any], body: Mapping[str, Any], rules: Sequence[Rule]) -> ValidatedInput[T]:
        errors = Errors()
        record = parse_attributes(self.attributes, merged, body, "", errors)
        for rule in (*self.rules, *rules):
            rule(record, errors)
        warnings = _warnings(self.attributes, self.read_only, body, errors)
        if isinstance(body, RequestBody):
            body.warnings.update(warnings)
        if errors:
            raise ValidationError(errors, warnings=warnings)
        return ValidatedInput(self.build(record), warnings)


def build_struct(struct: Callable[..., T], attributes: Sequence[Attribute], record: Record) -> T:
    """Build a struct from valid values, with nested groups as structs of their own."""
    values = dict(record)
    for attribute in attributes:
        group, value = attribute.type, record.get(attribute.key)
        if isinstance(group, Group) and group.struct is not None and value is not None:
            values[attribute.key] = build_struct(group.struct, group.attributes, value)
    return struct(**values)


def to_record(data: Struct) -> Record:
    """Return the values of a struct as `parse_update` takes them, with nested structs as dictionaries."""
    return {name: _to_plain_value(value) for name, value in asdict(data).items()}


def _to_plain_value(value: Any) -> Any:
    if isinstance(value, Struct):
        return to_record(value)
    return [_to_plain_value(item) for item in value] if isinstance(value, list) else value


def unique_name_rule(other_names: Set[str]) -> Rule:
    """Return the check that no other record has this name. `other_names` are in lower case."""

    def check(record: Record, errors: Errors) -> None:
        if record["name"] and record["name"].strip().lower() in other_names:
            errors.add_if_absent("name", NAME_TAKEN, name=record["name"])

    return check


def merge_changes(current: Mapping[str, Any], change: Mapping[str, Any]) -> Record:
    """Return the current values with a change applied. Objects are merged, and null clears."""
    merged = dict(current)
    for name, value in change.items():
        old = current.get(name)
        merged[name] = merge_changes(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def suggest(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that was probably meant.

    >>> suggest("nirc", ["nric", "race"])
    'nric'
    """
    return _find_close_match(name, tuple(known))


@lru_cache(maxsize=1000)
def _find_close_match(name: str, known: tuple[str, ...]) -> str | None:
    """Cached, because a body may have the same unknown name thousands of times."""
    matches = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return matches[0] if matches else None


def parse_attributes(
    attributes: Sequence[Attribute],
    merged: Mapping[str, Any],
    supplied: Mapping[str, Any],
    prefix: str,
    errors: Errors,
) -> Record:
    """Return the values of the merged record, each under the key of its attribute.

    An attribute that does not apply is an error if the caller supplied it, and is dropped otherwise.
    """
    record: Record = {
        attribute.key: _parse_value(attribute, merged, supplied, prefix, errors) for attribute in attributes
    }
    for attribute in attributes:
        key, path = attribute.key, prefix + attribute.name
        if attribute.only_if and not attribute.only_if.holds(record):
            undecided = prefix + attribute.only_if.attribute in errors
            if record[key] is not None and supplied.get(attribute.name) is not None and not undecided:
                condition = attribute.only_if
                errors.add(path, NOT_APPLICABLE, attribute=condition.attribute, value=condition.values_text)
            record[key] = None
        elif record[key] is None and path not in errors:
            if attribute.required:
                errors.add(path, REQUIRED)
            elif attribute.required_if and attribute.required_if.holds(record):
                sibling = attribute.required_if.attribute
                errors.add(path, REQUIRED_WHEN, attribute=sibling, value=_json_text(record[sibling]))
            record[key] = _default(attribute, path, errors)
    return record


def _is_blank(group: Group, value: Mapping[str, Any]) -> bool:
    """Whether an object has all attributes of a group, and all are null."""
    return all(child.name in value and value[child.name] is None for child in group.attributes)


def _parse_value(
    attribute: Attribute, merged: Mapping[str, Any], supplied: Mapping[str, Any], prefix: str, errors: Errors
) -> Any:
    value = merged.get(attribute.name)
    path = prefix + attribute.name
    if isinstance(attribute.type, Group) and isinstance(value, Mapping):
        if attribute.type.null_if_blank and _is_blank(attribute.type, value):
            return None
        change = supplied.get(attribute.name)
        return parse_attributes(
            attribute.type.attributes, value, change if isinstance(change, Mapping) else {}, f"{path}.", errors
        )
    if value is None or (isinstance(value, str) and not value.strip() and not _accepts_blank(attribute)):
        return None
    return attribute.type.parse(value, path, errors)


def _accepts_blank(attribute: Attribute) -> bool:
    optional = not attribute.required and attribute.required_if is None
    return optional and isinstance(attribute.type, Text) and attribute.type.min_length == 0


def _default(attribute: Attribute, path: str, errors: Errors) -> Any:
    if isinstance(attribute.type, Group) and attribute.default is not None:
        return parse_attributes(attribute.type.attributes, attribute.default, {}, f"{path}.", errors)
    return attribute.default


def _warnings(
    attributes: Sequence[Attribute], read_only: Sequence[str], body: Mapping[str, Any], errors: Errors
) -> dict[str, str]:
    warnings: dict[str, str] = {}
    unlisted = 0
    for prefix, name, known in _unknown_attributes(attributes, read_only, body, "", errors):
        if len(warnings) < MAX_WARNINGS:
            suggestion = suggest(name, known) if len(name) <= MAX_NAME_LENGTH else None
            hint = f" Did you mean {suggestion}?" if suggestion else ""
            warnings[f"{prefix}{name[:MAX_NAME_LENGTH]}"] = f"Unknown attribute, ignored.{hint}"
        else:
            unlisted += 1
    if unlisted:
        warnings["…"] = f"Unknown attributes, ignored: {unlisted:,} more."
    return warnings


def _unknown_attributes(
    attributes: Sequence[Attribute], read_only: Sequence[str], body: Mapping[str, Any], prefix: str, errors: Errors
) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield the path of the object, the name, and the known names for each unknown attribute, nested ones included.

    Arrays with an error, which may be too long, are left out.
    """
    known = {attribute.name: attribute.type for attribute in attributes}
    for name, value in body.items():
        nested, path = known.get(name), f"{prefix}{name}"
        if isinstance(nested, Group) and isinstance(value, Mapping):
            yield from _unknown_attributes(nested.attributes, (), value, f"{path}.", errors)
        elif isinstance(value, list) and isinstance(nested, ObjectArray) and path not in errors:
            of_element, read_only_of_element = nested.element_attributes, nested.element_read_only
            for index, element in enumerate(value):
                if isinstance(element, Mapping):
                    yield from _unknown_attributes(
                        of_element, read_only_of_element, element, f"{path}.{index}.", errors
                    )
        elif name not in known and name not in read_only:
            yield prefix, name, list(known)


def _json_text(value: str | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _nullable(schema: JsonSchema) -> JsonSchema:
    if "enum" in schema:
        return {**schema, "type": [schema["type"], "null"], "enum": [*schema["enum"], None]}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}
