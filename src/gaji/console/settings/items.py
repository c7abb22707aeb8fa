"""Custom items of payslips: what they are, how their amounts come about, and a trial on an employee."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gaji.console.settings.item_form import BODY_AT, body_of, item_form
from gaji.console.settings.record_page import RecordPage, Section, decoded, list_page, picked, placed
from gaji.console.settings.item_preview import TRIAL, outcome_of
from gaji.console.forms import as_validation_error
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.constants import LISTS
from gaji.core.errors import Conflict, ValidationError
from gaji.payroll.calculation_definitions import service
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section(
    "items",
    "Custom items",
    "What stands on payslips beyond the usual items. Formulas and programs name them by their IDs.",
    "A shift allowance, a canteen deduction, a formula over other items: each says what it counts for.",
)
KINDS = {str(entry.value): entry.name for entry in LISTS["calculation_kind"]}
INPUTS = {str(entry.value): entry.name for entry in LISTS["calculation_input"]}


@router.get("/companies/{client_id}/settings/items")
async def list_items(request: PageRequest) -> HttpResponse:
    """The custom items of a company."""
    company = await request.company(request.ids["client_id"])
    rows = [
        (
            f"{SECTION.address(company.id)}/{one['id']}/edit" if company.writes else "",
            (one["name"], str(one["id"]), KINDS[one["kind"]], INPUTS[one["input"]], one["formula"] or ""),
        )
        for one in decoded(await service.list_definitions(request.tenant, company.id, None))
    ]
    return list_page(request, company, SECTION, ("Name", "ID", "Kind", "Amount", "Formula"), rows, "Add item")


@router.get("/companies/{client_id}/settings/items/new")
async def new_item(request: PageRequest) -> HttpResponse:
    """The form for an item."""
    return (await _page(request)).show(request)


@router.post("/companies/{client_id}/settings/items/new")
async def create_item(request: PageRequest) -> HttpResponse:
    """Add an item, or try it first."""
    page = await _page(request)
    body = body_of(page.form, request.form)
    if "try" in request.form:
        return await _try(request, page, None, body)
    work = service.create_definition(request.tenant, page.company.id, body)
    return await page.save(request, work, "The item has been added", BODY_AT)


@router.get("/companies/{client_id}/settings/items/{definition_id}/edit")
async def edit_item(request: PageRequest) -> HttpResponse:
    """The form of an item."""
    return (await _page(request, request.ids["definition_id"])).show(request)


@router.post("/companies/{client_id}/settings/items/{definition_id}/edit")
async def change_item(request: PageRequest) -> HttpResponse:
    """Change an item, or try the change first."""
    definition_id = request.ids["definition_id"]
    page = await _page(request, definition_id)
    body = body_of(page.form, request.form)
    if "try" in request.form:
        return await _try(request, page, definition_id, body)
    work = service.update_definition(request.tenant, definition_id, body)
    return await page.save(request, work, "The item has been saved", BODY_AT)


@router.post("/companies/{client_id}/settings/items/{definition_id}/delete")
async def delete_item(request: PageRequest) -> HttpResponse:
    """Remove an item that nothing uses."""
    page = await _page(request, request.ids["definition_id"])
    await service.delete_definition(request.tenant, request.ids["definition_id"])
    return request.redirect(SECTION.address(page.company.id), "The item has been deleted")


async def _page(request: PageRequest, definition_id: int | None = None) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    values: Mapping[str, Any] = {}
    title, delete = "Add a custom item", ""
    if definition_id is not None:
        found = decoded(await service.list_definitions(request.tenant, company.id, None))
        values = picked(found, definition_id, "calculation definition")
        title, delete = values["name"], f"{SECTION.address(company.id)}/{definition_id}/delete"
    more = {
        "trial": TRIAL.with_values(request.form) if request.form else TRIAL,
        "outcome": None,
        "item_names": await service.list_items(request.tenant, company.id),
        "item_id": definition_id,
    }
    return RecordPage(company, SECTION, title, item_form(values), delete, "settings_item.html", more)


async def _try(request: PageRequest, page: RecordPage, definition_id: int | None, body: Mapping[str, Any]) -> HttpResponse:
    """Show what a payslip would be with the item as it was typed; nothing is saved."""
    typed = page.form.with_values(request.form)
    try:
        outcome = await outcome_of(request, page.company.id, definition_id, body)
    except (ValidationError, Conflict) as error:
        told = placed(as_validation_error(error), page.form, {**BODY_AT, "calculations": "try.inputs"})
        mine = {name: text for name, text in told.errors.items() if not name.startswith("try.")}
        others = {name: text for name, text in told.errors.items() if name.startswith("try.")}
        trial = TRIAL.with_values(request.form).with_errors(ValidationError(others)) if others else TRIAL.with_values(request.form)
        shown = typed.with_errors(ValidationError(mine, told.message)) if mine else typed
        return _with(page, trial=trial).show(request, shown, error.status)
    return _with(page, outcome=outcome).show(request, typed)


def _with(page: RecordPage, **more: Any) -> RecordPage:
    return replace(page, more={**page.more, **more})
