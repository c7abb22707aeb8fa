"""Endpoints for the export and import of employees."""

from gaji.core import json_schemas
from gaji.imports.employees import schemas, service
from gaji.imports.employees.sheet_formats import WorkbookContent
from gaji.tabular import XLSX
from gaji.web.operations import Request, Response, Router, json_response

router = Router("Spreadsheets")

EMPLOYEES = "/clients/{client_id}/employees"


@router.get(f"{EMPLOYEES}/export", file_types=[XLSX], query=[schemas.CALCULATIONS], allows_replica=True)
async def export_employees(request: Request) -> Response:
    """Download the employees of a client and their children as a workbook that can be imported again."""
    names = request.parameters.get("calculations", [])
    file = await service.export_employees(request.tenant, request.ids["client_id"], names)
    headers = {"Content-Disposition": 'attachment; filename="employees.xlsx"'}
    return Response(b"", headers=headers, media_type=XLSX, file=file)


@router.get("/clients/{client_id}/take_on_balances/export", file_types=[XLSX], allows_replica=True)
async def export_take_on_balances(request: Request) -> Response:
    """Download the take-on balances of everyone in service this year as a workbook that can be imported."""
    file = await service.export_take_on(request.tenant, request.ids["client_id"])
    headers = {"Content-Disposition": 'attachment; filename="opening-balances.xlsx"'}
    return Response(b"", headers=headers, media_type=XLSX, file=file)


async def _read_workbook(request: Request) -> WorkbookContent:
    return await service.read_content(request.tenant, request.ids["client_id"], request.raw_body)


@router.post(
    f"{EMPLOYEES}/import",
    body_schema=schemas.WORKBOOK,
    body_media_types=[XLSX],
    response_schema=schemas.OUTCOME,
    query=[schemas.DRY_RUN],
    prepare=_read_workbook,
)
async def import_employees(request: Request) -> Response:
    """Create and update employees, their children and take-on balances from a workbook: all rows or none."""
    client_id, dry_run = request.ids["client_id"], request.parameters.get("dry_run", False)
    return json_response(await service.import_employees(request.tenant, client_id, request.prepared, dry_run=dry_run))


@router.post(
    f"{EMPLOYEES}/import/async",
    body_schema=schemas.WORKBOOK,
    body_media_types=[XLSX],
    response_schema=json_schemas.STARTED,
    query=[schemas.DRY_RUN],
)
async def start_import(request: Request) -> Response:
    """Queue the import of a workbook. Poll the returned UUID for its progress."""
    dry_run = request.parameters.get("dry_run", False)
    uuid = await service.start_import(request.tenant, request.ids["client_id"], request.raw_body, dry_run=dry_run)
    return json_response({"message": "Started", "uuid": uuid})


@router.get(f"{EMPLOYEES}/import/{{uuid}}", response_schema=schemas.PROGRESS, headers=["Retry-After"])
async def read_import(request: Request) -> Response:
    """Retrieve the progress of an import, and its outcome when it is finished."""
    progress = await service.read_progress(request.tenant, request.ids["client_id"], request.names["uuid"])
    is_finished = progress["state"] in ("complete", "failed")
    return json_response(progress, **({} if is_finished else {"Retry-After": str(service.RETRY_AFTER_S)}))
