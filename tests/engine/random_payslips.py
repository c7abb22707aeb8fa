"""Random companies: a pay period, custom items, and payslip inputs of employees of every status."""

import random
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gaji.engine.catalogue import ItemDefinition
from gaji.engine.payslip_input import (
    AdditionalWages,
    EmployeeDetails,
    LeaveEffects,
    MonthToDate,
    PayPeriod,
    PayslipInput,
    PreviousMonth,
    ServiceInterval,
    YearToDate,
)
from tests.engine.random_calculations import PAYMENTS, day_in, definitions, entries
from tests.engine.reference_treatment import FUNDS, TRACKED

STATUSES = ("CITIZEN", "PR", "FOREIGNER", "FOREIGNER_WP", "FD_MALAYSIA", "FD_OTHER")
RACES = ("CHINESE", "INDIAN", "EURASIAN", "MALAY", "OTHER", "CHINESE-INDIAN", "EURASIAN-CHINESE", "MALAY-SIKH")
RELIGIONS = ("NONE", "NONE", "ISLAM", "BUDDHISM")
A_DAY = timedelta(days=1)
PERIOD_LENGTHS = {52: timedelta(weeks=1), 26: timedelta(weeks=2)}
COVERED_FROM = date(2022, 1, 1)
"""The first day for which public holidays are known."""
LONG_AGO = date(2019, 4, 1)


@dataclass(frozen=True)
class Company:
    """The payslips of one pay period."""

    definitions: list[ItemDefinition]
    payslips: list[PayslipInput]


def company(rng: random.Random, people: int, month: tuple[int, int] | None = None) -> Company:
    """A random company, in a random month or in the given one."""
    items = definitions(rng)
    period = pay_period(rng, *(month or (rng.randint(2022, 2027), rng.randint(1, 12))))
    return Company(items, [payslip(rng, period, items) for _ in range(people)])


def pay_period(rng: random.Random, year: int, month: int) -> PayPeriod:
    """A period of any frequency that ends in the month."""
    last = date(year, month, monthrange(year, month)[1])
    periods_per_year = rng.choice((12, 12, 24, 26, 52))
    if periods_per_year == 24:
        first = rng.random() < 0.5
        start, end = (last.replace(day=1), last.replace(day=15)) if first else (last.replace(day=16), last)
    elif periods_per_year == 12:
        end = last if rng.random() < 0.8 else last.replace(day=25)
        start = end.replace(day=1) if end == last else (end.replace(day=1) - A_DAY).replace(day=26)
    else:
        end = last.replace(day=rng.randint(1, last.day))
        start = end - PERIOD_LENGTHS[periods_per_year] + A_DAY
    if start < COVERED_FROM:
        return pay_period(rng, year, month)
    next_end = end + (end - start + A_DAY)
    last_of_month = next_end.month != end.month
    apportionment = None
    if start.month != end.month:
        apportionment = rng.choice(("working_days", "working_days", "calendar_days", None))
    return PayPeriod(
        start,
        end,
        _pay_date(rng, end),
        periods_per_year,
        last_of_month=last_of_month,
        apportionment=apportionment,
    )


def _pay_date(rng: random.Random, end: date) -> date:
    return end + timedelta(days=rng.choice((0, 0, 0, 5, -3)))


def payslip(rng: random.Random, period: PayPeriod, items: list[ItemDefinition]) -> PayslipInput:
    """The payslip input of a random employee."""
    service, last_service_date = _service(rng, period)
    calculations = entries(rng, period, items)
    custom_deductions = [str(item.id) for item in items if item.kind == "deduction"]
    deductions = [*PAYMENTS, "notice_shortfall", "excess_leave", *custom_deductions]
    year_to_date, previous_month = _year_to_date(rng, period.end.month), None
    if period.apportionment or "overtime" in str(calculations.get("basic_salary")):
        before = period.end.replace(day=1) - A_DAY
        previous_month = PreviousMonth(
            _month_to_date(rng, period), _year_to_date(rng, before.month), rng.choice((0, 300_000))
        )
    return PayslipInput(
        period=period,
        employee=employee(rng, period),
        service=service,
        calculations=calculations,
        last_service_date=last_service_date,
        prorates_gross_rate=rng.random() < 0.7,
        ns_direct_scheme=rng.random() < 0.3,
        month_to_date=_month_to_date(rng, period),
        year_to_date=year_to_date,
        previous_month=previous_month,
        additional_by_month=_additional_by_month(rng, period, year_to_date),
        leave=LeaveEffects(excess_days=_excess_days(rng, period)),
        last_month_ordinary_cents=rng.randint(0, 900_000) if rng.random() < 0.5 else 0,
        instalments_cents={name: rng.randint(0, 400_000) for name in TRACKED if rng.random() < 0.1},
        carried_forward_cents={name: rng.randint(1, 50_000) for name in deductions if rng.random() < 0.04},
        last_of_month=not period.last_of_month if rng.random() < 0.2 else None,
        takes_previous_levy=period.apportionment is not None and rng.random() < 0.3,
    )


