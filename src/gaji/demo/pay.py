"""Plan the pay of the demo employees: recurring calculations, and those of single payslips.

Pure: all random values come from the seed and the index of the employee, so that an employee's pay does not depend on
the number of employees.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any

from gaji.company.waves.queries import PERIODS_PER_YEAR
from gaji.demo.jobs import JOBS, JobProfile
from gaji.demo.people import EmployeeBody
from gaji.demo.roster import ROSTER, Archetype
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.engine.money import decimal_text
from gaji.engine.periods import Frequency

Inputs = Mapping[str, Any]
"""The inputs of a calculation, as in an API request."""
Calculations = Mapping[str, Inputs]
"""Inputs by calculation type."""

MONTHS_PER_YEAR, WEEKS_PER_YEAR = 12, 52
MIN_SALARY = {"EP": 6000, "SPASS": 3300}
WORK_PERMIT_PERCENT = 60
"""Percentage of the regular salary that work permit holders are paid."""
SIX_DAYS: Inputs = {
    "schedule": "fixed",
    "full_day_hours_input": "8",
    **{f"works_{day}": True for day in ("mon", "tue", "wed", "thu", "fri", "sat")},
    **{f"day_type_{day}": "full" for day in ("mon", "tue", "wed", "thu", "fri")},
    "day_type_sat": "partial",
    "partial_hours_sat": "4",
}
"""The working hours of shift workers: 44 hours a week."""
FIVE_DAYS_HOURS, SIX_DAYS_HOURS = 40, 44
DAY_HOURS = 8
MIN_CASUAL_HOURS, MAX_CASUAL_HOURS = 12, 30
"""Hours a week of employees without regular hours."""
AVERAGE_CASUAL_HOURS = (MIN_CASUAL_HOURS + MAX_CASUAL_HOURS) // 2
DIRECTOR, SALES = JOBS["Director"], JOBS["Sales executive"]


@dataclass(frozen=True)
class OptionalDeduction:
    """A deduction that some employees have."""

    percent: int
    """Percentage of employees who have it."""
    dollars_per_month: int
    input: str = "amount"
    extra_inputs: tuple[tuple[str, str], ...] = ()


OPTIONAL_DEDUCTIONS: Mapping[str, OptionalDeduction] = {
    "loan": OptionalDeduction(6, 250, "instalment", (("balance", "3000.00"),)),
    "salary_advance": OptionalDeduction(2, 200, "instalment", (("balance", "600.00"),)),
    "savings": OptionalDeduction(4, 100, "instalment"),
    "donation": OptionalDeduction(8, 10, extra_inputs=(("description", "Community Chest"),)),
    "union_fee": OptionalDeduction(10, 9),
}


@dataclass(frozen=True)
class CompanyPayTerms:
    """The pay terms of the demo company."""

    since: date
    """The first day that is paid."""
    waves: Mapping[int, Frequency]
    """Frequencies by wave ID."""
    first_days: Mapping[int, date]
    """The first day of the first period by wave ID."""
    nights: str
    """The type of the custom item for night shifts."""
    incentive: str
    """The type of the custom item for the productivity incentive."""


@dataclass(frozen=True)
class PayPlan:
    """The recurring pay of an employee."""

    calculations: Calculations
    on_shifts: bool
    hours: Inputs | None
    """Individual regular hours."""


def plan_pay(seed: int, index: int, employee: EmployeeBody, terms: CompanyPayTerms) -> PayPlan:
    """Plan the recurring pay of the employee with this index."""
    random = _random(seed, index, "pay")
    job, frequency, archetype = _job(employee), terms.waves[employee["wave_id"]], _archetype(index)
    calculations: dict[str, Inputs] = {
        **_basic_pay(random, employee, job, frequency, terms),
        **{
            name: {"amount": _per_period(dollars, frequency), "prorate": True}
            for name, dollars in job.allowances.items()
        },
        **_levy(random, employee),
        **(archetype.pay if archetype else _optional_deductions(random, frequency)),
    }
    if job.on_shifts and archetype is None and random.random() < 0.3:
        calculations[terms.incentive] = {"percentage": "5"}
    hours = archetype.hours if archetype else None
    return PayPlan(_with_start_dates(calculations, terms.since), job.on_shifts, hours)


def plan_period_pay(seed: int, index: int, employee: EmployeeBody, end: date, terms: CompanyPayTerms) -> Calculations:
    """Plan the calculations of the employee's payslip for the period that ends on this day."""
    job, frequency, archetype = _job(employee), terms.waves[employee["wave_id"]], _archetype(index)
    if job is DIRECTOR:
        return {}
    random = _random(seed, index, end.isoformat())
    weeks = WEEKS_PER_YEAR / PERIODS_PER_YEAR[frequency]
    calculations: dict[str, Inputs] = {}
    if archetype and archetype.is_casual:
        hours = random.uniform(MIN_CASUAL_HOURS, MAX_CASUAL_HOURS) * weeks
        calculations["basic_salary"] = {"hours_input": str(round(hours))}
    elif job.group != "manager" and random.random() < 0.2:
        calculations["basic_salary"] = {"overtime_hours_input": str(round(random.uniform(1, 5) * weeks))}
    if job is SALES:
        calculations["commission"] = {"commission_input": _per_period(random.randint(200, 1500), frequency)}
    if job.on_shifts and random.random() < 0.6:
        calculations[terms.nights] = {"quantity": str(round(random.uniform(0.5, 2.5) * weeks))}
    if random.random() < 0.03:
        amount = decimal_text(random.randint(800, 9000))
        calculations["reimbursement"] = {"amount": amount, "description": "Taxi fares"}
    if random.random() < 0.02:
        calculations["unpaid_leave"] = {"days": "1"}
    if end.month == MONTHS_PER_YEAR and frequency == "monthly":
        calculations["annual_wage_supplement"] = {"months": "1", "declaration_date": end.isoformat()}
    return calculations


