"""What the claims for leave and national service of some employees depend on, and their figures by month."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import groupby

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.earnings import GrossRate
from gaji.engine.leave.claims import CLAIMABLE_TYPES, LeaveClaim, list_claims, list_claims_without_children
from gaji.engine.leave.day_length import LeaveDayError
from gaji.engine.leave.service_days import ServiceMonth, list_service_months
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.quantities import MILLI, millis
from gaji.leave.balances.parents import load_parents
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.leave.days.queries import LeaveByType, load_leave_by_type
from gaji.leave.types.queries import NATIONAL_SERVICE, load_leave_types
from gaji.payroll.payslips.daily_rates import load_daily_rates
from gaji.payroll.payslips.statutory_totals import CpfMonth, load_cpf_months, load_employer_cpf
from gaji.people.service_periods.queries import ServiceTerm, load_service_terms
from gaji.people.wave_periods.queries import load_waves_on


@dataclass(frozen=True)
class PaidDays:
    """The days of a claim in one calendar month, with their pay."""

    month: Month
    first: date
    last: date
    millidays: int
    rate_cents: int
    """The gross rate of pay of a day, on the last of the days."""
    gross_cents: int
    week_millidays: int
    wave_id: int | None
    cpf_cents: int | None
    """The employer's CPF of the month. None if no payslip of the month is finalised."""


@dataclass(frozen=True)
class EmployeeClaim:
    """A claim for the leave of an employee, with the pay of all of its months."""

    employee_id: int
    claim: LeaveClaim
    months: Sequence[PaidDays]


@dataclass(frozen=True)
class ServiceIncome:
    """National service of an employee in one month, and the wages that the income lost follows from."""

    employee_id: int
    service: ServiceMonth
    income_month: Month
    ordinary_cents: int | None
    """None without CPF in the month."""
    additional_cents: int
    """Of the twelve months before the service."""
    wave_id: int | None


@dataclass(frozen=True)
class _GrossPay:
    rate_cents: int
    gross_cents: int
    week_millidays: int


NO_PAY = _GrossPay(0, 0, 0)


@dataclass(frozen=True)
class _MonthDays:
    """The days of a claim in one month."""

    employee_id: int
    first: date
    last: date
    millidays: int

    @property
    def month(self) -> Month:
        return Month.from_date(self.last)


async def load_employee_claims(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], first: Month, last: Month
) -> list[EmployeeClaim]:
    """Load the claims with days between two months, by employee. Each has all of its months."""
    leave = await load_leave_by_type(tx, client_id, CLAIMABLE_TYPES, employee_ids)
    parents = await load_parents(tx, client_id, await load_leave_types(tx, client_id), list(leave))
    terms = await load_service_terms(tx, client_id, list(leave))

    def list_all() -> list[tuple[int, LeaveClaim]]:
        claims = []
        for employee_id, by_type in leave.items():
            for term in terms[employee_id]:
                taken, law = _within(by_type, term), current_law()
                if parents is None or employee_id not in parents.families:
                    listed = list_claims_without_children(law.government_paid_leave, taken)
                else:
                    parent = parents.parent(employee_id, term.start, term.end, None)
                    listed = list_claims(law.leave, law.government_paid_leave, parent, taken)
                claims += [(employee_id, claim) for claim in listed if _has_days(claim, first, last)]
        return claims

    return await _with_pay(tx, client_id, await asyncio.to_thread(list_all))


async def load_service_incomes(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], first: Month, last: Month
) -> list[ServiceIncome]:
    """Load the national service between two months, by employee and month."""
    leave = await load_leave_by_type(tx, client_id, (NATIONAL_SERVICE,), employee_ids)
    day_lengths = await load_day_lengths(tx, client_id, list(leave))
    months_before = current_law().national_service.income_months_before.nearest(first.first_day).value
    start = (first - MONTHS_PER_YEAR - months_before).first_day
    wages: dict[int, dict[Month, CpfMonth]] = defaultdict(dict)
    for paid in await load_cpf_months(tx, client_id, list(leave), start, last.last_day):
        wages[paid.employee_id][Month.from_date(paid.month)] = paid
    incomes = []
    for employee_id, by_type in leave.items():
        for service in _service_months(day_lengths, employee_id, by_type[NATIONAL_SERVICE]):
            if first <= service.month <= last:
                waves = await load_waves_on(tx, client_id, [employee_id], service.last)
                incomes.append(_service_income(employee_id, service, months_before, wages, waves.get(employee_id)))
    return incomes


