"""Pay for an incomplete month, and what unpaid leave takes."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.law.columns import cents
from gaji.law.pay import incomplete_month
from gaji.law.pay.incomplete_month import RatePeriods, one_period_each
from gaji.law.quantities import counts
from tests.law import arithmetic, plain_pay
from tests.law.cases import Case, cases, in_cents
from tests.law.terms import dollars, one, stretches_of, whole

PAY = st.integers(0, 10**12 - 1)
HALF_DAYS = st.integers(1, 62)


@cases("pay_lines", "incomplete_month")
def test_incomplete_month(case: Case) -> None:
    stretches, of = stretches_of(case["parts"]), one(case["of"])
    explained = incomplete_month.explain("basic_salary", stretches, int(of[0]))
    assert incomplete_month.pay_cents(stretches, of).tolist() == [in_cents(case["pay"])]
    assert explained.amount_cents == in_cents(case["pay"])
    arithmetic.check_explained(explained)


@cases("pay_lines", "unpaid_leave")
def test_unpaid_leave(case: Case) -> None:
    days = [one(case[name]) for name in ("worked", "unpaid", "of")]
    explained = incomplete_month.explain_unpaid_leave(in_cents(case["monthly"]), *(int(column[0]) for column in days))
    taken = incomplete_month.unpaid_leave_cents(cents([in_cents(case["monthly"])]), *days)
    assert taken.tolist() == [explained.amount_cents] == [in_cents(case["takes"])]
    arithmetic.check_explained(explained)


def test_the_explanation_is_that_of_the_person_asked_for() -> None:
    stretches = RatePeriods(np.array([0, 1, 1]), cents([100_000, 300_000, 330_000]), counts([5000, 10_000, 12_000]))
    explained = incomplete_month.explain("basic_salary", stretches, 22_000, index=1)
    assert explained.inputs["monthly rates"] == "3000.00, 3300.00"
    assert explained.branch == "the month is complete, and each rate counts for its own days"
    assert explained.amount_cents == int(incomplete_month.pay_cents(stretches, counts([22_000, 22_000]))[1])


def test_whoever_has_no_stretch_gets_nothing() -> None:
    stretches = RatePeriods(np.array([1]), cents([300_000]), counts([22_000]))
    assert incomplete_month.pay_cents(stretches, counts([22_000, 22_000, 0])).tolist() == [0, 300_000, 0]


def test_more_days_than_the_month_has_are_refused() -> None:
    stretches = RatePeriods(np.array([0, 1, 1]), cents([1, 1, 1]), counts([22_000, 12_000, 10_500]))
    with pytest.raises(ValueError, match=r"people at \[1\]"):
        incomplete_month.pay_cents(stretches, counts([22_000, 22_000]))


@given(monthly=PAY, of=HALF_DAYS)
def test_a_complete_month_brings_the_whole_pay(monthly: int, of: int) -> None:
    assert incomplete_month.pay_cents(one_period_each(cents([monthly]), counts([of * 500])), counts([of * 500])) == [
        monthly
    ]


@given(monthly=PAY, of=HALF_DAYS, data=st.data())
def test_the_parts_of_a_month_add_up_within_a_cent_and_more_days_never_bring_less(
    monthly: int, of: int, data: st.DataObject
) -> None:
    some = data.draw(st.integers(0, of))
    pay = incomplete_month.pay_cents(
        one_period_each(cents([monthly] * 3), counts([some * 500, (of - some) * 500, of * 500])), counts([of * 500] * 3)
    )
    assert abs(int(pay[0] + pay[1]) - monthly) <= 1
    assert 0 <= pay[0] <= pay[2]


@given(monthly=PAY, of=HALF_DAYS, data=st.data())
def test_what_unpaid_leave_leaves_is_the_pay_of_the_other_days(monthly: int, of: int, data: st.DataObject) -> None:
    unpaid = data.draw(st.integers(0, of))
    column = cents([monthly])
    taken = incomplete_month.unpaid_leave_cents(column, counts([of * 500]), counts([unpaid * 500]), counts([of * 500]))
    left = incomplete_month.pay_cents(one_period_each(column, counts([(of - unpaid) * 500])), counts([of * 500]))
    assert (column - taken).tolist() == left.tolist()


def test_random_months_agree_with_the_plain_telling() -> None:
    at = random.Random(20)
    people, of = [], []
    rows: list[tuple[int, int, int]] = []
    for person in range(20_000):
        working = at.randrange(1, 63) * 500
        left = working
        for _ in range(at.randrange(4)):
            worked = at.choice((at.randrange(left + 1), at.randrange(left // 500 + 1) * 500))
            rows.append((person, at.choice((at.randrange(10**6), at.randrange(10**12))), worked))
            left -= worked
        people.append(person)
        of.append(working)
    stretches = RatePeriods(
        np.array([row[0] for row in rows]), cents([row[1] for row in rows]), counts([row[2] for row in rows])
    )
    paid = incomplete_month.pay_cents(stretches, counts(of))
    parts: dict[int, list[tuple[int, int]]] = {}
    for person, monthly, worked in rows:
        parts.setdefault(person, []).append((monthly, worked))
    for person in people:
        plain = [(dollars(monthly), whole(worked)) for monthly, worked in parts.get(person, [])]
        assert plain_pay.incomplete_month(plain, whole(of[person])) == dollars(int(paid[person])), plain
