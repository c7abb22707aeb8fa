"""Export and import of employees as a workbook."""

from collections.abc import Mapping
from typing import Any

from gaji.company.clients.service import ClientMembership
from gaji.console.error_messages import ErrorSummary, error_text
from gaji.console.glossary import label
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import (
    Conflict,
    ErrorCode,
    FieldError,
    GajiError,
    MalformedRequest,
    TooManyRequests,
    ValidationError,
    invalid,
)
from gaji.imports.employees import service
from gaji.imports.employees.cell_errors import CellError
from gaji.tabular import XLSX
from gaji.web.responses import HttpResponse

router = PageRouter()

DISPOSITION = ("Content-Disposition", 'attachment; filename="employees.xlsx"')
MARKED_DISPOSITION = ("Content-Disposition", 'attachment; filename="employees-with-errors.xlsx"')
LARGE_BYTES = 100_000
"""A workbook of this size has hundreds of rows. It is imported in the background, and a page shows the progress."""
REFRESH_S = 2
NO_FILE_CHOSEN = ErrorCode("no_file_chosen", "choose a file")


@router.get("/companies/{client_id}/employees/export")
async def export_workbook(request: PageRequest) -> HttpResponse:
    """Return the employees of a company as a workbook."""
    company = await request.company(request.ids["client_id"])
    file = await service.export_employees(request.tenant, company.id, [], words=True)
    return request.respond(200, b"", XLSX, DISPOSITION, file=file)


@router.get("/companies/{client_id}/employees/import")
async def show_form(request: PageRequest) -> HttpResponse:
    """Show the form to upload a workbook."""
    return _page(request, await request.writable_company(request.ids["client_id"]))


@router.post("/companies/{client_id}/employees/import")
async def import_workbook(request: PageRequest) -> HttpResponse:
    """Import a workbook completely or not at all, or only check it."""
    company = await request.writable_company(request.ids["client_id"])
    content = request.files.get("workbook")
    dry_run = request.form.get("how") != "save"
    try:
        if not content:
            raise invalid("workbook", NO_FILE_CHOSEN)
        if len(content) >= LARGE_BYTES:
            uuid = await service.start_import(request.tenant, company.id, content, dry_run=dry_run)
            return request.redirect(f"{request.path}/{uuid}")
        workbook = await service.read_content(request.tenant, company.id, content)
        result = await service.import_employees(request.tenant, company.id, workbook, dry_run=dry_run)
    except (ValidationError, Conflict, MalformedRequest, TooManyRequests) as error:
        marked_path = ""
        if content and isinstance(error, ValidationError) and any("!" in path for path in error.errors):
            uuid = await service.keep_failed_import(request.tenant, company.id, content, error, dry_run=dry_run)
            marked_path = f"{request.path}/{uuid}/marked"
        return _page(request, company, error=_summarise(error), status=error.status, marked_path=marked_path)
    if dry_run:
        return _page(request, company, checked=result["message"])
    return request.redirect(f"/companies/{company.id}/employees", result["message"])


@router.get("/companies/{client_id}/employees/import/{uuid}")
async def show_progress(request: PageRequest) -> HttpResponse:
    """Show the progress of a background import, or its result."""
    company = await request.writable_company(request.ids["client_id"])
    progress = await service.read_progress(request.tenant, company.id, request.names["uuid"])
    if progress["state"] == "failed":
        details = {detail["path"]: detail for detail in progress["error_details"]}
        lines = [f"{_cell_label(cell, details[cell])}: {text}" for cell, text in progress["errors"].items()]
        marked_path = f"{request.path}/marked" if lines else ""
        return _page(request, company, error=ErrorSummary(progress["message"], lines), marked_path=marked_path)
    if progress["state"] == "complete":
        return _page(request, company, **{"checked" if progress["dry_run"] else "saved": progress["message"]})
    # The browser reloads the page, with or without scripts.
    request.headers.append(("Refresh", str(REFRESH_S)))
    return request.render(
        "employee_import_progress.html", company=company, here="Employees", **_progress_values(progress)
    )


@router.get("/companies/{client_id}/employees/import/{uuid}/marked")
async def download_marked(request: PageRequest) -> HttpResponse:
    """Return the workbook of a failed import with its invalid cells marked."""
    company = await request.writable_company(request.ids["client_id"])
    content = await service.mark_errors(request.tenant, company.id, request.names["uuid"])
    return request.respond(200, content, XLSX, MARKED_DISPOSITION)


def _summarise(error: GajiError) -> ErrorSummary:
    errors = error.errors if isinstance(error, ValidationError | Conflict) else {}
    return ErrorSummary(
        error.message, [f"{_path_label(path, error)}: {error_text(error)}" for path, error in errors.items()]
    )


def _path_label(path: str, error: FieldError) -> str:
    return _cell_label(path, error.details()[0]) if isinstance(error, CellError) else label(path)


def _cell_label(cell: str, detail: Mapping[str, Any]) -> str:
    """Return the person, the column and the value of a cell, and its name."""
    value = f"“{detail['value']}”" if "value" in detail else ""
    column = " ".join(filter(None, (detail.get("column"), value)))
    return " · ".join(filter(None, (detail.get("person"), column, cell)))


def _progress_values(progress: Mapping[str, Any]) -> dict[str, Any]:
    """Return the current step and the progress. Every row is checked first, and saved after that."""
    step, rows, done = progress["step"], progress["rows"], progress["done"]
    descriptions = {
        "checking": f"Checking row {done:,} of {rows:,}",
        "saving": f"{'Testing' if progress['dry_run'] else 'Saving'} {rows:,} rows",
    }
    fallback = "Reading the workbook" if step else "Waiting to start"
    return {"description": descriptions.get(step, fallback), "done": done, "total": rows * 2 or 1}


def _page(
    request: PageRequest,
    company: ClientMembership,
    *,
    error: ErrorSummary | None = None,
    status: int = 200,
    checked: str | None = None,
    saved: str | None = None,
    marked_path: str = "",
) -> HttpResponse:
    return request.render(
        "employee_import.html",
        status=status,
        company=company,
        here="Employees",
        error=error,
        checked=checked,
        saved=saved,
        marked_path=marked_path,
    )
