"""What finalised payslips would be calculated from with today's knowledge.

Today's knowledge is: the details of the employee, the days in service, leave, and calculations with a date. What has no
date, such as the company's own calculations, custom items or an input of the payslip, stays as it was.
"""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec.structs import replace

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import CalculationEntry, PayPeriod, PayslipInput, ServiceInterval
from gaji.engine.statutory import FUND_NAMES
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations.resolve import load_first_dates
from gaji.payroll.corrections.past_payslips import PastPayslip
from gaji.payroll.payslips.build_inputs import build_inputs
from gaji.payroll.payslips.drafts import Draft
from gaji.payroll.payslips.employment_context import load_context
from gaji.payroll.snapshots import queries as snapshots

WEEK_HOURS, UNPAID_LEAVE, LEVY = "week_hours", "unpaid_leave", "foreign_worker_levy"
NOT_PAY = frozenset((WEEK_HOURS, UNPAID_LEAVE, LEVY, *FUND_NAMES.values()))
"""Calculations whose changes are corrections of mistakes, not decisions about pay."""
LEAVE_TYPES = (UNPAID_LEAVE, "leave_encashment", "excess_leave", "national_service_leave")
"""Calculations that come from leave."""

FirstDates = Mapping[str, date]
"""The first date on which a calculation of the employee changes, by type."""


class CurrentKnowledge:
    """Today's inputs of one finalised payslip."""

    def __init__(self, payslip: PastPayslip, current: PayslipInput, first_dates: FirstDates) -> None:
        self._stored, self._current = payslip.stored, current
        self._dated = {name for name, first in first_dates.items() if first <= payslip.end}

    @property
    def corrected(self) -> PayslipInput:
        """The stored input with everything that is known today, except changes of pay."""
        stored, current = self._stored, self._current
        entries = self._replace_entries(stored.calculations, self._dated & NOT_PAY)
        if stored.leave.unpaid_days != current.leave.unpaid_days:
            entries = _replace_entry(entries, current.calculations, UNPAID_LEAVE)
        changed = replace(stored, employee=current.employee, calculations=entries)
        if _within(stored.service, stored.period) == _within(current.service, stored.period):
            return changed
        return replace(changed, service=current.service, last_service_date=current.last_service_date)

    @property
    def corrected_with_pay(self) -> PayslipInput:
        """The stored input with everything that is known today."""
        corrected = self.corrected
        names = self._dated - NOT_PAY - set(LEAVE_TYPES)
        return replace(corrected, calculations=self._replace_entries(corrected.calculations, names))

    def _replace_entries(self, entries: dict[str, CalculationEntry], names: set[str]) -> dict[str, CalculationEntry]:
        for name in sorted(names):
            entries = _replace_entry(entries, self._current.calculations, name)
        return entries


async def load_current_knowledge(
    tx: Transaction, client_id: int, payslips: Sequence[PastPayslip]
) -> list[CurrentKnowledge]:
    """Load today's inputs of finalised payslips, in their order."""
    if not payslips:
        return []
    employee_ids = list(dict.fromkeys(payslip.employee_id for payslip in payslips))
    drafts = [Draft(payslip.id, payslip.employee_id, payslip.period, payslip.special) for payslip in payslips]
    context = await load_context(tx, client_id, employee_ids)
    catalogue = await load_catalogue(tx, client_id)
    inputs = await build_inputs(tx, client_id, catalogue, drafts, context)
    first_dates = await load_first_dates(tx, client_id, employee_ids)
    paid_dates = await snapshots.load_first_dates(tx, client_id, [payslip.id for payslip in payslips])
    return [
        CurrentKnowledge(
            payslip, current, _earliest(first_dates.get(payslip.employee_id, {}), paid_dates.get(payslip.id, {}))
        )
        for payslip, current in zip(payslips, inputs, strict=True)
    ]


def _earliest(current: FirstDates, paid: FirstDates) -> FirstDates:
    """Combine the dates of today and those that the payslip was paid with. A change may have been removed since."""
    return {**current, **{name: min(first, current.get(name, first)) for name, first in paid.items()}}


def _replace_entry(
    entries: dict[str, CalculationEntry], current: Mapping[str, CalculationEntry], name: str
) -> dict[str, CalculationEntry]:
    if entries.get(name) == current.get(name):
        return entries
    others = {other: entry for other, entry in entries.items() if other != name}
    return {**others, name: current[name]} if name in current else others


def _within(service: Sequence[ServiceInterval], period: PayPeriod) -> list[tuple[date, date]]:
    """The days in service that are inside the period."""
    return [
        (max(interval.start, period.start), min(interval.end or period.end, period.end))
        for interval in service
        if interval.start <= period.end and (interval.end is None or interval.end >= period.start)
    ]
