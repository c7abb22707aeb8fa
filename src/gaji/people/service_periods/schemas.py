"""What a service period looks like in an answer, its own and its employee's."""

from gaji.core.validation import JsonSchema
from gaji.web import schemas

PERIOD: JsonSchema = {
    "id": schemas.IDENTIFIER,
    "employee_id": schemas.IDENTIFIER,
    "start_date": {"type": "string", "format": "date"},
    "end_date": {"type": ["string", "null"], "format": "date"},
    "negative": {"const": False, "description": "Always false in Singapore."},
    "created_at": schemas.TIMESTAMP,
    "updated_at": schemas.TIMESTAMP,
    "attribs": {
        "type": ["object", "null"],
        "required": ["ir21"],
        "properties": {"ir21": {"type": "boolean", "description": "Whether an IR21 form is required."}},
        "description": "Of a terminated period; null while it is open.",
    },
    "termination_code": {"type": ["integer", "null"], "description": "From the list `termination_code`."},
}
ELEMENT: JsonSchema = {"type": "object", "title": "ServicePeriod", "required": list(PERIOD), "properties": PERIOD}
