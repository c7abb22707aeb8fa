"""JSON Schemas as tables: one row for each attribute, with nested attributes indented."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gaji.core.field_types import JsonSchema

MAX_DEPTH = 6
MAX_LISTED_VALUES = 6
VALUES_OF_LONG_LISTS = 3
TECHNICAL_LIMIT = 10**9
"""Maximums from here on are limits of the data type and are not shown."""
ANY_TEXT = "^[^\\x00-\\x1f\\x7f]*$"
ANY_NAME = "<name>"
FORMAT_NAMES = {"date": "date", "date-time": "timestamp", "uri": "address", "email": "email address"}


@dataclass(frozen=True)
class AttributeRow:
    """One attribute."""

    name: str
    depth: int
    type: str
    required: bool
    nullable: bool
    description: str
    limits: str
    values: Sequence[str] = ()
    more_values: int = 0
    list_name: str | None = None
    """The list of constants that the values come from."""
    default: Any = None
    example: Any = None
    object_title: str | None = None
    """The object that is described elsewhere on the page."""


@dataclass(frozen=True)
class SchemaTable:
    """The rows of a schema, and the type of the outermost value."""

    type: str
    rows: Sequence[AttributeRow]


@dataclass(frozen=True)
class SchemaTables:
    """Builds tables for the schemas of one document."""

    document: Mapping[str, Any]
    lists: Mapping[str, Sequence[str | int]]
    """The values of every list of constants."""
    objects: dict[str, JsonSchema] = field(default_factory=dict)
    """Objects with a title. Each is described once and linked to from everywhere else."""

    def resolve(self, schema: JsonSchema) -> JsonSchema:
        """Return the schema that a reference points to, with `allOf` merged."""
        while "$ref" in schema:
            target: Any = self.document
            for step in schema["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            schema = target
        if "allOf" in schema:
            return self._merge_all_of(schema)
        return schema

    def collect_objects(self, schema: JsonSchema, depth: int = 0) -> list[str]:
        """Register the titled objects in a schema. Return the titles that are new."""
        schema = self.resolve(schema)
        new_titles: list[str] = []
        title = schema.get("title")
        if title and depth and "properties" in schema and title not in self.objects:
            self.objects[title] = schema
            new_titles.append(title)
        if depth < MAX_DEPTH:
            for _, child, _ in self._children(schema):
                new_titles += self.collect_objects(child, depth + 1)
        return new_titles

    def table(self, schema: JsonSchema) -> SchemaTable:
        """Return the table of a schema."""
        schema = self.resolve(schema)
        return SchemaTable(self.type_name(schema), tuple(self._rows(schema, 0)))

    def parameter_row(self, parameter: Mapping[str, Any]) -> AttributeRow:
        """Return the row of a parameter."""
        schema = {**parameter["schema"], "description": parameter.get("description", "")}
        return self._row(parameter["name"], schema, parameter.get("required", False), 0)

    def type_name(self, schema: JsonSchema) -> str:
        """Return the name of a type, such as `array of strings`."""
        schema = self.resolve(schema)
        if alternatives := _alternatives(schema):
            names = dict.fromkeys(self.type_name(option) for option in alternatives if option.get("type") != "null")
            return " or ".join(names)
        types = [name for name in _types(schema) if name != "null"]
        if types == ["array"]:
            return f"array of {_plural(self.type_name(schema.get('items', {})))}"
        if types == ["object"] and "properties" not in schema and isinstance(schema.get("additionalProperties"), dict):
            return f"object of {_plural(self.type_name(schema['additionalProperties']))}"
        if types == ["object"] and schema.get("title") in self.objects:
            return str(schema["title"])
        if types == ["string"]:
            return FORMAT_NAMES.get(schema.get("format", ""), "string")
        return " or ".join(types) or "any"

    def _rows(self, schema: JsonSchema, depth: int) -> Iterator[AttributeRow]:
        for name, child, required in self._children(schema):
            child = self.resolve(child)
            row = self._row(name, child, required, depth)
            yield row
            if depth < MAX_DEPTH and row.object_title is None:
                yield from self._rows(child, depth + 1)

    def _children(self, schema: JsonSchema) -> Iterator[tuple[str, JsonSchema, bool]]:
        """Yield the attributes of an object, of the elements of an array, or of the alternatives."""
        for alternative in _alternatives(schema):
            yield from self._children(self.resolve(alternative))
        required = schema.get("required", ())
        for name, child in schema.get("properties", {}).items():
            yield name, child, name in required
        if isinstance(extra := schema.get("additionalProperties"), dict) and self._has_children(extra):
            yield ANY_NAME, extra, False
        if isinstance(items := schema.get("items"), dict):
            yield from self._children(self.resolve(items))

    def _has_children(self, schema: JsonSchema) -> bool:
        return any(True for _ in self._children(self.resolve(schema)))

    def _row(self, name: str, schema: JsonSchema, required: bool, depth: int) -> AttributeRow:
        values = [value for value in schema.get("enum", ()) if value is not None]
        listed = values if len(values) <= MAX_LISTED_VALUES else values[:VALUES_OF_LONG_LISTS]
        nullable = "null" in _types(schema) or any(option.get("type") == "null" for option in _alternatives(schema))
        innermost = schema
        while isinstance(innermost.get("items"), dict):
            innermost = self.resolve(innermost["items"])
        title = innermost.get("title")
        return AttributeRow(
            name=name,
            depth=depth,
            type=self.type_name(schema),
            required=required,
            nullable=nullable,
            description=schema.get("description", ""),
            limits=_limits(schema),
            values=tuple(str(value) for value in listed),
            more_values=len(values) - len(listed),
            list_name=self._find_list(name, values),
            default=None if schema.get("default") in ("", {}, []) else schema.get("default"),
            example=_scalar_example(schema),
            object_title=title if self.objects.get(title or "") == innermost else None,
        )

    def _find_list(self, name: str, values: Sequence[str | int]) -> str | None:
        """Return the list of constants with exactly these values. One with the attribute's name is preferred."""
        matches = [list_name for list_name, entries in self.lists.items() if values and list(entries) == list(values)]
        return name if name in matches else next(iter(matches), None)

    def _merge_all_of(self, schema: JsonSchema) -> JsonSchema:
        merged: JsonSchema = {key: value for key, value in schema.items() if key != "allOf"}
        for part in schema["allOf"]:
            part = self.resolve(part)
            properties = {**merged.get("properties", {}), **part.get("properties", {})}
            required = [*merged.get("required", ()), *part.get("required", ())]
            merged = {**part, **merged, "properties": properties, "required": required}
        return merged


