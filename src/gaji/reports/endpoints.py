"""Report endpoints."""

from collections.abc import Mapping
from typing import Any

from gaji.core import json_schemas
from gaji.reports import discovery, schemas, service
from gaji.reports.registry import Report, get_report
from gaji.reports.request_fields import body_from_query
from gaji.reports.service import RETRY_AFTER_S, ReportFile
from gaji.tabular import CSV, EXTENSIONS, JSON, XLSX, negotiate_media_type
from gaji.web.operations import Request, Response, Router, json_response

router = Router("Reports")

REPORTS = "/clients/{client_id}/reports"
FILES = (CSV, XLSX)
PATH_SCHEMAS = {"report": schemas.REPORT_ID}
CHARSETS = {CSV: "; charset=utf-8"}


@router.get(REPORTS, response_schema=schemas.DISCOVERY, example=schemas.DISCOVERY_EXAMPLE)
async def list_reports(request: Request) -> Response:
    """List the reports with their request fields, and the names and numbers that can be used in them."""
    return json_response(await discovery.describe_reports(request.tenant, request.ids["client_id"]))


@router.post(
    f"{REPORTS}/{{report}}",
    path_schemas=PATH_SCHEMAS,
    body_schema=schemas.REQUEST,
    response_schema=schemas.ROWS,
    file_types=FILES,
    headers=["Vary"],
    example=schemas.ROWS_EXAMPLE,
    writes=False,
    has_rules_version=True,
    error_statuses=[409],
    allows_replica=True,
)
async def make_report(request: Request) -> Response:
    """Run a report."""
    return await _run_report(request, get_report(request.names["report"]), request.body)


@router.get(
    f"{REPORTS}/{{report}}",
    path_schemas=PATH_SCHEMAS,
    query=schemas.query_parameters(),
    query_example={"start_date": "2026-01-01", "end_date": "2026-12-31"},
    checks_query=True,
    response_schema=schemas.ROWS,
    file_types=FILES,
    headers=["Vary"],
    example=schemas.ROWS_EXAMPLE,
    has_rules_version=True,
    error_statuses=[409],
    allows_replica=True,
)
async def read_report(request: Request) -> Response:
    """Run a report with its fields in the query. Arrays are repeated parameters, or comma-separated values."""
    report = get_report(request.names["report"])
    return await _run_report(request, report, body_from_query(report.attributes, request.query))


@router.post(
    f"{REPORTS}/{{report}}/async",
    path_schemas=PATH_SCHEMAS,
    body_schema=schemas.REQUEST,
    response_schema=json_schemas.STARTED,
    allows_read_only_keys=True,
)
async def start_report(request: Request) -> Response:
    """Queue a report. Poll the returned UUID for the result."""
    report = get_report(request.names["report"])
    client_id = request.ids["client_id"]
    uuid = await service.start_report(request.tenant, client_id, report, request.body, request.raw_body)
    return json_response({"message": "Started", "uuid": uuid})


@router.get(
    f"{REPORTS}/poll/{{uuid}}",
    response_schema=schemas.ROWS,
    file_types=FILES,
    headers=["Vary", "X-Report-State", "X-Report-Rows"],
    example=schemas.ROWS_EXAMPLE,
    has_rules_version=True,
    no_content_when="The report is not complete.",
    allows_replica=True,
)
async def poll_report(request: Request) -> Response:
    """Retrieve a queued report. The response is 204 until it is complete."""
    media_type = negotiate_media_type(request.accept_header)
    client_id, uuid = request.ids["client_id"], request.names["uuid"]
    report = await service.poll_report(request.tenant, client_id, uuid, media_type)
    if isinstance(report, ReportFile):
        return _file_response(report, media_type)
    state = "queued" if report.rows is None else "running"
    headers = {"Retry-After": str(RETRY_AFTER_S), "X-Report-State": state, "X-Report-Rows": str(report.rows or 0)}
    return Response(b"", 204, headers)


async def _run_report(request: Request, report: Report, body: Mapping[str, Any]) -> Response:
    media_type = negotiate_media_type(request.accept_header)
    file = await service.run_report(request.tenant, request.ids["client_id"], report, body, media_type)
    return _file_response(file, media_type)


def _file_response(report: ReportFile, media_type: str) -> Response:
    headers = {"Vary": "Accept"}
    if media_type != JSON:
        headers["Content-Disposition"] = f'attachment; filename="{report.report}.{EXTENSIONS[media_type]}"'
    content_type = media_type + CHARSETS.get(media_type, "")
    response = Response(b"", headers=headers, media_type=content_type, file=report.file)
    return response.with_rules_version(report.rules_versions)
