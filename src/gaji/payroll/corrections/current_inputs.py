"""What finalised payslips would be calculated from with today's knowledge.

Today's knowledge is: the details of the employee, the days in service, leave, calculations with a date, and what was
entered late for a payslip. What has no date, such as the company's own calculations or custom items, stays as it was.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from types import MappingProxyType

from msgspec.structs import replace

from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import FOREIGN_WORKER_LEVY, Catalogue, build_catalogue
from gaji.engine.earnings import BASIC, EXCESS_LEAVE, HOLIDAYS_OFF, UNPAID_LEAVE
from gaji.engine.past_months import serves_month
from gaji.engine.payslip_input import (
    AdditionalWages,
    CalculationEntry,
    PayPeriod,
    PayslipInput,
    ServiceInterval,
)
from gaji.engine.statutory import FUND_NAMES
from gaji.law.months import Month
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.resolve import LEAVE_TYPES, load_first_dates
from gaji.payroll.corrections.late_entries import with_late_entry
from gaji.payroll.corrections.past_payslips import PastPayslip
from gaji.payroll.payslips.build_inputs import build_inputs, has_left, leave_inputs
from gaji.payroll.payslips.drafts import Draft
from gaji.payroll.payslips.employment_context import load_context
from gaji.payroll.snapshots import queries as snapshots
from gaji.payroll.snapshots.queries import EntryChange

NOT_PAY = frozenset((WEEK_HOURS, UNPAID_LEAVE, FOREIGN_WORKER_LEVY, *FUND_NAMES.values()))
"""Calculations whose changes are corrections of mistakes, not decisions about pay."""
COMPARED_LEAVE = (UNPAID_LEAVE, "leave_encashment", "national_service_leave", EXCESS_LEAVE)
"""Types of leave whose days are compared."""

NO_CHANGES: Mapping[str, EntryChange] = MappingProxyType({})
FirstDates = Mapping[str, date]
"""The first date on which a calculation of the employee changes, by type."""


class CurrentKnowledge:
    """Today's inputs of one finalised payslip."""

    def __init__(
        self,
        payslip: PastPayslip,
        current: PayslipInput,
        first_dates: FirstDates,
        late_entries: Mapping[str, EntryChange] = NO_CHANGES,
    ) -> None:
        self._stored, self._current = payslip.stored, current
        self._dated = {name for name, first in first_dates.items() if first <= payslip.end}
        self._late_entries = late_entries

    @cached_property
    def corrected(self) -> PayslipInput:
        """The stored input with everything that is known today, except changes of pay."""
        stored, current = self._stored, self._current
        entries = self._with_late_entries(stored.calculations)
        entries = self._replace_entries(entries, (self._dated & NOT_PAY) | self._changed_leave)
        entries = self._with_holidays_off(entries)
        leave = replace(stored.leave, holidays_off=current.leave.holidays_off)
        changed = replace(stored, employee=current.employee, calculations=entries, leave=leave)
        if current.takes_levy and not stored.takes_levy:
            changed = replace(changed, last_of_month=True)
        if current.takes_previous_levy and not stored.takes_previous_levy:
            changed = replace(changed, takes_previous_levy=True)
        if self._is_leave_changed():
            leave = replace(current.leave, types=stored.leave.types)
            changed = replace(changed, leave=leave, corrected_months=current.corrected_months)
        if self._is_service_unchanged():
            return changed
        return replace(
            changed,
            service=current.service,
            last_service_date=current.last_service_date,
            last_month_ordinary_cents=stored.last_month_ordinary_cents if self._served_month_before else 0,
            calculations=entries if current.service else _once_off(entries),
            additional_by_month=stored.additional_by_month or _before(current.additional_by_month, stored.period),
        )

    @cached_property
    def corrected_with_pay(self) -> PayslipInput:
        """The stored input with everything that is known today."""
        corrected = self.corrected
        names = self._dated - NOT_PAY - set(LEAVE_TYPES)
        entries = self._replace_entries(corrected.calculations, names)
        return replace(corrected, calculations=entries if corrected.service else _once_off(entries))

    @property
    def _served_month_before(self) -> bool:
        return serves_month(self._current, Month.from_date(self._stored.period.end) - 1)

    def _is_service_unchanged(self) -> bool:
        """Whether the days in service, whether they are the last ones, and whether the month before was complete."""
        stored, current, period = self._stored, self._current, self._stored.period
        if (stored.service, stored.last_service_date) == (current.service, current.last_service_date):
            return True
        payslips = (stored, current)
        left = [has_left(payslip.last_service_date, period.end) for payslip in payslips]
        before = [serves_month(payslip, Month.from_date(period.end) - 1) for payslip in payslips]
        within = [_within(payslip.service, period) for payslip in payslips]
        return left[0] == left[1] and before[0] == before[1] and within[0] == within[1]

    def complete_catalogue(self, catalogue: Catalogue, latest: Catalogue) -> Catalogue:
        """Return the catalogue of the payslip, with the custom items that were defined later and that it needs."""
        names = self.corrected_with_pay.calculations.keys() - catalogue.types.keys()
        added = [item_type for name in names if (item_type := latest.types.get(name))]
        if not added:
            return catalogue
        item_types = (*catalogue.custom_types, *added)
        return build_catalogue([item_type.definition for item_type in item_types if item_type.definition])

    def _with_late_entries(self, entries: dict[str, CalculationEntry]) -> dict[str, CalculationEntry]:
        for name, change in self._late_entries.items():
            entry = with_late_entry(name, entries.get(name), self._current.calculations.get(name), change)
            entries = _replace_entry(entries, {} if entry is None else {name: entry}, name)
        return entries

    def _with_holidays_off(self, entries: dict[str, CalculationEntry]) -> dict[str, CalculationEntry]:
        """Count the public holidays on days off with today's working hours. What was entered for the payslip stays."""
        salary, current = entries.get(BASIC), self._current.calculations.get(BASIC)
        if salary is None or current is None or self._stored.leave.holidays_off == self._current.leave.holidays_off:
            return entries
        inputs = {name: value for name, value in salary.inputs.items() if name != HOLIDAYS_OFF}
        if HOLIDAYS_OFF in current.inputs:
            inputs[HOLIDAYS_OFF] = current.inputs[HOLIDAYS_OFF]
        return {**entries, BASIC: replace(salary, inputs=inputs)}

    @cached_property
    def _changed_leave(self) -> set[str]:
        """The calculations whose days of leave differ."""
        if self._stored.leave == self._current.leave:
            return set()
        stored, current = leave_inputs(self._stored.leave), leave_inputs(self._current.leave)
        return {name for name in COMPARED_LEAVE if stored[name] != current[name]}

    def _is_leave_changed(self) -> bool:
        """Whether the days of leave differ. Their dates are not known on old payslips."""
        stored, current = self._stored.leave, self._current.leave
        dates = [(leave.unpaid_dates, leave.national_service_dates) for leave in (stored, current)]
        return bool(self._changed_leave) or (any(dates[0]) and dates[0] != dates[1])

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
    payslip_ids = [payslip.id for payslip in payslips]
    paid_dates = await snapshots.load_first_dates(tx, client_id, payslip_ids)
    late_entries = await snapshots.load_late_entries(tx, client_id, payslip_ids)
    return [
        CurrentKnowledge(
            payslip,
            current,
            _earliest(first_dates.get(payslip.employee_id, {}), paid_dates.get(payslip.id, {})),
            late_entries.get(payslip.id, NO_CHANGES),
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


def _once_off(entries: Mapping[str, CalculationEntry]) -> dict[str, CalculationEntry]:
    """The entries of a payslip without any day in service."""
    return {name: entry for name, entry in entries.items() if not entry.recurring}


def _before(additional: Mapping[str, AdditionalWages], period: PayPeriod) -> dict[str, AdditionalWages]:
    """The additional wages of the months before that of a period. A shortfall is charged with the last salary."""
    return {month: wages for month, wages in additional.items() if month < f"{period.end:%Y-%m}"}


def _within(service: Sequence[ServiceInterval], period: PayPeriod) -> list[tuple[date, date]]:
    """The days in service that are inside the period."""
    return [
        (max(interval.start, period.start), min(interval.end or period.end, period.end))
        for interval in service
        if interval.start <= period.end and (interval.end is None or interval.end >= period.start)
    ]
