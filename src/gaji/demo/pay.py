"""What the people of the demo are paid: what is entered for them once, and what for one payslip after the other.

Pure, as the people are: everything random comes from the seed and from one person's place among all, so that nobody's
pay depends on how many others there are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any

from gaji.company.waves.facts import PAYS_A_YEAR
from gaji.demo.jobs import JOBS, Job
from gaji.demo.people import Body
from gaji.demo.roster import ROSTER, Archetype
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.engine.money import decimal_text
from gaji.engine.periods import Frequency

Inputs = Mapping[str, Any]
"""The inputs of a calculation as the API takes them."""
Calculations = Mapping[str, Inputs]
"""By type."""

MONTHS_A_YEAR, WEEKS_A_YEAR = 12, 52
LEAST_SALARY = {"EP": 6000, "SPASS": 3300}
WORK_PERMIT_PERCENT = 60
"""Of what the job pays to others."""
SIX_DAYS: Inputs = {
    "schedule": "fixed",
    "full_day_hours_input": "8",
    **{f"works_{day}": True for day in ("mon", "tue", "wed", "thu", "fri", "sat")},
    **{f"day_type_{day}": "full" for day in ("mon", "tue", "wed", "thu", "fri")},
    "day_type_sat": "partial",
    "partial_hours_sat": "4",
}
"""The 44 hours of a week that shifts have."""
FIVE_DAYS_HOURS, SIX_DAYS_HOURS = 40, 44
DIRECTOR, SALES = JOBS["Director"], JOBS["Sales executive"]


@dataclass(frozen=True)
class Extra:
    """A deduction that some people have."""

    percent: int
    """Of all."""
    month: int
    """Dollars a month."""
    input: str = "amount"
    more: tuple[tuple[str, str], ...] = ()


EXTRAS: Mapping[str, Extra] = {
    "loan": Extra(6, 250, "instalment", (("balance", "3000.00"),)),
    "salary_advance": Extra(2, 200, "instalment", (("balance", "600.00"),)),
    "savings": Extra(4, 100, "instalment"),
    "donation": Extra(8, 10, more=(("description", "Community Chest"),)),
    "union_fee": Extra(10, 9),
}


@dataclass(frozen=True)
class Terms:
    """What the company pays by."""

    since: date
    """The first day that is paid."""
    waves: Mapping[int, Frequency]
    nights: str
    """The custom item of night shifts, by its number."""
    incentive: str
    """The custom item of the productivity incentive."""


@dataclass(frozen=True)
class Pay:
    """What is entered for one person."""

    calculations: Calculations
    on_shifts: bool
    hours: Inputs | None
    """Regular hours of their own."""


def pay(seed: int, place: int, person: Body, terms: Terms) -> Pay:
    """What is entered for the person at this place."""
    random = _random(seed, place, "pay")
    job, frequency, case = JOBS[person["job_title"]], terms.waves[person["wave_id"]], _case(place)
    calculations: dict[str, Inputs] = {
        **_basic(random, person, job, frequency, terms),
        **{name: {"amount": _each(month, frequency), "prorate": True} for name, month in job.allowances.items()},
        **_levy(random, person),
        **(case.pay if case else _extras(random, frequency)),
    }
    if job.on_shifts and case is None and random.random() < 0.3:
        calculations[terms.incentive] = {"percentage": "5"}
    return Pay(_dated(calculations, terms.since), job.on_shifts, case.hours if case else None)


def varying(seed: int, place: int, person: Body, end: date, terms: Terms) -> Calculations:
    """What is entered for the one payslip of the person at this place whose period ends on this day."""
    job, frequency, case = JOBS[person["job_title"]], terms.waves[person["wave_id"]], _case(place)
    if job is DIRECTOR:
        return {}
    random = _random(seed, place, end.isoformat())
    weeks = WEEKS_A_YEAR / PAYS_A_YEAR[frequency]
    found: dict[str, Inputs] = {}
    if case and case.is_casual:
        found["basic_salary"] = {"hours_input": str(round(random.uniform(12, 30) * weeks))}
    elif job.group != "manager" and random.random() < 0.2:
        found["basic_salary"] = {"overtime_hours_input": str(round(random.uniform(1, 5) * weeks))}
    if job is SALES:
        found["commission"] = {"commission_input": _each(random.randint(200, 1500), frequency)}
    if job.on_shifts and random.random() < 0.6:
        found[terms.nights] = {"quantity": str(round(random.uniform(0.5, 2.5) * weeks))}
    if random.random() < 0.03:
        found["reimbursement"] = {"amount": decimal_text(random.randint(800, 9000)), "description": "Taxi fares"}
    if random.random() < 0.02:
        found["unpaid_leave"] = {"days": "1"}
    if end.month == MONTHS_A_YEAR and frequency == "monthly":
        found["annual_wage_supplement"] = {"months": "1", "declaration_date": end.isoformat()}
    return found


def _basic(random: Random, person: Body, job: Job, frequency: Frequency, terms: Terms) -> Calculations:
    """By the month where it can be told beforehand, by days every other week, by hours every week."""
    if job is DIRECTOR:
        return {"directors_fee": {"amount": "2500.00", "approval_date": terms.since.isoformat()}}
    month = _salary(random, person, job)
    week_hours = SIX_DAYS_HOURS if job.on_shifts else FIVE_DAYS_HOURS
    hour = month * MONTHS_A_YEAR * 100 // (WEEKS_A_YEAR * week_hours) // 5 * 5
    if frequency == "weekly":
        return {"basic_salary": {"pay_type": "hourly", "hourly_rate": decimal_text(hour)}}
    if frequency == "fortnightly":
        return {"basic_salary": {"pay_type": "daily", "daily_rate": decimal_text(hour * 8)}}
    return {"basic_salary": {"pay_type": "monthly", "fixed_amount": _each(month, frequency)}}


def _salary(random: Random, person: Body, job: Job) -> int:
    """Dollars a month, in fifties."""
    least, most = job.salary
    month = round(random.triangular(least, most, (2 * least + most) / 3))
    holds = person.get("work_pass", "")
    if holds == "WP":
        month = month * WORK_PERMIT_PERCENT // 100
    return max(month, LEAST_SALARY.get(holds, 0)) // 50 * 50


def _levy(random: Random, person: Body) -> Calculations:
    """For holders of work permits and S Passes; the rates of the others are unknown or nothing."""
    holds = person.get("work_pass")
    if holds == "WP":
        skill = random.choice(("R1", "R2", "R2"))
        return {"foreign_worker_levy": {"sector": "services", "tier": random.choice("12"), "skill": skill}}
    return {"foreign_worker_levy": {"tier": "1"}} if holds == "SPASS" else {}


def _extras(random: Random, frequency: Frequency) -> Calculations:
    return {
        name: {extra.input: _each(extra.month, frequency), **dict(extra.more)}
        for name, extra in EXTRAS.items()
        if random.randrange(100) < extra.percent
    }


def _dated(calculations: Calculations, since: date) -> Calculations:
    """Loans and the like begin with the first month that is paid."""
    return {
        name: {**inputs, "start_date": since.isoformat()} if name in SYSTEM_TYPES and SYSTEM_TYPES[name].tracked else inputs
        for name, inputs in calculations.items()
    }


def _each(dollars_a_month: int, frequency: Frequency) -> str:
    """What a payslip has of an amount a month, in whole dollars."""
    return f"{max(dollars_a_month * MONTHS_A_YEAR // PAYS_A_YEAR[frequency], 1)}.00"


def _case(place: int) -> Archetype | None:
    return ROSTER[place] if place < len(ROSTER) else None


def _random(seed: int, place: int, subject: str) -> Random:
    return Random(f"{seed} {place} {subject}")  # noqa: S311 - repeatable on purpose
