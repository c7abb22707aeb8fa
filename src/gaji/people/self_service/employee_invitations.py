"""Self-service access for many employees at once, by mail or with printed codes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import asyncpg

from gaji.core.errors import Conflict
from gaji.core.threads import run_in_thread_if_many
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant
from gaji.identity import employee_invitations as identity
from gaji.identity.employee_invitations import Invitee
from gaji.identity.invitations import INVITATION_LIFETIME
from gaji.identity.members import lock_roles
from gaji.mail.outbox import is_mail_set_up
from gaji.people.employees.display_name import employee_label
from gaji.people.self_service import invitation_repository as repository
from gaji.people.self_service.invitation_rules import (
    AccessState,
    InvitationCandidate,
    InvitationPlan,
    SkipReason,
    plan_invitations,
)

MAX_MAILED = 5000
MAX_PRINTED = 500
"""Each slip has a QR code, which takes a few milliseconds."""
NO_MAIL = "Mail is not set up on this server; print the invitations instead"


@dataclass(frozen=True)
class PrintedInvitation:
    """A slip for an employee."""

    candidate: InvitationCandidate
    code: str
    email: str | None
    """What the employee signs in with. None if the employee enters one."""


@dataclass(frozen=True)
class SentInvitations:
    """What was done for the selected employees."""

    plan: InvitationPlan
    printed: list[PrintedInvitation]
    """Empty if the invitations were mailed."""
    expires_at: datetime


def max_invitations(*, by_mail: bool) -> int:
    """Return how many employees can be invited at once."""
    return MAX_MAILED if by_mail else MAX_PRINTED


async def list_candidates(
    tenant: Tenant, client_id: int, group: str, text: str, page: ListPage
) -> tuple[list[InvitationCandidate], int, dict[str, int]]:
    """Return a page of employees, the number of matches, and the number of employees in each group."""
    async with tenant.read_only() as tx:
        rows, total = await repository.list_people(tx, client_id, group, text, page)
        counts = await repository.count_groups(tx, client_id)
    return _candidates(rows), total, counts


async def count_without_access(tenant: Tenant, client_id: int) -> int:
    """Return the number of employees in service who have no access."""
    async with tenant.read_only() as tx:
        return await repository.count_without_access(tx, client_id)


async def plan_for(
    tenant: Tenant, client_id: int, employee_ids: Sequence[int] | None, *, by_mail: bool
) -> InvitationPlan:
    """Return what inviting these employees would do, or all without a valid invitation. Nothing is changed."""
    limit = max_invitations(by_mail=by_mail)
    async with tenant.read_only() as tx:
        if employee_ids is None:
            rows = await repository.list_people_to_invite(tx, client_id, limit)
        else:
            rows = await repository.load_people(tx, client_id, employee_ids[:limit])
    return await run_in_thread_if_many(
        len(rows), lambda: plan_invitations(_candidates(rows), by_mail=by_mail, replace_until=None)
    )


async def invite_employees(
    tenant: Tenant,
    client_id: int,
    employee_ids: Sequence[int],
    *,
    by_mail: bool,
    replace_until: datetime | None = None,
) -> SentInvitations:
    """Invite employees, in one transaction. Those with access or a valid invitation are skipped.

    Valid invitations that were made up to a time can be replaced. Doing the same again therefore changes nothing.
    """
    if by_mail and not is_mail_set_up():
        raise Conflict(NO_MAIL)
    async with tenant.transaction() as tx:
        await lock_roles(tx, client_id)
        rows = await repository.load_people(tx, client_id, employee_ids[: max_invitations(by_mail=by_mail)])
        plan = await run_in_thread_if_many(
            len(rows), lambda: plan_invitations(_candidates(rows), by_mail=by_mail, replace_until=replace_until)
        )
        invitees = [_invitee(candidate) for candidate in plan.invited]
        codes: dict[int, str] = {}
        if invitees and by_mail:
            await identity.mail_invitations(tx, client_id, invitees)
        elif invitees:
            codes = await identity.print_invitations(tx, client_id, invitees)
        if plan.granted:
            users = {candidate.employee_id: candidate.user_id or 0 for candidate in plan.granted}
            await identity.grant_access(tx, client_id, users)
    return SentInvitations(plan, _printed(plan, codes), datetime.now(UTC) + INVITATION_LIFETIME)


def _printed(plan: InvitationPlan, codes: dict[int, str]) -> list[PrintedInvitation]:
    return [
        PrintedInvitation(candidate, codes[candidate.employee_id], _invitee(candidate).email)
        for candidate in plan.invited
        if candidate.employee_id in codes
    ]


def _invitee(candidate: InvitationCandidate) -> Invitee:
    email = candidate.email if candidate.email_problem is None else None
    return Invitee(candidate.employee_id, candidate.employee.name, email)


def _candidates(rows: Sequence[asyncpg.Record]) -> list[InvitationCandidate]:
    return [_candidate(row) for row in rows]


def _candidate(row: asyncpg.Record) -> InvitationCandidate:
    return InvitationCandidate(
        employee_id=row["id"],
        employee=employee_label(row),
        email=row["email"],
        state=AccessState(row["state"]),
        email_problem=SkipReason(row["email_problem"]) if row["email_problem"] else None,
        user_id=row["user_id"],
        sign_in=row["sign_in"],
        member_id=row["member_id"],
        invitation_id=row["invitation_id"],
        expires_at=row["expires_at"],
        invited_at=row["invited_at"],
        mail_error=row["mail_error"],
    )
