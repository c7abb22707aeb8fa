"""Which employees can be invited to self-service, and why others cannot. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gaji.people.employees.display_name import EmployeeLabel


class AccessState(StrEnum):
    """Whether an employee has access."""

    ACTIVE = "active"
    INVITED = "invited"
    EXPIRED = "expired"
    REFUSED = "refused"
    """The mail server refused the message with the invitation."""
    NEW = "new"


class SkipReason(StrEnum):
    """Why an employee gets no invitation. All but the first two concern the email."""

    HAS_ACCESS = "has_access"
    ALREADY_INVITED = "already_invited"
    MISSING = "missing"
    INVALID = "invalid"
    SHARED = "shared"
    DISABLED = "disabled"
    OTHER_ROLE = "other_role"
    OTHER_INVITATION = "other_invitation"


@dataclass(frozen=True)
class InvitationCandidate:
    """An employee, and the state of their access."""

    employee_id: int
    employee: EmployeeLabel
    email: str | None
    state: AccessState
    email_problem: SkipReason | None
    """Why no user can have this email."""
    user_id: int | None
    """The user of the account with this email, who needs no invitation."""
    sign_in: str | None
    """What the employee signs in with."""
    member_id: int | None
    """The user that has access as this employee."""
    invitation_id: int | None
    expires_at: datetime | None
    invited_at: datetime | None
    mail_error: str | None


@dataclass(frozen=True)
class InvitationPlan:
    """What becomes of each selected employee."""

    invited: list[InvitationCandidate]
    granted: list[InvitationCandidate]
    """Users of the account: they get access at once, and sign in with their password."""
    skipped: list[tuple[InvitationCandidate, SkipReason]]


def plan_invitations(
    candidates: Iterable[InvitationCandidate], *, by_mail: bool, replace_until: datetime | None
) -> InvitationPlan:
    """Return what becomes of each employee. Valid invitations are replaced if they were made up to this time."""
    plan = InvitationPlan([], [], [])
    for candidate in candidates:
        reason = _skip_reason(candidate, by_mail, replace_until)
        if reason:
            plan.skipped.append((candidate, reason))
        elif candidate.user_id is not None and candidate.email_problem is None:
            plan.granted.append(candidate)
        else:
            plan.invited.append(candidate)
    return plan


def _skip_reason(candidate: InvitationCandidate, by_mail: bool, replace_until: datetime | None) -> SkipReason | None:
    if candidate.state is AccessState.ACTIVE:
        return SkipReason.HAS_ACCESS
    is_replaced = (
        replace_until is not None and candidate.invited_at is not None and candidate.invited_at <= replace_until
    )
    if candidate.state is AccessState.INVITED and not is_replaced:
        return SkipReason.ALREADY_INVITED
    return candidate.email_problem if by_mail else None