def employee(rng: random.Random, period: PayPeriod) -> EmployeeDetails:
    """A random employee. Birthdays, permanent residence and citizenship are often near the period."""
    status = rng.choices(STATUSES, weights=(40, 30, 10, 12, 3, 5))[0]
    pr_date = citizenship = work_pass = pass_from = pass_to = None
    if status == "PR" or (status == "CITIZEN" and rng.random() < 0.3):
        pr_date = _near(rng, period, (-1, 0, 0, 0, 1, 6, 11, 12, 13, 18, 23, 24, 25, 40))
    if status == "CITIZEN" and pr_date is not None and rng.random() < 0.8:
        citizenship = _near(rng, period, (-2, -1, 0, 0, 0, 1, 12))
    if status not in ("CITIZEN", "PR"):
        work_pass = {"FOREIGNER": rng.choice(("EP", "SPASS")), "FOREIGNER_WP": "WP"}.get(status, "OTHER")
        pass_from = _near(rng, period, (0, 1, 12)) if rng.random() < 0.5 else None
        pass_to = _near(rng, period, (-12, -1, 0)) if rng.random() < 0.3 else None
    return EmployeeDetails(
        birthdate=_near(
            rng, period, [12 * age + shift for age in (20, 40, 55, 60, 65, 70, 80) for shift in (-1, 0, 1)]
        ),
        legal_status=status,
        pr_date=pr_date,
        citizenship_date=citizenship,
        pr_cpf_rates=rng.choice(("GG", "GG", "FG", "FF")),
        race=rng.choice(RACES),
        religion=rng.choice(RELIGIONS),
        sdl_exempt=rng.random() < 0.04,
        cpf_exempt=rng.random() < 0.04,
        work_pass=work_pass,
        pass_from=pass_from,
        pass_to=pass_to,
        employment_act_group=rng.choice(("workman", "non_workman", "manager")),
    )


def _near(rng: random.Random, period: PayPeriod, months_ago: Sequence[int]) -> date:
    """A day in a month that is a number of months before the period's."""
    month = period.end.year * 12 + period.end.month - 1 - rng.choice(months_ago)
    return day_in(rng, month // 12, month % 12 + 1)


def _service(rng: random.Random, period: PayPeriod) -> tuple[list[ServiceInterval], date | None]:
    """The service intervals, and the recorded last day."""

    def random_day() -> date:
        return period.start + timedelta(days=rng.randint(0, (period.end - period.start).days))

    pick = rng.random()
    if pick < 0.55:
        return [ServiceInterval(LONG_AGO)], None
    if pick < 0.65:
        return [ServiceInterval(random_day())], None
    if pick < 0.8:
        last = random_day()
        return [ServiceInterval(LONG_AGO, last)], last
    if pick < 0.9:
        first, second = sorted((random_day(), random_day()))
        return [ServiceInterval(LONG_AGO, first), ServiceInterval(second + timedelta(days=1))], None
    if pick < 0.97:
        later = period.end + timedelta(days=rng.choice((1, 40, 200)))
        return [ServiceInterval(LONG_AGO, later)], later
    return [], period.start - timedelta(days=1)


def _month_to_date(rng: random.Random, period: PayPeriod) -> MonthToDate:
    """Totals of earlier payslips of the month: there are several periods in it, or a once-off payslip."""
    if rng.random() < (0.7 if period.periods_per_year == 12 else 0.3):
        return MonthToDate()
    ordinary, additional = rng.randint(0, 500_000), rng.randint(0, 300_000) if rng.random() < 0.3 else 0
    subject, additional_subject = rng.randint(0, ordinary), rng.randint(0, additional)
    return MonthToDate(
        ordinary=ordinary,
        ordinary_before=rng.randint(0, ordinary),
        additional=additional,
        additional_before=rng.randint(0, additional),
        ordinary_subject=subject,
        additional_subject=additional_subject,
        cpf_employee=(subject + additional_subject) // 500 * 100,
        cpf_employer=(subject + additional_subject) // 600 * 100,
        remuneration=ordinary + additional,
        sdl=min(max((ordinary + additional) // 400, 200), 1125),
        fund_wages=ordinary + additional,
        **{name: rng.choice((0, 50, 100, 650)) for name in FUNDS if rng.random() < 0.2},
        levy=rng.choice((0, 0, 0, 45_000)),
    )


def _additional_by_month(rng: random.Random, period: PayPeriod, year: YearToDate) -> dict[str, AdditionalWages]:
    """The additional wages of the year, in a few of its months and of the year before."""
    if rng.random() < 0.3:
        return {}
    paid, subject = year.additional, year.additional_subject
    months = {}
    for number in rng.sample(range(1, period.end.month), min(3, period.end.month - 1)):
        wages = AdditionalWages(rng.randint(0, paid), rng.randint(0, subject))
        months[f"{period.end.year}-{number:02d}"] = wages
        paid, subject = paid - wages.paid, subject - wages.subject
    if period.end.month == 1:
        months[f"{period.end.year - 1}-04"] = AdditionalWages(rng.randint(0, 3_000_000), rng.randint(0, 600_000))
    return months


def _excess_days(rng: random.Random, period: PayPeriod) -> dict[str, str]:
    """Days of leave beyond the entitlement in a few months up to that of the period's end."""
    days = {f"{period.end - timedelta(days=ago):%Y-%m}": rng.choice(("1", "0.5", "3")) for ago in (0, 31, 62)}
    return {month: number for month, number in sorted(days.items()) if rng.random() < 0.4}


def _year_to_date(rng: random.Random, month: int) -> YearToDate:
    if rng.random() < 0.4:
        return YearToDate()
    additional = rng.choice((0, rng.randint(0, 500_000), rng.randint(0, 9_000_000)))
    return YearToDate(rng.randint(0, 740_000 * (month - 1)), additional, rng.randint(0, additional))
