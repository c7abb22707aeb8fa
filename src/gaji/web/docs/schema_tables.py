"""The shape of a JSON value as a table: one row for each attribute, nested ones indented."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gaji.core.validation import JsonSchema

MOST_DEPTH = 6
MOST_VALUES_SHOWN = 6
VALUES_OF_A_LONG_LIST = 3
NO_LIMIT = 10**9
"""A largest value from here on is the machine's limit, not something to tell a reader."""
ANY_TEXT = "^[^\\x00-\\x1f\\x7f]*$"
ANY_NAME = "<name>"
NAMED_FORMATS = {"date": "date", "date-time": "timestamp", "uri": "address", "email": "email address"}


@dataclass(frozen=True)
class Row:
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
    """The data list that the values are taken from."""
    default: Any = None
    example: Any = None
    object_title: str | None = None
    """The object that is described elsewhere on the page."""


@dataclass(frozen=True)
class Shape:
    """A table, and what stands around it: what kind of value this is at its outermost."""

    kind: str
    rows: Sequence[Row]


@dataclass(frozen=True)
class Shapes:
    """Makes tables of the schemas of one document."""

    document: Mapping[str, Any]
    lists: Mapping[str, Sequence[str | int]]
    """The values of every data list."""
    objects: dict[str, JsonSchema] = field(default_factory=dict)
    """Objects with a title: each is described once, and linked to from wherever it stands."""

    def resolved(self, schema: JsonSchema) -> JsonSchema:
        """The schema itself, where there is only a reference to it."""
        while "$ref" in schema:
            found: Any = self.document
            for step in schema["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            schema = found
        if "allOf" in schema:
            return self._joined(schema)
        return schema

    def collect_objects(self, schema: JsonSchema, depth: int = 0) -> list[str]:
        """Take note of the titled objects in a schema; gives the titles that were new."""
        schema = self.resolved(schema)
        new: list[str] = []
        title = schema.get("title")
        if title and depth and "properties" in schema and title not in self.objects:
            self.objects[title] = schema
            new.append(title)
        if depth < MOST_DEPTH:
            for _, child, _ in self._children(schema):
                new += self.collect_objects(child, depth + 1)
        return new

    def shape(self, schema: JsonSchema) -> Shape:
        """The table of a whole body."""
        schema = self.resolved(schema)
        return Shape(self.type_of(schema), tuple(self._rows(schema, 0)))

    def parameter(self, parameter: Mapping[str, Any]) -> Row:
        """The row of a parameter."""
        described = {**parameter["schema"], "description": parameter.get("description", "")}
        return self._row(parameter["name"], described, parameter.get("required", False), 0)

    def type_of(self, schema: JsonSchema) -> str:
        """What kind of value this is, in a word or three."""
        schema = self.resolved(schema)
        if alternatives := _alternatives(schema):
            names = dict.fromkeys(self.type_of(one) for one in alternatives if one.get("type") != "null")
            if {"boolean", "string"} == set(names) and {"enum": ["true", "false"]} in alternatives:
                return "boolean"
            return " or ".join(names)
        types = [name for name in _types(schema) if name != "null"]
        if types == ["array"]:
            return f"array of {_plural(self.type_of(schema.get('items', {})))}"
        if types == ["object"] and "properties" not in schema and isinstance(schema.get("additionalProperties"), dict):
            return f"object of {_plural(self.type_of(schema['additionalProperties']))}"
        if types == ["object"] and schema.get("title") in self.objects:
            return str(schema["title"])
        if types == ["string"]:
            return NAMED_FORMATS.get(schema.get("format", ""), "string")
        return " or ".join(types) or "any"

    def _rows(self, schema: JsonSchema, depth: int) -> Iterator[Row]:
        for name, child, required in self._children(schema):
            child = self.resolved(child)
            row = self._row(name, child, required, depth)
            yield row
            if depth < MOST_DEPTH and row.object_title is None:
                yield from self._rows(child, depth + 1)

    def _children(self, schema: JsonSchema) -> Iterator[tuple[str, JsonSchema, bool]]:
        """The attributes inside a value: of an object, of the elements of an array, of the alternatives."""
        for alternative in _alternatives(schema):
            yield from self._children(self.resolved(alternative))
        required = schema.get("required", ())
        for name, child in schema.get("properties", {}).items():
            yield name, child, name in required
        if isinstance(extra := schema.get("additionalProperties"), dict) and self._has_parts(extra):
            yield ANY_NAME, extra, False
        if isinstance(items := schema.get("items"), dict):
            yield from self._children(self.resolved(items))

    def _has_parts(self, schema: JsonSchema) -> bool:
        return any(True for _ in self._children(self.resolved(schema)))

    def _row(self, name: str, schema: JsonSchema, required: bool, depth: int) -> Row:
        values = [value for value in schema.get("enum", ()) if value is not None]
        shown = values if len(values) <= MOST_VALUES_SHOWN else values[:VALUES_OF_A_LONG_LIST]
        nullable = "null" in _types(schema) or any(one.get("type") == "null" for one in _alternatives(schema))
        innermost = schema
        while isinstance(innermost.get("items"), dict):
            innermost = self.resolved(innermost["items"])
        title = innermost.get("title")
        return Row(
            name=name,
            depth=depth,
            type=self.type_of(schema),
            required=required,
            nullable=nullable,
            description=schema.get("description", ""),
            limits=_limits(schema),
            values=tuple(str(value) for value in shown),
            more_values=len(values) - len(shown),
            list_name=self._list_of(name, values),
            default=None if schema.get("default") in ("", {}, []) else schema.get("default"),
            example=_example(schema),
            object_title=title if self.objects.get(title or "") == innermost else None,
        )

    def _list_of(self, name: str, values: Sequence[str | int]) -> str | None:
        """The data list with exactly these values; one that bears the attribute's name comes first."""
        fitting = [one for one, entries in self.lists.items() if values and list(entries) == list(values)]
        return name if name in fitting else next(iter(fitting), None)

    def _joined(self, schema: JsonSchema) -> JsonSchema:
        whole: JsonSchema = {key: value for key, value in schema.items() if key != "allOf"}
        for part in schema["allOf"]:
            part = self.resolved(part)
            properties = {**whole.get("properties", {}), **part.get("properties", {})}
            required = [*whole.get("required", ()), *part.get("required", ())]
            whole = {**part, **whole, "properties": properties, "required": required}
        return whole


def _plural(type_name: str) -> str:
    if type_name.startswith("array "):
        return type_name.replace("array", "arrays", 1)
    return f"{type_name}s" if type_name in ("string", "integer", "number", "boolean", "object", "date") else type_name


def _alternatives(schema: JsonSchema) -> Sequence[JsonSchema]:
    return [*schema.get("anyOf", ()), *schema.get("oneOf", ())]


def _types(schema: JsonSchema) -> list[str]:
    if "type" in schema:
        given = schema["type"]
        return [given] if isinstance(given, str) else list(given)
    if "const" in schema:
        return [_type_of_value(schema["const"])]
    return list(dict.fromkeys(_type_of_value(value) for value in schema.get("enum", ())))


def _type_of_value(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {int: "integer", str: "string", list: "array", dict: "object"}.get(type(value), "number")


def _example(schema: JsonSchema) -> Any:
    """What to show of an attribute by itself: an object is shown by its attributes."""
    examples = [*schema.get("examples", ()), *([schema["example"]] if "example" in schema else [])]
    return next((one for one in examples if not isinstance(one, dict | list)), None)


def _limits(schema: JsonSchema) -> str:
    limits = [
        _span(schema.get("minLength", 0), schema.get("maxLength"), "characters"),
        _span(schema.get("minItems", 0), schema.get("maxItems"), "elements"),
        _range(schema.get("minimum"), schema.get("maximum")),
    ]
    if (pattern := schema.get("pattern", ANY_TEXT)) != ANY_TEXT:
        limits.append(f"matches `{pattern}`")
    return ", ".join(limit for limit in limits if limit)


def _span(least: int, most: int | None, noun: str) -> str:
    noun = noun.removesuffix("s") if (most or least) == 1 else noun
    if most is None or most >= NO_LIMIT:
        return f"at least {least} {noun}" if least > 1 else ""
    if least == most:
        return f"exactly {most} {noun}"
    return f"{least} to {most} {noun}" if least else f"at most {most} {noun}"


def _range(least: Any, most: Any) -> str:
    if most is not None and most < NO_LIMIT:
        return f"at most {most}" if least is None else f"{least} to {most}"
    # Every identifier and count starts at 0 or 1: that needs no saying.
    return f"at least {least}" if least is not None and least > 1 else ""
