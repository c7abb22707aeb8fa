"""Employees as a workbook: taken along, filled in, and brought back."""

from collections.abc import Mapping
from typing import Any

from gaji.company.clients.service import ClientOfCaller
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import INVALID, Conflict, Errors, GajiError, MalformedRequest, TooManyRequests, ValidationError
from gaji.imports.employees import service
from gaji.tabular import XLSX
from gaji.web.responses import HttpResponse

router = PageRouter()

NAME = ("Content-Disposition", 'attachment; filename="employees.xlsx"')
LARGE_BYTES = 100_000
"""A workbook of this size has hundreds of rows: a job brings it in, and a page tells how far it is."""
AGAIN_S = 2
NO_FILE = ValidationError(
    Errors.single("workbook", INVALID, reason="is required: choose a file"), "No workbook was chosen"
)


@router.get("/companies/{client_id}/employees/export")
async def export(request: PageRequest) -> HttpResponse:
    """The employees of a company as a workbook."""
    company = await request.company(request.ids["client_id"])
    file = await service.export_employees(request.tenant, company.id, [])
    return request.respond(200, b"", XLSX, NAME, file=file)


@router.get("/companies/{client_id}/employees/import")
async def ask(request: PageRequest) -> HttpResponse:
    """The form for a workbook."""
    return _page(request, await request.writable_company(request.ids["client_id"]))


@router.post("/companies/{client_id}/employees/import")
async def bring_in(request: PageRequest) -> HttpResponse:
    """Do what a workbook says, all of it or nothing; or only find out what it would do."""
    company = await request.writable_company(request.ids["client_id"])
    content = request.files.get("workbook")
    dry_run = request.form.get("how") != "save"
    try:
        if not content:
            raise NO_FILE
        if len(content) >= LARGE_BYTES:
            uuid = await service.start_import(request.tenant, company.id, content, dry_run=dry_run)
            return request.redirect(f"{request.path}/{uuid}")
        done = await service.import_employees(request.tenant, company.id, content, dry_run=dry_run)
    except (ValidationError, Conflict, MalformedRequest, TooManyRequests) as error:
        return _page(request, company, error=error)
    if dry_run:
        return _page(request, company, found=done["message"])
    return request.redirect(f"/companies/{company.id}/employees", done["message"])


@router.get("/companies/{client_id}/employees/import/{uuid}")
async def show_progress(request: PageRequest) -> HttpResponse:
    """How far a large workbook is; or what became of it."""
    company = await request.writable_company(request.ids["client_id"])
    found = await service.read_progress(request.tenant, company.id, request.names["uuid"])
    if found["state"] == "failed":
        return _page(request, company, error=ValidationError(found["errors"], found["message"]), status=200)
    if found["state"] == "complete":
        checked = found["message"] if found["dry_run"] else None
        return _page(request, company, found=checked, saved=None if checked else found["message"])
    # The browser asks again by itself, with scripts or without.
    request.headers.append(("Refresh", str(AGAIN_S)))
    return request.render("employee_import_progress.html", company=company, here="Employees", **_steps(found))


def _steps(found: Mapping[str, Any]) -> dict[str, Any]:
    """What is being done, and how much of it: every row is checked, and then every row is saved."""
    step, rows, done = found["step"], found["rows"], found["done"]
    told = {
        "checking": f"Checking row {done:,} of {rows:,}",
        "saving": f"{'Trying out' if found['dry_run'] else 'Saving'} {rows:,} rows",
    }
    usual = "Reading the workbook" if step else "Waiting for its turn"
    return {"told": told.get(step, usual), "done": done, "of": rows * 2 or 1}


def _page(
    request: PageRequest,
    company: ClientOfCaller,
    *,
    error: GajiError | None = None,
    status: int | None = None,
    found: str | None = None,
    saved: str | None = None,
) -> HttpResponse:
    known = {"company": company, "here": "Employees", "error": error, "found": found, "saved": saved}
    return request.render("employee_import.html", status=status or (error.status if error else 200), **known)
