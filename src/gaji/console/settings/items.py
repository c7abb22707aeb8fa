"""Custom items of payslips, with a preview for an employee."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.item_form import ERROR_FIELDS, item_body, item_form
from gaji.console.settings.item_preview import PREVIEW_FORM, PREVIEW_PREFIX, preview_item
from gaji.console.settings.record_page import RecordPage, Section, decode_elements, get_by_id, list_page
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import Conflict, Errors, ValidationError
from gaji.payroll.calculation_definitions import service
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section(
    "items",
    "Custom items",
    "Additional items on payslips. Formulas and the API refer to them by their IDs.",
    "Add items such as a shift allowance, a canteen deduction or a formula over other items.",
)
KINDS = {str(entry.value): entry.name for entry in CONSTANT_LISTS["calculation_kind"]}
INPUTS = {str(entry.value): entry.name for entry in CONSTANT_LISTS["calculation_input"]}


@router.get("/companies/{client_id}/settings/items")
async def list_items(request: PageRequest) -> HttpResponse:
    """Show the custom items of a company."""
    company = await request.company(request.ids["client_id"])
    rows = [
        (
            f"{SECTION.path(company.id)}/{item['id']}/edit" if company.can_write else "",
            (item["name"], str(item["id"]), KINDS[item["kind"]], INPUTS[item["input"]], item["formula"] or ""),
        )
        for item in decode_elements(await service.list_definitions(request.tenant, company.id, None))
    ]
    return list_page(request, company, SECTION, ("Name", "ID", "Kind", "Amount", "Formula"), rows, "Add item")


@router.get("/companies/{client_id}/settings/items/new")
async def new_item(request: PageRequest) -> HttpResponse:
    """Show the form for a new item."""
    return (await _page(request)).show(request)


@router.post("/companies/{client_id}/settings/items/new")
async def create_item(request: PageRequest) -> HttpResponse:
    """Create an item, or preview it."""
    page = await _page(request)
    body = item_body(page.form, request.form)
    if "try" in request.form:
        return await _preview(request, page, None, body)
    work = service.create_definition(request.tenant, page.company.id, body)
    return await page.save(request, work, "Item added", ERROR_FIELDS)


@router.get("/companies/{client_id}/settings/items/{definition_id}/edit")
async def edit_item(request: PageRequest) -> HttpResponse:
    """Show the form of an item."""
    return (await _page(request, request.ids["definition_id"])).show(request)


@router.post("/companies/{client_id}/settings/items/{definition_id}/edit")
async def change_item(request: PageRequest) -> HttpResponse:
    """Save an item, or preview the change."""
    definition_id = request.ids["definition_id"]
    page = await _page(request, definition_id)
    body = item_body(page.form, request.form)
    if "try" in request.form:
        return await _preview(request, page, definition_id, body)
    work = service.update_definition(request.tenant, definition_id, body)
    return await page.save(request, work, "Item saved", ERROR_FIELDS)


@router.post(
    "/companies/{client_id}/settings/items/{definition_id}/delete",
    confirm=Confirmation(
        "Delete this pay item?",
        "It disappears from the employees and drafts that have it. An item that appears on payslips cannot be deleted.",
    ),
)
async def delete_item(request: PageRequest) -> HttpResponse:
    """Delete an item that is not in use."""
    page = await _page(request, request.ids["definition_id"])
    await service.delete_definition(request.tenant, request.ids["definition_id"])
    return request.redirect(SECTION.path(page.company.id), "Item deleted")


async def _page(request: PageRequest, definition_id: int | None = None) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    item: Mapping[str, Any] = {}
    title, delete_path = "Add custom item", ""
    if definition_id is not None:
        elements = decode_elements(await service.list_definitions(request.tenant, company.id, None))
        item = get_by_id(elements, definition_id, "Custom item")
        title, delete_path = item["name"], f"{SECTION.path(company.id)}/{definition_id}/delete"
    values = {
        "preview_form": PREVIEW_FORM.with_values(request.form) if request.form else PREVIEW_FORM,
        "preview": None,
        "item_names": await service.list_items(request.tenant, company.id),
        "item_id": definition_id,
    }
    return RecordPage(company, SECTION, title, item_form(item), delete_path, "settings_item.html", values)


async def _preview(
    request: PageRequest, page: RecordPage, definition_id: int | None, body: Mapping[str, Any]
) -> HttpResponse:
    """Show an employee's payslip with the submitted item, without saving anything."""
    form = page.form.with_values(request.form)
    try:
        preview = await preview_item(request, page.company.id, definition_id, body)
    except ValidationError as error:
        return _preview_errors(request, page, error)
    except Conflict as error:
        return page.show(request, form.with_errors(error), error.status)
    return _with_values(page, preview=preview).show(request, form)


def _preview_errors(request: PageRequest, page: RecordPage, error: ValidationError) -> HttpResponse:
    """Show the errors of the item in its form, and the errors of the preview in the form of the preview."""
    form, preview_form = page.form.with_values(request.form), PREVIEW_FORM.with_values(request.form)
    is_preview_error = {path: path.startswith((PREVIEW_PREFIX, "calculations")) for path in error.errors}
    item_errors = Errors(
        {path: field_error for path, field_error in error.errors.items() if not is_preview_error[path]}
    )
    preview_errors = Errors({path: field_error for path, field_error in error.errors.items() if is_preview_error[path]})
    if item_errors:
        form = form.with_errors(ValidationError(item_errors), ERROR_FIELDS)
    if preview_errors:
        preview_form = preview_form.with_errors(ValidationError(preview_errors), {"calculations": "try.inputs"})
    return _with_values(page, preview_form=preview_form).show(request, form, error.status)


def _with_values(page: RecordPage, **values: Any) -> RecordPage:
    return replace(page, values={**page.values, **values})
