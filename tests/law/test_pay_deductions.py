"""Limits of deductions from a salary."""

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gaji.law import registry
from gaji.law.columns import cents, flags
from gaji.law.months import Month
from gaji.law.pay import DeductionKind, deductions
from tests.law import reference_pay
from tests.law.cases import Case, cases, in_cents
from tests.law.pay_terms import dollars
from tests.support.law import LAW

MONTH = Month(2026, 1)
EXCLUDED = LAW.pay.excluded_deductions.at(MONTH).value


@cases("pay_deductions", "of_kind")
def test_one_kind(case: Case, law: registry.Law) -> None:
    kind, salary = DeductionKind[case["kind"]], cents([in_cents(case["salary"])])
    assert deductions.max_kind_cents(law.pay, MONTH, kind, salary).tolist() == [in_cents(case["max"])]


@cases("pay_deductions", "in_total")
def test_in_total(case: Case, law: registry.Law) -> None:
    salary, last = cents([in_cents(case["salary"])]), flags([case.get("last", False)])
    amounts = {DeductionKind[kind]: cents([in_cents(amount)]) for kind, amount in case["deductions"].items()}
    assert deductions.max_total_cents(law.pay, MONTH, salary, amounts, last).tolist() == [in_cents(case["max"])]


def test_the_deductions_that_the_limit_excludes_are_a_switch(tmp_path: Path) -> None:
    (tmp_path / "pay.toml").write_text(
        "[outside_total_deductions]\nvalues = [{ from = 2019-04-01, value = ['absence'], source = 'our lawyer' }]\n"
    )
    law, amounts = registry.load(tmp_path), {DeductionKind.LOAN: cents([70_000])}
    maximum = deductions.max_total_cents(law.pay, MONTH, cents([300_000]), amounts, flags([False]))
    assert maximum.tolist() == [150_000]


def test_random_salaries_agree_with_the_reference() -> None:
    rng, people = random.Random(32), 10_000
    salary = cents([rng.randrange(10**7) for _ in range(people)])
    amounts = {kind: cents([rng.choice((0, rng.randrange(10**6))) for _ in range(people)]) for kind in DeductionKind}
    last = flags([rng.random() < 0.2 for _ in range(people)])
    maximum = deductions.max_total_cents(LAW.pay, MONTH, salary, amounts, last)
    for index in range(people):
        excluded = sum(int(amounts[kind][index]) for kind in EXCLUDED)
        expected = reference_pay.max_deductions(dollars(int(salary[index])), dollars(excluded), bool(last[index]))
        assert expected == dollars(int(maximum[index]))


@given(salary=st.integers(-100, 10**9), more=st.integers(0, 10**9), last=st.booleans())
def test_a_larger_salary_never_allows_less_and_never_more_than_itself(salary: int, more: int, last: bool) -> None:
    column, last_salary = cents([salary, salary + more]), flags([last, last])
    maximums = [deductions.max_kind_cents(LAW.pay, MONTH, kind, column) for kind in DeductionKind]
    maximums.append(deductions.max_total_cents(LAW.pay, MONTH, column, {}, last_salary))
    for maximum in maximums:
        lower, higher = maximum.tolist()
        assert 0 <= lower <= higher <= max(salary + more, 0)
