"""Payment file endpoints."""

import asyncio

import msgspec

from gaji.approvals.schemas import REQUESTED, approval_json
from gaji.core import json_schemas
from gaji.core.field_types import DateType
from gaji.documents.giro.bank_formats import GIRO_FORMATS
from gaji.documents.payment_files import service
from gaji.documents.payment_files.schemas import EXAMPLE, PAYMENT_FILE
from gaji.documents.payment_files.service import PAYMENT_LIST_MEDIA_TYPE
from gaji.documents.payment_files.value_dates import VALUE_DATE
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import QueryParameter

router = Router("Payment files")

FILES = "/payment_runs/{payment_run_id}/files"
QUERY = [
    QueryParameter(
        VALUE_DATE,
        DateType(),
        "The day on which the bank pays: a working day from today on. Default: the payment date of the run.",
    )
]
MEDIA_TYPES = tuple(dict.fromkeys((*(giro_format.media_type for giro_format in GIRO_FORMATS), PAYMENT_LIST_MEDIA_TYPE)))
FILE_NAME = {"name": {"type": "string", "minLength": 1, "examples": ["payment_list.csv"]}}


@router.get(
    FILES,
    response_schema=json_schemas.list_schema("file", PAYMENT_FILE),
    query=QUERY,
    has_rules_version=True,
    error_statuses=[409],
    example=[{"file": EXAMPLE}],
)
async def list_payment_files(request: Request) -> Response:
    """List the files of a finalised payment run, each with its totals and any errors."""
    files = await service.list_files(request.tenant, request.ids["payment_run_id"], request.parameters.get(VALUE_DATE))
    body = await asyncio.to_thread(lambda: msgspec.json.encode([{"file": file.to_json()} for file in files]))
    return Response(body).with_rules_version(version for file in files for version in file.rules_versions)


@router.post(
    f"{FILES}/{{name}}/request_approval",
    path_schemas=FILE_NAME,
    query=QUERY,
    response_schema=REQUESTED,
    error_statuses=[409],
)
async def request_payment_file_approval(request: Request) -> Response:
    """Request the approval of a payment file. If the client requires it, just this content can be downloaded then.

    The value date is part of the content.
    """
    run_id, name = request.ids["payment_run_id"], request.names["name"]
    value_date = request.parameters.get(VALUE_DATE)
    approval = await service.request_file_approval(request.tenant, run_id, name, value_date)
    element = approval_json(approval, hide_identifiers=request.tenant.caller.hide_identifiers)
    return saved_response("The file can be downloaded when another person approves it", id=run_id, approval=element)


@router.get(
    f"{FILES}/{{name}}",
    path_schemas=FILE_NAME,
    file_types=MEDIA_TYPES,
    query=QUERY,
    has_rules_version=True,
    error_statuses=[403, 409],
)
async def download_payment_file(request: Request) -> Response:
    """Download a file of a finalised payment run: a bank file, or the list of cash and cheque payments.

    Each download is recorded, unless the caller can only read. 409 if the client requires an approval that is missing.
    """
    payment_file = await service.download_file(
        request.tenant, request.ids["payment_run_id"], request.names["name"], request.parameters.get(VALUE_DATE)
    )
    file = payment_file.file
    headers = {"Content-Disposition": f'attachment; filename="{file.file_name}"'}
    response = Response(file.data or b"", headers=headers, media_type=f"{file.media_type}; charset=utf-8")
    return response.with_rules_version(payment_file.rules_versions)
