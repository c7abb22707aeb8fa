"""Tax clearance of leavers: forms IR21 that are late or due soon, and foreigners who leave without one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from gaji.console.formats import format_day
from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates.overdue import PendingClearance, load_clearances_due
from gaji.people.employees.directory import list_uncleared_foreigners

DUE_WITHIN = timedelta(days=7)
"""How long before its due date a form IR21 needs attention."""
LEAVES_WITHIN = timedelta(days=31)
"""How long before and after the last day a foreigner without tax clearance needs attention."""


@dataclass(frozen=True)
class ClearanceReminder:
    """A leaver whose form IR21 is due soon, or may be required."""

    title: str
    reason: str
    """What follows the title in a sentence."""
    path: str
    is_due: bool
    """Whether the form has a due date. Otherwise it is not recorded as required."""


@dataclass(frozen=True)
class LeaverClearances:
    """The leavers of a company whose form IR21 needs attention."""

    late: list[PendingClearance] = field(default_factory=list)
    reminders: list[ClearanceReminder] = field(default_factory=list)
    """Forms that are due soon, first due first, and then foreigners without tax clearance, by the last day."""


NO_CLEARANCES = LeaverClearances()


async def load_leaver_clearances(tx: Transaction, client_ids: Sequence[int]) -> Mapping[int, LeaverClearances]:
    """Load the leavers of each company whose form IR21 needs attention. Companies without any are left out."""
    today = clock.today()
    clearances: dict[int, LeaverClearances] = {}
    for client_id, pending in (await load_clearances_due(tx, client_ids, today + DUE_WITHIN)).items():
        late = [item for item in pending if item.due_date < today]
        soon = [_due_reminder(item) for item in pending if item.due_date >= today]
        clearances[client_id] = LeaverClearances(late, soon)
    for leaver in await list_uncleared_foreigners(tx, client_ids, today - LEAVES_WITHIN, today + LEAVES_WITHIN):
        verb = "left" if leaver.last_day < today else "leaves"
        reminder = ClearanceReminder(
            leaver.employee.name,
            f"{verb} on {format_day(leaver.last_day)} without tax clearance: check whether form IR21 is required",
            f"/employees/{leaver.employee_id}#no-clearance",
            is_due=False,
        )
        clearances.setdefault(leaver.client_id, LeaverClearances()).reminders.append(reminder)
    return clearances


def _due_reminder(item: PendingClearance) -> ClearanceReminder:
    title, reason = f"IR21 of {item.employee.name}", f"is due by {format_day(item.due_date)}"
    return ClearanceReminder(title, reason, f"/employees/{item.employee_id}#clearance", is_due=True)
