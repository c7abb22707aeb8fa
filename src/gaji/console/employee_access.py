"""Self-service access of employees: who has it, and invitations for many of them by mail or on paper."""

from collections.abc import Callable
from datetime import UTC, datetime

from gaji.company.clients.service import ClientMembership
from gaji.console.formats import format_count
from gaji.console.pages import PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.console.site_links import draw_qr, is_loopback
from gaji.core.errors import Forbidden
from gaji.identity import password_resets
from gaji.identity.invitation_codes import format_code
from gaji.mail.outbox import is_mail_set_up
from gaji.people.self_service import employee_invitations
from gaji.people.self_service.employee_invitations import SentInvitations
from gaji.people.self_service.invitation_rules import SkipReason
from gaji.web.asgi import site_url
from gaji.web.responses import HttpResponse

router = PageRouter()

PATH = "/companies/{client_id}/self-service"
PER_PAGE = 50
MAX_LISTED = 100
"""Names on the page that asks for confirmation."""
MAX_SHOWN = 3
"""Names that are shown without opening the list."""
MAX_ID_DIGITS = 18
MAX_IDS_LENGTH = 100_000
GROUPS = {"": "All", "new": "Not invited", "invited": "Invited", "active": "Have access", "problem": "Email to check"}
REASONS = {
    SkipReason.HAS_ACCESS: "already has access",
    SkipReason.ALREADY_INVITED: "already invited",
    SkipReason.MISSING: "no email address is recorded",
    SkipReason.INVALID: "the email address contains characters that cannot be used to sign in",
    SkipReason.SHARED: "another employee has the same email address",
    SkipReason.DISABLED: "the email address belongs to a user who can no longer sign in",
    SkipReason.OTHER_ROLE: "the email address belongs to a user who has another role here",
    SkipReason.OTHER_INVITATION: "the email address has been invited for another role",
}


@router.get(PATH)
async def list_access(request: PageRequest) -> HttpResponse:
    """Show which employees have access, are invited, or have an email that cannot be used."""
    return await _list_page(request, await request.company(request.ids["client_id"]))


@router.post(PATH, step_up=True)
async def invite(request: PageRequest) -> HttpResponse:
    """Ask for confirmation, then invite the selected employees."""
    company = await request.company(request.ids["client_id"])
    if not company.is_owner:
        raise Forbidden(f"Only an owner of {company.name} can give access")
    by_mail = request.form.get("by") == "mail"
    if request.form.get("confirmed") == "yes":
        return await _invite(request, company, by_mail=by_mail)
    return await _confirmation(request, company, by_mail=by_mail)


async def _list_page(request: PageRequest, company: ClientMembership, error: str = "") -> HttpResponse:
    page = request.list_page(PER_PAGE)
    group, search = request.query.get("group", ""), request.query.get("search", "")
    group = group if group in GROUPS else ""
    candidates, total, counts = await employee_invitations.list_candidates(
        request.tenant, company.id, group, search, page
    )
    member_ids = [row.member_id for row in candidates if row.member_id] if company.is_owner else []
    return request.render(
        "self_service.html",
        status=422 if error else 200,
        company=company,
        here="Employees",
        candidates=candidates,
        counts=counts,
        without_password=await password_resets.list_without_password(request.tenant, member_ids),
        group=group,
        groups={name: (text, request.url_with(group=name)) for name, text in GROUPS.items()},
        reasons=REASONS,
        search=search,
        mails=is_mail_set_up(),
        error=error,
        max_printed=employee_invitations.MAX_PRINTED,
        pager=build_pager(request, page, total),
    )


async def _confirmation(request: PageRequest, company: ClientMembership, *, by_mail: bool) -> HttpResponse:
    """Show what inviting the selected employees would do."""
    is_all = "all" in request.form
    employee_ids = None if is_all else _parse_ids(request.fields.get("employee_id", []))
    if employee_ids == []:
        return await _list_page(request, company, "Select at least one employee")
    plan = await employee_invitations.plan_for(request.tenant, company.id, employee_ids, by_mail=by_mail)
    valid = [row for row, reason in plan.skipped if reason is SkipReason.ALREADY_INVITED]
    affected = [*plan.invited, *plan.granted, *valid]
    return request.render(
        "self_service_confirm.html",
        company=company,
        here="Employees",
        plan=plan,
        valid=valid,
        reasons=REASONS,
        by_mail=by_mail,
        max_listed=MAX_LISTED,
        max_shown=MAX_SHOWN,
        is_loopback=not by_mail and is_loopback(site_url(request.scope)),
        maximum=employee_invitations.max_invitations(by_mail=by_mail),
        employee_ids=",".join(str(row.employee_id) for row in affected),
        until=datetime.now(UTC).isoformat(),
    )


async def _invite(request: PageRequest, company: ClientMembership, *, by_mail: bool) -> HttpResponse:
    sent = await employee_invitations.invite_employees(
        request.tenant,
        company.id,
        _parse_ids(request.form.get("employee_ids", "")[:MAX_IDS_LENGTH].split(",")),
        by_mail=by_mail,
        replace_until=_parse_time(request.form.get("until", "")) if "replace" in request.form else None,
    )
    if sent.printed:
        return _slips_page(request, company, sent)
    return request.redirect(PATH.format(client_id=company.id), _notice(sent))


def _slips_page(request: PageRequest, company: ClientMembership, sent: SentInvitations) -> HttpResponse:
    return request.render(
        "self_service_slips.html",
        company=company,
        sent=sent,
        notice=_notice(sent) if sent.plan.granted else "",
        format_code=format_code,
        draw_qr=_qr_drawer(site_url(request.scope)),
    )


def _qr_drawer(address: str) -> Callable[[str], str] | None:
    """Return the function that draws the link of a code, or None if the address of this site is not known."""
    if not address:
        return None

    return lambda code: draw_qr(f"{address}/invitation?token={code}")


def _notice(sent: SentInvitations) -> str:
    plan = sent.plan
    parts = []
    if plan.invited and not sent.printed:
        parts.append(f"{format_count(len(plan.invited), 'invitation')} will be sent")
    if plan.granted:
        verb = "has" if len(plan.granted) == 1 else "have"
        parts.append(f"{format_count(len(plan.granted), 'employee')} {verb} access and can sign in as before")
    return ". ".join(parts) or "Nobody was invited: everyone selected has access or an invitation already"


def _parse_ids(texts: list[str]) -> list[int]:
    return [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) <= MAX_ID_DIGITS]


def _parse_time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else None
