"""Filing endpoints."""

import asyncio

import msgspec

from gaji.core import json_schemas
from gaji.core.field_types import Integer
from gaji.documents.filings import service
from gaji.documents.filings.cpf_submission import MEDIA_TYPE
from gaji.documents.filings.schemas import (
    ADVICE_CODE,
    EXAMPLE,
    FILING,
    FIRST_ADVICE,
    LAST_ADVICE,
    LEVY_EXAMPLE,
    FilingMonth,
)
from gaji.law.months import Month
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import QueryParameter

router = Router("Filings")

FILINGS = "/clients/{client_id}/filings/{month}"
ASCII = "; charset=us-ascii"
QUERY = [
    QueryParameter(
        ADVICE_CODE,
        Integer(FIRST_ADVICE, LAST_ADVICE),
        "The advice code of the submission. Default: 1 for the first submission of a month, then the next code.",
    )
]
PATH = {"month": FilingMonth()}


@router.get(
    FILINGS,
    response_schema=json_schemas.list_schema("filing", FILING),
    query=QUERY,
    path_types=PATH,
    has_rules_version=True,
    error_statuses=[409],
    example=[{"filing": EXAMPLE}, {"filing": LEVY_EXAMPLE}],
)
async def list_filings(request: Request) -> Response:
    """List a client's filings for a month (`2026-01`): what was submitted, what is payable, and any errors."""
    month, advice_code = _month_and_advice_code(request)
    filings = await service.list_filings(request.tenant, request.ids["client_id"], month, advice_code)
    body = await asyncio.to_thread(lambda: msgspec.json.encode([{"filing": filing.to_json()} for filing in filings]))
    return Response(body).with_rules_version(version for filing in filings for version in filing.rules_versions)


@router.get(
    f"{FILINGS}/cpf",
    file_types=[MEDIA_TYPE],
    query=QUERY,
    path_types=PATH,
    has_rules_version=True,
    error_statuses=[403, 409],
)
async def download_cpf_file(request: Request) -> Response:
    """Download the CPF EZPay file of a month, and record it as submitted.

    The first file has everything that is payable. If amounts changed since, the next one has what is new. Otherwise
    the last file is returned again. A download by a caller who can only read is not recorded.
    """
    month, advice_code = _month_and_advice_code(request)
    filing = await service.download_cpf_filing(request.tenant, request.ids["client_id"], month, advice_code)
    headers = {"Content-Disposition": f'attachment; filename="{filing.file.file_name}"'}
    response = Response(filing.file.data or b"", headers=headers, media_type=MEDIA_TYPE + ASCII)
    return response.with_rules_version(filing.rules_versions)


@router.delete("/cpf_submissions/{submission_id}", response_schema=json_schemas.DELETED)
async def discard_cpf_submission(request: Request) -> Response:
    """Discard the last submission of a month, because its file was not sent. Its amounts are in the next file."""
    await service.discard_submission(request.tenant, request.ids["submission_id"])
    return saved_response("The CPF submission has been discarded")


def _month_and_advice_code(request: Request) -> tuple[Month, int | None]:
    return request.parameters["month"], request.parameters.get(ADVICE_CODE)
