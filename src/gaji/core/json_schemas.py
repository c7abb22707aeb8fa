"""JSON Schemas of responses, derived from request schemas where possible."""

from collections.abc import Sequence
from typing import Any

from gaji.core.field_types import JsonSchema
from gaji.core.validation import Attribute, Group, Schema

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
        "title": "EntityErrorDetail",
        "required": ["path", "code", "message", "params"],
        "properties": {
            "path": {"type": "string"},
            "attribute": {"type": "string", "description": "The attribute, if the path is that of several."},
            "person": {"type": "string", "description": "Name and number in the row, for errors of a workbook."},
            "column": {"type": "string", "description": "The caption of the column, for errors of a workbook."},
            "value": {"type": "string", "description": "The value of the cell, for errors of a workbook."},
            "code": {"type": "string", "description": "One of the error codes of a problem."},
            "message": {"type": "string"},
            "params": {"type": "object", "additionalProperties": True},
        },
    },
    "description": "The same errors for programs, as in a problem.",
}
SAVED: JsonSchema = {
    "type": "object",
    "title": "SavedResponse",
    "required": ["message", "id"],
    "properties": {"message": MESSAGE, "id": IDENTIFIER, "warnings": WARNINGS},
    "examples": [{"message": "The client has been created", "id": 1}],
}
DONE: JsonSchema = {
    "type": "object",
    "title": "DoneResponse",
    "required": ["message"],
    "properties": {"message": MESSAGE, "warnings": WARNINGS},
    "examples": [{"message": "The employee has been terminated; the last day of service is 2026-03-31"}],
}
SAVED_MANY: JsonSchema = {
    "type": "object",
    "title": "SavedManyResponse",
    "required": ["message", "ids"],
    "properties": {
        "message": MESSAGE,
        "ids": {"type": "array", "items": IDENTIFIER},
        "warnings": WARNINGS,
    },
}
STARTED: JsonSchema = {
    "type": "object",
    "title": "StartedResponse",
    "required": ["message", "uuid"],
    "properties": {
        "message": MESSAGE,
        "uuid": {"type": "string", "format": "uuid", "description": "Identifies the task when its result is read."},
    },
    "examples": [{"message": "Started", "uuid": "5f0b1d3c-6a3e-4a52-9d0c-1f3b7c9d2e4a"}],
}
DELETED: JsonSchema = {
    "type": "object",
    "title": "DeletedResponse",
    "required": ["message"],
    "properties": {"message": MESSAGE},
    "examples": [{"message": "The pay point has been deleted"}],
}
CONSTANT_ENTRIES: JsonSchema = {
    "type": "array",
    "items": {
        "type": "object",
        "title": "Constant",
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
    title = {"title": f"{element['title']}Envelope"} if "title" in element else {}
    return {
        "type": "object",
        **title,
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


def _only_type(schema: JsonSchema) -> JsonSchema:
    return {key: value for key, value in schema.items() if key in ("title", "type", "enum", "format")}


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
        # Amounts are written as text or numbers, and read as text.
        schema = {"type": "string"} if "anyOf" in written else _only_type(written)
    optional = not attribute.required and attribute.default is None
    if optional:
        schema = {**schema, "type": [schema["type"], "null"]}
    if optional and "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return {**schema, "description": attribute.description}
