"""The users of a company, their roles and invitations."""

from collections.abc import Awaitable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

from gaji.company.clients.service import ClientMembership
from gaji.console.forms import Form, build_form
from gaji.console.glossary import ROLE_NAMES
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest, page_not_found
from gaji.console.settings.employee_picker import find_employee
from gaji.console.settings.record_page import RecordPage, Section
from gaji.console.site_links import draw_qr, is_loopback
from gaji.console.table_sort import parse_sort
from gaji.core.errors import Conflict, Errors, Forbidden, ValidationError
from gaji.core.validation import Schema
from gaji.identity import (
    email_changes,
    invitations,
    member_restrictions,
    members,
    password_resets,
    second_factor,
)
from gaji.identity.invitation_codes import format_code
from gaji.identity.invitations import NewInvitation
from gaji.identity.member_restrictions import Restriction
from gaji.identity.roles import EMPLOYEE
from gaji.identity.schemas import NEW_MEMBER, ROLE
from gaji.mail.outbox import is_mail_set_up
from gaji.people.employees import directory
from gaji.web.asgi import site_url
from gaji.web.responses import HttpResponse

router = PageRouter()

T = TypeVar("T")

SECTION = Section("users", "Users and roles", "", "")
PER_PAGE = 50
MAX_SEARCH_LENGTH = 254
PERMISSIONS = {
    "owner": "Change everything and manage users",
    "payroll": "Change everything except users",
    "viewer": "View everything",
    "employee": "View their own payslips, leave and details",
}
RESTRICTION_NOTICES = {
    Restriction.DISABLE: "{name} can no longer sign in or use API keys",
    Restriction.ENABLE: "{name} can sign in again",
    Restriction.SIGN_OUT: "{name} has been signed out on all devices",
    Restriction.REVOKE_KEYS: "All API keys of {name} have been revoked",
}
"""The notice after each action."""
NO_EMPLOYEE = "nobody"
"""Placeholder employee ID for text that matches no employee. It never passes validation."""


@router.get("/companies/{client_id}/settings/users")
async def list_users(request: PageRequest) -> HttpResponse:
    """Show the users of a company, and pending invitations."""
    company = await request.company(request.ids["client_id"])
    page = request.list_page(PER_PAGE)
    role = request.query.get("role", "")
    role = role if role in PERMISSIONS else ""
    search = request.query.get("search", "")[:MAX_SEARCH_LENGTH].replace("\0", "")
    sort = parse_sort(request, members.ORDERS)
    users, total = await members.list_members(
        request.tenant, company.id, page, role=role, text=search, order=sort.name, descending=sort.descending
    )
    pending = await invitations.list_pending_invitations(request.tenant, company.id) if company.is_owner else []
    return request.render(
        "settings_users.html",
        company=company,
        here="Settings",
        members=users,
        pending=pending,
        role_names=ROLE_NAMES,
        permissions=PERMISSIONS,
        max_pending=invitations.MAX_LISTED,
        mails=is_mail_set_up(),
        role=role,
        search=search,
        sort=sort,
        pager=build_pager(request, page, total),
    )


@router.get("/companies/{client_id}/settings/users/new")
async def new_user(request: PageRequest) -> HttpResponse:
    """Show the form to add a user."""
    return _new_page(await _owned_company(request)).show(request)


@router.post("/companies/{client_id}/settings/users/new", step_up=True)
async def add_user(request: PageRequest) -> HttpResponse:
    """Give a role to a user of the account, or invite a new user and show the link once."""
    page = _new_page(await _owned_company(request))
    body, errors = await _member_body(request, page)
    try:
        added = invitations.add_member(request.tenant, page.company.id, body)
        invitation = await _with_employee_errors(added, errors)
    except (ValidationError, Conflict) as error:
        return page.show_errors(request, error)
    if invitation is None:
        notice = f"{request.form['email'].strip()} has been added and signs in with their existing password"
        return request.redirect(SECTION.path(page.company.id), notice)
    return _invitation_page(request, page.company, invitation)


@router.get("/companies/{client_id}/settings/users/{user_id}/edit")
async def edit_user(request: PageRequest) -> HttpResponse:
    """Show the form for a user's role."""
    return (await _member_page(request)).show(request)


@router.post("/companies/{client_id}/settings/users/{user_id}/edit", step_up=True)
async def change_user(request: PageRequest) -> HttpResponse:
    """Change a user's role."""
    page = await _member_page(request)
    body, errors = await _member_body(request, page)
    change = members.change_role(request.tenant, page.company.id, request.ids["user_id"], body)
    work = _with_employee_errors(change, errors)
    return await page.save(request, work, f"Role of {page.title} changed", next_path=_next_path(request, page.company))


