"""The opening balances of the demo employees: everyone who was paid earlier in the year has them."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

import pytest

from gaji.core.law_loader import current_law
from gaji.demo.calendar import first_day, wave_bodies
from gaji.demo.create_employees import list_service
from gaji.demo.opening_balances import DemoEmployment, plan_balances
from gaji.demo.pay import CompanyPayTerms, PayPlan, plan_pay
from gaji.demo.people import EmployeeBody, generate_people
from gaji.demo.roster import ROSTER, Departure
from gaji.engine.payslip_input import ServiceInterval
from gaji.engine.periods import schedule_from_first_end
from gaji.people.take_on.schemas import TakeOnInput
from tests.demo.test_pay import CONTEXT, TERMS

SINCE_2020 = (ServiceInterval(date(2020, 1, 1)),)
"""Service of the whole year."""
CITIZEN: EmployeeBody = {"birthdate": "1990-05-05", "legal_status": "CITIZEN", "race": "CHINESE"}
BAND_T2_EMPLOYEE = 5
"""Percent of wages that permanent residents contribute in the first year."""


def terms_on(today: date, months: int) -> CompanyPayTerms:
    """The terms of a demo that is created on a day."""
    since = first_day(today, months)
    starts = {}
    for frequency, wave in wave_bodies(since).items():
        end = date.fromisoformat(wave["first_end_date"])
        days = (wave.get(name) for name in ("last_day_of_month", "interim_day_of_month"))
        schedule = schedule_from_first_end(frequency, end, *days)
        starts[CONTEXT.waves[frequency]] = schedule.start(schedule.offset(end))
    return replace(TERMS, since=since, first_days=starts)


def balances_of(
    body: EmployeeBody, plan: PayPlan, wave_id: int = 1, service: Sequence[ServiceInterval] = SINCE_2020
) -> TakeOnInput:
    """The balances of one employee, who is paid here from 1 August 2026, or with a period that begins in July."""
    employment = DemoEmployment({**body, "wave_id": wave_id}, plan, service)
    return plan_balances(current_law().cpf, TERMS, {1: employment})[1]


def monthly_plan(amount: str, **others: Mapping[str, str]) -> PayPlan:
    return PayPlan({"basic_salary": {"pay_type": "monthly", "fixed_amount": amount}, **others}, False, None)


@pytest.mark.parametrize("months", [0, 1, 3, 12])
@pytest.mark.parametrize("month", range(1, 13))
def test_everyone_who_served_earlier_in_the_year_has_balances(month: int, months: int) -> None:
    today = date(2026, month, monthrange(2026, month)[1])
    terms, context = terms_on(today, months), replace(CONTEXT, today=today)
    employments, expected = {}, set()
    for index, body in enumerate(generate_people(1, 120, context)):
        departure = ROSTER[index].departure if index < len(ROSTER) else None
        service, start = list_service(body, departure, today), terms.first_days[body["wave_id"]]
        employments[index] = DemoEmployment(body, plan_pay(1, index, body, terms), service)
        january = date(terms.since.year, 1, 1)
        if any(item.start < start and january < start and (item.end or start) >= january for item in service):
            expected.add(index)
    balances = plan_balances(current_law().cpf, terms, employments)
    assert balances.keys() == expected
    assert bool(expected) == (terms.since.month > 1)
    for item in balances.values():
        assert item.year == terms.since.year
        assert 0 <= item.ordinary_wages_subject_cents <= item.ordinary_wages_cents
        assert bool(item.ordinary_wages_subject_cents) >= bool(item.cpf_employee_cents)
        assert item.ir8a_cents
        assert sum(item.ir8a_cents.values()) >= item.ordinary_wages_cents


def test_the_contributions_are_those_of_whole_months() -> None:
    transport = {"amount": "150.00"}
    assert balances_of(CITIZEN, monthly_plan("4000.00", transport_allowance=transport)) == TakeOnInput(
        year=2026,
        ordinary_wages_cents=7 * 4150_00,
        ordinary_wages_subject_cents=7 * 4150_00,
        # 37 % of 4,150 is 1,535.5, rounded 1,536, of which 20 % are the employee's.
        cpf_employee_cents=7 * 830_00,
        cpf_employer_cents=7 * 706_00,
        ir8a_cents={"a": 7 * 4000_00, "d1_transport": 7 * 150_00},
    )


def test_wages_above_the_ceiling_are_not_subject_to_cpf() -> None:
    balances = balances_of(CITIZEN, monthly_plan("9000.00"))
    assert (balances.ordinary_wages_cents, balances.ordinary_wages_subject_cents) == (7 * 9000_00, 7 * 8000_00)


def test_a_part_of_a_month_counts_by_its_days() -> None:
    service = [ServiceInterval(date(2026, 1, 1), date(2026, 3, 31)), ServiceInterval(date(2026, 6, 16))]
    balances = balances_of(CITIZEN, monthly_plan("4000.00"), service=service)
    assert balances.ordinary_wages_cents == (3 + 1) * 4000_00 + 2000_00


def test_days_of_the_first_period_are_not_counted() -> None:
    # The fortnight that ends on 2 August begins on 20 July: 19 of 31 days are left. 20.00 × 40 × 52 ÷ 12 a month.
    plan = PayPlan({"basic_salary": {"pay_type": "daily", "daily_rate": "160.00"}}, False, None)
    balances = balances_of(CITIZEN, plan, wave_id=3)
    assert balances.ordinary_wages_cents == 6 * 3466_66 + 3466_66 * 19 // 31


def test_permanent_residents_contribute_from_the_day_of_residence() -> None:
    resident = {**CITIZEN, "legal_status": "PR", "pr_date": "2026-06-16"}
    balances = balances_of(resident, monthly_plan("4000.00"))
    assert balances.ordinary_wages_cents == 7 * 4000_00
    assert balances.ordinary_wages_subject_cents == 6000_00
    assert balances.cpf_employee_cents == 6000_00 * BAND_T2_EMPLOYEE // 100


def test_foreigners_have_wages_and_no_contributions() -> None:
    balances = balances_of({**CITIZEN, "legal_status": "FOREIGNER", "work_pass": "EP"}, monthly_plan("4000.00"))
    assert balances.ordinary_wages_cents == 7 * 4000_00
    assert balances.ordinary_wages_subject_cents == balances.cpf_employee_cents == balances.cpf_employer_cents == 0


def test_directors_have_fees_and_no_wages() -> None:
    plan = PayPlan({"directors_fee": {"amount": "2500.00", "approval_date": "2026-08-01"}}, False, None)
    balances = balances_of({**CITIZEN, "legal_status": "FD_OTHER"}, plan)
    assert (balances.ordinary_wages_cents, balances.ir8a_cents) == (0, {"c": 7 * 2500_00})


def test_an_employee_who_came_back_has_two_times_of_service() -> None:
    departure = Departure(1, months=-8, back_in_months=-5)
    service = list_service({"appointment_date": "2024-01-01"}, departure, date(2026, 11, 15))
    assert service == [
        ServiceInterval(date(2024, 1, 1), date(2026, 3, 31)),
        ServiceInterval(date(2026, 6, 1)),
    ]
