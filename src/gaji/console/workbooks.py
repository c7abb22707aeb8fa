"""Employees as a workbook: taken along, filled in, and brought back."""

from collections.abc import Mapping
from typing import Any

from gaji.company.clients.service import ClientOfCaller
from gaji.console.pages import Pages
from gaji.console.request import Visit
from gaji.core.errors import INVALID, Conflict, Errors, GajiError, MalformedRequest, TooManyRequests, ValidationError
from gaji.imports.employees import service
from gaji.tabular import XLSX
from gaji.web.gateway import Response

pages = Pages()

NAME = ("Content-Disposition", 'attachment; filename="employees.xlsx"')
LARGE_BYTES = 100_000
"""A workbook of this size has hundreds of rows: a job brings it in, and a page tells how far it is."""
AGAIN_S = 2
NO_FILE = ValidationError(
    Errors.single("workbook", INVALID, reason="is required: choose a file"), "No workbook was chosen"
)


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
        if len(content) >= LARGE_BYTES:
            uuid = await service.start_import(visit.tenant, company.id, content, dry_run=dry_run)
            return visit.go(f"{visit.path}/{uuid}")
        done = await service.import_employees(visit.tenant, company.id, content, dry_run=dry_run)
    except (ValidationError, Conflict, MalformedRequest, TooManyRequests) as error:
        return _page(visit, company, error=error)
    if dry_run:
        return _page(visit, company, found=done["message"])
    return visit.go(f"/companies/{company.id}/employees", done["message"])


@pages.get("/companies/{client_id}/employees/import/{uuid}")
async def show_progress(visit: Visit) -> Response:
    """How far a large workbook is; or what became of it."""
    company = await visit.own_company(visit.ids["client_id"])
    found = await service.progress(visit.tenant, company.id, visit.names["uuid"])
    if found["state"] == "failed":
        return _page(visit, company, error=ValidationError(found["errors"], found["message"]), status=200)
    if found["state"] == "complete":
        checked = found["message"] if found["dry_run"] else None
        return _page(visit, company, found=checked, saved=None if checked else found["message"])
    # The browser asks again by itself, with scripts or without.
    visit.headers.append(("Refresh", str(AGAIN_S)))
    return visit.show("workbook_progress.html", company=company, here="Employees", **_steps(found))


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
    visit: Visit,
    company: ClientOfCaller,
    *,
    error: GajiError | None = None,
    status: int | None = None,
    found: str | None = None,
    saved: str | None = None,
) -> Response:
    known = {"company": company, "here": "Employees", "error": error, "found": found, "saved": saved}
    return visit.show("workbook.html", status=status or (error.status if error else 200), **known)
