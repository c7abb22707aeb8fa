"""What can be relied on, whoever is paid whatever: properties over people and wages at random."""

import random
from dataclasses import fields, replace
from fractions import Fraction
from typing import TypeVar

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.law import cpf, registry, sdl, self_help_funds
from gaji.law.columns import CENTS_PER_DOLLAR, Cents, cents, single_person
from gaji.law.months import Month
from tests.law import plain
from tests.law.people_at_random import Columns, columns, dollars, one

LAW = registry.load()
FIRST = Month(2016, 6)
MONTHS = st.integers(0, Month(2027, 12) - FIRST).map(lambda later: FIRST + later)
SEEDS = st.integers(0, 2**32)
MANY = 2_000

Record = TypeVar("Record")


def batch_of(month: Month, seed: int, people: int) -> Columns:
    """People at random; the same seed gives the same."""
    at = random.Random(seed)
    return columns(LAW, month, [one(at, month) for _ in range(people)])


def assess(month: Month, batch: Columns) -> cpf.CpfAssessment:
    return cpf.assess(LAW.cpf, month, batch.people, batch.wages, batch.year, batch.taken)


def first_payslip(batch: Columns) -> Columns:
    return replace(batch, taken=cpf.no_contributions(len(batch.total_wages_cents)))


@given(month=MONTHS, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_employer_and_employee_make_the_total_which_is_in_whole_dollars(month: Month, seed: int) -> None:
    liability = assess(month, batch_of(month, seed, 200)).liability
    assert np.array_equal(liability.employer_cents + liability.employee_cents, liability.total_cents)
    for share in (liability.total_cents, liability.employee_cents, liability.employer_cents):
        assert (share >= 0).all()
        assert not (share % 100).any()


@given(month=MONTHS, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_the_employee_share_is_never_above_the_wages(month: Month, seed: int) -> None:
    liability = assess(month, batch_of(month, seed, 200)).liability
    wages = liability.ordinary_subject_cents + liability.additional_subject_cents
    assert (liability.employee_cents * 5 <= wages).all()


@given(month=MONTHS, seed=SEEDS, more=st.lists(st.integers(0, 300_000), min_size=200, max_size=200))
@settings(max_examples=60, deadline=None)
def test_more_ordinary_wages_never_lower_the_total_or_the_employee_share(
    month: Month, seed: int, more: list[int]
) -> None:
    batch = first_payslip(batch_of(month, seed, 200))
    # Without a change of tables in the month and with the estimate as it was, the law is monotonic.
    same = replace(batch.wages, ordinary_before_cents=cents([0] * 200), additional_before_cents=cents([0] * 200))
    raised = replace(same, ordinary_cents=same.ordinary_cents + cents(more))
    lower = assess(month, replace(batch, wages=same)).liability
    higher = assess(month, replace(batch, wages=raised)).liability
    assert (higher.total_cents >= lower.total_cents).all()
    assert (higher.employee_cents >= lower.employee_cents).all()


@given(month=MONTHS, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_additional_wages_never_bear_more_than_there_are_nor_less_than_nothing(month: Month, seed: int) -> None:
    batch = first_payslip(batch_of(month, seed, 200))
    subject = assess(month, batch).liability.additional_subject_cents
    left_out = np.maximum(batch.year.additional_cents - batch.year.additional_subject_cents, 0)
    assert (subject >= 0).all()
    assert (subject <= np.maximum(batch.wages.additional_cents + left_out, 0)).all()
    bearing = batch.year.ordinary_subject_cents + batch.year.additional_subject_cents + subject
    within = bearing <= LAW.cpf.annual_ceiling_cents.at(month).value
    assert (within | (subject == 0)).all()


def test_a_batch_gives_each_person_what_they_would_get_alone() -> None:
    month = Month(2026, 5)
    batch = batch_of(month, 7, MANY)
    together = assess(month, batch)
    levies = sdl.levy_cents(LAW.sdl, month, batch.total_wages_cents, batch.sdl_exempt)
    funds = _funds(month, batch)
    for place in range(MANY):
        alone = Columns(*(_one(getattr(batch, field.name), place) for field in fields(batch)))
        found = assess(month, alone)
        assert _row(found.due, 0) == _row(together.due, place)
        assert _row(found.liability, 0) == _row(together.liability, place)
        assert _row(found.applicability, 0) == _row(together.applicability, place)
        assert sdl.levy_cents(LAW.sdl, month, alone.total_wages_cents, alone.sdl_exempt)[0] == levies[place]
        assert {fund: amount[0] for fund, amount in _funds(month, alone).items()} == {
            fund: amount[place] for fund, amount in funds.items()
        }


@given(month=MONTHS, seed=SEEDS, payslips=st.integers(2, 5))
@settings(max_examples=100, deadline=None)
def test_the_payslips_of_a_month_add_up_to_the_month_paid_at_once(month: Month, seed: int, payslips: int) -> None:
    people = 50
    batch = first_payslip(batch_of(month, seed, people))
    batch = replace(batch, wages=_not_negative(batch.wages))
    at_once = assess(month, batch).due
    at = np.random.default_rng(seed)
    taken = cpf.no_contributions(people)
    shares = np.sort(at.integers(0, 101, size=(payslips - 1, people)), axis=0)
    for payslip in range(payslips):
        part = shares[payslip] if payslip < len(shares) else np.full(people, 100)
        wages = replace(
            batch.wages,
            ordinary_cents=batch.wages.ordinary_cents * part // 100,
            additional_cents=batch.wages.additional_cents * part // 100,
            # What was earned before citizenship is paid first.
            ordinary_before_cents=np.minimum(
                batch.wages.ordinary_before_cents, batch.wages.ordinary_cents * part // 100
            ),
            additional_before_cents=np.minimum(
                batch.wages.additional_before_cents, batch.wages.additional_cents * part // 100
            ),
        )
        due = assess(month, replace(batch, wages=wages, taken=taken)).due
        taken = cpf.CpfContributions(
            taken.ordinary_subject_cents + due.ordinary_subject_cents,
            taken.additional_subject_cents + due.additional_subject_cents,
            taken.employee_cents + due.employee_cents,
            taken.employer_cents + due.employer_cents,
        )
    for place in range(people):
        assert _row(taken, place) == _row(at_once, place)


@given(month=MONTHS, seed=SEEDS)
@settings(max_examples=100, deadline=None)
def test_an_estimate_that_rises_within_the_month_gives_nothing_back(month: Month, seed: int) -> None:
    people = 100
    batch = first_payslip(batch_of(month, seed, people))
    wages = _not_negative(batch.wages)
    none = np.zeros(people, dtype=np.int64)
    wages = replace(wages, ordinary_before_cents=none, additional_before_cents=none)
    half = replace(wages, ordinary_cents=wages.ordinary_cents // 2, expected_month_cents=wages.ordinary_cents // 2)
    first = assess(month, replace(batch, wages=half)).due
    grown = replace(wages, expected_month_cents=np.maximum(wages.ordinary_cents, half.expected_month_cents))
    second = assess(month, replace(batch, wages=grown, taken=first)).due
    assert (second.employee_cents >= 0).all()
    assert (second.total_cents >= 0).all()
    # Of the employer's share at most the dollar that rounding moves to the employee.
    assert (second.employer_cents >= -CENTS_PER_DOLLAR).all()


@given(wages=st.integers(0, 2_000_000), age=st.sampled_from((30, 56, 61, 66, 75)), month=MONTHS)
@settings(deadline=None)
def test_the_total_is_the_exact_one_to_the_nearest_dollar(wages: int, age: int, month: Month) -> None:
    person = plain.Person(birthdate=(month + -12 * age).first_day)
    pay = plain.Pay(ordinary=dollars(wages))
    found = assess(month, columns(LAW, month, [(person, pay)])).liability
    subject = min(dollars(wages), plain.ordinary_ceiling(month.year, month.month))
    counts_as = plain.age_of(month.year, month.month, person)
    total, employee = plain.shares(month.year, month.month, counts_as, [("T1", subject)])
    assert abs(dollars(int(found.total_cents[0])) - total) <= Fraction(1, 2)
    assert 0 <= employee - dollars(int(found.employee_cents[0])) < 1


def _funds(month: Month, batch: Columns) -> dict[self_help_funds.Fund, Cents]:
    wages, parameters = batch.total_wages_cents, LAW.self_help_funds
    return self_help_funds.contributions_cents(parameters, month, batch.givers, wages, batch.choices)


def _one(value: Record, place: int) -> Record:
    if isinstance(value, dict):
        return {key: single_person(each, place) for key, each in value.items()}  # type: ignore[return-value]
    return value[place : place + 1] if isinstance(value, np.ndarray) else single_person(value, place)  # type: ignore[return-value]


def _row(record: object, place: int) -> list[object]:
    """Everything that a record of columns says about one person."""
    return [str(getattr(record, field.name)[place]) for field in fields(record)]  # type: ignore[arg-type]


def _not_negative(wages: cpf.MonthWages) -> cpf.MonthWages:
    ordinary, additional = np.maximum(wages.ordinary_cents, 0), np.maximum(wages.additional_cents, 0)
    return replace(wages, ordinary_cents=ordinary, additional_cents=additional)
