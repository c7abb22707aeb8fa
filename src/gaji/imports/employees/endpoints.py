"""Employees as a spreadsheet, over HTTP."""

from gaji.core.errors import Errors, ValidationError
from gaji.core.validation import Boolean
from gaji.imports.employees import service
from gaji.imports.employees import schemas
from gaji.tabular import XLSX
from gaji.web.operations import Request, Response, Router, answer

routes = Router("Spreadsheets")

EMPLOYEES = "/clients/{client_id}/employees"


@routes.get(f"{EMPLOYEES}/export", files=[XLSX], query=[schemas.CALCULATIONS], statuses=[422])
async def export_employees(call: Request) -> Response:
    """The employees of a client as a workbook that can be imported again."""
    named = [name.strip() for value in call.query.get("calculations", ()) for name in value.split(",")]
    file = await service.export_employees(call.tenant, call.ids["client_id"], [name for name in named if name])
    headers = {"Content-Disposition": 'attachment; filename="employees.xlsx"'}
    return Response(b"", headers=headers, media_type=XLSX, file=file)


@routes.post(
    f"{EMPLOYEES}/import",
    takes=schemas.WORKBOOK,
    takes_file=XLSX,
    answers=schemas.OUTCOME,
    query=[schemas.DRY_RUN],
    statuses=[409, 422],
)
async def import_employees(call: Request) -> Response:
    """Add and change employees as a workbook says: all of it, or nothing."""
    dry_run = _dry_run(call)
    return answer(await service.import_employees(call.tenant, call.ids["client_id"], call.raw_body, dry_run=dry_run))


@routes.post(
    f"{EMPLOYEES}/import/async",
    takes=schemas.WORKBOOK,
    takes_file=XLSX,
    answers=schemas.STARTED,
    query=[schemas.DRY_RUN],
    statuses=[422],
)
async def start_import(call: Request) -> Response:
    """Have a workbook imported apart from the request; its uuid is polled for."""
    uuid = await service.start_import(call.tenant, call.ids["client_id"], call.raw_body, dry_run=_dry_run(call))
    return answer({"message": "Started", "uuid": uuid})


@routes.get(f"{EMPLOYEES}/import/{{uuid}}", answers=schemas.PROGRESS)
async def read_import(call: Request) -> Response:
    """How far an import is, and what became of it."""
    found = await service.progress(call.tenant, call.ids["client_id"], call.names["uuid"])
    over = found["state"] in ("complete", "failed")
    return answer(found, **({} if over else {"Retry-After": str(service.POLL_AGAIN_S)}))


def _dry_run(call: Request) -> bool:
    faults: Errors = Errors()
    given = call.query.get("dry_run", ["false"])[-1]
    found = Boolean().read(given.lower(), "dry_run", faults)
    if faults:
        raise ValidationError(faults)
    return bool(found)
