"""JSON Schemas of answers, derived from the catalogues where there is one."""

from typing import Any

from gaji.core.validation import Attribute, Group, JsonSchema, Schema

IDENTIFIER: JsonSchema = {"type": "integer", "minimum": 1}
TIMESTAMP: JsonSchema = {"type": "string", "format": "date-time"}

MESSAGE: JsonSchema = {"type": "string", "description": "What was done."}
WARNINGS: JsonSchema = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "Attributes that were ignored, and why.",
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


def read_form(catalogue: Schema, title: str, *, with_client_id: bool = True) -> JsonSchema:
    """What a read of this resource shows: what can be written, and what the service adds."""
    properties = {"id": IDENTIFIER} | ({"client_id": IDENTIFIER} if with_client_id else {})
    properties |= {one.name: _shown(one) for one in catalogue.attributes}
    properties |= {"created_at": TIMESTAMP, "updated_at": TIMESTAMP}
    return {"type": "object", "title": title, "required": list(properties), "properties": properties}


def wrapped(resource: str, element: JsonSchema) -> JsonSchema:
    """A single read: the element in an object whose only key is the resource."""
    return {
        "type": "object",
        "required": [resource],
        "properties": {resource: element},
        "additionalProperties": False,
    }


def array_of(resource: str, element: JsonSchema) -> JsonSchema:
    """A list: a bare array of wrapped elements."""
    return {"type": "array", "items": wrapped(resource, element)}


def example(catalogue: Schema, **more: Any) -> dict[str, Any]:
    """An element as it may look, from the examples and defaults of its attributes."""
    return {**more, **_example(catalogue.attributes)}


def _example(attributes: Any) -> dict[str, Any]:
    return {
        one.name: _example(one.kind.attributes)
        if isinstance(one.kind, Group)
        else (one.default if one.example is None else one.example)
        for one in attributes
    }


def _shown(one: Attribute) -> JsonSchema:
    """An attribute as it reads back: booleans are booleans, and no pattern applies to a masked value."""
    if isinstance(one.type, Group):
        shape: JsonSchema = {
            "type": "object",
            "required": [child.name for child in one.type.attributes],
            "properties": {child.name: _shown(child) for child in one.type.attributes},
        }
    else:
        shape = {key: value for key, value in one.type.json_schema().items() if key in ("type", "enum", "format")}
        if "anyOf" in one.type.json_schema():
            shape = {"type": "boolean"}
    optional = not one.required and one.default is None
    if optional and "enum" in shape:
        shape = {**shape, "enum": [*shape["enum"], None]}
    elif optional:
        shape = {**shape, "type": [shape["type"], "null"]}
    return {**shape, "description": one.description}
