"""The people who work with a company: their roles, and invitations to those who are new."""

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from gaji.company.clients.service import ClientOfCaller
from gaji.console.settings.employee_picker import HINT, employee_named
from gaji.console.settings.record_page import RecordPage, Section
from gaji.console.forms import Field, Form, form_of
from gaji.console.pagination import pager
from gaji.console.pages import Pages
from gaji.console.request import Visit
from gaji.core.constants import LISTS
from gaji.core.errors import Conflict, Errors, Forbidden, ValidationError
from gaji.core.validation import Schema
from gaji.identity import invitations, members
from gaji.identity.rules import EMPLOYEE, NEW_MEMBER, ROLE
from gaji.people.employees import directory
from gaji.web.gateway import Response
from gaji.web.requests import origin

pages = Pages()

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


@pages.get("/companies/{client_id}/settings/users")
async def list_users(visit: Visit) -> Response:
    """Who may do what in a company, and who was invited."""
    company = await visit.company(visit.ids["client_id"])
    page = visit.list_page(PER_PAGE)
    role, typed = visit.query.get("role", ""), visit.query.get("search", "")[:254].replace("\0", "")
    role = role if role in ROLES else ""
    found, total = await members.list_members(visit.tenant, company.id, page, role=role, text=typed)
    return visit.show(
        "settings_users.html",
        company=company,
        here="Settings",
        found=found,
        waiting=await invitations.list_waiting(visit.tenant, company.id) if company.owned else [],
        names=NAMES,
        roles=ROLES,
        role=role,
        typed=typed,
        pages=pager(visit, page, total),
    )


@pages.get("/companies/{client_id}/settings/users/new")
async def new_user(visit: Visit) -> Response:
    """The form to bring someone in."""
    return _new(await _owned_company(visit)).show(visit)


@pages.post("/companies/{client_id}/settings/users/new")
async def add_user(visit: Visit) -> Response:
    """Give someone of the account a role, or show the link that someone new is invited with, this once."""
    page = _new(await _owned_company(visit))
    body, faults = await _body(visit, page)
    try:
        token = await _as_typed(invitations.bring_in(visit.tenant, page.company.id, body), faults)
    except (ValidationError, Conflict) as error:
        return page.refused(visit, error)
    email = visit.form["email"].strip()
    if token is None:
        notice = f"{email} has the role now, and signs in with the password that they have"
        return visit.go(SECTION.address(page.company.id), notice)
    return _link_page(visit, page.company, email, token)


@pages.get("/companies/{client_id}/settings/users/{user_id}/edit")
async def edit_user(visit: Visit) -> Response:
    """The form of someone's role."""
    return (await _existing(visit)).show(visit)


@pages.post("/companies/{client_id}/settings/users/{user_id}/edit")
async def change_user(visit: Visit) -> Response:
    """Give someone another role."""
    page = await _existing(visit)
    body, faults = await _body(visit, page)
    work = _as_typed(members.change_role(visit.tenant, page.company.id, visit.ids["user_id"], body), faults)
    notice = f"{page.title} has another role from now on"
    return await page.save(visit, work, notice, to=_after(visit, page.company))


@pages.post("/companies/{client_id}/settings/users/{user_id}/delete")
async def remove_user(visit: Visit) -> Response:
    """Take someone's role away."""
    page = await _existing(visit)
    await members.remove_member(visit.tenant, page.company.id, visit.ids["user_id"])
    return visit.go(_after(visit, page.company), f"{page.title} sees nothing of {page.company.name} any more")


@pages.post("/companies/{client_id}/settings/users/invitations/{invitation_id}/renew")
async def renew_invitation(visit: Visit) -> Response:
    """Show a new link for an invitation, this once."""
    company = await _owned_company(visit)
    email, token = await invitations.renew(visit.tenant, company.id, visit.ids["invitation_id"])
    return _link_page(visit, company, email, token)


@pages.post("/companies/{client_id}/settings/users/invitations/{invitation_id}/delete")
async def withdraw_invitation(visit: Visit) -> Response:
    """End an invitation."""
    company = await _owned_company(visit)
    await invitations.withdraw(visit.tenant, company.id, visit.ids["invitation_id"])
    return visit.go(SECTION.address(company.id), "The invitation has been withdrawn; its link works no longer")


async def _owned_company(visit: Visit) -> ClientOfCaller:
    """The company, for those who may say who does what in it."""
    company = await visit.company(visit.ids["client_id"])
    if not company.owned:
        raise Forbidden(f"Only an owner of client {company.id} can give roles, and yours is {company.role}")
    return company


def _new(company: ClientOfCaller) -> RecordPage:
    return RecordPage(company, SECTION, "Add someone", _form(NEW_MEMBER, {}), template="settings_user.html")


async def _existing(visit: Visit) -> RecordPage:
    company = await _owned_company(visit)
    one = await members.find_member(visit.tenant, company.id, visit.ids["user_id"])
    values: dict[str, Any] = {"role": one.role}
    if one.employee_id is not None:
        async with visit.tenant.reading() as tx:
            values["employee_id"] = (await directory.names(tx, company.id, [one.employee_id]))[one.employee_id].number
    delete = "" if one.administrator else f"{SECTION.address(company.id)}/{one.user_id}/delete"
    return RecordPage(
        company, SECTION, one.name or one.email, _form(ROLE, values), delete, "settings_user.html", {"member": one}
    )


def _form(catalogue: Schema, values: dict[str, Any]) -> Form:
    form = form_of(catalogue.attributes, values, hints={"role": ROLE_HINT, "email": ""})
    return Form([_typed_field(one) for one in form.fields])


def _typed_field(one: Field) -> Field:
    match one.name:
        case "employee_id":
            return replace(one, label="Employee", hint=f"Whose payslips they see. {HINT}")
        case "email":
            return replace(one, kind="email")
    return one


async def _body(visit: Visit, page: RecordPage) -> tuple[dict[str, Any], Errors]:
    """What was typed as the service takes it, and what is wrong with the employee."""
    body, faults = page.form.body(visit.form), Errors()
    if body["role"] != EMPLOYEE:
        return {**body, "employee_id": None}, faults
    if text := body["employee_id"]:
        found = await employee_named(visit.tenant, page.company.id, text, "employee_id", faults)
        body["employee_id"] = found.id if found else NOBODY
    return body, faults


async def _as_typed(work: Awaitable[str | None], faults: Errors) -> str | None:
    """Do it; what was wrong with the text of the employee is said in place of what is wrong with its id."""
    try:
        return await work
    except ValidationError as error:
        raise ValidationError({**error.errors, **faults}) from None


def _link_page(visit: Visit, company: ClientOfCaller, email: str, token: str) -> Response:
    link = f"{origin(visit.scope)}/invitation?{urlencode({'token': token})}"
    return visit.show(
        "settings_invitation.html", company=company, here="Settings", section=SECTION, email=email, link=link
    )


def _after(visit: Visit, company: ClientOfCaller) -> str:
    """Where to go: whoever changed their own role may not see the list any more."""
    own = visit.person is not None and visit.person.caller.user_id == visit.ids["user_id"]
    return "/" if own else SECTION.address(company.id)
