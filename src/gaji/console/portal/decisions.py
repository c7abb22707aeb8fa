"""What the company has decided lately about requests of an employee."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import msgspec

from gaji.approvals.models import ApprovalStatus
from gaji.console.formats import format_span
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.leave.requests import service as requests
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
    elements, _ = await requests.list_requests(request.tenant, employee_id, None)
    declined_withdrawals = await requests.list_declined_withdrawals(request.tenant, employee_id)
    decisions = [
        _leave_decision(entry, f"{path}/leave", declined_withdrawals)
        for entry in map(msgspec.json.decode, elements)
        if entry["status"] in LEAVE_DECISIONS
    ]
    latest = await change_requests.load_latest_request(request.tenant, employee_id)
    if latest and latest.decided_at and latest.status in DETAILS_DECISIONS:
        day = latest.decided_at.astimezone(clock.SINGAPORE).date()
        decisions.append(Decision(day, "Change of your details", DETAILS_DECISIONS[latest.status], f"{path}/details"))
    recent = [decision for decision in decisions if clock.today() - decision.date < RECENT]
    return sorted(recent, key=lambda decision: decision.date, reverse=True)[:MAX_DECISIONS]


def _leave_decision(entry: Mapping[str, Any], path: str, declined_withdrawals: list[int]) -> Decision:
    days = sorted(day["date"] for day in entry["dates"])
    text = WITHDRAWAL_DECLINED if entry["id"] in declined_withdrawals else LEAVE_DECISIONS[entry["status"]]
    decided_on = date.fromisoformat(entry["decided_at"][:10])
    return Decision(decided_on, f"Leave {format_span(days[0], days[-1])}", text, path)
