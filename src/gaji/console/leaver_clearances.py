"""Tax clearance of leavers: forms IR21 that are late or due soon, withheld pay, and foreigners who leave without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from gaji.console.formats import format_day, format_money
from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates.overdue import PendingClearance, load_pending_clearances
from gaji.payroll.withheld_payments.queries import load_withheld_cents_of_employees
from gaji.people.employees.directory import list_uncleared_foreigners

DUE_WITHIN = timedelta(days=7)
"""How long before its due date a form IR21 needs attention."""
LEAVES_WITHIN = timedelta(days=31)
"""How long before and after the last day a foreigner without tax clearance needs attention."""


@dataclass(frozen=True)
class ClearanceReminder:
    """A leaver whose form IR21 is due soon or may be required, or whose pay is withheld after it was sent."""

    title: str
    reason: str
    """What follows the title in a sentence."""
    path: str
    is_due: bool
    """Whether the form is due. Otherwise it was sent, or is not recorded as required."""
    due_date: date | None = None
    """When the form is due, if it is."""


@dataclass(frozen=True)
class LeaverClearances:
    """The leavers of a company whose form IR21, or withheld pay, needs attention."""

    late: list[PendingClearance] = field(default_factory=list)
    reminders: list[ClearanceReminder] = field(default_factory=list)
    """Forms that are due soon, first due first, withheld pay, and foreigners without tax clearance, by the last day."""


NO_CLEARANCES = LeaverClearances()


async def load_leaver_clearances(tx: Transaction, client_ids: Sequence[int]) -> Mapping[int, LeaverClearances]:
    """Load the leavers of each company whose form IR21 needs attention. Companies without any are left out."""
    today = clock.today()
    clearances: dict[int, LeaverClearances] = {}
    pending = await load_pending_clearances(tx, client_ids)
    sent_ids = [item.employee_id for items in pending.values() for item in items if item.filed_on]
    withheld = await load_withheld_cents_of_employees(tx, sent_ids) if sent_ids else {}
    for client_id, items in pending.items():
        due = [item for item in items if item.is_due(today + DUE_WITHIN)]
        late = [item for item in due if item.due_date < today]
        reminders = [_due_reminder(item) for item in due if item.due_date >= today]
        reminders += [
            _withheld_reminder(item, withheld[item.employee_id]) for item in items if item.employee_id in withheld
        ]
        if late or reminders:
            clearances[client_id] = LeaverClearances(late, reminders)
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
    path = f"/employees/{item.employee_id}#clearance"
    return ClearanceReminder(title, reason, path, is_due=True, due_date=item.due_date)


def _withheld_reminder(item: PendingClearance, cents: int) -> ClearanceReminder:
    """Return that pay is withheld although the form was sent."""
    sent = f"form IR21 was sent on {format_day(item.filed_on)}"
    reason = f"{format_money(cents)} is withheld, and {sent}: release it when the tax authority has sent its directive"
    return ClearanceReminder(item.employee.name, reason, f"/employees/{item.employee_id}#clearance", is_due=False)
