"""Payslips over HTTP."""

from typing import Any

from gaji.db.json_lists import json_text, wrapped
from gaji.payroll.payslips import preview, service
from gaji.payroll.payslips import schemas as shapes
from gaji.payroll.payslips.rendering import detail_form
from gaji.payroll.payslips.preview_schemas import PREVIEW
from gaji.payroll.payslips.service import Explained
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, answer

routes = Router("Payslips")


@routes.get(
    "/employees/{employee_id}/payslips",
    answers=schemas.array_of("payslip", shapes.LIST_FORM),
    paged=True,
    by_rules=True,
    example=[{"payslip": shapes.LIST_EXAMPLE}],
)
async def list_payslips(call: Request) -> Response:
    """The payslips of an employee."""
    found, versions = await service.list_payslips(call.tenant, call.ids["employee_id"], call.page)
    return call.listed("payslip", found).by_rules(versions)


@routes.get(
    "/payslips/{payslip_id}",
    answers=schemas.wrapped("payslip", shapes.DETAIL_FORM),
    by_rules=True,
    example={"payslip": {**shapes.LINES_EXAMPLE, "id": 7}},
)
async def read_payslip(call: Request) -> Response:
    """One payslip with its items."""
    form, version = await service.read_payslip(call.tenant, call.ids["payslip_id"])
    return Response(wrapped("payslip", form)).by_rules([version])


@routes.get(
    "/payslips/{payslip_id}/explanation",
    answers=shapes.EXPLANATION,
    by_rules=True,
    example=shapes.EXPLANATION_EXAMPLE,
)
async def explain_payslip(call: Request) -> Response:
    """Why each line of a payslip is what it is: inputs, rule, parameters and arithmetic."""
    found = await service.explain_payslip(call.tenant, call.ids["payslip_id"])
    return answer(_told(found)).by_rules([found.rules_version])


@routes.post(
    "/clients/{client_id}/payslip_preview",
    takes=PREVIEW.json_schema(),
    answers=shapes.PREVIEW,
    writes=False,
    by_rules=True,
    statuses=[422],
    example={"payslip": shapes.LINES_EXAMPLE, **shapes.EXPLANATION_EXAMPLE},
)
async def preview_payslip(call: Request) -> Response:
    """Calculate and explain a payslip without keeping it."""
    found, reading = await preview.preview(call.tenant, call.ids["client_id"], call.body)
    more = {"warnings": reading.warnings} if reading.warnings else {}
    rest = json_text({**_told(found), **more})
    body = f'{{"payslip":{detail_form(None, found.lines)},{rest[1:]}'
    return Response(body.encode()).by_rules([found.rules_version])


def _told(found: Explained) -> dict[str, Any]:
    return {"explanation": found.explanation, "attention": found.attention, "remarks": found.remarks}
