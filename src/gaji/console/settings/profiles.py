"""Profiles: pay items that several employees have in common."""

from collections.abc import Mapping
from typing import Any

from gaji.console.calculation_form import calculation_form, inputs_at_level
from gaji.console.forms import Field, Form, build_form
from gaji.console.glossary import input_label
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import Element, RecordPage, Section, decode_elements, get_by_id, list_page
from gaji.console.week_form import DETAILS, week_changes, week_errors
from gaji.core.errors import NotFound
from gaji.db.json_lists import ListPage
from gaji.payroll.calculation_definitions import service as calculation_types
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.profiles import mapping_service, service
from gaji.payroll.profiles.schemas import PROFILE
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section(
    "profiles",
    "Profiles",
    "Pay items that several employees have in common, such as drivers, shop staff or the night shift.",
    "Give a profile a name, then enter the pay items of its employees.",
)
LEVEL = "profile"
NAME_ATTRIBUTES = [attribute for attribute in PROFILE.attributes if attribute.name == "name"]
CalculationTypes = Mapping[str, Mapping[str, Any]]


@router.get("/companies/{client_id}/settings/profiles")
async def list_profiles(request: PageRequest) -> HttpResponse:
    """Show the profiles of a company."""
    company = await request.company(request.ids["client_id"])
    types = await load_profile_types(request, company.id)
    rows = [
        (
            f"{SECTION.path(company.id)}/{profile['id']}/{'edit' if company.can_write else 'mappings'}",
            (
                profile["name"],
                str(profile["id"]),
                "; ".join(_describe(types, name, inputs) for name, inputs in profile["calculations"].items()),
            ),
        )
        for profile in decode_elements(await service.list_profiles(request.tenant, company.id, None))
    ]
    return list_page(request, company, SECTION, ("Name", "ID", "Pay items"), rows, "Add profile")


@router.get("/companies/{client_id}/settings/profiles/new")
async def new_profile(request: PageRequest) -> HttpResponse:
    """Show the form for a new profile."""
    return (await _new_page(request)).show(request)


@router.post("/companies/{client_id}/settings/profiles/new")
async def create_profile(request: PageRequest) -> HttpResponse:
    """Create a profile."""
    page = await _new_page(request)
    work = service.create_profile(request.tenant, page.company.id, page.form.to_body(request.form))
    return await page.save(request, work, "Profile added. Open it to enter its pay items")


@router.get("/companies/{client_id}/settings/profiles/{profile_id}/edit")
async def edit_profile(request: PageRequest) -> HttpResponse:
    """Show the name and the pay items of a profile, and the form for one of them."""
    return (await _profile_page(request, request.query.get("enter", ""))).show(request)


@router.post("/companies/{client_id}/settings/profiles/{profile_id}/edit")
async def change_profile(request: PageRequest) -> HttpResponse:
    """Rename a profile, or save one of its pay items."""
    name = request.form.get("calc_type", "")
    page = await _profile_page(request, name)
    body = page.form.to_body(request.form)
    details = body.pop(DETAILS, None) or {}
    if name == WEEK_HOURS:
        details = {**page.values["profile"]["calculations"].get(name, {}), **week_changes(page.form, request.form)}
    inputs = {key: value for key, value in details.items() if value is not None}
    work = _save_calculation(request, body, name, inputs) if name else _update(request, body)
    return await page.save(request, work, "Profile saved", _error_fields(page, name))


@router.post(
    "/companies/{client_id}/settings/profiles/{profile_id}/calculations/{name}/delete",
    confirm=Confirmation(
        "Remove this pay item from the profile?",
        "It no longer applies to the employees of the profile. Drafts are calculated again.",
        "Remove",
    ),
)
async def remove_calculation(request: PageRequest) -> HttpResponse:
    """Remove a pay item from a profile."""
    page, name = await _profile_page(request, ""), request.names["name"]
    if name not in page.values["profile"]["calculations"]:
        raise NotFound(f"This profile has no pay item {name[:60]}")
    await _update(request, {"calculations": {name: None}})
    path = f"{SECTION.path(page.company.id)}/{request.ids['profile_id']}/edit"
    return request.redirect(path, "Pay item removed")


