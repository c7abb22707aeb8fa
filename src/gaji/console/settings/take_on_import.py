"""Opening balances of all employees from one workbook."""

from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.console.workbook_import import ImportPage
from gaji.imports.employees import service
from gaji.tabular import XLSX
from gaji.web.responses import HttpResponse

router = PageRouter()

DISPOSITION = ("Content-Disposition", 'attachment; filename="opening-balances.xlsx"')
PAGE = ImportPage(
    title="Import opening balances",
    about="Download the workbook, enter what another payroll paid this year and the leave left, then upload it. It has "
    "a row for everyone in service this year. Either all rows are saved or none.",
    hint="Checking lists all errors by cell and saves nothing. Employees are found by their number. An empty amount "
    "means zero. Rows that you leave empty, or remove, change nothing.",
    here="Settings",
    path="settings/take_on",
    parent="Switching from another payroll",
    records="opening balances",
    marked_name="opening-balances-with-errors.xlsx",
)


@router.get("/companies/{client_id}/settings/take_on/export", step_up=True, is_file=True)
async def export_take_on(request: PageRequest) -> HttpResponse:
    """Return the opening balances of a company as a workbook."""
    company = await request.company(request.ids["client_id"])
    file = await service.export_take_on(request.tenant, company.id)
    return request.respond(200, b"", XLSX, DISPOSITION, file=file)


@router.get("/companies/{client_id}/settings/take_on/import")
async def show_take_on_form(request: PageRequest) -> HttpResponse:
    """Show the form to upload a workbook of opening balances."""
    return await PAGE.show(request)


@router.post("/companies/{client_id}/settings/take_on/import")
async def import_take_on(request: PageRequest) -> HttpResponse:
    """Import a workbook of opening balances."""
    return await PAGE.submit(request)


@router.get("/companies/{client_id}/settings/take_on/import/{uuid}")
async def show_take_on_progress(request: PageRequest) -> HttpResponse:
    """Show the progress of an import of opening balances."""
    return await PAGE.show_progress(request)


@router.get("/companies/{client_id}/settings/take_on/import/{uuid}/marked", step_up=True, is_file=True)
async def download_marked_take_on(request: PageRequest) -> HttpResponse:
    """Return a workbook of opening balances with its invalid cells marked."""
    return await PAGE.download_marked(request)
