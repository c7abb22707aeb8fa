"""Bulk input over HTTP."""

from typing import Any

from gaji.core.validation import JsonSchema
from gaji.payroll.bulk_input import service
from gaji.payroll.bulk_input.entities import MOST_ENTITIES
from gaji.payroll.bulk_input.service import Outcome
from gaji.web.operations import Request, Response, Router, answer

routes = Router("Bulk input")

NUMERIC_STRING: JsonSchema = {
    "anyOf": [{"type": "string", "pattern": "^[0-9]{1,18}$"}, {"type": "integer", "minimum": 1}]
}
ENTITY: JsonSchema = {
    "type": "object",
    "required": ["id", "attributes"],
    "properties": {
        "id": {**NUMERIC_STRING, "description": "The employee."},
        "payslip_id": {**NUMERIC_STRING, "description": "The payslip that calculation inputs go to."},
        "payslip_date": {
            "type": "string",
            "format": "date",
            "description": "In place of payslip_id: the regular payslip whose period ends on this date.",
        },
        "attributes": {
            "type": "object",
            "description": "Attributes of the employee, nested ones written `bank_account.account_number`, and inputs "
            "of calculations, written `calc.<calculation>.<input>`.",
            "additionalProperties": True,
        },
    },
}
TAKES: JsonSchema = {
    "type": "object",
    "required": ["entities"],
    "properties": {"entities": {"type": "array", "maxItems": MOST_ENTITIES, "items": ENTITY}},
    "examples": [
        {
            "entities": [
                {"id": "4", "payslip_date": "2026-11-30", "attributes": {"calc.basic_salary.overtime_hours_input": "6"}}
            ]
        }
    ],
}
OUTCOME: JsonSchema = {
    "type": "object",
    "required": ["id", "success", "message"],
    "properties": {
        "id": {"description": "As it was sent."},
        "payslip_id": {"description": "As it was sent, or that of the payslip that the date stands for."},
        "payslip_date": {"description": "As it was sent."},
        "success": {"enum": ["true", "false"]},
        "message": {"type": "string"},
        "errors": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


@routes.post(
    "/clients/{client_id}/bulk_input",
    takes=TAKES,
    answers={"type": "array", "items": OUTCOME},
    statuses=[422],
    example=[{"id": "4", "payslip_id": "17", "success": "true", "message": "Mei Ling Tan (4) has been updated"}],
)
async def bulk_input(call: Request) -> Response:
    """Enter attributes and calculation inputs of many employees."""
    outcomes = await service.save_entities(call.tenant, call.ids["client_id"], call.body)
    return answer([_shown(one) for one in outcomes])


def _shown(outcome: Outcome) -> dict[str, Any]:
    one = outcome.entity
    shown: dict[str, Any] = {"id": one.sent.get("id")}
    if one.sent.get("payslip_id") is not None:
        shown["payslip_id"] = one.sent["payslip_id"]
    elif one.payslip_id is not None:
        shown["payslip_id"] = str(one.payslip_id)
    if one.sent.get("payslip_date") is not None:
        shown["payslip_date"] = one.sent["payslip_date"]
    shown |= {"success": "false" if one.errors else "true", "message": outcome.message}
    return shown | ({"errors": one.errors} if one.errors else {})
