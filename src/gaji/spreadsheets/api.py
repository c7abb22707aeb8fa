"""Employees as a spreadsheet, over HTTP."""

from gaji.attributes import Boolean, Faults
from gaji.errors import Invalid
from gaji.reports.files import XLSX
from gaji.spreadsheets import service, shapes
from gaji.web.operations import Answer, Call, Routes, answer

routes = Routes("Spreadsheets")

EMPLOYEES = "/clients/{client_id}/employees"


@routes.get(f"{EMPLOYEES}/export", files=[XLSX], query=[shapes.CALCULATIONS], statuses=[422])
async def export_employees(call: Call) -> Answer:
    """The employees of a client as a workbook that can be imported again."""
    named = [name.strip() for value in call.query.get("calculations", ()) for name in value.split(",")]
    file = await service.export_employees(call.tenant, call.ids["client_id"], [name for name in named if name])
    headers = {"Content-Disposition": 'attachment; filename="employees.xlsx"'}
    return Answer(b"", headers=headers, media_type=XLSX, file=file)


@routes.post(
    f"{EMPLOYEES}/import",
    takes=shapes.WORKBOOK,
    takes_file=XLSX,
    answers=shapes.OUTCOME,
    query=[shapes.DRY_RUN],
    statuses=[409, 422],
)
async def import_employees(call: Call) -> Answer:
    """Add and change employees as a workbook says: all of it, or nothing."""
    dry_run = _dry_run(call)
    found = await service.import_employees(call.tenant, call.ids["client_id"], call.raw_body, dry_run=dry_run)
    return answer(shapes.outcome(found, dry_run=dry_run))


def _dry_run(call: Call) -> bool:
    faults: Faults = {}
    given = call.query.get("dry_run", ["false"])[-1]
    found = Boolean().read(given.lower(), "dry_run", faults)
    if faults:
        raise Invalid(faults)
    return bool(found)
