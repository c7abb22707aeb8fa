"""Bulk input endpoint."""

from typing import Any

from gaji.core.threads import run_in_thread_if_many
from gaji.payroll.bulk_input import service
from gaji.payroll.bulk_input.schemas import BULK_INPUT_REQUEST, RESULTS, RESULTS_EXAMPLE
from gaji.payroll.bulk_input.service import EntityResult
from gaji.web.operations import Request, Response, Router, json_response

routes = Router("Bulk input")


@routes.post(
    "/clients/{client_id}/bulk_input",
    body_schema=BULK_INPUT_REQUEST,
    response_schema=RESULTS,
    example=RESULTS_EXAMPLE,
)
async def bulk_input(request: Request) -> Response:
    """Save attributes and calculation inputs of many employees."""
    results = await service.save_entities(request.tenant, request.ids["client_id"], request.body)
    # In a thread: the errors of thousands of entities take long to render.
    return await run_in_thread_if_many(
        len(results), lambda: json_response([_result_json(result) for result in results])
    )


def _result_json(result: EntityResult) -> dict[str, Any]:
    entity = result.entity
    values: dict[str, Any] = {"id": entity.sent.get("id")}
    if entity.sent.get("payslip_id") is not None:
        values["payslip_id"] = entity.sent["payslip_id"]
    elif entity.payslip_id is not None:
        values["payslip_id"] = str(entity.payslip_id)
    if entity.sent.get("payslip_date") is not None:
        values["payslip_date"] = entity.sent["payslip_date"]
    values |= {"success": "false" if entity.errors else "true", "message": result.message}
    if entity.errors:
        values |= {"errors": entity.errors.messages(), "error_details": entity.errors.details()}
    return values
