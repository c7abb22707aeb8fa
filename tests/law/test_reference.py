"""The law compared with the reference: random people in all months, and the boundaries of every table."""

import random
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import product

import pytest

from gaji.law import cpf, registry
from gaji.law.columns import codes, date_column, flags
from gaji.law.cpf.parameters import CpfRates
from gaji.law.months import Month
from gaji.law.residency import LegalStatus
from gaji.law.rounding import CENTS_PER_DOLLAR
from tests.law import arithmetic, reference_contributions
from tests.law.random_people import batch_columns, dollars, random_person
from tests.law.reference_comparison import FIRST, LAST, MONTHS, assess, compare_with_reference

PEOPLE_PER_MONTH = 120
"""In each of the 144 months. `make torture` compares more than 100,000 others."""

RATE_MONTHS = [Month(year, 1) for year in (2016, 2022, 2023, 2024, 2025, 2026, 2027)] + [Month(2023, 9)]
ELECTED = {
    "T1": ("CITIZEN", 0, "GG"),
    "T2": ("PR", 6, "GG"),
    "T3": ("PR", 18, "GG"),
    "T4": ("PR", 6, "FG"),
    "T5": ("PR", 18, "FG"),
}
AGES = (30, 57, 62, 67, 75)


@pytest.mark.parametrize("year", range(FIRST.year, LAST.year + 1))
def test_random_people_agree_with_the_reference(year: int, law: registry.Law) -> None:
    for month in (month for month in MONTHS if month.year == year):
        compare_with_reference(law, month, random.Random(str(month)), PEOPLE_PER_MONTH)


@pytest.mark.parametrize("month", [MONTHS[0], Month(2023, 9), Month(2025, 12), Month(2026, 5), MONTHS[-1]], ids=str)
def test_the_explanations_of_random_people_are_correct(month: Month, law: registry.Law) -> None:
    rng = random.Random(str(month))
    columns = batch_columns(law, month, [random_person(rng, month) for _ in range(200)])
    due = assess(law, month, columns).due
    for index in range(200):
        explanations = cpf.explain(
            law.cpf, month, columns.cpf_members, columns.wages, columns.prior, columns.earlier, index
        )
        for explanation in explanations:
            arithmetic.check_explanation(explanation)
        shares = {explanation.figure: explanation.amount_cents for explanation in explanations}
        assert shares["cpf_employee"] == due.employee_cents[index]
        assert shares["cpf_employer"] == due.employer_cents[index]


@pytest.mark.parametrize("month", RATE_MONTHS, ids=str)
def test_every_boundary_of_every_table_a_cent_below_at_and_above(month: Month, law: registry.Law) -> None:
    """Covers every wage band and the ceiling, without and with additional wages."""
    ceiling = law.cpf.ordinary_wage_ceiling_cents.at(month).value
    bands = [boundary + step for boundary in (5_000, 50_000, 75_000, ceiling) for step in (-1, 0, 1)]
    grid = [
        (election, age, wages, additional)
        for (table, election), (group, age) in product(ELECTED.items(), enumerate(AGES))
        for wages in [*bands, *_rounding_boundaries(law.cpf.rates(month, cpf.RateTable[table]).value[group])]
        for additional in (0, 4_000)
    ]
    people = [_person(month, status, since, elected, age) for (status, since, elected), age, _, _ in grid]
    pays = [_pay(wages, additional) for *_, wages, additional in grid]
    due = assess(law, month, batch_columns(law, month, list(zip(people, pays, strict=True)))).due
    for person, pay, employee, employer in zip(
        people, pays, due.employee_cents.tolist(), due.employer_cents.tolist(), strict=True
    ):
        expected = reference_contributions.cpf(month.year, month.month, person, pay)
        assert (dollars(employee), dollars(employer)) == (expected.employee, expected.employer), (month, person, pay)
        assert employee % CENTS_PER_DOLLAR == employer % CENTS_PER_DOLLAR == 0


def _rounding_boundaries(rates: CpfRates) -> Iterator[int]:
    """Yield wages at which a total crosses half a dollar, or an employee's share a whole dollar."""
    for dollar in (200, 333, 451):
        half = (2 * dollar + 1) * 5_000_000
        yield from (half // rates.total + step for step in (0, 1))
        yield from (dollar * 10_000_000 // rates.employee + step for step in (0, 1))


def _person(
    month: Month, status: str, months_since: int, elected: str, age: int
) -> reference_contributions.ReferencePerson:
    pr_date = (month + -months_since).first_day if status == "PR" else None
    return reference_contributions.ReferencePerson(
        birthdate=date(month.year - age, month.month, 1), legal_status=status, pr_date=pr_date, pr_cpf_rates=elected
    )


def _pay(wages_cents: int, additional_cents: int) -> reference_contributions.ReferenceWages:
    ordinary = dollars(wages_cents - additional_cents)
    return reference_contributions.ReferenceWages(
        ordinary=ordinary, additional=dollars(additional_cents), expected_month=Fraction(0)
    )


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
        applicable = cpf.applicability(wage_month, people)
        # The first month is in year 1. Later anniversaries end their year.
        year = int(later >= 0) if anniversary == 0 else anniversary + int(later == 1)
        assert cpf.RateTable(applicable.tables[0]).name == in_years[elected][year], (pr_date, wage_month)


def test_the_reference_tables_are_complete() -> None:
    assert len(reference_contributions._lines("reference_cpf.txt")) == 7 * 5 * 5
    assert len(reference_contributions._lines("reference_funds.txt")) == 5 + 7 + 8 + 8
