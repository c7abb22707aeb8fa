"""Guarantees of the contribution rules, as properties over random people and wages."""

import random
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import astuple, replace

from gaji.law import cpf, sdl, self_help_funds
from gaji.law.columns import Cents, cents, single_person
from gaji.law.months import Month
from gaji.law.rounding import CENTS_PER_DOLLAR
from tests.law import reference_contributions
from tests.law.random_people import BatchColumns, batch_columns, dollars, random_person
from tests.support.law import LAW

FIRST = Month(2016, 6)
MONTHS = st.integers(0, Month(2027, 12) - FIRST).map(lambda later: FIRST + later)
SEEDS = st.integers(0, 2**32)
MANY = 2_000


def batch_of(month: Month, seed: int, people: int) -> BatchColumns:
    """A random batch; the unchanged seed gives the unchanged batch."""
    rng = random.Random(seed)
    return batch_columns(LAW, month, [random_person(rng, month) for _ in range(people)])


def assess(month: Month, batch: BatchColumns) -> cpf.CpfAssessment:
    return cpf.assess(LAW.cpf, month, batch.cpf_members, batch.wages, batch.prior, batch.earlier)


def first_payslip(batch: BatchColumns) -> BatchColumns:
    return replace(batch, earlier=cpf.no_contributions(len(batch.total_wages_cents)))


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


@given(month=MONTHS, seed=SEEDS, increase=st.lists(st.integers(0, 300_000), min_size=200, max_size=200))
@settings(max_examples=60, deadline=None)
def test_more_ordinary_wages_never_lower_the_total_or_the_employee_share(
    month: Month, seed: int, increase: list[int]
) -> None:
    batch = first_payslip(batch_of(month, seed, 200))
    # The law is monotonic if the rate table does not change within the month, the estimate stays the same, and a
    # shortfall has the rates of the month: more ordinary wages leave less room for one of a month with higher rates.
    batch = replace(batch, prior=replace(batch.prior, left_out_cents=None, charged_cents=None))
    unchanged = replace(batch.wages, ordinary_before_cents=cents([0] * 200), additional_before_cents=cents([0] * 200))
    raised = replace(unchanged, ordinary_cents=unchanged.ordinary_cents + cents(increase))
    lower = assess(month, replace(batch, wages=unchanged)).liability
    higher = assess(month, replace(batch, wages=raised)).liability
    assert (higher.total_cents >= lower.total_cents).all()
    assert (higher.employee_cents >= lower.employee_cents).all()


