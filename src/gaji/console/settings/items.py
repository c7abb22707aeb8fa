"""Custom items of payslips: what they are, how their amounts come about, and a trial on an employee."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gaji.console.settings.item_form import BODY_AT, body_of, item_form
from gaji.console.settings.record_page import RecordPage, Section, decoded, list_page, picked, placed
from gaji.console.settings.item_preview import TRIAL, outcome_of
from gaji.console.forms import as_faults
from gaji.console.pages import Pages
from gaji.console.request import Visit
from gaji.core.constants import LISTS
from gaji.core.errors import Conflict, ValidationError
from gaji.payroll.calculation_definitions import service
from gaji.web.gateway import Response

pages = Pages()

SECTION = Section(
    "items",
    "Custom items",
    "What stands on payslips beyond the usual items. Formulas and programs name them by their IDs.",
    "A shift allowance, a canteen deduction, a formula over other items: each says what it counts for.",
)
KINDS = {str(entry.value): entry.name for entry in LISTS["calculation_kind"]}
INPUTS = {str(entry.value): entry.name for entry in LISTS["calculation_input"]}


@pages.get("/companies/{client_id}/settings/items")
async def list_items(visit: Visit) -> Response:
    """The custom items of a company."""
    company = await visit.company(visit.ids["client_id"])
    rows = [
        (
            f"{SECTION.address(company.id)}/{one['id']}/edit" if company.writes else "",
            (one["name"], str(one["id"]), KINDS[one["kind"]], INPUTS[one["input"]], one["formula"] or ""),
        )
        for one in decoded(await service.list_definitions(visit.tenant, company.id, None))
    ]
    return list_page(visit, company, SECTION, ("Name", "ID", "Kind", "Amount", "Formula"), rows, "Add item")


@pages.get("/companies/{client_id}/settings/items/new")
async def new_item(visit: Visit) -> Response:
    """The form for an item."""
    return (await _page(visit)).show(visit)


@pages.post("/companies/{client_id}/settings/items/new")
async def create_item(visit: Visit) -> Response:
    """Add an item, or try it first."""
    page = await _page(visit)
    body = body_of(page.form, visit.form)
    if "try" in visit.form:
        return await _try(visit, page, None, body)
    work = service.create_definition(visit.tenant, page.company.id, body)
    return await page.save(visit, work, "The item has been added", BODY_AT)


@pages.get("/companies/{client_id}/settings/items/{definition_id}/edit")
async def edit_item(visit: Visit) -> Response:
    """The form of an item."""
    return (await _page(visit, visit.ids["definition_id"])).show(visit)


@pages.post("/companies/{client_id}/settings/items/{definition_id}/edit")
async def change_item(visit: Visit) -> Response:
    """Change an item, or try the change first."""
    definition_id = visit.ids["definition_id"]
    page = await _page(visit, definition_id)
    body = body_of(page.form, visit.form)
    if "try" in visit.form:
        return await _try(visit, page, definition_id, body)
    work = service.update_definition(visit.tenant, definition_id, body)
    return await page.save(visit, work, "The item has been saved", BODY_AT)


@pages.post("/companies/{client_id}/settings/items/{definition_id}/delete")
async def delete_item(visit: Visit) -> Response:
    """Remove an item that nothing uses."""
    page = await _page(visit, visit.ids["definition_id"])
    await service.delete_definition(visit.tenant, visit.ids["definition_id"])
    return visit.go(SECTION.address(page.company.id), "The item has been deleted")


async def _page(visit: Visit, definition_id: int | None = None) -> RecordPage:
    company = await visit.own_company(visit.ids["client_id"])
    values: Mapping[str, Any] = {}
    title, delete = "Add a custom item", ""
    if definition_id is not None:
        found = decoded(await service.list_definitions(visit.tenant, company.id, None))
        values = picked(found, definition_id, "calculation definition")
        title, delete = values["name"], f"{SECTION.address(company.id)}/{definition_id}/delete"
    more = {
        "trial": TRIAL.filled(visit.form) if visit.form else TRIAL,
        "outcome": None,
        "item_names": await service.list_items(visit.tenant, company.id),
        "item_id": definition_id,
    }
    return RecordPage(company, SECTION, title, item_form(values), delete, "settings_item.html", more)


async def _try(visit: Visit, page: RecordPage, definition_id: int | None, body: Mapping[str, Any]) -> Response:
    """Show what a payslip would be with the item as it was typed; nothing is saved."""
    typed = page.form.filled(visit.form)
    try:
        outcome = await outcome_of(visit, page.company.id, definition_id, body)
    except (ValidationError, Conflict) as error:
        told = placed(as_faults(error), page.form, {**BODY_AT, "calculations": "try.inputs"})
        mine = {name: text for name, text in told.errors.items() if not name.startswith("try.")}
        others = {name: text for name, text in told.errors.items() if name.startswith("try.")}
        trial = TRIAL.filled(visit.form).with_faults(ValidationError(others)) if others else TRIAL.filled(visit.form)
        shown = typed.with_faults(ValidationError(mine, told.message)) if mine else typed
        return _with(page, trial=trial).show(visit, shown, error.status)
    return _with(page, outcome=outcome).show(visit, typed)


def _with(page: RecordPage, **more: Any) -> RecordPage:
    return replace(page, more={**page.more, **more})