def _service_months(day_lengths: DayLengths, employee_id: int, days: list[tuple[date, int]]) -> list[ServiceMonth]:
    holidays = current_law().holidays.names

    def half_days(day: date) -> int:
        try:
            return day_lengths.week(employee_id, day).half_days_on(day)
        except LeaveDayError:
            return 0

    return list_service_months(days, half_days, lambda day: day in holidays)


def _service_income(
    employee_id: int,
    service: ServiceMonth,
    months_before: int,
    wages: Mapping[int, Mapping[Month, CpfMonth]],
    wave_id: int | None,
) -> ServiceIncome:
    by_month = wages.get(employee_id, {})
    income = by_month.get(service.month - months_before)
    year = (service.month - number for number in range(1, MONTHS_PER_YEAR + 1))
    additional = sum(by_month[month].additional for month in year if month in by_month)
    ordinary = None if income is None else income.ordinary
    return ServiceIncome(employee_id, service, service.month - months_before, ordinary, additional, wave_id)


def _within(leave: LeaveByType, term: ServiceTerm) -> LeaveByType:
    """The leave in one service."""
    return {
        leave_type: [
            (day, millidays) for day, millidays in days if term.start <= day and (term.end is None or day <= term.end)
        ]
        for leave_type, days in leave.items()
    }


def _has_days(claim: LeaveClaim, first: Month, last: Month) -> bool:
    return any(first.first_day <= day <= last.last_day for day, _ in claim.days)


async def _with_pay(tx: Transaction, client_id: int, claims: Sequence[tuple[int, LeaveClaim]]) -> list[EmployeeClaim]:
    """Add the pay of the days and the employer's CPF to claims."""
    if not claims:
        return []
    days = [(employee_id, claim, list(_by_month(employee_id, claim))) for employee_id, claim in claims]
    all_months = [month for _, _, months in days for month in months]
    first, last = min(month.month for month in all_months), max(month.month for month in all_months)
    employee_ids = sorted({employee_id for employee_id, _, _ in days})
    cpf = await load_employer_cpf(tx, client_id, employee_ids, first.first_day, last.last_day)
    pay, waves = await _load_gross_pay(tx, client_id, all_months)
    return [
        EmployeeClaim(employee_id, claim, [_paid_days(month, pay, waves, cpf) for month in months])
        for employee_id, claim, months in days
    ]


def _by_month(employee_id: int, claim: LeaveClaim) -> Iterator[_MonthDays]:
    for _, group in groupby(claim.days, key=lambda entry: Month.from_date(entry[0])):
        days = list(group)
        yield _MonthDays(employee_id, days[0][0], days[-1][0], sum(millidays for _, millidays in days))


async def _load_gross_pay(
    tx: Transaction, client_id: int, months: Sequence[_MonthDays]
) -> tuple[dict[_MonthDays, _GrossPay], dict[_MonthDays, int]]:
    """Load the gross pay of days, and the wave that pays for the last of them."""
    pay: dict[_MonthDays, _GrossPay] = {}
    waves: dict[_MonthDays, int] = {}
    for last, group in groupby(sorted(months, key=lambda month: month.last), key=lambda month: month.last):
        selected = list(group)
        wave_of = await load_waves_on(tx, client_id, list({month.employee_id for month in selected}), last)
        rates: dict[int, GrossRate] = {}
        for daily_rates in await load_daily_rates(tx, client_id, wave_of, last):
            for index, employee_id in enumerate(daily_rates.employee_ids):
                rates[employee_id] = daily_rates.rates.select(index)
        for month in selected:
            if month.employee_id in rates:
                pay[month] = _gross_pay(rates[month.employee_id], month.millidays)
                waves[month] = wave_of[month.employee_id]
    return pay, waves


def _gross_pay(rate: GrossRate, millidays: int) -> _GrossPay:
    """The pay of days at the gross rate. The days of a month are not more than the month."""
    rate_cents, gross_cents = (int(rate.cents(millis([days]))[0]) for days in (1, Decimal(millidays) / MILLI))
    month_cents = int(rate.month_cents()[0])
    limited = min(gross_cents, month_cents) if month_cents else gross_cents
    return _GrossPay(rate_cents, limited, int(rate.terms.cycle_millidays[0]) // rate.terms.cycle_weeks)


def _paid_days(
    month: _MonthDays,
    pay: Mapping[_MonthDays, _GrossPay],
    waves: Mapping[_MonthDays, int],
    cpf: Mapping[tuple[int, date], int],
) -> PaidDays:
    gross = pay.get(month, NO_PAY)
    return PaidDays(
        month.month,
        month.first,
        month.last,
        month.millidays,
        gross.rate_cents,
        gross.gross_cents,
        gross.week_millidays,
        waves.get(month),
        cpf.get((month.employee_id, month.month.first_day)),
    )
