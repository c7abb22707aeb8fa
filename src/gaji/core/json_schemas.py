"""JSON Schemas of responses, derived from request schemas where possible."""

from collections.abc import Sequence
from typing import Any

from gaji.core.validation import Attribute, Group, JsonSchema, Schema

IDENTIFIER: JsonSchema = {"type": "integer", "minimum": 1}
TIMESTAMP: JsonSchema = {"type": "string", "format": "date-time"}

MESSAGE: JsonSchema = {"type": "string", "description": "A sentence that describes the result."}
WARNINGS: JsonSchema = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "Ignored attributes, each with the reason.",
}
ERROR_DETAILS: JsonSchema = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["path", "code", "message", "params"],
        "properties": {
            "path": {"type": "string"},
            "attribute": {"type": "string", "description": "The attribute, if the path is that of several."},
            "code": {"type": "string", "description": "One of the error codes of a problem."},
            "message": {"type": "string"},
            "params": {"type": "object", "additionalProperties": True},
        },
    },
    "description": "The same errors for programs, as in a problem.",
}
SAVED: JsonSchema = {
    "type": "object",
    "required": ["message", "id"],
    "properties": {"message": MESSAGE, "id": IDENTIFIER, "warnings": WARNINGS},
    "examples": [{"message": "The client has been created", "id": 1}],
}
DONE: JsonSchema = {
    "type": "object",
    "required": ["message"],
    "properties": {"message": MESSAGE, "warnings": WARNINGS},
    "examples": [{"message": "The employee has been terminated; the last day of service is 2026-03-31"}],
}
DELETED: JsonSchema = {
    "type": "object",
    "required": ["message"],
    "properties": {"message": MESSAGE},
    "examples": [{"message": "The pay point has been deleted"}],
}
CONSTANT_ENTRIES: JsonSchema = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["value", "name"],
        "properties": {"value": {"type": ["string", "integer"]}, "name": {"type": "string"}},
    },
}
CONSTANTS: JsonSchema = {"type": "object", "additionalProperties": CONSTANT_ENTRIES}


def resource_schema(schema: Schema[Any], title: str, *, with_client_id: bool = True) -> JsonSchema:
    """Return the schema of a resource as it is read: its writable attributes, ID and timestamps."""
    properties = {"id": IDENTIFIER} | ({"client_id": IDENTIFIER} if with_client_id else {})
    properties |= {attribute.name: _read_schema(attribute) for attribute in schema.attributes}
    properties |= {"created_at": TIMESTAMP, "updated_at": TIMESTAMP}
    return {"type": "object", "title": title, "required": list(properties), "properties": properties}


def wrapped_schema(resource: str, element: JsonSchema) -> JsonSchema:
    """Return the schema of a single read: an object whose only key is the name of the resource."""
    return {
        "type": "object",
        "required": [resource],
        "properties": {resource: element},
        "additionalProperties": False,
    }


def list_schema(resource: str, element: JsonSchema) -> JsonSchema:
    """Return the schema of a list: an array of wrapped elements."""
    return {"type": "array", "items": wrapped_schema(resource, element)}


def resource_example(schema: Schema[Any], **values: Any) -> dict[str, Any]:
    """Return an example of a resource, from the examples and defaults of its attributes."""
    return {**values, **_example_values(schema.attributes)}


def _example_values(attributes: Sequence[Attribute]) -> dict[str, Any]:
    return {
        attribute.name: _example_values(attribute.type.attributes)
        if isinstance(attribute.type, Group)
        else (attribute.default if attribute.example is None else attribute.example)
        for attribute in attributes
    }


def _read_schema(attribute: Attribute) -> JsonSchema:
    """Return the schema of an attribute as it is read: only its type, because masked values match no pattern."""
    if isinstance(attribute.type, Group):
        children = attribute.type.attributes
        schema: JsonSchema = {
            "type": "object",
            "required": [child.name for child in children],
            "properties": {child.name: _read_schema(child) for child in children},
        }
    else:
        written = attribute.type.json_schema()
        schema = {key: value for key, value in written.items() if key in ("type", "enum", "format")}
        if "anyOf" in written:
            schema = {"type": "boolean"}
    optional = not attribute.required and attribute.default is None
    if optional and "enum" in schema:
        schema = {**schema, "enum": [*schema["enum"], None]}
    elif optional:
        schema = {**schema, "type": [schema["type"], "null"]}
    return {**schema, "description": attribute.description}
