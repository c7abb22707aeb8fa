"""The engine against the plain implementation: at random over all months, and at every edge of every table."""

import random
from datetime import date
from fractions import Fraction
from itertools import product

import pytest

from gaji.law import cpf, registry, sdl, self_help_funds
from gaji.law.columns import CENTS_PER_DOLLAR, codes, date_column, flags
from gaji.law.months import Month
from gaji.law.residency import LegalStatus
from tests.law import arithmetic, plain
from tests.law.people_at_random import FIRST_WITH_FUNDS, Columns, columns, dollars, one

FIRST, LAST = Month(2016, 1), Month(2027, 12)
MONTHS = [FIRST + later for later in range(LAST - FIRST + 1)]
A_MONTH = 720
"""People for each of the 144 months: more than 100,000 in all."""

RATE_MONTHS = [Month(year, 1) for year in (2016, 2022, 2023, 2024, 2025, 2026, 2027)] + [Month(2023, 9)]
ELECTED = {
    "T1": ("CITIZEN", 0, "GG"),
    "T2": ("PR", 6, "GG"),
    "T3": ("PR", 18, "GG"),
    "T4": ("PR", 6, "FG"),
    "T5": ("PR", 18, "FG"),
}
AGES = (30, 57, 62, 67, 75)


def assess(law: registry.Law, month: Month, batch: Columns) -> cpf.CpfAssessment:
    return cpf.assess(law.cpf, month, batch.people, batch.wages, batch.year, batch.taken)


@pytest.mark.parametrize("year", range(FIRST.year, LAST.year + 1))
def test_both_agree_on_people_at_random(year: int, law: registry.Law) -> None:
    for month in (each for each in MONTHS if each.year == year):
        at = random.Random(str(month))
        batch = [one(at, month) for _ in range(A_MONTH)]
        given = columns(law, month, batch)
        found = assess(law, month, given)
        rows = zip(
            found.liability.ordinary_subject_cents.tolist(),
            found.liability.additional_subject_cents.tolist(),
            found.due.employee_cents.tolist(),
            found.due.employer_cents.tolist(),
            sdl.levy_cents(law.sdl, month, given.total_wages_cents, given.sdl_exempt).tolist(),
            strict=True,
        )
        for (person, pay), (*shares, levy) in zip(batch, rows, strict=True):
            expected = plain.cpf(month.year, month.month, person, pay)
            assert plain.Cpf(*map(dollars, shares)) == expected, (month, person, pay)
            assert dollars(levy) == plain.sdl(person, pay.ordinary + pay.additional), (month, person, pay)
        if month >= FIRST_WITH_FUNDS:
            check_funds(law, month, batch, given)


def check_funds(law: registry.Law, month: Month, batch: list[tuple[plain.Person, plain.Pay]], given: Columns) -> None:
    wages, parameters = given.total_wages_cents, law.self_help_funds
    found = self_help_funds.contributions_cents(parameters, month, given.givers, wages, given.choices)
    by_fund = {fund.name: amounts.tolist() for fund, amounts in found.items()}
    for place, (person, pay) in enumerate(batch):
        expected = plain.funds(month.year, month.month, person, pay.ordinary + pay.additional)
        amounts = {fund: dollars(amounts[place]) for fund, amounts in by_fund.items() if amounts[place]}
        assert amounts == expected, (month, person, pay)


@pytest.mark.parametrize("month", [MONTHS[0], Month(2023, 9), Month(2025, 12), Month(2026, 5), MONTHS[-1]], ids=str)
def test_the_explanations_of_people_at_random_add_up(month: Month, law: registry.Law) -> None:
    at = random.Random(str(month))
    given = columns(law, month, [one(at, month) for _ in range(200)])
    due = assess(law, month, given).due
    for place in range(200):
        explained = cpf.explain(law.cpf, month, given.people, given.wages, given.year, given.taken, place)
        for each in explained:
            arithmetic.check_explained(each)
        shares = {each.figure: each.amount_cents for each in explained}
        assert shares["cpf_employee"] == due.employee_cents[place]
        assert shares["cpf_employer"] == due.employer_cents[place]


