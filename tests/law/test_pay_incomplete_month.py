"""Pay for an incomplete month and the deduction for unpaid leave."""

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.law.columns import cents
from gaji.law.pay import incomplete_month
from gaji.law.pay.incomplete_month import RatePeriods, one_period_each
from gaji.law.quantities import counts
from tests.law import arithmetic, reference_pay
from tests.law.cases import Case, cases, in_cents
from tests.law.pay_terms import case_periods, dollars, from_millis, milli_column

PAY = st.integers(0, 10**12 - 1)
HALF_DAYS = st.integers(1, 62)


@cases("pay_lines", "incomplete_month")
def test_incomplete_month(case: Case) -> None:
    periods, working = case_periods(case["parts"]), milli_column(case["working_days"])
    explanation = incomplete_month.explain("basic_salary", periods, int(working[0]))
    assert incomplete_month.pay_cents(periods, working).tolist() == [in_cents(case["pay"])]
    assert explanation.amount_cents == in_cents(case["pay"])
    arithmetic.check_explanation(explanation)


def test_the_explanation_is_for_the_person_at_the_index() -> None:
    periods = RatePeriods(np.array([0, 1, 1]), cents([100_000, 300_000, 330_000]), counts([5000, 10_000, 12_000]))
    explanation = incomplete_month.explain("basic_salary", periods, 22_000, index=1)
    assert explanation.inputs["monthly rates"] == "3000.00, 3300.00"
    assert explanation.branch == "the month is complete; each rate applies to its own days"
    assert explanation.amount_cents == int(incomplete_month.pay_cents(periods, counts([22_000, 22_000]))[1])


def test_a_person_without_periods_gets_zero() -> None:
    periods = RatePeriods(np.array([1]), cents([300_000]), counts([22_000]))
    assert incomplete_month.pay_cents(periods, counts([22_000, 22_000, 0])).tolist() == [0, 300_000, 0]


def test_more_days_than_the_month_has_are_rejected() -> None:
    periods = RatePeriods(np.array([0, 1, 1]), cents([1, 1, 1]), counts([22_000, 12_000, 10_500]))
    with pytest.raises(ValueError, match=r"people at index \[1\]"):
        incomplete_month.pay_cents(periods, counts([22_000, 22_000]))


@given(monthly=PAY, half_days=HALF_DAYS)
def test_a_complete_month_pays_the_full_amount(monthly: int, half_days: int) -> None:
    working = counts([half_days * 500])
    assert incomplete_month.pay_cents(one_period_each(cents([monthly]), working), working).tolist() == [monthly]


@given(monthly=PAY, half_days=HALF_DAYS, data=st.data())
def test_the_parts_of_a_month_add_up_within_a_cent_and_more_days_never_pay_less(
    monthly: int, half_days: int, data: st.DataObject
) -> None:
    worked = data.draw(st.integers(0, half_days))
    worked_millidays = counts([worked * 500, (half_days - worked) * 500, half_days * 500])
    periods = one_period_each(cents([monthly] * 3), worked_millidays)
    pay = incomplete_month.pay_cents(periods, counts([half_days * 500] * 3))
    assert abs(int(pay[0] + pay[1]) - monthly) <= 1
    assert 0 <= pay[0] <= pay[2]


def test_random_months_agree_with_the_reference() -> None:
    rng = random.Random(20)
    working_millidays: list[int] = []
    rows: list[tuple[int, int, int]] = []
    for person in range(20_000):
        remaining = rng.randrange(1, 63) * 500
        working_millidays.append(remaining)
        for _ in range(rng.randrange(4)):
            worked = rng.choice((rng.randrange(remaining + 1), rng.randrange(remaining // 500 + 1) * 500))
            rows.append((person, rng.choice((rng.randrange(10**6), rng.randrange(10**12))), worked))
            remaining -= worked
    periods = RatePeriods(
        np.array([row[0] for row in rows]), cents([row[1] for row in rows]), counts([row[2] for row in rows])
    )
    pay = incomplete_month.pay_cents(periods, counts(working_millidays))
    parts: dict[int, list[tuple[Fraction, Fraction]]] = {}
    for person, monthly, worked in rows:
        parts.setdefault(person, []).append((dollars(monthly), from_millis(worked)))
    for person, working in enumerate(working_millidays):
        expected = reference_pay.incomplete_month(parts.get(person, []), from_millis(working))
        assert expected == dollars(int(pay[person])), parts.get(person)
