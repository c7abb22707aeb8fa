"""Endpoint of statutory leave."""

from gaji.core import json_schemas
from gaji.core.field_types import DateType, JsonSchema
from gaji.core.law_loader import current_law
from gaji.db.json_lists import json_text, slice_page
from gaji.leave.statutory_leave import service
from gaji.web.operations import Request, Response, Router
from gaji.web.query_parameters import QueryParameter

router = Router("Leave")

DATE: JsonSchema = {"type": "string", "format": "date"}
TEXT: JsonSchema = {"type": "string"}
_PARAMETER: JsonSchema = {"name": TEXT, "value": TEXT, "since": DATE, "source": TEXT}
_EXPLANATION: JsonSchema = {
    "figure": TEXT,
    "result": TEXT,
    "unit": TEXT,
    "inputs": {"type": "object", "additionalProperties": TEXT},
    "rule": TEXT,
    "source": TEXT,
    "branch": TEXT,
    "parameters": {
        "type": "array",
        "items": {"type": "object", "required": list(_PARAMETER), "properties": _PARAMETER},
    },
    "arithmetic": {"type": "array", "items": TEXT},
}
_ELEMENT: JsonSchema = {
    "type_id": json_schemas.IDENTIFIER,
    "type": TEXT,
    "from": {**DATE, "description": "The first day on which it can be taken."},
    "to": {**DATE, "description": "The last day on which it can be taken."},
    "days": {"type": "number", "description": "A week of parental leave counts the working days of a week."},
    "explanations": {
        "type": "array",
        "items": {"type": "object", "required": list(_EXPLANATION), "properties": _EXPLANATION},
    },
}
ELEMENT: JsonSchema = {"type": "object", "title": "StatutoryLeave", "required": list(_ELEMENT), "properties": _ELEMENT}
EXAMPLE = {
    "type_id": 8,
    "type": "paternity_leave",
    "from": "2026-04-15",
    "to": "2027-04-14",
    "days": 20,
    "explanations": [
        {
            "figure": "paternity_leave",
            "result": "4",
            "unit": "weeks",
            "inputs": {"born": "2026-04-15", "citizen": "yes", "months": "26"},
            "rule": "The father's weeks depend on the date of birth of a citizen child, once the minimum service is "
            "complete.",
            "source": "Child Development Co-Savings Act 2001, as amended from 1 April 2025",
            "branch": "the child is a citizen",
            "parameters": [],
            "arithmetic": ["4 = 4"],
        }
    ],
}


@router.get(
    "/employees/{employee_id}/statutory_leave",
    response_schema=json_schemas.list_schema("statutory_leave", ELEMENT),
    query=[QueryParameter("date", DateType(), "The day. Default: today.")],
    paged=True,
    has_rules_version=True,
    example=[{"statutory_leave": EXAMPLE}],
)
async def list_statutory_leave(request: Request) -> Response:
    """List what the law grants an employee on a day, also for children, with the rules and their sources."""
    day = request.parameters.get("date")
    entitlements = await service.list_statutory_leave(request.tenant, request.ids["employee_id"], day)
    elements = [json_text(element) for element in entitlements]
    response = request.list_response("statutory_leave", slice_page(elements, request.page))
    return response.with_rules_version([current_law().rules_version])
