"""Reports over HTTP."""

from collections.abc import Mapping
from typing import Any

from gaji.reports import discovery, service
from gaji.reports import schemas
from gaji.reports.registry import Report, report_of
from gaji.reports.request_fields import from_query
from gaji.reports.service import POLL_AGAIN_S, Made
from gaji.tabular import CSV, EXTENSIONS, JSON, XLSX, wanted
from gaji.web.operations import Request, Response, Router, answer

routes = Router("Reports")

REPORTS = "/clients/{client_id}/reports"
FILES = (CSV, XLSX)
CHARSETS = {CSV: "; charset=utf-8"}


@routes.get(REPORTS, answers=schemas.DISCOVERY, example=schemas.DISCOVERY_EXAMPLE)
async def list_reports(call: Request) -> Response:
    """The reports with their request fields, and the names and numbers that can go into them."""
    return answer(await discovery.reports_of(call.tenant, call.ids["client_id"]))


@routes.post(
    f"{REPORTS}/{{report}}",
    takes=schemas.REQUEST,
    answers=schemas.ROWS,
    files=FILES,
    example=schemas.ROWS_EXAMPLE,
    writes=False,
    by_rules=True,
    statuses=[409, 422],
)
async def make_report(call: Request) -> Response:
    """Make a report."""
    return await _made_now(call, report_of(call.names["report"]), call.body)


@routes.get(
    f"{REPORTS}/{{report}}",
    query=schemas.query(),
    answers=schemas.ROWS,
    files=FILES,
    example=schemas.ROWS_EXAMPLE,
    by_rules=True,
    statuses=[409, 422],
)
async def read_report(call: Request) -> Response:
    """Make a report, its fields in the query: arrays are repeated, or have commas between their values."""
    report = report_of(call.names["report"])
    return await _made_now(call, report, from_query(report.attributes, call.query))


@routes.post(f"{REPORTS}/{{report}}/async", takes=schemas.REQUEST, answers=schemas.STARTED, statuses=[422])
async def start_report(call: Request) -> Response:
    """Have a report made apart from the request; its uuid is polled for."""
    report = report_of(call.names["report"])
    uuid = await service.start(call.tenant, call.ids["client_id"], report, call.body, call.raw_body)
    return answer({"message": "Started", "uuid": uuid})


@routes.get(
    f"{REPORTS}/poll/{{uuid}}",
    answers=schemas.ROWS,
    files=FILES,
    example=schemas.ROWS_EXAMPLE,
    by_rules=True,
    nothing_yet="The report is still being made.",
)
async def poll_report(call: Request) -> Response:
    """A report that was made apart, once it is there; 204 until then."""
    media_type = wanted(call.accepted)
    found = await service.poll(call.tenant, call.ids["client_id"], call.names["uuid"], media_type)
    if isinstance(found, Made):
        return _answer(found, media_type)
    state = "queued" if found.rows is None else "running"
    headers = {"Retry-After": str(POLL_AGAIN_S), "X-Report-State": state, "X-Report-Rows": str(found.rows or 0)}
    return Response(b"", 204, headers)


async def _made_now(call: Request, report: Report, body: Mapping[str, Any]) -> Response:
    media_type = wanted(call.accepted)
    made = await service.make_now(call.tenant, call.ids["client_id"], report, body, media_type)
    return _answer(made, media_type)


def _answer(made: Made, media_type: str) -> Response:
    headers = {"Vary": "Accept"}
    if media_type != JSON:
        headers["Content-Disposition"] = f'attachment; filename="{made.report}.{EXTENSIONS[media_type]}"'
    return Response(
        b"", headers=headers, media_type=media_type + CHARSETS.get(media_type, ""), file=made.file
    ).by_rules(made.rules_versions)
