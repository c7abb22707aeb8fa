"""Which employees have a profile, and which of its calculations apply to each."""

import msgspec

from gaji.company.clients.service import ClientOfCaller
from gaji.console.settings.employee_picker import employee_named
from gaji.console.settings.profiles import SECTION, types_of_profiles
from gaji.console.settings.record_page import Element, RecordPage, decoded, picked
from gaji.console.forms import Field, Form, as_validation_error
from gaji.console.pagination import build_pager
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import INVALID, Conflict, Errors, ValidationError, invalid
from gaji.payroll.profiles import service
from gaji.payroll.profiles import mapping_service
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
SWITCHES = "calculations"
FORM = Form([Field("employee", "Employee, by number or name", required=True)])


@router.get("/companies/{client_id}/settings/profiles/{profile_id}/mappings")
async def list_mappings(request: PageRequest) -> HttpResponse:
    """The employees who have a profile, and the form to give it to one more."""
    company = await request.company(request.ids["client_id"])
    return await _list(request, company, FORM)


@router.post("/companies/{client_id}/settings/profiles/{profile_id}/mappings")
async def add_mapping(request: PageRequest) -> HttpResponse:
    """Give an employee the profile."""
    company = await request.writable_company(request.ids["client_id"])
    profile = await _profile(request, company)
    text, faults = request.form.get("employee", "").strip(), Errors()
    try:
        if not text:
            raise invalid("employee", INVALID, reason="is required")
        found = await employee_named(request.tenant, company.id, text, "employee", faults)
        if found is None:
            raise ValidationError(faults)
        await mapping_service.create_mapping(request.tenant, found.id, {"profile_id": profile["id"]})
    except (ValidationError, Conflict) as error:
        told = as_validation_error(error)
        placed = ValidationError(
            Errors.single("employee", INVALID, reason="; ".join(told.errors.values())), told.message
        )
        return await _list(request, company, FORM.with_values(request.form).with_errors(placed), error.status)
    return request.redirect(request.path, f"{found.name} has the profile from now on")


@router.get("/companies/{client_id}/settings/profiles/{profile_id}/mappings/{mapping_id}/edit")
async def edit_mapping(request: PageRequest) -> HttpResponse:
    """Which calculations of the profile apply to an employee."""
    return (await _page(request)).show(request)


@router.post("/companies/{client_id}/settings/profiles/{profile_id}/mappings/{mapping_id}/edit")
async def change_mapping(request: PageRequest) -> HttpResponse:
    """Say which of them apply."""
    page = await _page(request)
    work = mapping_service.update_mapping(request.tenant, request.ids["mapping_id"], page.form.body(request.form), replace=False)
    return await page.save(request, work, f"What applies to {page.title} has been saved", to=_address(request))


@router.post("/companies/{client_id}/settings/profiles/{profile_id}/mappings/{mapping_id}/delete")
async def remove_mapping(request: PageRequest) -> HttpResponse:
    """Take the profile from an employee."""
    page = await _page(request)
    await mapping_service.delete_mapping(request.tenant, request.ids["mapping_id"])
    return request.redirect(_address(request), f"{page.title} has the profile no longer")


async def profiles_of(request: PageRequest, client_id: int, employee_id: int) -> list[tuple[str, str]]:
    """The profiles of an employee: what each is called, and where it says what applies."""
    names = {one["id"]: one["name"] for one in decoded(await service.list_profiles(request.tenant, client_id, None))}
    found = [msgspec.json.decode(one) for one in await mapping_service.list_mappings(request.tenant, employee_id)]
    address = SECTION.address(client_id)
    return [
        (names[one["profile_id"]], f"{address}/{one['profile_id']}/mappings/{one['id']}/edit")
        for one in found
        if one["profile_id"] in names
    ]


async def _list(request: PageRequest, company: ClientOfCaller, form: Form, status: int = 200) -> HttpResponse:
    profile = await _profile(request, company)
    page = request.list_page(PER_PAGE)
    found, total = await mapping_service.list_profile_mappings(request.tenant, company.id, profile["id"], page)
    async with request.tenant.reading() as tx:
        people = await directory.names(tx, company.id, [one.employee_id for one in found])
    captions = await _captions(request, company, profile)
    return request.render(
        "settings_profile_mappings.html",
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
        pages=build_pager(request, page, total),
    )


async def _page(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    profile = await _profile(request, company)
    one = await mapping_service.read_mapping(request.tenant, company.id, profile["id"], request.ids["mapping_id"])
    async with request.tenant.reading() as tx:
        person = (await directory.names(tx, company.id, [one.employee_id]))[one.employee_id]
    fields = [
        Field(f"{SWITCHES}.{name}", caption, "checkbox", str(one.calculations.get(name, True)).lower())
        for name, caption in (await _captions(request, company, profile)).items()
    ]
    delete = f"{_address(request)}/{one.id}/delete"
    more = {"profile": profile, "employee_id": one.employee_id, "number": person.number}
    return RecordPage(company, SECTION, person.name, Form(fields), delete, "settings_profile_mapping.html", more)


async def _profile(request: PageRequest, company: ClientOfCaller) -> Element:
    found = decoded(await service.list_profiles(request.tenant, company.id, None))
    return picked(found, request.ids["profile_id"], "profile")


async def _captions(request: PageRequest, company: ClientOfCaller, profile: Element) -> dict[str, str]:
    """The calculations of a profile, by name what each is called."""
    types = await types_of_profiles(request, company.id)
    return {name: str(types[name]["name"]) if name in types else name for name in profile["calculations"]}


def _address(request: PageRequest) -> str:
    """Where the list is."""
    return f"{SECTION.address(request.ids['client_id'])}/{request.ids['profile_id']}/mappings"