@given(month=MONTHS, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_additional_wages_subject_to_cpf_are_within_bounds(month: Month, seed: int) -> None:
    batch = first_payslip(batch_of(month, seed, 200))
    subject = assess(month, batch).liability.additional_subject_cents
    left_out = np.maximum(batch.prior.additional_cents - batch.prior.additional_subject_cents, 0)
    assert (subject >= 0).all()
    assert (subject <= np.maximum(batch.wages.additional_cents + left_out, 0)).all()
    total_subject = batch.prior.ordinary_subject_cents + batch.prior.additional_subject_cents + subject
    within = total_subject <= LAW.cpf.annual_ceiling_cents.at(month).value
    assert (within | (subject == 0)).all()


def test_a_batch_equals_its_members() -> None:
    month = Month(2026, 5)
    batch = batch_of(month, 7, MANY)
    assessment = assess(month, batch)
    levies = sdl.levy_cents(LAW.sdl, month, batch.total_wages_cents, batch.sdl_exempt)
    funds = _funds(month, batch)
    for index in range(MANY):
        single = BatchColumns(*(_person_entries(value, index) for value in astuple(batch)))
        single_assessment = assess(month, single)
        assert _row(single_assessment.due, 0) == _row(assessment.due, index)
        assert _row(single_assessment.liability, 0) == _row(assessment.liability, index)
        assert _row(single_assessment.applicability, 0) == _row(assessment.applicability, index)
        assert sdl.levy_cents(LAW.sdl, month, single.total_wages_cents, single.sdl_exempt)[0] == levies[index]
        assert {fund: amount[0] for fund, amount in _funds(month, single).items()} == {
            fund: amount[index] for fund, amount in funds.items()
        }


@given(month=MONTHS, seed=SEEDS, payslips=st.integers(2, 5))
@settings(max_examples=100, deadline=None)
def test_the_payslips_of_a_month_add_up_to_the_month_paid_at_once(month: Month, seed: int, payslips: int) -> None:
    people = 50
    batch = first_payslip(batch_of(month, seed, people))
    batch = replace(batch, wages=_not_negative(batch.wages))
    whole_month = assess(month, batch).due
    rng = np.random.default_rng(seed)
    earlier = cpf.no_contributions(people)
    shares = np.sort(rng.integers(0, 101, size=(payslips - 1, people)), axis=0)
    for payslip in range(payslips):
        part = shares[payslip] if payslip < len(shares) else np.full(people, 100)
        wages = replace(
            batch.wages,
            ordinary_cents=batch.wages.ordinary_cents * part // 100,
            additional_cents=batch.wages.additional_cents * part // 100,
            # Wages from before citizenship are paid first.
            ordinary_before_cents=np.minimum(
                batch.wages.ordinary_before_cents, batch.wages.ordinary_cents * part // 100
            ),
            additional_before_cents=np.minimum(
                batch.wages.additional_before_cents, batch.wages.additional_cents * part // 100
            ),
        )
        due = assess(month, replace(batch, wages=wages, earlier=earlier)).due
        earlier = cpf.CpfContributions(
            earlier.ordinary_subject_cents + due.ordinary_subject_cents,
            earlier.additional_subject_cents + due.additional_subject_cents,
            earlier.employee_cents + due.employee_cents,
            earlier.employer_cents + due.employer_cents,
        )
    for index in range(people):
        assert _row(earlier, index) == _row(whole_month, index)


@given(month=MONTHS, seed=SEEDS)
@settings(max_examples=100, deadline=None)
def test_a_higher_estimate_within_the_month_causes_no_refund(month: Month, seed: int) -> None:
    people = 100
    batch = first_payslip(batch_of(month, seed, people))
    wages = _not_negative(batch.wages)
    none = np.zeros(people, dtype=np.int64)
    wages = replace(wages, ordinary_before_cents=none, additional_before_cents=none)
    # A shortfall at the higher rates of an earlier month can give way to wages at the lower rates of this one.
    batch = replace(batch, prior=replace(batch.prior, left_out_cents=None))
    half = replace(wages, ordinary_cents=wages.ordinary_cents // 2, expected_month_cents=wages.ordinary_cents // 2)
    first = assess(month, replace(batch, wages=half)).due
    grown = replace(wages, expected_month_cents=np.maximum(wages.ordinary_cents, half.expected_month_cents))
    second = assess(month, replace(batch, wages=grown, earlier=first)).due
    assert (second.employee_cents >= 0).all()
    assert (second.total_cents >= 0).all()
    # The employer's share can fall by the dollar that rounding moves to the employee.
    assert (second.employer_cents >= -CENTS_PER_DOLLAR).all()


@given(wages=st.integers(0, 2_000_000), age=st.sampled_from((30, 56, 61, 66, 75)), month=MONTHS)
@settings(deadline=None)
def test_the_total_is_rounded_to_the_nearest_dollar(wages: int, age: int, month: Month) -> None:
    person = reference_contributions.ReferencePerson(birthdate=(month + -12 * age).first_day)
    pay = reference_contributions.ReferenceWages(ordinary=dollars(wages))
    single_assessment = assess(month, batch_columns(LAW, month, [(person, pay)])).liability
    subject = min(dollars(wages), reference_contributions.ordinary_ceiling(month.year, month.month))
    counts_as = reference_contributions.cpf_age(month.year, month.month, person)
    total, employee = reference_contributions.shares([("T1", subject, (month.year, month.month), counts_as)])
    assert abs(dollars(int(single_assessment.total_cents[0])) - total) <= Fraction(1, 2)
    assert 0 <= employee - dollars(int(single_assessment.employee_cents[0])) < 1


def _funds(month: Month, batch: BatchColumns) -> dict[self_help_funds.Fund, Cents]:
    wages, parameters = batch.total_wages_cents, LAW.self_help_funds
    return self_help_funds.contributions_cents(parameters, month, batch.fund_members, wages, batch.elections)


def _person_entries(value: Any, index: int) -> Any:
    if isinstance(value, dict):
        return {key: single_person(record, index) for key, record in value.items()}
    return value[index : index + 1] if isinstance(value, np.ndarray) else single_person(value, index)


def _row(record: Struct, index: int) -> list[object]:
    """One person's entries of a record of columns."""
    return [str(column[index]) for column in astuple(record)]


def _not_negative(wages: cpf.MonthWages) -> cpf.MonthWages:
    ordinary, additional = np.maximum(wages.ordinary_cents, 0), np.maximum(wages.additional_cents, 0)
    return replace(wages, ordinary_cents=ordinary, additional_cents=additional)