@router.post(
    "/companies/{client_id}/settings/profiles/{profile_id}/delete",
    confirm=Confirmation(
        "Delete this profile?",
        "A profile with employees cannot be deleted: remove them from it first.",
        refusal="Employees have this profile. Remove them from it first",
    ),
)
async def delete_profile(request: PageRequest) -> HttpResponse:
    """Delete a profile that has no employees."""
    page = await _profile_page(request, "")
    await service.delete_profile(request.tenant, request.ids["profile_id"])
    return request.redirect(SECTION.path(page.company.id), "Profile deleted")


async def load_profile_types(request: PageRequest, client_id: int) -> CalculationTypes:
    """Return the types of pay items that a profile can have, by name."""
    types = await calculation_types.list_types(request.tenant, client_id)
    return {
        str(calculation_type["calc_type"]): calculation_type
        for calculation_type in types
        if inputs_at_level(calculation_type, LEVEL)
    }


async def _update(request: PageRequest, body: Mapping[str, Any]) -> None:
    await service.update_profile(request.tenant, request.ids["profile_id"], body)


async def _save_calculation(
    request: PageRequest, body: Mapping[str, Any], name: str, inputs: Mapping[str, Any]
) -> None:
    """Save a pay item. Inputs that were cleared in the form are removed."""
    profile = await _load_profile(request)
    cleared = dict.fromkeys(profile["calculations"].get(name, {}))
    await _update(request, {**body, "calculations": {name: {**cleared, **inputs}}})


def _error_fields(page: RecordPage, name: str) -> dict[str, str]:
    """Return the fields for the errors of a pay item."""
    fields = [field.name for field in page.form.fields if field.name.startswith(f"{DETAILS}.")]
    by_path = {f"calculations.{name}.{field.removeprefix(f'{DETAILS}.')}": field for field in fields}
    by_path |= {path.replace(DETAILS, f"calculations.{name}", 1): field for path, field in week_errors().items()}
    return {**by_path, "calculations": fields[0]} if fields else by_path


async def _load_profile(request: PageRequest) -> Element:
    profiles = decode_elements(await service.list_profiles(request.tenant, request.ids["client_id"], None))
    return get_by_id(profiles, request.ids["profile_id"], "Profile")


async def _new_page(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    return RecordPage(company, SECTION, "Add profile", build_form("profile", NAME_ATTRIBUTES, {}))


async def _profile_page(request: PageRequest, chosen: str) -> RecordPage:
    """Return the page of a profile, with the form for the chosen type of pay item."""
    company = await request.writable_company(request.ids["client_id"])
    profile = await _load_profile(request)
    types = await load_profile_types(request, company.id)
    if chosen and chosen not in types:
        raise NotFound(f"Pay item {chosen[:60]} does not exist")
    _, employee_count = await mapping_service.list_profile_mappings(
        request.tenant, company.id, profile["id"], ListPage(1, 1)
    )
    values = {
        "profile": profile,
        "employee_count": employee_count,
        "types": types,
        "chosen": types.get(chosen),
        "calculations": [(name, _describe(types, name, inputs)) for name, inputs in profile["calculations"].items()],
    }
    fields = build_form("profile", NAME_ATTRIBUTES, profile).fields
    form = Form([*fields, *_input_fields(types, chosen, profile)])
    delete_path = f"{SECTION.path(company.id)}/{profile['id']}/delete"
    return RecordPage(company, SECTION, profile["name"], form, delete_path, "settings_profile.html", values)


def _input_fields(types: CalculationTypes, chosen: str, profile: Element) -> list[Field]:
    if not chosen:
        return []
    entered = {
        "id": profile["id"],
        "calculation_id": None,
        "system_type": chosen,
        "inputs": profile["calculations"].get(chosen, {}),
    }
    return list(calculation_form(types[chosen], LEVEL, [entered]).fields)


def _describe(types: CalculationTypes, name: str, inputs: Mapping[str, Any]) -> str:
    """Return a pay item with its inputs, such as `Transport allowance (amount 120.00)`."""
    values = ", ".join(f"{input_label(key).lower()} {_value_text(value)}" for key, value in inputs.items())
    caption = types[name]["name"] if name in types else name
    return f"{caption} ({values})" if values else str(caption)


def _value_text(value: str) -> str:
    return {"true": "yes", "false": "no"}.get(value, value)
