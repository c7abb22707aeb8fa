"""The people who work with a company: their roles, and invitations to those who are new."""

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from gaji.company.clients.service import ClientOfCaller
from gaji.console.settings.employee_picker import HINT, employee_named
from gaji.console.settings.record_page import RecordPage, Section
from gaji.console.forms import Field, Form, build_form
from gaji.console.pagination import build_pager
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.constants import LISTS
from gaji.core.errors import Conflict, Errors, Forbidden, ValidationError
from gaji.core.validation import Schema
from gaji.identity import invitations, members
from gaji.identity.schemas import EMPLOYEE, NEW_MEMBER, ROLE
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse
from gaji.web.asgi import origin

router = PageRouter()

SECTION = Section("users", "Users and roles", "", "")
PER_PAGE = 50
NAMES = {str(entry.value): entry.name for entry in LISTS["role"]}
ROLES = {
    "owner": "Changes everything, and says who may do what",
    "payroll": "Changes everything but roles",
    "viewer": "Looks at everything and changes nothing",
    "employee": "Sees their own payslips, leave and details",
}
ROLE_HINT = "Owners change everything and give roles; payroll officers change everything else; viewers only look."
NOBODY = "nobody"
"""In place of the id of an employee when what was typed fits none."""


@router.get("/companies/{client_id}/settings/users")
async def list_users(request: PageRequest) -> HttpResponse:
    """Who may do what in a company, and who was invited."""
    company = await request.company(request.ids["client_id"])
    page = request.list_page(PER_PAGE)
    role, typed = request.query.get("role", ""), request.query.get("search", "")[:254].replace("\0", "")
    role = role if role in ROLES else ""
    found, total = await members.list_members(request.tenant, company.id, page, role=role, text=typed)
    return request.render(
        "settings_users.html",
        company=company,
        here="Settings",
        found=found,
        waiting=await invitations.list_waiting(request.tenant, company.id) if company.owned else [],
        names=NAMES,
        roles=ROLES,
        role=role,
        typed=typed,
        pages=build_pager(request, page, total),
    )


@router.get("/companies/{client_id}/settings/users/new")
async def new_user(request: PageRequest) -> HttpResponse:
    """The form to bring someone in."""
    return _new(await _owned_company(request)).show(request)


@router.post("/companies/{client_id}/settings/users/new")
async def add_user(request: PageRequest) -> HttpResponse:
    """Give someone of the account a role, or show the link that someone new is invited with, this once."""
    page = _new(await _owned_company(request))
    body, faults = await _body(request, page)
    try:
        token = await _as_typed(invitations.bring_in(request.tenant, page.company.id, body), faults)
    except (ValidationError, Conflict) as error:
        return page.refused(request, error)
    email = request.form["email"].strip()
    if token is None:
        notice = f"{email} has the role now, and signs in with the password that they have"
        return request.redirect(SECTION.address(page.company.id), notice)
    return _link_page(request, page.company, email, token)


@router.get("/companies/{client_id}/settings/users/{user_id}/edit")
async def edit_user(request: PageRequest) -> HttpResponse:
    """The form of someone's role."""
    return (await _existing(request)).show(request)


@router.post("/companies/{client_id}/settings/users/{user_id}/edit")
async def change_user(request: PageRequest) -> HttpResponse:
    """Give someone another role."""
    page = await _existing(request)
    body, faults = await _body(request, page)
    work = _as_typed(members.change_role(request.tenant, page.company.id, request.ids["user_id"], body), faults)
    notice = f"{page.title} has another role from now on"
    return await page.save(request, work, notice, to=_after(request, page.company))


@router.post("/companies/{client_id}/settings/users/{user_id}/delete")
async def remove_user(request: PageRequest) -> HttpResponse:
    """Take someone's role away."""
    page = await _existing(request)
    await members.remove_member(request.tenant, page.company.id, request.ids["user_id"])
    return request.redirect(_after(request, page.company), f"{page.title} sees nothing of {page.company.name} any more")


@router.post("/companies/{client_id}/settings/users/invitations/{invitation_id}/renew")
async def renew_invitation(request: PageRequest) -> HttpResponse:
    """Show a new link for an invitation, this once."""
    company = await _owned_company(request)
    email, token = await invitations.renew(request.tenant, company.id, request.ids["invitation_id"])
    return _link_page(request, company, email, token)


@router.post("/companies/{client_id}/settings/users/invitations/{invitation_id}/delete")
async def withdraw_invitation(request: PageRequest) -> HttpResponse:
    """End an invitation."""
    company = await _owned_company(request)
    await invitations.withdraw(request.tenant, company.id, request.ids["invitation_id"])
    return request.redirect(SECTION.address(company.id), "The invitation has been withdrawn; its link works no longer")


async def _owned_company(request: PageRequest) -> ClientOfCaller:
    """The company, for those who may say who does what in it."""
    company = await request.company(request.ids["client_id"])
    if not company.owned:
        raise Forbidden(f"Only an owner of client {company.id} can give roles, and yours is {company.role}")
    return company


def _new(company: ClientOfCaller) -> RecordPage:
    return RecordPage(company, SECTION, "Add someone", _form(NEW_MEMBER, {}), template="settings_user.html")


async def _existing(request: PageRequest) -> RecordPage:
    company = await _owned_company(request)
    one = await members.find_member(request.tenant, company.id, request.ids["user_id"])
    values: dict[str, Any] = {"role": one.role}
    if one.employee_id is not None:
        async with request.tenant.reading() as tx:
            values["employee_id"] = (await directory.names(tx, company.id, [one.employee_id]))[one.employee_id].number
    delete = "" if one.administrator else f"{SECTION.address(company.id)}/{one.user_id}/delete"
    return RecordPage(
        company, SECTION, one.name or one.email, _form(ROLE, values), delete, "settings_user.html", {"member": one}
    )


def _form(catalogue: Schema, values: dict[str, Any]) -> Form:
    form = build_form(catalogue.attributes, values, hints={"role": ROLE_HINT, "email": ""})
    return Form([_typed_field(one) for one in form.fields])


def _typed_field(one: Field) -> Field:
    match one.name:
        case "employee_id":
            return replace(one, label="Employee", hint=f"Whose payslips they see. {HINT}")
        case "email":
            return replace(one, kind="email")
    return one


async def _body(request: PageRequest, page: RecordPage) -> tuple[dict[str, Any], Errors]:
    """What was typed as the service takes it, and what is wrong with the employee."""
    body, faults = page.form.body(request.form), Errors()
    if body["role"] != EMPLOYEE:
        return {**body, "employee_id": None}, faults
    if text := body["employee_id"]:
        found = await employee_named(request.tenant, page.company.id, text, "employee_id", faults)
        body["employee_id"] = found.id if found else NOBODY
    return body, faults


async def _as_typed(work: Awaitable[str | None], faults: Errors) -> str | None:
    """Do it; what was wrong with the text of the employee is said in place of what is wrong with its id."""
    try:
        return await work
    except ValidationError as error:
        raise ValidationError({**error.errors, **faults}) from None


def _link_page(request: PageRequest, company: ClientOfCaller, email: str, token: str) -> HttpResponse:
    link = f"{origin(request.scope)}/invitation?{urlencode({'token': token})}"
    return request.render(
        "settings_invitation.html", company=company, here="Settings", section=SECTION, email=email, link=link
    )


def _after(request: PageRequest, company: ClientOfCaller) -> str:
    """Where to go: whoever changed their own role may not see the list any more."""
    own = request.person is not None and request.person.caller.user_id == request.ids["user_id"]
    return "/" if own else SECTION.address(company.id)
