"""Companies at random: a pay period, custom items, and people of every status with all that a payslip goes by."""

import random
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gaji.engine.payslip_input import PayslipInput, MonthToDate, PayPeriod, EmployeeDetails, ServiceInterval, YearToDate
from gaji.engine.catalogue import ItemDefinition
from tests.engine.calculations_at_random import PAYMENTS, day_in, definitions, entries
from tests.engine.plain_treatment import FUNDS, TRACKED

STATUSES = ("CITIZEN", "PR", "FOREIGNER", "FOREIGNER_WP", "FD_MALAYSIA", "FD_OTHER")
RACES = ("CHINESE", "INDIAN", "EURASIAN", "MALAY", "OTHER", "CHINESE-INDIAN", "EURASIAN-CHINESE", "MALAY-SIKH")
RELIGIONS = ("NONE", "NONE", "ISLAM", "BUDDHISM")
A_DAY = timedelta(days=1)
LENGTHS = {52: timedelta(weeks=1), 26: timedelta(weeks=2)}
COVERED_FROM = date(2022, 1, 1)
"""By the public holidays."""
LONG_AGO = date(2019, 4, 1)


@dataclass(frozen=True)
class Company:
    """The cases of one pay period."""

    definitions: list[ItemDefinition]
    cases: list[PayslipInput]


def company(at: random.Random, people: int, month: tuple[int, int] | None = None) -> Company:
    """A company with so many people, in a month of its own or in a given one."""
    custom = definitions(at)
    period = pay_period(at, *(month or (at.randint(2022, 2027), at.randint(1, 12))))
    return Company(custom, [case(at, period, custom) for _ in range(people)])


def pay_period(at: random.Random, year: int, month: int) -> PayPeriod:
    """A period of any wave that ends in a month."""
    last = date(year, month, monthrange(year, month)[1])
    pays = at.choice((12, 12, 24, 26, 52))
    if pays == 24:
        first = at.random() < 0.5
        start, end = (last.replace(day=1), last.replace(day=15)) if first else (last.replace(day=16), last)
    elif pays == 12:
        end = last if at.random() < 0.8 else last.replace(day=25)
        start = end.replace(day=1) if end == last else (end.replace(day=1) - A_DAY).replace(day=26)
    else:
        end = last.replace(day=at.randint(1, last.day))
        start = end - LENGTHS[pays] + A_DAY
    if start < COVERED_FROM:
        return pay_period(at, year, month)
    following = end + (end - start + A_DAY)
    return PayPeriod(start, end, _pay_date(at, end), pays, last_of_month=following.month != end.month)


def _pay_date(at: random.Random, end: date) -> date:
    return end + timedelta(days=at.choice((0, 0, 0, 5, -3)))


def case(at: random.Random, period: PayPeriod, custom: list[ItemDefinition]) -> PayslipInput:
    """One person's payslip."""
    service, leaving = _service(at, period)
    calculations = entries(at, period, custom)
    carrying = [*PAYMENTS, "notice_shortfall", *(str(one.id) for one in custom if one.kind == "deduction")]
    return PayslipInput(
        period=period,
        employee=person(at, period),
        service=service,
        calculations=calculations,
        last_service_date=leaving,
        month_to_date=_earlier(at, period),
        year_to_date=_year(at, period),
        last_month_ordinary_cents=at.randint(0, 900_000) if at.random() < 0.5 else 0,
        instalments_cents={name: at.randint(0, 400_000) for name in TRACKED if at.random() < 0.1},
        carried_forward_cents={name: at.randint(1, 50_000) for name in carrying if at.random() < 0.04},
    )


