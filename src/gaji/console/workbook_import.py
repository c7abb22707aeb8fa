"""Pages that import workbooks: the form, the progress and the errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gaji.company.clients.service import ClientMembership
from gaji.console.error_messages import ErrorSummary, error_text
from gaji.console.forms import build_form
from gaji.console.glossary import label
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
from gaji.people.employees.schemas import EMPLOYEE
from gaji.tabular import XLSX
from gaji.web.responses import HttpResponse

LARGE_BYTES = 100_000
"""A workbook of this size has hundreds of rows. It is imported in the background, and a page shows the progress."""
REFRESH_S = 2
NO_FILE_CHOSEN = ErrorCode("no_file_chosen", "choose a file")


@dataclass(frozen=True)
class ImportPage:
    """A page that imports workbooks of one kind."""

    title: str
    about: str
    hint: str
    here: str
    """The entry of the navigation."""
    path: str
    """The path below that of the company. Its siblings are `export` and `import`."""
    parent: str
    """The title of the page at the path."""
    records: str
    """What the page imports, in the plural."""
    marked_name: str
    """The file name of a workbook with errors."""

    async def show(self, request: PageRequest) -> HttpResponse:
        """Show the form to upload a workbook."""
        return self._render(request, await _company(request))

    async def submit(self, request: PageRequest) -> HttpResponse:
        """Import a workbook completely or not at all, or only check it."""
        company = await _company(request)
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
            return self._render(request, company, status=error.status, error=_summarise(error), marked_path=marked_path)
        if dry_run:
            return self._render(request, company, checked=result["message"])
        return request.redirect(f"/companies/{company.id}/{self.path}", result["message"])

    async def show_progress(self, request: PageRequest) -> HttpResponse:
        """Show the progress of a background import, or its result."""
        company = await _company(request)
        progress = await service.read_progress(request.tenant, company.id, request.names["uuid"])
        if progress["state"] == "failed":
            details = {detail["path"]: detail for detail in progress["error_details"]}
            lines = [f"{_cell_label(cell, details[cell])}: {text}" for cell, text in progress["errors"].items()]
            marked_path = f"{request.path}/marked" if lines else ""
            error = ErrorSummary(progress["message"], lines)
            return self._render(request, company, error=error, marked_path=marked_path)
        if progress["state"] == "complete":
            name = "checked" if progress["dry_run"] else "saved"
            return self._render(request, company, **{name: progress["message"]})
        # The browser reloads the page, with or without scripts.
        request.headers.append(("Refresh", str(REFRESH_S)))
        return self._render(request, company, "workbook_import_progress.html", **_progress_values(progress))

    async def download_marked(self, request: PageRequest) -> HttpResponse:
        """Return the workbook of a failed import with its invalid cells marked."""
        company = await _company(request)
        content = await service.mark_errors(request.tenant, company.id, request.names["uuid"])
        disposition = ("Content-Disposition", f'attachment; filename="{self.marked_name}"')
        return request.respond(200, content, XLSX, disposition)

    def _render(
        self,
        request: PageRequest,
        company: ClientMembership,
        template: str = "workbook_import.html",
        status: int = 200,
        **values: Any,
    ) -> HttpResponse:
        return request.render(
            template,
            status=status,
            company=company,
            here=self.here,
            import_page=self,
            parent_path=f"/companies/{company.id}/{self.path}",
            **{"error": None, "checked": None, "saved": None, "marked_path": "", **values},
        )


async def _company(request: PageRequest) -> ClientMembership:
    return await request.writable_company(request.ids["client_id"])


def _summarise(error: GajiError) -> ErrorSummary:
    errors = error.errors if isinstance(error, ValidationError | Conflict) else {}
    fields = {field.name: field for field in build_form("employee", EMPLOYEE.attributes, {}).fields}
    return ErrorSummary(
        error.message, [f"{_path_label(path, error)}: {error_text(error, fields)}" for path, error in errors.items()]
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
