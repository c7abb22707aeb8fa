"""Pages that import workbooks: the form, the progress and the errors."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.company.clients.service import ClientMembership
from gaji.console.error_messages import ErrorSummary, error_text
from gaji.console.forms import Field, build_form
from gaji.console.glossary import label
from gaji.console.request import PageRequest
from gaji.core.errors import (
    ERROR_CODES,
    CombinedError,
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

DAY = re.compile(r"\d{4}-\d\d-\d\d")
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
            lines = _cell_lines(progress["error_details"])
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
    fields = _fields()
    return ErrorSummary(
        error.message, [f"{_path_label(path, error)}: {error_text(error, fields)}" for path, error in errors.items()]
    )


def _fields() -> dict[str, Field]:
    return {field.name: field for field in build_form("employee", EMPLOYEE.attributes, {}).fields}


def _cell_lines(details: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each cell with errors, from the stored details of an import."""
    fields = _fields()
    by_cell: dict[str, list[Mapping[str, Any]]] = {}
    for detail in details:
        by_cell.setdefault(detail["path"], []).append(detail)
    return [f"{_cell_label(cell, parts[0])}: {_stored_text(cell, parts, fields)}" for cell, parts in by_cell.items()]


def _stored_text(cell: str, parts: Sequence[Mapping[str, Any]], fields: Mapping[str, Field]) -> str:
    """Return the text of the errors of a cell. Codes that only another version knows have the stored message."""
    if all(part["code"] in ERROR_CODES for part in parts):
        return error_text(_stored_error(cell, parts), fields)
    return "; ".join(part["message"] for part in parts)


def _stored_error(cell: str, parts: Sequence[Mapping[str, Any]]) -> FieldError:
    """Return the error of a cell as it was before it was stored."""
    errors = []
    for part in parts:
        path = f"{cell}.{part['attribute']}" if part.get("attribute") else cell
        params = {name: _stored_param(value) for name, value in part["params"].items()}
        errors.append(FieldError(path, ERROR_CODES[part["code"]], params))
    return CombinedError.combine(cell, errors)


def _stored_param(value: Any) -> Any:
    """Return a parameter with the type that it had. JSON has no dates."""
    if isinstance(value, str) and DAY.fullmatch(value):
        with suppress(ValueError):
            return date.fromisoformat(value)
    return value


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
