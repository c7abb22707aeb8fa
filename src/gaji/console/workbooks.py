"""Employees as a workbook: taken along, filled in, and brought back."""

from gaji.clients.service import ClientOfCaller
from gaji.console.pages import Pages
from gaji.console.visit import Visit
from gaji.errors import Conflict, GajiError, Invalid
from gaji.reports.files import XLSX
from gaji.spreadsheets import service
from gaji.web.gateway import Response

pages = Pages()

NAME = ("Content-Disposition", 'attachment; filename="employees.xlsx"')
NO_FILE = Invalid({"workbook": "is required: choose a file"}, "No workbook was chosen")


@pages.get("/companies/{client_id}/employees/export")
async def export(visit: Visit) -> Response:
    """The employees of a company as a workbook."""
    company = await visit.company(visit.ids["client_id"])
    file = await service.export_employees(visit.tenant, company.id, [])
    return visit.send(200, b"", XLSX, NAME, file=file)


@pages.get("/companies/{client_id}/employees/import")
async def ask(visit: Visit) -> Response:
    """The form for a workbook."""
    return _page(visit, await visit.own_company(visit.ids["client_id"]))


@pages.post("/companies/{client_id}/employees/import")
async def bring_in(visit: Visit) -> Response:
    """Do what a workbook says, all of it or nothing; or only find out what it would do."""
    company = await visit.own_company(visit.ids["client_id"])
    content = visit.files.get("workbook")
    dry_run = visit.form.get("how") != "save"
    try:
        if not content:
            raise NO_FILE
        done = await service.import_employees(visit.tenant, company.id, content, dry_run=dry_run)
    except (Invalid, Conflict) as error:
        return _page(visit, company, error=error)
    if dry_run:
        return _page(visit, company, found=done["message"])
    return visit.go(f"/companies/{company.id}/employees", done["message"])


def _page(
    visit: Visit, company: ClientOfCaller, *, error: GajiError | None = None, found: str | None = None
) -> Response:
    status = error.status if error else 200
    return visit.show("workbook.html", status=status, company=company, here="Employees", error=error, found=found)