def person(at: random.Random, period: PayPeriod) -> EmployeeDetails:
    """Someone of any status; birthdays, permanent residence and citizenship are often near the period."""
    status = at.choices(STATUSES, weights=(40, 30, 10, 12, 3, 5))[0]
    pr_date = citizenship = work_pass = pass_from = pass_to = None
    if status == "PR" or (status == "CITIZEN" and at.random() < 0.3):
        pr_date = _near(at, period, (-1, 0, 0, 0, 1, 6, 11, 12, 13, 18, 23, 24, 25, 40))
    if status == "CITIZEN" and pr_date is not None and at.random() < 0.8:
        citizenship = _near(at, period, (-2, -1, 0, 0, 0, 1, 12))
    if status not in ("CITIZEN", "PR"):
        work_pass = {"FOREIGNER": at.choice(("EP", "SPASS")), "FOREIGNER_WP": "WP"}.get(status, "OTHER")
        pass_from = _near(at, period, (0, 1, 12)) if at.random() < 0.5 else None
        pass_to = _near(at, period, (-12, -1, 0)) if at.random() < 0.3 else None
    return EmployeeDetails(
        birthdate=_near(at, period, [12 * age + near for age in (20, 40, 55, 60, 65, 70, 80) for near in (-1, 0, 1)]),
        legal_status=status,
        pr_date=pr_date,
        citizenship_date=citizenship,
        pr_cpf_rates=at.choice(("GG", "GG", "FG", "FF")),
        race=at.choice(RACES),
        religion=at.choice(RELIGIONS),
        sdl_exempt=at.random() < 0.04,
        cpf_exempt=at.random() < 0.04,
        work_pass=work_pass,
        pass_from=pass_from,
        pass_to=pass_to,
        employment_act_group=at.choice(("workman", "non_workman", "manager")),
    )


def _near(at: random.Random, period: PayPeriod, months_ago: Sequence[int]) -> date:
    """A day in a month so long before the period's."""
    month = period.end.year * 12 + period.end.month - 1 - at.choice(months_ago)
    return day_in(at, month // 12, month % 12 + 1)


def _service(at: random.Random, period: PayPeriod) -> tuple[list[ServiceInterval], date | None]:
    """The stretches of service, and the recorded last day."""

    def day() -> date:
        return period.start + timedelta(days=at.randint(0, (period.end - period.start).days))

    how = at.random()
    if how < 0.55:
        return [ServiceInterval(LONG_AGO)], None
    if how < 0.65:
        return [ServiceInterval(day())], None
    if how < 0.8:
        last = day()
        return [ServiceInterval(LONG_AGO, last)], last
    if how < 0.9:
        first, second = sorted((day(), day()))
        return [ServiceInterval(LONG_AGO, first), ServiceInterval(second + timedelta(days=1))], None
    if how < 0.97:
        later = period.end + timedelta(days=at.choice((1, 40, 200)))
        return [ServiceInterval(LONG_AGO, later)], later
    return [], period.start - timedelta(days=1)


def _earlier(at: random.Random, period: PayPeriod) -> MonthToDate:
    """What earlier payslips of the month came to: where there are several, or where there was a once-off one."""
    if at.random() < (0.7 if period.periods_per_year == 12 else 0.3):
        return MonthToDate()
    ordinary, additional = at.randint(0, 500_000), at.randint(0, 300_000) if at.random() < 0.3 else 0
    subject, additional_subject = at.randint(0, ordinary), at.randint(0, additional)
    return MonthToDate(
        ordinary=ordinary,
        ordinary_before=at.randint(0, ordinary),
        additional=additional,
        additional_before=at.randint(0, additional),
        ordinary_subject=subject,
        additional_subject=additional_subject,
        cpf_employee=(subject + additional_subject) // 500 * 100,
        cpf_employer=(subject + additional_subject) // 600 * 100,
        remuneration=ordinary + additional,
        sdl=min(max((ordinary + additional) // 400, 200), 1125),
        fund_wages=ordinary + additional,
        **{name: at.choice((0, 50, 100, 650)) for name in FUNDS if at.random() < 0.2},
        levy=at.choice((0, 0, 0, 45_000)),
    )


def _year(at: random.Random, period: PayPeriod) -> YearToDate:
    if at.random() < 0.4:
        return YearToDate()
    additional = at.choice((0, at.randint(0, 500_000), at.randint(0, 9_000_000)))
    return YearToDate(at.randint(0, 740_000 * (period.end.month - 1)), additional, at.randint(0, additional))
