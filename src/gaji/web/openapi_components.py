"""Named schemas of the OpenAPI document, so that client generators make one type for each resource and enumeration."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from gaji.core.field_types import JsonSchema, pascal_case

NULL: JsonSchema = {"type": "null"}
IRREGULAR_SINGULARS = {"children": "child", "benefits_in_kind": "benefit_in_kind"}
ANNOTATIONS = ("description", "examples")
"""What is said about one use of a schema. Everything else is part of the named schema."""


def singular(name: str) -> str:
    """Return the name of one element of a list.

    >>> singular("entities"), singular("boxes"), singular("leave_types"), singular("progress")
    ('entity', 'box', 'leave_type', 'progress')
    """
    if name in IRREGULAR_SINGULARS:
        return IRREGULAR_SINGULARS[name]
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith("xes"):
        return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith(("ss", "us")) else name


class NamedSchemas:
    """Replaces objects and enumerations in schemas by references to named schemas.

    A schema is named by its title. Without one, it is named after the schema and the attribute that it belongs to.
    """

    def __init__(self) -> None:
        self.schemas: dict[str, JsonSchema] = {}

    def add(self, schema: JsonSchema, name: str) -> JsonSchema:
        """Return the schema, or a reference to it. The name is for a schema without a title."""
        if "$ref" in schema:
            return schema
        schema = _with_described_default(schema)
        name = pascal_case(schema.get("title", name))
        if _is_nullable(schema):
            return {"anyOf": [self._add_named(_not_null(schema), name), NULL], **_annotations(schema)}
        if _is_named(schema):
            return self._add_named(schema, name)
        return {**schema, **dict(self._inner_schemas(schema, name))}

    def _add_named(self, schema: JsonSchema, name: str) -> JsonSchema:
        reference = {"$ref": f"#/components/schemas/{name}"}
        content = {key: value for key, value in schema.items() if key != "examples"}
        if "enum" in schema:
            extensions = {key: value for key, value in schema.items() if key.startswith("x-")}
            content = {"type": _enum_type(schema), "enum": schema["enum"], **extensions}
            reference |= _annotations(schema)
        named = {"title": name, **content, **dict(self._inner_schemas(content, name))}
        if self.schemas.setdefault(name, named) != named:
            raise ValueError(f"Two schemas are named {name}")
        return reference

    def _inner_schemas(self, schema: JsonSchema, name: str) -> Iterator[tuple[str, Any]]:
        """Yield the keywords of a schema that contain schemas, with these replaced."""
        if "properties" in schema:
            properties = schema["properties"].items()
            yield "properties", {key: self.add(child, f"{name}_{key}") for key, child in properties}
        for keyword in ("items", "additionalProperties"):
            if isinstance(schema.get(keyword), dict):
                yield keyword, self.add(schema[keyword], singular(name) if keyword == "items" else f"{name}_value")
        for keyword in ("anyOf", "oneOf", "prefixItems"):
            if keyword in schema:
                yield keyword, [self.add(option, name) for option in schema[keyword]]


def _is_nullable(schema: JsonSchema) -> bool:
    types = schema.get("type", ())
    is_null_allowed = "null" in types or None in schema.get("enum", ())
    return is_null_allowed and (_is_named(schema) or "object" in types)


def _is_named(schema: JsonSchema) -> bool:
    return "title" in schema or "properties" in schema or len(schema.get("enum", ())) > 1


def _not_null(schema: JsonSchema) -> JsonSchema:
    """Return the schema of the values other than null."""
    value = {key: content for key, content in schema.items() if key not in ANNOTATIONS}
    if "enum" in value:
        value["enum"] = [choice for choice in value["enum"] if choice is not None]
    if "type" in value:
        [value["type"]] = [kind for kind in value["type"] if kind != "null"]
    return value


def _enum_type(schema: JsonSchema) -> str:
    return "integer" if isinstance(schema["enum"][0], int) else "string"


def _with_described_default(schema: JsonSchema) -> JsonSchema:
    """Return a schema whose default is only in its description.

    Generated clients would send defaults that the caller did not set, or require the attributes that have one.
    """
    if "default" not in schema:
        return schema
    default = "an empty string" if schema["default"] == "" else f"`{json.dumps(schema['default'])}`"
    description = f"{schema.get('description', '')} Default: {default}.".strip()
    return {**{key: value for key, value in schema.items() if key != "default"}, "description": description}


def _annotations(schema: Mapping[str, Any]) -> JsonSchema:
    return {key: schema[key] for key in ANNOTATIONS if key in schema}
