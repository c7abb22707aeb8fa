"""Filings over HTTP."""

import msgspec

from gaji.documents.filings import service
from gaji.documents.filings import schemas as shapes
from gaji.documents.filings.rules import ADVICE_CODE, FIRST_ADVICE, LAST_ADVICE, parse_filing_query
from gaji.documents.filings.cpf_submission import MEDIA_TYPE
from gaji.web import schemas
from gaji.web.operations import QueryParameter, Request, Response, Router

routes = Router("Filings")

FILINGS = "/clients/{client_id}/filings/{month}"
ASCII = "; charset=us-ascii"
QUERY = [
    QueryParameter(
        ADVICE_CODE,
        {"type": "integer", "minimum": FIRST_ADVICE, "maximum": LAST_ADVICE, "default": FIRST_ADVICE},
        "The advice that it is handed in as; another one than the first for what comes after it.",
    )
]


@routes.get(
    FILINGS,
    answers=schemas.array_of("filing", shapes.FILING),
    query=QUERY,
    by_rules=True,
    statuses=[409, 422],
    example=[{"filing": shapes.EXAMPLE}],
)
async def list_filings(call: Request) -> Response:
    """What a client files for a month (`2026-01`), over its finalised payslips, with what keeps it from being filed."""
    month, advice_code = parse_filing_query(call.names["month"], call.query)
    found = await service.list_filings(call.tenant, call.ids["client_id"], month, advice_code)
    body = msgspec.json.encode([{"filing": one.to_json()} for one in found])
    return Response(body).by_rules(version for one in found for version in one.rules_versions)


@routes.get(f"{FILINGS}/cpf", files=[MEDIA_TYPE], query=QUERY, by_rules=True, statuses=[403, 409, 422])
async def download_cpf_file(call: Request) -> Response:
    """The CPF EZPay file of a month: CPF, self-help funds, foreign worker levy and skills development levy."""
    month, advice_code = parse_filing_query(call.names["month"], call.query)
    found = await service.read_cpf_filing(call.tenant, call.ids["client_id"], month, advice_code)
    headers = {"Content-Disposition": f'attachment; filename="{found.file.file_name}"'}
    return Response(found.file.data or b"", headers=headers, media_type=MEDIA_TYPE + ASCII).by_rules(
        found.rules_versions
    )
