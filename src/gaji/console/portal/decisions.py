"""What the company has decided lately about requests of an employee."""

from dataclasses import dataclass
from datetime import date, timedelta

from gaji.approvals.models import ApprovalStatus
from gaji.console.formats import format_span
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.leave.requests import service as requests
from gaji.leave.requests.service import LeaveDecision
from gaji.people.employees import change_requests
from gaji.people.self_service.service import Employment

RECENT = timedelta(days=14)
MAX_DECISIONS = 5
LEAVE_DECISIONS = {
    requests.APPROVED: "approved",
    requests.DECLINED: "declined",
    requests.WITHDRAWN: "withdrawal approved",
}
WITHDRAWAL_DECLINED = "withdrawal declined, the leave stays"
DETAILS_DECISIONS = {ApprovalStatus.APPROVED: "approved", ApprovalStatus.REJECTED: "declined"}


@dataclass(frozen=True)
class Decision:
    """A decision about a request."""

    date: date
    subject: str
    text: str
    path: str
    """The page that shows the request."""


async def list_recent_decisions(request: PageRequest, employment: Employment) -> list[Decision]:
    """List what was decided lately about leave and about changes of details, latest first."""
    employee_id, path = employment.employee_id, f"/own/{employment.employee_id}"
    since = clock.start_of_last(RECENT)
    decided = await requests.list_decisions(request.tenant, employee_id, since, MAX_DECISIONS)
    decisions = [_leave_decision(decision, f"{path}/leave") for decision in decided]
    latest = await change_requests.load_latest_request(request.tenant, employee_id)
    if latest and latest.decided_at and latest.decided_at >= since and latest.status in DETAILS_DECISIONS:
        text = DETAILS_DECISIONS[latest.status]
        decisions.append(Decision(clock.date_of(latest.decided_at), "Change of your details", text, f"{path}/details"))
    return sorted(decisions, key=lambda decision: decision.date, reverse=True)[:MAX_DECISIONS]


def _leave_decision(decision: LeaveDecision, path: str) -> Decision:
    text = WITHDRAWAL_DECLINED if decision.is_withdrawal_declined else LEAVE_DECISIONS[decision.status]
    days = format_span(decision.first_date, decision.last_date)
    return Decision(clock.date_of(decision.decided_at), f"Leave {days}", text, path)
