"""The employees of a profile, and which of its pay items apply to each."""

import msgspec

from gaji.company.clients.service import ClientMembership
from gaji.console.forms import Field, Form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.console.settings.employee_picker import find_employee
from gaji.console.settings.profiles import SECTION, load_profile_types
from gaji.console.settings.record_page import Element, RecordPage, decode_elements, get_by_id
from gaji.console.table_sort import parse_sort
from gaji.core.error_codes import REQUIRED
from gaji.core.errors import Conflict, Errors, ValidationError, invalid
from gaji.payroll.profiles import mapping_service, service
from gaji.people.employees import directory
from gaji.people.employees.directory import EmployeeRow
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
SWITCHES = "calculations"
FORM = Form([Field("employee", "Employee (number or name)", required=True)])
ERROR_FIELDS = {"": "employee"}
"""All errors are shown at the only field."""


@router.get("/companies/{client_id}/settings/profiles/{profile_id}/mappings")
async def list_mappings(request: PageRequest) -> HttpResponse:
    """Show the employees of a profile, and the form to add one."""
    company = await request.company(request.ids["client_id"])
    return await _list_page(request, company, FORM)


@router.post("/companies/{client_id}/settings/profiles/{profile_id}/mappings")
async def add_mapping(request: PageRequest) -> HttpResponse:
    """Add an employee to the profile."""
    company = await request.writable_company(request.ids["client_id"])
    profile = await _load_profile(request, company)
    try:
        employee = await _submitted_employee(request, company)
        await mapping_service.create_mapping(request.tenant, employee.id, {"profile_id": profile["id"]})
    except (ValidationError, Conflict) as error:
        form = FORM.with_values(request.form).with_errors(error, ERROR_FIELDS)
        return await _list_page(request, company, form, error.status)
    return request.redirect(request.path, f"{employee.name} added to the profile")


@router.get("/companies/{client_id}/settings/profiles/{profile_id}/mappings/{mapping_id}/edit")
async def edit_mapping(request: PageRequest) -> HttpResponse:
    """Show which pay items of the profile apply to an employee."""
    return (await _mapping_page(request)).show(request)


@router.post("/companies/{client_id}/settings/profiles/{profile_id}/mappings/{mapping_id}/edit")
async def change_mapping(request: PageRequest) -> HttpResponse:
    """Save which pay items apply."""
    page = await _mapping_page(request)
    body = page.form.to_body(request.form)
    work = mapping_service.update_mapping(request.tenant, request.ids["mapping_id"], body, replace=False)
    return await page.save(request, work, f"Pay items of {page.title} saved", next_path=_list_path(request))


@router.post(
    "/companies/{client_id}/settings/profiles/{profile_id}/mappings/{mapping_id}/delete",
    confirm=Confirmation(
        "Remove the employee from this profile?",
        "The pay items of the profile no longer apply, and drafts are calculated again. Other pay items are kept.",
        "Remove from profile",
    ),
)
async def remove_mapping(request: PageRequest) -> HttpResponse:
    """Remove an employee from the profile."""
    page = await _mapping_page(request)
    await mapping_service.delete_mapping(request.tenant, request.ids["mapping_id"])
    return request.redirect(_list_path(request), f"{page.title} removed from the profile")


async def list_employee_profiles(request: PageRequest, client_id: int, employee_id: int) -> list[tuple[str, str]]:
    """Return the profiles of an employee: the name, and the path of the page with the pay items that apply."""
    profiles = decode_elements(await service.list_profiles(request.tenant, client_id, None))
    names = {profile["id"]: profile["name"] for profile in profiles}
    elements = await mapping_service.list_mappings(request.tenant, employee_id)
    path = SECTION.path(client_id)
    return [
        (names[mapping["profile_id"]], f"{path}/{mapping['profile_id']}/mappings/{mapping['id']}/edit")
        for mapping in map(msgspec.json.decode, elements)
        if mapping["profile_id"] in names
    ]


async def _submitted_employee(request: PageRequest, company: ClientMembership) -> EmployeeRow:
    text, errors = request.form.get("employee", "").strip(), Errors()
    if not text:
        raise invalid("employee", REQUIRED)
    employee = await find_employee(request.tenant, company.id, text, "employee", errors)
    if employee is None:
        raise ValidationError(errors)
    return employee


async def _list_page(request: PageRequest, company: ClientMembership, form: Form, status: int = 200) -> HttpResponse:
    profile = await _load_profile(request, company)
    page = request.list_page(PER_PAGE)
    sort = parse_sort(request, ("name", "number"))
    mappings, total = await mapping_service.list_profile_mappings(
        request.tenant, company.id, profile["id"], page, sort.order
    )
    async with request.tenant.read_only() as tx:
        employees = await directory.load_employee_labels(tx, company.id, [mapping.employee_id for mapping in mappings])
    captions = await _load_captions(request, company, profile)
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
                mapping,
                employees[mapping.employee_id],
                [caption for name, caption in captions.items() if not mapping.calculations.get(name, True)],
            )
            for mapping in mappings
            if mapping.employee_id in employees
        ],
        captions=list(captions.values()),
        sort=sort,
        pager=build_pager(request, page, total),
    )


async def _mapping_page(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    profile = await _load_profile(request, company)
    mapping = await mapping_service.read_mapping(request.tenant, company.id, profile["id"], request.ids["mapping_id"])
    async with request.tenant.read_only() as tx:
        labels = await directory.load_employee_labels(tx, company.id, [mapping.employee_id])
    employee = labels[mapping.employee_id]
    fields = [
        Field(f"{SWITCHES}.{name}", caption, "checkbox", str(mapping.calculations.get(name, True)).lower())
        for name, caption in (await _load_captions(request, company, profile)).items()
    ]
    delete_path = f"{_list_path(request)}/{mapping.id}/delete"
    values = {"profile": profile, "employee_id": mapping.employee_id, "number": employee.number}
    return RecordPage(
        company, SECTION, employee.name, Form(fields), delete_path, "settings_profile_mapping.html", values
    )


async def _load_profile(request: PageRequest, company: ClientMembership) -> Element:
    profiles = decode_elements(await service.list_profiles(request.tenant, company.id, None))
    return get_by_id(profiles, request.ids["profile_id"], "Profile")


async def _load_captions(request: PageRequest, company: ClientMembership, profile: Element) -> dict[str, str]:
    """Return the captions of a profile's pay items, by name."""
    types = await load_profile_types(request, company.id)
    return {name: str(types[name]["name"]) if name in types else name for name in profile["calculations"]}


def _list_path(request: PageRequest) -> str:
    return f"{SECTION.path(request.ids['client_id'])}/{request.ids['profile_id']}/mappings"