def _basic_pay(
    random: Random, employee: EmployeeBody, job: JobProfile, frequency: Frequency, terms: CompanyPayTerms
) -> Calculations:
    """Return the basic pay: hourly for weekly waves, daily for fortnightly waves, otherwise a fixed amount."""
    if job is DIRECTOR:
        return {"directors_fee": {"amount": "2500.00", "approval_date": terms.since.isoformat()}}
    salary = _monthly_salary(random, employee, job)
    week_hours = SIX_DAYS_HOURS if job.on_shifts else FIVE_DAYS_HOURS
    hourly_cents = salary * MONTHS_PER_YEAR * 100 // (WEEKS_PER_YEAR * week_hours) // 5 * 5
    if frequency == "weekly":
        return {"basic_salary": {"pay_type": "hourly", "hourly_rate": decimal_text(hourly_cents)}}
    if frequency == "fortnightly":
        return {"basic_salary": {"pay_type": "daily", "daily_rate": decimal_text(hourly_cents * DAY_HOURS)}}
    return {"basic_salary": {"pay_type": "monthly", "fixed_amount": _per_period(salary, frequency)}}


def _monthly_salary(random: Random, employee: EmployeeBody, job: JobProfile) -> int:
    """Return dollars a month, rounded down to a multiple of 50."""
    low, high = job.salary
    salary = round(random.triangular(low, high, (2 * low + high) / 3))
    permit = employee.get("work_pass", "")
    if permit == "WP":
        salary = salary * WORK_PERMIT_PERCENT // 100
    return max(salary, MIN_SALARY.get(permit, 0)) // 50 * 50


def _levy(random: Random, employee: EmployeeBody) -> Calculations:
    """Return the levy for work permits and S Passes. Other passes have no levy, or an unknown rate."""
    permit = employee.get("work_pass")
    if permit == "WP":
        skill = random.choice(("R1", "R2", "R2"))
        return {"foreign_worker_levy": {"sector": "services", "tier": random.choice("12"), "skill": skill}}
    return {"foreign_worker_levy": {"tier": "1"}} if permit == "SPASS" else {}


def _optional_deductions(random: Random, frequency: Frequency) -> Calculations:
    return {
        name: {
            deduction.input: _per_period(deduction.dollars_per_month, frequency),
            **dict(deduction.extra_inputs),
        }
        for name, deduction in OPTIONAL_DEDUCTIONS.items()
        if random.randrange(100) < deduction.percent
    }


def _with_start_dates(calculations: Calculations, since: date) -> Calculations:
    """Start loans and other tracked items in the first month that is paid."""
    return {
        name: {**inputs, "start_date": since.isoformat()} if _is_tracked(name) else inputs
        for name, inputs in calculations.items()
    }


def _is_tracked(name: str) -> bool:
    return name in SYSTEM_TYPES and SYSTEM_TYPES[name].tracked is not None


def _per_period(dollars_per_month: int, frequency: Frequency) -> str:
    """Return the part of a monthly amount for one payslip, in whole dollars."""
    return f"{max(dollars_per_month * MONTHS_PER_YEAR // PERIODS_PER_YEAR[frequency], 1)}.00"


def _job(employee: EmployeeBody) -> JobProfile:
    return JOBS[employee["job_title"]]


def _archetype(index: int) -> Archetype | None:
    return ROSTER[index] if index < len(ROSTER) else None


def _random(seed: int, index: int, subject: str) -> Random:
    return Random(f"{seed} {index} {subject}")  # noqa: S311 - repeatable on purpose
