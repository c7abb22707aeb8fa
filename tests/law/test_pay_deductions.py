"""The most that may be deducted from a salary."""

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gaji.law import registry
from gaji.law.columns import cents, flags
from gaji.law.months import Month
from gaji.law.pay import DeductionKind, deductions
from tests.law import arithmetic, plain_pay
from tests.law.cases import Case, cases, in_cents
from tests.law.terms import dollars

LAW = registry.load()
MONTH = Month(2026, 1)
OUTSIDE = LAW.pay.excluded_deductions.at(MONTH).value


@cases("pay_deductions", "of_kind")
def test_one_kind(case: Case, law: registry.Law) -> None:
    kind, salary = DeductionKind[case["kind"]], in_cents(case["salary"])
    explained = deductions.explain_kind(law.pay, MONTH, kind, salary)
    most = deductions.max_kind_cents(law.pay, MONTH, kind, cents([salary]))
    assert most.tolist() == [explained.amount_cents] == [in_cents(case["most"])]
    arithmetic.check_explained(explained)


@cases("pay_deductions", "in_total")
def test_in_total(case: Case, law: registry.Law) -> None:
    salary, last = in_cents(case["salary"]), case.get("last", False)
    taken = {DeductionKind[kind]: in_cents(amount) for kind, amount in case["deductions"].items()}
    columns = {kind: cents([amount]) for kind, amount in taken.items()}
    explained = deductions.explain_total(law.pay, MONTH, salary, taken, last)
    most = deductions.max_total_cents(law.pay, MONTH, cents([salary]), columns, flags([last]))
    beyond = deductions.excess_cents(law.pay, MONTH, cents([salary]), columns, flags([last]))
    assert most.tolist() == [explained.amount_cents] == [in_cents(case["most"])]
    assert beyond.tolist() == [in_cents(case["beyond"])]
    arithmetic.check_explained(explained)


@cases("pay_deductions", "instalments")
def test_instalments(case: Case, law: registry.Law) -> None:
    owed, salary = cents([in_cents(case["owed"])]), cents([in_cents(case["salary"])])
    assert deductions.min_instalments(law.pay, MONTH, owed, salary).tolist() == [case["instalments"]]


def test_an_advance_that_twelve_of_the_largest_instalments_do_not_cover_is_told(law: registry.Law) -> None:
    owed, salary = cents([360_000, 360_001, 1, 0]), cents([120_000, 120_000, 0, 0])
    assert deductions.exceeds_recovery_period(law.pay, MONTH, owed, salary).tolist() == [False, True, True, False]


def test_what_is_outside_of_the_limit_is_a_switch(tmp_path: Path) -> None:
    (tmp_path / "pay.toml").write_text(
        "[outside_total_deductions]\nvalues = [{ from = 2019-04-01, value = ['absence'], source = 'our lawyer' }]\n"
    )
    law = registry.load(tmp_path)
    explained = deductions.explain_total(law.pay, MONTH, 300_000, {DeductionKind.LOAN: 70_000}, last_salary=False)
    assert explained.amount_cents == 150_000
    assert explained.parameters[1].source == "our lawyer"


def test_random_salaries_agree_with_the_plain_telling() -> None:
    at, people = random.Random(32), 10_000
    salary = cents([at.randrange(10**7) for _ in range(people)])
    taken = {kind: cents([at.choice((0, at.randrange(10**6))) for _ in range(people)]) for kind in DeductionKind}
    last = flags([at.random() < 0.2 for _ in range(people)])
    most = deductions.max_total_cents(LAW.pay, MONTH, salary, taken, last)
    for place in range(people):
        outside = sum(int(taken[kind][place]) for kind in OUTSIDE)
        plain = plain_pay.most_deducted(dollars(int(salary[place])), dollars(outside), bool(last[place]))
        assert plain == dollars(int(most[place]))


@given(salary=st.integers(-100, 10**9), more=st.integers(0, 10**9), last=st.booleans())
def test_a_larger_salary_never_allows_less_and_none_allows_more_than_itself(salary: int, more: int, last: bool) -> None:
    column, lasts = cents([salary, salary + more]), flags([last, last])
    for kind in DeductionKind:
        least, most = deductions.max_kind_cents(LAW.pay, MONTH, kind, column).tolist()
        assert 0 <= least <= most <= max(salary + more, 0)
    least, most = deductions.max_total_cents(LAW.pay, MONTH, column, {}, lasts).tolist()
    assert 0 <= least <= most <= max(salary + more, 0)
