"""Response schema of events."""

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema
from gaji.core.resource_events import EventType

TYPES = [str(event_type) for event_type in EventType]

EVENT_TYPE: JsonSchema = {
    "type": "string",
    "title": "EventType",
    "enum": TYPES,
    "description": "\n".join(f"- `{event_type}`: {event_type.description}" for event_type in EventType),
}
RESOURCE: JsonSchema = {
    "type": "object",
    "title": "EventResource",
    "required": ["type", "id"],
    "properties": {
        "type": {"type": "string", "enum": sorted({event_type.resource_type for event_type in EventType})},
        "id": {"type": ["integer", "string"], "description": "The ID of the record. The UUID of a report."},
    },
}
_EVENT: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "type": EVENT_TYPE,
    "client_id": json_schemas.IDENTIFIER,
    "occurred_at": json_schemas.TIMESTAMP,
    "resource": RESOURCE,
}
EVENT: JsonSchema = {"type": "object", "title": "Event", "required": list(_EVENT), "properties": _EVENT}
EXAMPLE = {
    "id": 4711,
    "type": "employee.updated",
    "client_id": 1,
    "occurred_at": "2026-03-31T09:00:00.000000+08:00",
    "resource": {"type": "employee", "id": 4},
}
