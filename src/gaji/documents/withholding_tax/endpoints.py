"""Withholding tax endpoints."""

from typing import Any

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema
from gaji.documents.schemas import AMOUNT
from gaji.documents.tax_certificates.schemas import DATE, YEAR
from gaji.documents.withholding_tax import service
from gaji.web.operations import Request, Response, Router, json_response
from gaji.web.query_parameters import QueryParameter

router = Router("Withholding tax")

PROPERTIES: dict[str, JsonSchema] = {
    "payslip_id": json_schemas.IDENTIFIER,
    "employee_id": json_schemas.IDENTIFIER,
    "directors_fee": AMOUNT,
    "tax": AMOUNT,
    "date_of_payment": DATE | {"description": "The earliest of the day on which the fee was due and the pay date."},
    "due_date": DATE | {"description": "When the tax is due to IRAS."},
}
WITHHOLDING_TAX: JsonSchema = {
    "type": "object",
    "title": "WithholdingTax",
    "required": list(PROPERTIES),
    "properties": PROPERTIES,
}
EXAMPLE: dict[str, Any] = {
    "payslip_id": 7,
    "employee_id": 12,
    "directors_fee": 10000.0,
    "tax": 2400.0,
    "date_of_payment": "2026-06-03",
    "due_date": "2026-08-15",
}


@router.get(
    "/clients/{client_id}/withholding_tax",
    response_schema=json_schemas.list_schema("withholding_tax", WITHHOLDING_TAX),
    query=[QueryParameter("year", YEAR, "The year in which it is due. Default: all years.")],
    has_rules_version=True,
    example=[{"withholding_tax": EXAMPLE}],
)
async def list_withholding_tax(request: Request) -> Response:
    """List the tax withheld on the fees of directors who are not tax residents, with the day on which it is due."""
    client_id, year = request.ids["client_id"], request.parameters.get("year")
    taxes = await service.list_withheld_taxes(request.tenant, client_id, year)
    response = json_response([{"withholding_tax": tax.to_json()} for tax in taxes])
    return response.with_rules_version(tax.rules_version for tax in taxes if tax.rules_version)
