"""Custom fields of employees, with the IDs by which programs know them and their options."""

from collections.abc import Mapping
from typing import Any

from gaji.company.custom_fields import service
from gaji.company.custom_fields.schemas import CUSTOM_FIELD, DROPDOWN
from gaji.console.settings.record_page import Element, RecordPage, Section, decoded, list_page, picked
from gaji.console.forms import Field, Form, build_form
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.constants import LISTS
from gaji.web.responses import HttpResponse

router = PageRouter()

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


@router.get("/companies/{client_id}/settings/custom_fields")
async def list_fields(request: PageRequest) -> HttpResponse:
    """The custom fields of a company."""
    company = await request.company(request.ids["client_id"])
    found = decoded(await service.list_fields(request.tenant, company.id, None))
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
    return list_page(request, company, SECTION, ("Name", "ID", "Type", "Needed", "Options with IDs"), rows, "Add field")


@router.get("/companies/{client_id}/settings/custom_fields/new")
async def new_field(request: PageRequest) -> HttpResponse:
    """The form for a field."""
    return (await _page(request)).show(request)


@router.post("/companies/{client_id}/settings/custom_fields/new")
async def create_field(request: PageRequest) -> HttpResponse:
    """Add a field."""
    page = await _page(request)
    body, at = _body(page.form, request.form)
    work = service.create_field(request.tenant, page.company.id, body)
    return await page.save(request, work, "The field has been added", at)


@router.get("/companies/{client_id}/settings/custom_fields/{field_id}/edit")
async def edit_field(request: PageRequest) -> HttpResponse:
    """The form of a field."""
    return (await _page(request, request.ids["field_id"])).show(request)


@router.post("/companies/{client_id}/settings/custom_fields/{field_id}/edit")
async def change_field(request: PageRequest) -> HttpResponse:
    """Change a field; options that are cleared go, unless employees have them."""
    page = await _page(request, request.ids["field_id"])
    body, at = _body(page.form, request.form)
    work = service.update_field(request.tenant, request.ids["field_id"], body)
    return await page.save(request, work, "The field has been saved", at)


@router.post("/companies/{client_id}/settings/custom_fields/{field_id}/delete")
async def delete_field(request: PageRequest) -> HttpResponse:
    """Remove a field in which no employee has a value."""
    page = await _page(request, request.ids["field_id"])
    await service.delete_field(request.tenant, request.ids["field_id"])
    return request.redirect(SECTION.address(page.company.id), "The field has been deleted")


async def _page(request: PageRequest, field_id: int | None = None) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    if field_id is None:
        return RecordPage(company, SECTION, "Add a custom field", _form({}))
    found = decoded(await service.list_fields(request.tenant, company.id, None))
    one = picked(found, field_id, "custom field")
    return RecordPage(company, SECTION, one["name"], _form(one), f"{SECTION.address(company.id)}/{field_id}/delete")


def _form(values: Element) -> Form:
    form = build_form(CUSTOM_FIELD.attributes, values, hints={"name": "", "type": ""})
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
