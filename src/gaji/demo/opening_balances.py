"""The opening balances of the demo employees: what they were paid in the year before the first day that is paid here.

Pure: their recurring pay since January, in proportion to the days in service, and the CPF contributions on it.
"""

from calendar import monthrange
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import msgspec

from gaji.company.waves.queries import PERIODS_PER_YEAR
from gaji.demo.pay import (
    AVERAGE_CASUAL_HOURS,
    DAY_HOURS,
    FIVE_DAYS_HOURS,
    MONTHS_PER_YEAR,
    SIX_DAYS_HOURS,
    WEEKS_PER_YEAR,
    CompanyPayTerms,
    Inputs,
    PayPlan,
)
from gaji.demo.people import EmployeeBody
from gaji.engine import employee_columns
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.engine.catalogue.types import CpfTreatment
from gaji.engine.money import to_cents
from gaji.engine.payslip_input import EmployeeDetails, ServiceInterval
from gaji.engine.periods import Frequency
from gaji.law import cpf
from gaji.law.columns import cents, date_at, missing_dates
from gaji.law.months import Month
from gaji.people.take_on.queries import DEDUCTION_ITEMS
from gaji.people.take_on.schemas import IR8A_ITEMS, TakeOnInput

ONE_DAY = timedelta(days=1)
INCOME_ITEMS = IR8A_ITEMS.difference(DEDUCTION_ITEMS)


@dataclass(frozen=True)
class DemoEmployment:
    """An employee, the recurring pay and the days in service."""

    body: EmployeeBody
    plan: PayPlan
    service: Sequence[ServiceInterval]


@dataclass
class _EarlierPay:
    """What an employee was paid in the year, in cents."""

    monthly_cents: Mapping[str, int]
    """A full month, by pay item."""
    days: Sequence[tuple[date, date]]
    """The first and the last days in service, before the first day that is paid here."""
    ordinary_cents: int = 0
    ir8a_cents: Counter[str] = field(default_factory=Counter)
    contributions: Counter[str] = field(default_factory=Counter)

    def add_month(self, month: Month) -> None:
        """Add the pay of a month."""
        for name, amount_cents in self.monthly_cents.items():
            paid_cents = self._part(amount_cents, month, month.first_day)
            self.ir8a_cents[SYSTEM_TYPES[name].treatment.ir8a or ""] += paid_cents
            self.ordinary_cents += paid_cents if _is_ordinary(name) else 0

    def counted_cents(self, month: Month, counts_from: date | None) -> int:
        """Return the ordinary wages of a month from a day on. None: no day counts."""
        if counts_from is None:
            return 0
        ordinary = (amount for name, amount in self.monthly_cents.items() if _is_ordinary(name))
        return sum(self._part(amount_cents, month, counts_from) for amount_cents in ordinary)

    def _part(self, amount_cents: int, month: Month, since: date) -> int:
        """Return the part of a monthly amount for the days in service since a day of the month."""
        served = sum(max((min(last, month.last_day) - max(first, since)).days + 1, 0) for first, last in self.days)
        return amount_cents * served // monthrange(month.year, month.month)[1]


def plan_balances(
    parameters: cpf.CpfParameters, terms: CompanyPayTerms, employments: Mapping[int, DemoEmployment]
) -> dict[int, TakeOnInput]:
    """Return the balances by employee. Employees who did not serve earlier in the year are left out."""
    year = terms.since.year
    pays = {
        employee_id: _EarlierPay(_monthly_cents(employment, terms), days)
        for employee_id, employment in employments.items()
        if (days := _earlier_days(employment, terms))
    }
    if not pays:
        return {}
    last_day = max(last for pay in pays.values() for _, last in pay.days)
    members = employee_columns.cpf_members([_details(employments[employee_id].body) for employee_id in pays])
    for number in range(1, last_day.month + 1):
        month = Month(year, number)
        for pay in pays.values():
            pay.add_month(month)
        if month <= parameters.ordinary_wage_ceiling_cents.covered_until:
            _add_contributions(parameters, month, members, list(pays.values()))
    return {employee_id: _balances(year, pay) for employee_id, pay in pays.items()}


def _add_contributions(
    parameters: cpf.CpfParameters, month: Month, members: cpf.CpfMembers, pays: Sequence[_EarlierPay]
) -> None:
    """Add the contributions on the ordinary wages of a month."""
    counts_from = cpf.applicability(month, members).counts_from
    ordinary = cents([pay.counted_cents(month, date_at(counts_from, i)) for i, pay in enumerate(pays)])
    zeros = cents([0] * len(pays))
    wages = cpf.MonthWages(ordinary, zeros, zeros, zeros, ordinary, missing_dates(len(pays)))
    due = cpf.assess(parameters, month, members, wages, cpf.PriorMonths(zeros, zeros, zeros)).due
    for i, pay in enumerate(pays):
        pay.contributions["subject"] += int(due.ordinary_subject_cents[i])
        pay.contributions["employee"] += int(due.employee_cents[i])
        pay.contributions["employer"] += int(due.employer_cents[i])


def _balances(year: int, pay: _EarlierPay) -> TakeOnInput:
    return TakeOnInput(
        year=year,
        ordinary_wages_cents=pay.ordinary_cents,
        ordinary_wages_subject_cents=pay.contributions["subject"],
        cpf_employee_cents=pay.contributions["employee"],
        cpf_employer_cents=pay.contributions["employer"],
        ir8a_cents=dict(pay.ir8a_cents),
    )


def _earlier_days(employment: DemoEmployment, terms: CompanyPayTerms) -> list[tuple[date, date]]:
    """Return the days in service from January to the day before the first one that is paid here."""
    since, until = date(terms.since.year, 1, 1), terms.first_days[employment.body["wave_id"]] - ONE_DAY
    days = [(max(item.start, since), min(item.end or until, until)) for item in employment.service]
    return [(first, last) for first, last in days if first <= last]


def _details(body: EmployeeBody) -> EmployeeDetails:
    values = {name: body[name] for name in EmployeeDetails.__struct_fields__ if name in body}
    return msgspec.convert(values, EmployeeDetails)


def _monthly_cents(employment: DemoEmployment, terms: CompanyPayTerms) -> dict[str, int]:
    """Return the recurring pay of a month, by pay item."""
    frequency = terms.waves[employment.body["wave_id"]]
    return {
        name: _item_cents(inputs, employment.plan, frequency)
        for name, inputs in employment.plan.calculations.items()
        if name in SYSTEM_TYPES and SYSTEM_TYPES[name].treatment.ir8a in INCOME_ITEMS
    }


def _item_cents(inputs: Inputs, plan: PayPlan, frequency: Frequency) -> int:
    week_hours = SIX_DAYS_HOURS if plan.on_shifts else FIVE_DAYS_HOURS
    if plan.hours is not None and plan.hours["schedule"] == "casual":
        week_hours = AVERAGE_CASUAL_HOURS
    if "hourly_rate" in inputs:
        return to_cents(inputs["hourly_rate"]) * week_hours * WEEKS_PER_YEAR // MONTHS_PER_YEAR
    if "daily_rate" in inputs:
        return to_cents(inputs["daily_rate"]) * week_hours * WEEKS_PER_YEAR // (DAY_HOURS * MONTHS_PER_YEAR)
    amount = to_cents(inputs["fixed_amount"] if "fixed_amount" in inputs else inputs["amount"])
    return amount * PERIODS_PER_YEAR[frequency] // MONTHS_PER_YEAR


def _is_ordinary(name: str) -> bool:
    return SYSTEM_TYPES[name].treatment.cpf == CpfTreatment.ORDINARY
