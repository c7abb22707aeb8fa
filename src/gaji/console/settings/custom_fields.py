"""Custom fields of employees, and the options of dropdowns."""

from collections.abc import Mapping
from typing import Any

from gaji.company.custom_fields import service
from gaji.company.custom_fields.schemas import CUSTOM_FIELD, DROPDOWN
from gaji.console.forms import Field, Form, build_form, condition_text
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import Element, RecordPage, Section, decode_elements, get_by_id, list_page
from gaji.core.constants import CONSTANT_LISTS
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section(
    "custom_fields",
    "Custom fields",
    "Additional information about employees. The API refers to fields and options by their IDs.",
    "Add fields such as a shirt size, a cost centre or a locker number. They appear in the form of every employee.",
)
TYPES = {str(entry.value): entry.name for entry in CONSTANT_LISTS["custom_field_type"]}
OPTION = "option"
NEW_OPTIONS = 5
"""How many options can be added with one save."""


@router.get("/companies/{client_id}/settings/custom_fields")
async def list_fields(request: PageRequest) -> HttpResponse:
    """Show the custom fields of a company."""
    company = await request.company(request.ids["client_id"])
    custom_fields = decode_elements(await service.list_fields(request.tenant, company.id, None))
    rows = [
        (
            f"{SECTION.path(company.id)}/{custom_field['id']}/edit" if company.can_write else "",
            (
                custom_field["name"],
                str(custom_field["id"]),
                TYPES[custom_field["type"]],
                "Yes" if custom_field["required"] else "No",
                ", ".join(f"{option['name']} ({option['id']})" for option in custom_field["options"]),
            ),
        )
        for custom_field in custom_fields
    ]
    columns = ("Name", "ID", "Type", "Required", "Options (IDs)")
    return list_page(request, company, SECTION, columns, rows, "Add field")


@router.get("/companies/{client_id}/settings/custom_fields/new")
async def new_field(request: PageRequest) -> HttpResponse:
    """Show the form for a new field."""
    return (await _page(request)).show(request)


@router.post("/companies/{client_id}/settings/custom_fields/new")
async def create_field(request: PageRequest) -> HttpResponse:
    """Create a field."""
    page = await _page(request)
    body, error_fields = _field_body(page.form, request.form)
    work = service.create_field(request.tenant, page.company.id, body)
    return await page.save(request, work, "Field added", error_fields)


@router.get("/companies/{client_id}/settings/custom_fields/{field_id}/edit")
async def edit_field(request: PageRequest) -> HttpResponse:
    """Show the form of a field."""
    return (await _page(request, request.ids["field_id"])).show(request)


@router.post("/companies/{client_id}/settings/custom_fields/{field_id}/edit")
async def change_field(request: PageRequest) -> HttpResponse:
    """Save a field. Options that were cleared are deleted, unless employees have them."""
    page = await _page(request, request.ids["field_id"])
    body, error_fields = _field_body(page.form, request.form)
    work = service.update_field(request.tenant, request.ids["field_id"], body)
    return await page.save(request, work, "Field saved", error_fields)


@router.post(
    "/companies/{client_id}/settings/custom_fields/{field_id}/delete",
    confirm=Confirmation(
        "Delete this custom field?",
        "It disappears from all forms and spreadsheets. A field with values cannot be deleted.",
        refusal="Employees have values in this field. Clear them first",
    ),
)
async def delete_field(request: PageRequest) -> HttpResponse:
    """Delete a field in which no employee has a value."""
    page = await _page(request, request.ids["field_id"])
    await service.delete_field(request.tenant, request.ids["field_id"])
    return request.redirect(SECTION.path(page.company.id), "Field deleted")


async def _page(request: PageRequest, field_id: int | None = None) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    if field_id is None:
        return RecordPage(company, SECTION, "Add custom field", _build_form({}))
    custom_fields = decode_elements(await service.list_fields(request.tenant, company.id, None))
    custom_field = get_by_id(custom_fields, field_id, "Custom field")
    delete_path = f"{SECTION.path(company.id)}/{field_id}/delete"
    return RecordPage(company, SECTION, custom_field["name"], _build_form(custom_field), delete_path)


def _build_form(values: Element) -> Form:
    form = build_form("custom_field", CUSTOM_FIELD.attributes, values)
    condition = condition_text(DROPDOWN)
    options = [
        Field(
            f"{OPTION}.{option['id']}",
            f"Option {option['id']}",
            value=option["name"],
            max_length=255,
            condition=condition,
        )
        for option in values.get("options", ())
    ]
    new_options = [
        Field(f"{OPTION}.new{number}", f"New option {number}", max_length=255, condition=condition)
        for number in range(1, NEW_OPTIONS + 1)
    ]
    return Form([*form.fields, *options, *new_options])


def _field_body(form: Form, submitted: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the submitted form as a request body, and the field for the errors of each option."""
    body = form.to_body(submitted)
    names = {key: name for key, name in (body.pop(OPTION) or {}).items() if name is not None}
    options = [{"id": key, "name": name} if key.isdigit() else {"name": name} for key, name in names.items()]
    error_fields = {f"options.{i}.": f"{OPTION}.{key}" for i, key in enumerate(names)}
    first = next(field.name for field in form.fields if field.name.startswith(f"{OPTION}."))
    return {**body, "options": options or None}, {**error_fields, "options": first}
