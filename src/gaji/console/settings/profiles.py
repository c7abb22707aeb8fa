"""Profiles: calculations that several employees have in common."""

from collections.abc import Mapping
from typing import Any

from gaji.console.settings.record_page import Element, RecordPage, Section, decoded, list_page, picked
from gaji.console.entries import DETAILS, entry_form, inputs_of
from gaji.console.forms import Form, form_of
from gaji.console.pages import Pages
from gaji.console.rendering import words
from gaji.console.request import Visit
from gaji.core.errors import NotFound
from gaji.db.json_lists import Page
from gaji.payroll.calculation_definitions import service as calculation_types
from gaji.payroll.profiles import mapping, service
from gaji.payroll.profiles.rules import PROFILE
from gaji.web.gateway import Response

pages = Pages()

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


@pages.get("/companies/{client_id}/settings/profiles")
async def list_profiles(visit: Visit) -> Response:
    """The profiles of a company."""
    company = await visit.company(visit.ids["client_id"])
    types = await types_of_profiles(visit, company.id)
    rows = [
        (
            f"{SECTION.address(company.id)}/{one['id']}/{'edit' if company.writes else 'mappings'}",
            (one["name"], str(one["id"]), "; ".join(_told(types, *pair) for pair in one["calculations"].items())),
        )
        for one in decoded(await service.list_profiles(visit.tenant, company.id, None))
    ]
    return list_page(visit, company, SECTION, ("Name", "ID", "Calculations"), rows, "Add profile")


@pages.get("/companies/{client_id}/settings/profiles/new")
async def new_profile(visit: Visit) -> Response:
    """The form for a profile."""
    return (await _new(visit)).show(visit)


@pages.post("/companies/{client_id}/settings/profiles/new")
async def create_profile(visit: Visit) -> Response:
    """Add a profile."""
    page = await _new(visit)
    work = service.create_profile(visit.tenant, page.company.id, page.form.body(visit.form))
    return await page.save(visit, work, "The profile has been added. Open it to enter its calculations")


@pages.get("/companies/{client_id}/settings/profiles/{profile_id}/edit")
async def edit_profile(visit: Visit) -> Response:
    """The name and the calculations of a profile, and the form for one of them."""
    return (await _page(visit, visit.query.get("enter", ""))).show(visit)


@pages.post("/companies/{client_id}/settings/profiles/{profile_id}/edit")
async def change_profile(visit: Visit) -> Response:
    """Rename a profile, or enter one of its calculations."""
    name = visit.form.get("calc_type", "")
    page = await _page(visit, name)
    body = page.form.body(visit.form)
    inputs = {key: value for key, value in (body.pop(DETAILS, None) or {}).items() if value is not None}
    if name:
        body["calculations"] = {name: inputs}
    fields = [one.name for one in page.form.fields if one.name.startswith(f"{DETAILS}.")]
    at = {f"calculations.{name}.{one.removeprefix(f'{DETAILS}.')}": one for one in fields}
    if fields:
        at["calculations"] = fields[0]
    work = _replace(visit, visit.ids["profile_id"], body) if name else _change(visit, visit.ids["profile_id"], body)
    return await page.save(visit, work, "The profile has been saved", at)


@pages.post("/companies/{client_id}/settings/profiles/{profile_id}/calculations/{name}/delete")
async def remove_calculation(visit: Visit) -> Response:
    """Take a calculation out of a profile."""
    page, name = await _page(visit, ""), visit.names["name"]
    if name not in page.more["profile"]["calculations"]:
        raise NotFound(f"There is no calculation {name[:60]} in this profile")
    await _change(visit, visit.ids["profile_id"], {"calculations": {name: None}})
    return visit.go(f"{SECTION.address(page.company.id)}/{visit.ids['profile_id']}/edit", "It has been taken out")


@pages.post("/companies/{client_id}/settings/profiles/{profile_id}/delete")
async def delete_profile(visit: Visit) -> Response:
    """Remove a profile that no employee has."""
    page = await _page(visit, "")
    await service.delete_profile(visit.tenant, visit.ids["profile_id"])
    return visit.go(SECTION.address(page.company.id), "The profile has been deleted")


async def _change(visit: Visit, profile_id: int, body: Mapping[str, Any]) -> None:
    await service.update_profile(visit.tenant, profile_id, body)


async def _replace(visit: Visit, profile_id: int, body: Mapping[str, Any]) -> None:
    """Enter a calculation whole: an input that was cleared is no longer there."""
    [(name, inputs)] = body["calculations"].items()
    known = picked(decoded(await service.list_profiles(visit.tenant, visit.ids["client_id"], None)), profile_id, LEVEL)
    cleared = dict.fromkeys(known["calculations"].get(name, {}))
    await _change(visit, profile_id, {**body, "calculations": {name: {**cleared, **inputs}}})


async def _new(visit: Visit) -> RecordPage:
    company = await visit.own_company(visit.ids["client_id"])
    return RecordPage(company, SECTION, "Add a profile", form_of(NAMED, {}, hints=HINTS))


async def _page(visit: Visit, entering: str) -> RecordPage:
    """The page of a profile, with the form for a calculation where one is entered."""
    company = await visit.own_company(visit.ids["client_id"])
    profile_id = visit.ids["profile_id"]
    one = picked(decoded(await service.list_profiles(visit.tenant, company.id, None)), profile_id, "profile")
    types = await types_of_profiles(visit, company.id)
    if entering and entering not in types:
        raise NotFound(f"There is no calculation type {entering[:60]}")
    _, having = await mapping.list_of_profile(visit.tenant, company.id, profile_id, Page(1, 1))
    more = {
        "profile": one,
        "having": having,
        "types": types,
        "chosen": types.get(entering),
        "calculations": [(name, _told(types, name, inputs)) for name, inputs in one["calculations"].items()],
    }
    address = f"{SECTION.address(company.id)}/{profile_id}"
    form = Form([*form_of(NAMED, one, hints=HINTS).fields, *_inputs(types, entering, one)])
    return RecordPage(company, SECTION, one["name"], form, f"{address}/delete", "settings_profile.html", more)


def _inputs(types: Types, entering: str, profile: Element) -> list[Any]:
    if not entering:
        return []
    own = {"id": profile["id"], "calculation_id": None, "system_type": entering}
    entered = [{**own, "inputs": profile["calculations"].get(entering, {})}]
    form = entry_form(types[entering], LEVEL, entered)
    return [one for one in form.fields if one.name.startswith(f"{DETAILS}.")]


async def types_of_profiles(visit: Visit, client_id: int) -> Types:
    """What a profile can have."""
    found = await calculation_types.list_types(visit.tenant, client_id)
    return {str(one["calc_type"]): one for one in found if inputs_of(one, LEVEL)}


def _told(types: Types, name: str, inputs: Mapping[str, Any]) -> str:
    """A calculation with its inputs, in words."""
    values = ", ".join(f"{words(key.removesuffix('_input')).lower()} {_value(value)}" for key, value in inputs.items())
    caption = types[name]["name"] if name in types else name
    return f"{caption} ({values})" if values else str(caption)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
