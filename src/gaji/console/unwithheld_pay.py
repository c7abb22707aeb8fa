"""Pay of leavers with tax clearance (IR21) that a pay run does not withhold, although notice was given."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.console.formats import format_list, format_money
from gaji.core import clock
from gaji.db.tenancy import Tenant
from gaji.payroll.payment_runs.overview import RunSummary
from gaji.payroll.withheld_payments.queries import UnwithheldPay, load_unwithheld_pay
from gaji.people.employees.directory import load_employee_labels

MAX_NAMES = 3
"""How many leavers are named."""
SET_DATE = "set the payment date of the pay run to the day on which it will be paid"
WITHHOLD = "withhold it under Payment files of the pay run"


@dataclass(frozen=True)
class NamedPay:
    """Pay that is not withheld, and the name of the leaver."""

    name: str
    pay: UnwithheldPay


async def load_named_pay(tenant: Tenant, client_id: int, run: RunSummary) -> list[NamedPay]:
    """Load the pay of leavers that a run does not withhold."""
    if run.is_paid_by(clock.today()):
        return []
    async with tenant.read_only() as tx:
        unwithheld = await load_unwithheld_pay(tx, client_id, run.id)
        unwithheld = [pay for pay in unwithheld if run.finalised or pay.is_due_before_notice]
        if not unwithheld:
            return []
        labels = await load_employee_labels(tx, client_id, [pay.employee_id for pay in unwithheld])
    return [NamedPay(labels[pay.employee_id].name, pay) for pay in unwithheld]


async def load_unwithheld_text(
    tenant: Tenant, client_id: int, run: RunSummary, payment_date: date | None = None
) -> str:
    """Return whose pay a run does not withhold, and how to withhold it. Empty if there is no such pay.

    Those whose notice date is after the payment date, or else after today, are left out: they may be paid.
    """
    return unwithheld_text(await load_named_pay(tenant, client_id, run), run, payment_date=payment_date)


def unwithheld_text(
    unwithheld: Sequence[NamedPay],
    run: RunSummary,
    employee_ids: Container[int] | None = None,
    *,
    payment_date: date | None = None,
    advice: str = WITHHOLD,
) -> str:
    """Return whose pay a run does not withhold, and how to withhold it, of some employees or of all."""
    due = [item for item in unwithheld if item.pay.notice_date <= (payment_date or clock.today())]
    items = [item for item in due if employee_ids is None or item.pay.employee_id in employee_ids]
    if not items:
        return ""
    names = [f"{item.name} ({format_money(item.pay.cents)})" for item in items[:MAX_NAMES]]
    names += [f"{len(items) - MAX_NAMES} more"] if len(items) > MAX_NAMES else []
    verb, effect = "needs" if len(items) == 1 else "need", "does not" if run.finalised else "would not"
    subject = f"{format_list(names)} {verb} tax clearance (IR21), but this pay run {effect} withhold the pay"
    is_due_before = any(item.pay.is_due_before_notice for item in items)
    reason = ", because it was due before the notice date" if is_due_before else ""
    return f"{subject}{reason}. If it is not paid yet, {advice if run.finalised else SET_DATE}"
