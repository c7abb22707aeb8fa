"""Which employees have a profile, and which of its calculations apply to each."""

import msgspec

from gaji.company.clients.service import ClientOfCaller
from gaji.console.settings.employee_picker import employee_named
from gaji.console.settings.profiles import SECTION, types_of_profiles
from gaji.console.settings.record_page import Element, RecordPage, decoded, picked
from gaji.console.forms import Field, Form, as_faults
from gaji.console.pagination import pager
from gaji.console.pages import Pages
from gaji.console.request import Visit
from gaji.core.errors import INVALID, Conflict, Errors, ValidationError, invalid
from gaji.payroll.profiles import mapping, service
from gaji.people.employees import directory
from gaji.web.gateway import Response

pages = Pages()

PER_PAGE = 50
SWITCHES = "calculations"
FORM = Form([Field("employee", "Employee, by number or name", required=True)])


@pages.get("/companies/{client_id}/settings/profiles/{profile_id}/mappings")
async def list_mappings(visit: Visit) -> Response:
    """The employees who have a profile, and the form to give it to one more."""
    company = await visit.company(visit.ids["client_id"])
    return await _list(visit, company, FORM)


@pages.post("/companies/{client_id}/settings/profiles/{profile_id}/mappings")
async def add_mapping(visit: Visit) -> Response:
    """Give an employee the profile."""
    company = await visit.own_company(visit.ids["client_id"])
    profile = await _profile(visit, company)
    text, faults = visit.form.get("employee", "").strip(), Errors()
    try:
        if not text:
            raise invalid("employee", INVALID, reason="is required")
        found = await employee_named(visit.tenant, company.id, text, "employee", faults)
        if found is None:
            raise ValidationError(faults)
        await mapping.create_mapping(visit.tenant, found.id, {"profile_id": profile["id"]})
    except (ValidationError, Conflict) as error:
        told = as_faults(error)
        placed = ValidationError(
            Errors.single("employee", INVALID, reason="; ".join(told.errors.values())), told.message
        )
        return await _list(visit, company, FORM.filled(visit.form).with_faults(placed), error.status)
    return visit.go(visit.path, f"{found.name} has the profile from now on")


@pages.get("/companies/{client_id}/settings/profiles/{profile_id}/mappings/{mapping_id}/edit")
async def edit_mapping(visit: Visit) -> Response:
    """Which calculations of the profile apply to an employee."""
    return (await _page(visit)).show(visit)


@pages.post("/companies/{client_id}/settings/profiles/{profile_id}/mappings/{mapping_id}/edit")
async def change_mapping(visit: Visit) -> Response:
    """Say which of them apply."""
    page = await _page(visit)
    work = mapping.update_mapping(visit.tenant, visit.ids["mapping_id"], page.form.body(visit.form), whole=False)
    return await page.save(visit, work, f"What applies to {page.title} has been saved", to=_address(visit))


@pages.post("/companies/{client_id}/settings/profiles/{profile_id}/mappings/{mapping_id}/delete")
async def remove_mapping(visit: Visit) -> Response:
    """Take the profile from an employee."""
    page = await _page(visit)
    await mapping.delete_mapping(visit.tenant, visit.ids["mapping_id"])
    return visit.go(_address(visit), f"{page.title} has the profile no longer")


async def profiles_of(visit: Visit, client_id: int, employee_id: int) -> list[tuple[str, str]]:
    """The profiles of an employee: what each is called, and where it says what applies."""
    names = {one["id"]: one["name"] for one in decoded(await service.list_profiles(visit.tenant, client_id, None))}
    found = [msgspec.json.decode(one) for one in await mapping.list_mappings(visit.tenant, employee_id)]
    address = SECTION.address(client_id)
    return [
        (names[one["profile_id"]], f"{address}/{one['profile_id']}/mappings/{one['id']}/edit")
        for one in found
        if one["profile_id"] in names
    ]


async def _list(visit: Visit, company: ClientOfCaller, form: Form, status: int = 200) -> Response:
    profile = await _profile(visit, company)
    page = visit.list_page(PER_PAGE)
    found, total = await mapping.list_of_profile(visit.tenant, company.id, profile["id"], page)
    async with visit.tenant.reading() as tx:
        people = await directory.names(tx, company.id, [one.employee_id for one in found])
    captions = await _captions(visit, company, profile)
    return visit.show(
        "settings_mappings.html",
        status=status,
        company=company,
        here="Settings",
        section=SECTION,
        profile=profile,
        form=form,
        rows=[
            (
                one,
                people[one.employee_id],
                [captions[name] for name in captions if not one.calculations.get(name, True)],
            )
            for one in found
            if one.employee_id in people
        ],
        applying=list(captions.values()),
        pages=pager(visit, page, total),
    )


async def _page(visit: Visit) -> RecordPage:
    company = await visit.own_company(visit.ids["client_id"])
    profile = await _profile(visit, company)
    one = await mapping.read_mapping(visit.tenant, company.id, profile["id"], visit.ids["mapping_id"])
    async with visit.tenant.reading() as tx:
        person = (await directory.names(tx, company.id, [one.employee_id]))[one.employee_id]
    fields = [
        Field(f"{SWITCHES}.{name}", caption, "checkbox", str(one.calculations.get(name, True)).lower())
        for name, caption in (await _captions(visit, company, profile)).items()
    ]
    delete = f"{_address(visit)}/{one.id}/delete"
    more = {"profile": profile, "employee_id": one.employee_id, "number": person.number}
    return RecordPage(company, SECTION, person.name, Form(fields), delete, "settings_mapping.html", more)


async def _profile(visit: Visit, company: ClientOfCaller) -> Element:
    found = decoded(await service.list_profiles(visit.tenant, company.id, None))
    return picked(found, visit.ids["profile_id"], "profile")


async def _captions(visit: Visit, company: ClientOfCaller, profile: Element) -> dict[str, str]:
    """The calculations of a profile, by name what each is called."""
    types = await types_of_profiles(visit, company.id)
    return {name: str(types[name]["name"]) if name in types else name for name in profile["calculations"]}


def _address(visit: Visit) -> str:
    """Where the list is."""
    return f"{SECTION.address(visit.ids['client_id'])}/{visit.ids['profile_id']}/mappings"
