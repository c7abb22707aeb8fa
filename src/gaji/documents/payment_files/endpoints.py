"""Payment files over HTTP."""

import msgspec

from gaji.documents.giro.formats import FORMS
from gaji.documents.payment_files import service
from gaji.documents.payment_files import schemas as shapes
from gaji.documents.payment_files.service import LIST_TYPE
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, saved

routes = Router("Payment files")

FILES = "/payment_runs/{payment_run_id}/files"
MEDIA_TYPES = tuple(dict.fromkeys((*(form.media_type for form in FORMS), LIST_TYPE)))


@routes.get(
    FILES,
    answers=schemas.array_of("file", shapes.PAYMENT_FILE),
    statuses=[409],
    example=[{"file": shapes.EXAMPLE}],
)
async def list_payment_files(call: Request) -> Response:
    """The files of a finalised payment run, each with what it comes to and what keeps it from being made."""
    found = await service.list_files(call.tenant, call.ids["payment_run_id"])
    return Response(msgspec.json.encode([{"file": one.to_json()} for one in found]))


@routes.get(f"{FILES}/{{name}}", files=MEDIA_TYPES, statuses=[403, 409, 422])
async def download_payment_file(call: Request) -> Response:
    """One file of a finalised payment run: for the bank that pays, or the list of those who are paid by hand."""
    made = (await service.read_file(call.tenant, call.ids["payment_run_id"], call.names["name"])).file
    headers = {"Content-Disposition": f'attachment; filename="{made.file_name}"'}
    return Response(made.data or b"", headers=headers, media_type=f"{made.media_type}; charset=utf-8")


@routes.post("/payslips/{payslip_id}/release_payment", answers=schemas.SAVED, statuses=[409])
async def release_payment(call: Request) -> Response:
    """Put a finalised payslip into payment files although taxes had to be cleared first (IR21)."""
    payslip_id = call.ids["payslip_id"]
    await service.release_payment(call.tenant, payslip_id)
    return saved("The payment of the payslip has been released", id=payslip_id)
