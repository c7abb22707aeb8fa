"""Profiles: calculations that several employees have in common."""

from collections.abc import Mapping
from typing import Any

from gaji.console.settings.record_page import Element, RecordPage, Section, decoded, list_page, picked
from gaji.console.entries import DETAILS, entry_form, inputs_of
from gaji.console.forms import Form, build_form
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core.errors import NotFound
from gaji.db.json_lists import Page
from gaji.payroll.calculation_definitions import service as calculation_types
from gaji.payroll.profiles import service
from gaji.payroll.profiles import mapping_service
from gaji.payroll.profiles.rules import PROFILE
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section(
    "profiles",
    "Profiles",
    "Calculations that several employees have in common: drivers, shop staff, night shift.",
    "Give a profile a name, then what its employees have in common.",
)
LEVEL = "profile"
HINTS = {"name": "No other profile has it."}
NAMED = [one for one in PROFILE.attributes if one.name == "name"]
Types = Mapping[str, Mapping[str, Any]]


@router.get("/companies/{client_id}/settings/profiles")
async def list_profiles(request: PageRequest) -> HttpResponse:
    """The profiles of a company."""
    company = await request.company(request.ids["client_id"])
    types = await types_of_profiles(request, company.id)
    rows = [
        (
            f"{SECTION.address(company.id)}/{one['id']}/{'edit' if company.writes else 'mappings'}",
            (one["name"], str(one["id"]), "; ".join(_told(types, *pair) for pair in one["calculations"].items())),
        )
        for one in decoded(await service.list_profiles(request.tenant, company.id, None))
    ]
    return list_page(request, company, SECTION, ("Name", "ID", "Calculations"), rows, "Add profile")


@router.get("/companies/{client_id}/settings/profiles/new")
async def new_profile(request: PageRequest) -> HttpResponse:
    """The form for a profile."""
    return (await _new(request)).show(request)


@router.post("/companies/{client_id}/settings/profiles/new")
async def create_profile(request: PageRequest) -> HttpResponse:
    """Add a profile."""
    page = await _new(request)
    work = service.create_profile(request.tenant, page.company.id, page.form.body(request.form))
    return await page.save(request, work, "The profile has been added. Open it to enter its calculations")


@router.get("/companies/{client_id}/settings/profiles/{profile_id}/edit")
async def edit_profile(request: PageRequest) -> HttpResponse:
    """The name and the calculations of a profile, and the form for one of them."""
    return (await _page(request, request.query.get("enter", ""))).show(request)


@router.post("/companies/{client_id}/settings/profiles/{profile_id}/edit")
async def change_profile(request: PageRequest) -> HttpResponse:
    """Rename a profile, or enter one of its calculations."""
    name = request.form.get("calc_type", "")
    page = await _page(request, name)
    body = page.form.body(request.form)
    inputs = {key: value for key, value in (body.pop(DETAILS, None) or {}).items() if value is not None}
    if name:
        body["calculations"] = {name: inputs}
    fields = [one.name for one in page.form.fields if one.name.startswith(f"{DETAILS}.")]
    at = {f"calculations.{name}.{one.removeprefix(f'{DETAILS}.')}": one for one in fields}
    if fields:
        at["calculations"] = fields[0]
    work = _replace(request, request.ids["profile_id"], body) if name else _change(request, request.ids["profile_id"], body)
    return await page.save(request, work, "The profile has been saved", at)


@router.post("/companies/{client_id}/settings/profiles/{profile_id}/calculations/{name}/delete")
async def remove_calculation(request: PageRequest) -> HttpResponse:
    """Take a calculation out of a profile."""
    page, name = await _page(request, ""), request.names["name"]
    if name not in page.more["profile"]["calculations"]:
        raise NotFound(f"There is no calculation {name[:60]} in this profile")
    await _change(request, request.ids["profile_id"], {"calculations": {name: None}})
    return request.redirect(f"{SECTION.address(page.company.id)}/{request.ids['profile_id']}/edit", "It has been taken out")


@router.post("/companies/{client_id}/settings/profiles/{profile_id}/delete")
async def delete_profile(request: PageRequest) -> HttpResponse:
    """Remove a profile that no employee has."""
    page = await _page(request, "")
    await service.delete_profile(request.tenant, request.ids["profile_id"])
    return request.redirect(SECTION.address(page.company.id), "The profile has been deleted")


async def _change(request: PageRequest, profile_id: int, body: Mapping[str, Any]) -> None:
    await service.update_profile(request.tenant, profile_id, body)


async def _replace(request: PageRequest, profile_id: int, body: Mapping[str, Any]) -> None:
    """Enter a calculation whole: an input that was cleared is no longer there."""
    [(name, inputs)] = body["calculations"].items()
    known = picked(decoded(await service.list_profiles(request.tenant, request.ids["client_id"], None)), profile_id, LEVEL)
    cleared = dict.fromkeys(known["calculations"].get(name, {}))
    await _change(request, profile_id, {**body, "calculations": {name: {**cleared, **inputs}}})


async def _new(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    return RecordPage(company, SECTION, "Add a profile", build_form(NAMED, {}, hints=HINTS))


async def _page(request: PageRequest, entering: str) -> RecordPage:
    """The page of a profile, with the form for a calculation where one is entered."""
    company = await request.writable_company(request.ids["client_id"])
    profile_id = request.ids["profile_id"]
    one = picked(decoded(await service.list_profiles(request.tenant, company.id, None)), profile_id, "profile")
    types = await types_of_profiles(request, company.id)
    if entering and entering not in types:
        raise NotFound(f"There is no calculation type {entering[:60]}")
    _, having = await mapping_service.list_profile_mappings(request.tenant, company.id, profile_id, Page(1, 1))
    more = {
        "profile": one,
        "having": having,
        "types": types,
        "chosen": types.get(entering),
        "calculations": [(name, _told(types, name, inputs)) for name, inputs in one["calculations"].items()],
    }
    address = f"{SECTION.address(company.id)}/{profile_id}"
    form = Form([*build_form(NAMED, one, hints=HINTS).fields, *_inputs(types, entering, one)])
    return RecordPage(company, SECTION, one["name"], form, f"{address}/delete", "settings_profile.html", more)


def _inputs(types: Types, entering: str, profile: Element) -> list[Any]:
    if not entering:
        return []
    own = {"id": profile["id"], "calculation_id": None, "system_type": entering}
    entered = [{**own, "inputs": profile["calculations"].get(entering, {})}]
    form = entry_form(types[entering], LEVEL, entered)
    return [one for one in form.fields if one.name.startswith(f"{DETAILS}.")]


async def types_of_profiles(request: PageRequest, client_id: int) -> Types:
    """What a profile can have."""
    found = await calculation_types.list_types(request.tenant, client_id)
    return {str(one["calc_type"]): one for one in found if inputs_of(one, LEVEL)}


def _told(types: Types, name: str, inputs: Mapping[str, Any]) -> str:
    """A calculation with its inputs, in words."""
    values = ", ".join(f"{label(key.removesuffix('_input')).lower()} {_value(value)}" for key, value in inputs.items())
    caption = types[name]["name"] if name in types else name
    return f"{caption} ({values})" if values else str(caption)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
