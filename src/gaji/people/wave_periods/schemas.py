"""Response schema of wave periods, which are read with their employee."""

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema

PROPERTIES: JsonSchema = {
    "employee_id": json_schemas.IDENTIFIER,
    "wave_id": json_schemas.IDENTIFIER,
    "start_date": {"type": "string", "format": "date"},
    "end_date": {"type": ["string", "null"], "format": "date", "description": "Null for the current wave."},
}
WAVE_PERIOD_SCHEMA: JsonSchema = {
    "type": "object",
    "title": "WavePeriod",
    "required": list(PROPERTIES),
    "properties": PROPERTIES,
    "additionalProperties": False,
}