def _plural(type_name: str) -> str:
    if type_name.startswith("array "):
        return type_name.replace("array", "arrays", 1)
    return f"{type_name}s" if type_name in ("string", "integer", "number", "boolean", "object", "date") else type_name


def _alternatives(schema: JsonSchema) -> Sequence[JsonSchema]:
    return [*schema.get("anyOf", ()), *schema.get("oneOf", ())]


def _types(schema: JsonSchema) -> list[str]:
    if "type" in schema:
        declared = schema["type"]
        return [declared] if isinstance(declared, str) else list(declared)
    if "const" in schema:
        return [_value_type(schema["const"])]
    return list(dict.fromkeys(_value_type(value) for value in schema.get("enum", ())))


def _value_type(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {int: "integer", str: "string", list: "array", dict: "object"}.get(type(value), "number")


def _scalar_example(schema: JsonSchema) -> Any:
    """Return an example of an attribute. Objects and arrays have rows of their own instead."""
    examples = [*schema.get("examples", ()), *([schema["example"]] if "example" in schema else [])]
    return next((example for example in examples if not isinstance(example, dict | list)), None)


def _limits(schema: JsonSchema) -> str:
    limits = [
        _count_limit(schema.get("minLength", 0), schema.get("maxLength"), "characters"),
        _count_limit(schema.get("minItems", 0), schema.get("maxItems"), "elements"),
        _number_limit(schema.get("minimum"), schema.get("maximum")),
    ]
    if (pattern := schema.get("pattern", ANY_TEXT)) != ANY_TEXT:
        limits.append(f"matches `{pattern}`")
    return ", ".join(limit for limit in limits if limit)


def _count_limit(minimum: int, maximum: int | None, noun: str) -> str:
    noun = noun.removesuffix("s") if (maximum or minimum) == 1 else noun
    if maximum is None or maximum >= TECHNICAL_LIMIT:
        return f"at least {minimum} {noun}" if minimum > 1 else ""
    if minimum == maximum:
        return f"exactly {maximum} {noun}"
    return f"{minimum} to {maximum} {noun}" if minimum else f"at most {maximum} {noun}"


def _number_limit(minimum: Any, maximum: Any) -> str:
    if maximum is not None and maximum < TECHNICAL_LIMIT:
        return f"at most {maximum}" if minimum is None else f"{minimum} to {maximum}"
    # Identifiers and counts start at 0 or 1, which is obvious and not shown.
    return f"at least {minimum}" if minimum is not None and minimum > 1 else ""
