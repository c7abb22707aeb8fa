"""What a wave period looks like in an answer; it is read with its employee."""

from gaji.core.validation import JsonSchema
from gaji.web import schemas

PERIOD: JsonSchema = {
    "employee_id": schemas.IDENTIFIER,
    "wave_id": schemas.IDENTIFIER,
    "start_date": {"type": "string", "format": "date"},
    "end_date": {"type": ["string", "null"], "format": "date", "description": "Null in the current one."},
}
ELEMENT: JsonSchema = {
    "type": "object",
    "title": "WavePeriod",
    "required": list(PERIOD),
    "properties": PERIOD,
    "additionalProperties": False,
}