@pytest.mark.parametrize("month", RATE_MONTHS, ids=str)
def test_every_edge_of_every_table_from_below_at_and_above(month: Month, law: registry.Law) -> None:
    """Each bound of the wage bands and the ceiling, a cent less and a cent more, as wages alone and with a bonus."""
    ceiling = law.cpf.ordinary_wage_ceiling_cents.at(month).value
    edges = [edge + step for edge in (5_000, 50_000, 75_000, ceiling) for step in (-1, 0, 1)]
    edges += _rounding_edges(law, month)
    grid = list(product(ELECTED.values(), AGES, edges, (0, 4_000)))
    people = [_person(month, status, since, elected, age) for (status, since, elected), age, _, _ in grid]
    pays = [_pay(wages, additional) for *_, wages, additional in grid]
    found = assess(law, month, columns(law, month, list(zip(people, pays, strict=True)))).due
    for person, pay, employee, employer in zip(
        people, pays, found.employee_cents.tolist(), found.employer_cents.tolist(), strict=True
    ):
        expected = plain.cpf(month.year, month.month, person, pay)
        assert (dollars(employee), dollars(employer)) == (expected.employee, expected.employer), (month, person, pay)
        assert employee % CENTS_PER_DOLLAR == employer % CENTS_PER_DOLLAR == 0


def _rounding_edges(law: registry.Law, month: Month) -> list[int]:
    """Wages around which a total crosses half a dollar, or an employee's share a whole one."""
    edges = []
    for table in (table for table in cpf.RateTable if table != cpf.RateTable.NONE):
        for rates in law.cpf.rates(month, table).value:
            for dollar in (200, 333, 451):
                half = (2 * dollar + 1) * 5_000_000
                edges += [half // rates.total + step for step in (0, 1)]
                edges += [dollar * 10_000_000 // rates.employee + step for step in (0, 1)]
    return sorted(set(edges))


def _person(month: Month, status: str, months_since: int, elected: str, age: int) -> plain.Person:
    pr_date = (month + -months_since).first_day if status == "PR" else None
    return plain.Person(
        birthdate=date(month.year - age, month.month, 1), legal_status=status, pr_date=pr_date, pr_cpf_rates=elected
    )


def _pay(wages_cents: int, additional_cents: int) -> plain.Pay:
    ordinary = dollars(wages_cents - additional_cents)
    return plain.Pay(ordinary=ordinary, additional=dollars(additional_cents), expected_month=Fraction(0))


def test_every_birthday_from_the_month_before_to_the_month_after(law: registry.Law) -> None:
    for age, month, day, later in product((55, 60, 65, 70), range(1, 13), (1, 15, 28), (-1, 0, 1)):
        born = date(2026 - age, month, day)
        wage_month = Month(2026, month) + later
        (group,) = cpf.age_groups(wage_month, date_column([born]))
        passed = (55, 60, 65, 70).index(age) + (1 if later == 1 else 0)
        assert group == passed, (born, wage_month)


@pytest.mark.parametrize("elected", ["GG", "FG", "FF"])
def test_every_anniversary_from_the_month_before_to_the_month_after(elected: str, law: registry.Law) -> None:
    in_years = {"GG": ("NONE", "T2", "T3", "T1"), "FG": ("NONE", "T4", "T5", "T1"), "FF": ("NONE", "T1", "T1", "T1")}
    for month, day, anniversary, later in product(range(1, 13), (1, 15, 28), (0, 1, 2), (-1, 0, 1)):
        pr_date = date(2024, month, day)
        wage_month = Month(2024 + anniversary, month) + later
        people = cpf.CpfMembers(
            date_column([date(1990, 1, 1)]),
            codes([LegalStatus.PR]),
            date_column([pr_date]),
            date_column([None]),
            codes([cpf.PrRateElection[elected]]),
            flags([False]),
        )
        applying = cpf.applicability(wage_month, people)
        # The month in which it begins is already in the first year; later anniversaries end their year.
        year = int(later >= 0) if anniversary == 0 else anniversary + int(later == 1)
        assert cpf.RateTable(applying.tables[0]).name == in_years[elected][year], (pr_date, wage_month)


def test_the_plain_tables_are_complete() -> None:
    assert len(plain._lines("plain_cpf.txt")) == 7 * 5 * 5
    assert len(plain._lines("plain_funds.txt")) == 5 + 7 + 8 + 8