@router.post(
    "/companies/{client_id}/settings/users/{user_id}/delete",
    confirm=Confirmation(
        "Remove the access of this user?",
        "The user loses access to the company in the console and with API keys. Their changes are kept.",
        "Remove access",
    ),
    step_up=True,
)
async def remove_user(request: PageRequest) -> HttpResponse:
    """Remove a user from the company."""
    page = await _member_page(request)
    await members.remove_member(request.tenant, page.company.id, request.ids["user_id"])
    notice = f"{page.title} no longer has access to {page.company.name}"
    return request.redirect(_next_path(request, page.company), notice)


@router.post("/companies/{client_id}/settings/users/{user_id}/reset", step_up=True)
async def reset_password(request: PageRequest) -> HttpResponse:
    """Create a code and a link with which a user sets a new password, and show them once."""
    page = await _member_page(request)
    code = await password_resets.create_reset(request.tenant, page.company.id, request.ids["user_id"])
    address, path = site_url(request.scope), f"/reset-password?{urlencode({'token': code})}"
    is_employee = request.form.get("origin") == "self-service"
    return request.render(
        "settings_password_reset.html",
        company=page.company,
        here="Employees" if is_employee else "Settings",
        section=SECTION,
        done_path=f"/companies/{page.company.id}/self-service" if is_employee else SECTION.path(page.company.id),
        name=page.title,
        link=path,
        code=format_code(code),
        expires_at=datetime.now(UTC) + password_resets.RESET_LIFETIME,
        qr=draw_qr(f"{address}{path}") if address else "",
        is_loopback=is_loopback(address),
    )


@router.post(
    "/companies/{client_id}/settings/users/{user_id}/two-steps-off",
    confirm=Confirmation(
        "Turn off two-step sign-in for this user?",
        "Do this only if you are sure who asked for it. Their password alone signs in until they turn it on again. "
        "Their passkeys are removed and they are signed out on all devices.",
        "Turn off",
    ),
    step_up=True,
)
async def turn_off_two_steps(request: PageRequest) -> HttpResponse:
    """Turn off the two-step sign-in of a user who has lost the phone and the recovery codes."""
    page = await _member_page(request)
    await second_factor.reset_for_member(request.tenant, page.company.id, request.ids["user_id"], page.company.name)
    path = f"{SECTION.path(page.company.id)}/{request.ids['user_id']}/edit"
    return request.redirect(path, f"Two-step sign-in is off for {page.title}, who now signs in with the password")


@router.post(
    "/companies/{client_id}/settings/users/{user_id}/access/{decision}",
    confirm={
        Restriction.DISABLE: Confirmation(
            "Disable this user?",
            "The user is signed out and can no longer sign in or use API keys in any company of this account. "
            "Roles and changes are kept, and you can enable the user again.",
            "Disable",
        ),
        Restriction.SIGN_OUT: Confirmation(
            "Sign this user out on all devices?",
            "Use this if a device was lost or stolen. The user can sign in again, so the password should change too.",
            "Sign out",
        ),
        Restriction.REVOKE_KEYS: Confirmation(
            "Revoke all API keys of this user?",
            "Programs that use the keys stop working at once. Revoked keys cannot be used again.",
            "Revoke",
        ),
    },
    step_up=True,
)
async def restrict_user(request: PageRequest) -> HttpResponse:
    """Disable or enable a user, end their sessions, or revoke their API keys."""
    page = await _member_page(request)
    if request.names["decision"] not in list(Restriction):
        raise page_not_found(request)
    restriction, user_id = Restriction(request.names["decision"]), request.ids["user_id"]
    await member_restrictions.restrict_member(request.tenant, page.company.id, user_id, restriction)
    notice = RESTRICTION_NOTICES[restriction].format(name=page.title)
    return request.redirect(f"{SECTION.path(page.company.id)}/{user_id}/edit", notice)


@router.post("/companies/{client_id}/settings/users/{user_id}/email", step_up=True)
async def create_email_code(request: PageRequest) -> HttpResponse:
    """Create the code with which a user confirms a new email, and show it once."""
    page = await _member_page(request)
    code = await email_changes.create_code(request.tenant, page.company.id, request.ids["user_id"])
    return request.render(
        "settings_email_code.html",
        company=page.company,
        here="Settings",
        section=SECTION,
        name=page.title,
        code=code,
    )


