"""Payslip endpoints."""

from typing import Any

from gaji.core import json_schemas
from gaji.core.field_types import Integer
from gaji.db.json_lists import json_text, wrap_element
from gaji.payroll.payslips import preview, service
from gaji.payroll.payslips import schemas as payslip_schemas
from gaji.payroll.payslips.preview_schemas import PREVIEW
from gaji.payroll.payslips.rendering import detail_json
from gaji.payroll.payslips.service import ExplainedPayslip
from gaji.people.employees.payslip_schemas import PAYSLIP_SCHEMA
from gaji.web.operations import Request, Response, Router, json_response
from gaji.web.query_parameters import IDS, Flag, QueryParameter, date_range

router = Router("Payslips")


@router.get(
    "/employees/{employee_id}/payslips",
    response_schema=json_schemas.list_schema("payslip", PAYSLIP_SCHEMA),
    query=[
        IDS,
        *date_range("date"),
        QueryParameter("finalised", Flag(), "Only finalised payslips, or only drafts."),
        QueryParameter("payment_run_id", Integer(minimum=1), "Only the payslips of this payment run."),
    ],
    paged=True,
    has_changes=True,
    has_rules_version=True,
    example=[{"payslip": payslip_schemas.LIST_EXAMPLE}],
    allows_replica=True,
)
async def list_payslips(request: Request) -> Response:
    """List the payslips of an employee."""
    employee_id = request.ids["employee_id"]
    if request.changes is not None:
        changed, versions = await service.list_changed_payslips(request.tenant, employee_id, request.changes)
        return request.changes_response("payslip", changed).with_rules_version(versions)
    payslips, versions = await service.list_payslips(request.tenant, employee_id, request.page, request.parameters)
    return request.list_response("payslip", payslips).with_rules_version(versions)


@router.get(
    "/payslips/{payslip_id}",
    response_schema=json_schemas.wrapped_schema("payslip", payslip_schemas.DETAIL_FORM),
    has_rules_version=True,
    example={"payslip": {**payslip_schemas.LINES_EXAMPLE, "id": 7}},
)
async def read_payslip(request: Request) -> Response:
    """Retrieve a payslip with its items."""
    detail, version = await service.read_payslip(request.tenant, request.ids["payslip_id"])
    return Response(wrap_element("payslip", detail)).with_rules_version([version])


@router.get(
    "/payslips/{payslip_id}/explanation",
    response_schema=payslip_schemas.EXPLANATION,
    has_rules_version=True,
    example=payslip_schemas.EXPLANATION_EXAMPLE,
    error_statuses=[409],
)
async def explain_payslip(request: Request) -> Response:
    """Explain each line of a payslip: inputs, rule, parameters and arithmetic."""
    payslip = await service.explain_payslip(request.tenant, request.ids["payslip_id"])
    return json_response(_explanation_json(payslip)).with_rules_version([payslip.rules_version])


@router.post(
    "/clients/{client_id}/payslip_preview",
    body_schema=PREVIEW.json_schema(),
    response_schema=payslip_schemas.PREVIEW,
    writes=False,
    has_rules_version=True,
    example={"payslip": payslip_schemas.LINES_EXAMPLE, **payslip_schemas.EXPLANATION_EXAMPLE},
)
async def preview_payslip(request: Request) -> Response:
    """Calculate and explain a payslip without storing it."""
    payslip, warnings = await preview.preview_payslip(request.tenant, request.ids["client_id"], request.body)
    extra = {"warnings": warnings} if warnings else {}
    rest = json_text({**_explanation_json(payslip), **extra})
    body = f'{{"payslip":{detail_json(None, payslip.lines)},{rest[1:]}'
    return Response(body.encode()).with_rules_version([payslip.rules_version])


def _explanation_json(payslip: ExplainedPayslip) -> dict[str, Any]:
    return {
        "explanation": [line.to_json() for line in payslip.explanation],
        "attention": payslip.attention,
        "remarks": payslip.remarks,
    }
