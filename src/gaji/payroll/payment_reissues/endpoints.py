"""Endpoints of reissued payments."""

from gaji.core import json_schemas
from gaji.payroll.payment_reissues import service
from gaji.payroll.payment_reissues.schemas import PAYMENT_REISSUE, REISSUE, REISSUE_EXAMPLE
from gaji.web.operations import Request, Response, Router, json_response, saved_response

router = Router("Payment runs")

REISSUES = "/payment_runs/{payment_run_id}/reissues"


@router.get(
    REISSUES,
    response_schema=json_schemas.list_schema("payment_reissue", PAYMENT_REISSUE),
    example=[{"payment_reissue": REISSUE_EXAMPLE}],
)
async def list_payment_reissues(request: Request) -> Response:
    """List the payments of a payment run that were made again, in order."""
    reissues = await service.list_reissues(request.tenant, request.ids["payment_run_id"])
    elements = [
        {
            "id": reissue.id,
            "payslip_ids": list(reissue.payslip_ids),
            "created_at": reissue.created_at,
            "created_by": reissue.created_by,
        }
        for reissue in reissues
    ]
    return json_response([{"payment_reissue": element} for element in elements])


@router.post(
    REISSUES,
    body_schema=REISSUE.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def reissue_payments(request: Request) -> Response:
    """Make payments again that the bank returned, to the current accounts. They are in a file of their own."""
    run_id = request.ids["payment_run_id"]
    reissue_id, validated = await service.reissue_payments(request.tenant, run_id, request.body)
    return saved_response("The payments have been reissued", id=reissue_id, warnings=validated.warnings)
