"""Export and import of employees as a workbook."""

from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.console.workbook_import import ImportPage
from gaji.imports.employees import service
from gaji.tabular import XLSX
from gaji.web.responses import HttpResponse

router = PageRouter()

DISPOSITION = ("Content-Disposition", 'attachment; filename="employees.xlsx"')
PAGE = ImportPage(
    title="Import employees",
    about="Download the workbook, change cells or add rows, then upload it. Employees and their children have a sheet "
    "each. Either all changes are saved or none.",
    hint="Checking lists all errors by cell and saves nothing. Cells take the words of the console or codes, such as "
    "“Singapore citizen” or CITIZEN, and Yes or No. An empty cell clears the value; an empty flag means no, or its "
    "default. A row without ID adds an employee or a child. A missing row changes nothing.",
    here="Employees",
    path="employees",
    parent="Employees",
    records="employees",
    marked_name="employees-with-errors.xlsx",
)


@router.get("/companies/{client_id}/employees/export", step_up=True, is_file=True, allows_replica=True)
async def export_workbook(request: PageRequest) -> HttpResponse:
    """Return the employees of a company as a workbook."""
    company = await request.company(request.ids["client_id"])
    file = await service.export_employees(request.tenant, company.id, [], words=True)
    return request.respond(200, b"", XLSX, DISPOSITION, file=file)


@router.get("/companies/{client_id}/employees/import", step_up=True)
async def show_form(request: PageRequest) -> HttpResponse:
    """Show the form to upload a workbook of employees."""
    return await PAGE.show(request)


@router.post("/companies/{client_id}/employees/import", step_up=True)
async def import_workbook(request: PageRequest) -> HttpResponse:
    """Import a workbook of employees."""
    return await PAGE.submit(request)


@router.get("/companies/{client_id}/employees/import/{uuid}")
async def show_progress(request: PageRequest) -> HttpResponse:
    """Show the progress of an import of employees."""
    return await PAGE.show_progress(request)


@router.get("/companies/{client_id}/employees/import/{uuid}/marked", step_up=True, is_file=True)
async def download_marked(request: PageRequest) -> HttpResponse:
    """Return a workbook of employees with its invalid cells marked."""
    return await PAGE.download_marked(request)
