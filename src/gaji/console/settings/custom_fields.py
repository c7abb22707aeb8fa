"""Custom fields of employees, with the IDs by which programs know them and their options."""

from collections.abc import Mapping
from typing import Any

from gaji.company.custom_fields import service
from gaji.company.custom_fields.rules import CUSTOM_FIELD, DROPDOWN
from gaji.console.settings.record_page import Element, RecordPage, Section, decoded, list_page, picked
from gaji.console.forms import Field, Form, form_of
from gaji.console.pages import Pages
from gaji.console.request import Visit
from gaji.core.constants import LISTS
from gaji.web.gateway import Response

pages = Pages()

SECTION = Section(
    "custom_fields",
    "Custom fields",
    "What you keep about employees beyond the usual. Programs know fields and options by their IDs.",
    "A shirt size, a cost centre, a locker: each field has a name and a type, and stands in every employee's form.",
)
TYPES = {str(entry.value): entry.name for entry in LISTS["custom_field_type"]}
OPTION = "option"
BLANKS = 5
"""So many options can be added with one save."""
NEEDS = f"{DROPDOWN.attribute}={','.join(map(str, DROPDOWN.values))}"


@pages.get("/companies/{client_id}/settings/custom_fields")
async def list_fields(visit: Visit) -> Response:
    """The custom fields of a company."""
    company = await visit.company(visit.ids["client_id"])
    found = decoded(await service.list_fields(visit.tenant, company.id, None))
    rows = [
        (
            f"{SECTION.address(company.id)}/{one['id']}/edit" if company.writes else "",
            (
                one["name"],
                str(one["id"]),
                TYPES[one["type"]],
                "Yes" if one["required"] else "No",
                ", ".join(f"{option['name']} ({option['id']})" for option in one["options"]),
            ),
        )
        for one in found
    ]
    return list_page(visit, company, SECTION, ("Name", "ID", "Type", "Needed", "Options with IDs"), rows, "Add field")


@pages.get("/companies/{client_id}/settings/custom_fields/new")
async def new_field(visit: Visit) -> Response:
    """The form for a field."""
    return (await _page(visit)).show(visit)


@pages.post("/companies/{client_id}/settings/custom_fields/new")
async def create_field(visit: Visit) -> Response:
    """Add a field."""
    page = await _page(visit)
    body, at = _body(page.form, visit.form)
    work = service.create_field(visit.tenant, page.company.id, body)
    return await page.save(visit, work, "The field has been added", at)


@pages.get("/companies/{client_id}/settings/custom_fields/{field_id}/edit")
async def edit_field(visit: Visit) -> Response:
    """The form of a field."""
    return (await _page(visit, visit.ids["field_id"])).show(visit)


@pages.post("/companies/{client_id}/settings/custom_fields/{field_id}/edit")
async def change_field(visit: Visit) -> Response:
    """Change a field; options that are cleared go, unless employees have them."""
    page = await _page(visit, visit.ids["field_id"])
    body, at = _body(page.form, visit.form)
    work = service.update_field(visit.tenant, visit.ids["field_id"], body)
    return await page.save(visit, work, "The field has been saved", at)


@pages.post("/companies/{client_id}/settings/custom_fields/{field_id}/delete")
async def delete_field(visit: Visit) -> Response:
    """Remove a field in which no employee has a value."""
    page = await _page(visit, visit.ids["field_id"])
    await service.delete_field(visit.tenant, visit.ids["field_id"])
    return visit.go(SECTION.address(page.company.id), "The field has been deleted")


async def _page(visit: Visit, field_id: int | None = None) -> RecordPage:
    company = await visit.own_company(visit.ids["client_id"])
    if field_id is None:
        return RecordPage(company, SECTION, "Add a custom field", _form({}))
    found = decoded(await service.list_fields(visit.tenant, company.id, None))
    one = picked(found, field_id, "custom field")
    return RecordPage(company, SECTION, one["name"], _form(one), f"{SECTION.address(company.id)}/{field_id}/delete")


def _form(values: Element) -> Form:
    form = form_of(CUSTOM_FIELD.attributes, values, hints={"name": "", "type": ""})
    own = [
        Field(f"{OPTION}.{one['id']}", f"Option {one['id']}", value=one["name"], most=255, needs=NEEDS)
        for one in values.get("options", ())
    ]
    new = [
        Field(f"{OPTION}.new{number}", f"New option {number}", most=255, needs=NEEDS) for number in range(1, BLANKS + 1)
    ]
    return Form([*form.fields, *own, *new])


def _body(form: Form, typed: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """What was typed as the API takes it, and at which field a fault of each option stands."""
    body = form.body(typed)
    given = {name: text for name, text in (body.pop(OPTION) or {}).items() if text is not None}
    options = [{"id": name, "name": text} if name.isdigit() else {"name": text} for name, text in given.items()]
    at = {f"options.{place}.": f"{OPTION}.{name}" for place, name in enumerate(given)}
    first = next(one.name for one in form.fields if one.name.startswith(f"{OPTION}."))
    return {**body, "options": options or None}, {**at, "options": first}