@router.post("/companies/{client_id}/settings/users/invitations/{invitation_id}/renew", step_up=True)
async def renew_invitation(request: PageRequest) -> HttpResponse:
    """Create a new link for an invitation and show it once."""
    company = await _owned_company(request)
    invitation = await invitations.renew_invitation(request.tenant, company.id, request.ids["invitation_id"])
    return _invitation_page(request, company, invitation)


@router.post(
    "/companies/{client_id}/settings/users/invitations/{invitation_id}/delete",
    confirm=Confirmation("Withdraw this invitation?", "Its link no longer works.", "Withdraw"),
    step_up=True,
)
async def withdraw_invitation(request: PageRequest) -> HttpResponse:
    """Withdraw an invitation."""
    company = await _owned_company(request)
    await invitations.withdraw_invitation(request.tenant, company.id, request.ids["invitation_id"])
    path = f"/companies/{company.id}/self-service"
    back = request.back_path if request.back_path.partition("?")[0] == path else SECTION.path(company.id)
    return request.redirect(back, "Invitation withdrawn. Its link no longer works")


async def _owned_company(request: PageRequest) -> ClientMembership:
    """Return the company in the path. Raises Forbidden if the user is not an owner."""
    company = await request.company(request.ids["client_id"])
    if not company.is_owner:
        raise Forbidden(f"Only an owner of {company.name} can manage its users")
    return company


def _new_page(company: ClientMembership) -> RecordPage:
    form, values = _build_form(NEW_MEMBER, {}), {"mails": is_mail_set_up()}
    return RecordPage(company, SECTION, "Add user", form, template="settings_user.html", values=values)


async def _member_page(request: PageRequest) -> RecordPage:
    company = await _owned_company(request)
    member = await members.find_member(request.tenant, company.id, request.ids["user_id"])
    values: dict[str, Any] = {"role": member.role}
    if member.employee_id is not None:
        async with request.tenant.read_only() as tx:
            labels = await directory.load_employee_labels(tx, company.id, [member.employee_id])
        values["employee_id"] = labels[member.employee_id].number
    is_self = request.user is not None and request.user.caller.user_id == member.user_id
    change = None if is_self else await email_changes.find_pending(request.tenant, member.user_id)
    can_sign_in = not is_self and not member.disabled
    can_reset = can_sign_in and not await password_resets.list_without_password(request.tenant, [member.user_id])
    has_two_steps = can_sign_in and await second_factor.is_enabled(request.tenant, member.user_id)
    return RecordPage(
        company,
        SECTION,
        member.name or member.email,
        _build_form(ROLE, values),
        "" if member.administrator else f"{SECTION.path(company.id)}/{member.user_id}/delete",
        "settings_user.html",
        {
            "member": member,
            "is_self": is_self,
            "can_reset": can_reset,
            "has_two_steps": has_two_steps,
            "email_change": change,
        },
    )


def _build_form(schema: Schema[Any], values: dict[str, Any]) -> Form:
    form = build_form("user", schema.attributes, values)
    return Form([replace(field, kind="email") if field.name == "email" else field for field in form.fields])


async def _member_body(request: PageRequest, page: RecordPage) -> tuple[dict[str, Any], Errors]:
    """Return the submitted form as a request body, and the errors of the employee field."""
    body, errors = page.form.to_body(request.form), Errors()
    if body["role"] != EMPLOYEE:
        return {**body, "employee_id": None}, errors
    if text := body["employee_id"]:
        employee = await find_employee(request.tenant, page.company.id, text, "employee_id", errors)
        body["employee_id"] = employee.id if employee else NO_EMPLOYEE
    return body, errors


async def _with_employee_errors(work: Awaitable[T], errors: Errors) -> T:
    """Run the action. An error about the submitted text replaces the error about the employee ID."""
    try:
        return await work
    except ValidationError as error:
        raise ValidationError(Errors({**error.errors, **errors})) from None


def _invitation_page(request: PageRequest, company: ClientMembership, invitation: NewInvitation) -> HttpResponse:
    recipient = invitation.recipient
    if invitation.token is None:
        return request.redirect(SECTION.path(company.id), f"The invitation has been sent to {recipient}")
    path = f"/invitation?{urlencode({'token': invitation.token})}"
    return request.render(
        "settings_invitation.html",
        company=company,
        here="Settings",
        section=SECTION,
        recipient=recipient,
        invitation=path,
    )


def _next_path(request: PageRequest, company: ClientMembership) -> str:
    """Return the next page. Users who changed their own role may no longer see the list."""
    is_self = request.user is not None and request.user.caller.user_id == request.ids["user_id"]
    return "/" if is_self else SECTION.path(company.id)
