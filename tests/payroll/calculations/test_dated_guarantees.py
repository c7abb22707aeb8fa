"""Guarantees of dated changes: the order of entry is irrelevant, and what is undone leaves no trace."""

import random
from datetime import date, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.payroll.calculations.history import (
    ENDED,
    INITIAL,
    calculation_on,
    change_on,
    decode_history,
    encode_history,
    end_on,
    without_change,
)
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner, DatedChange, InputChanges
from tests.payroll.payment_runs.runs import hired, paid
from tests.support.company import Company
from tests.support.running import created

START = date(2026, 1, 1)
DAYS = 40

inputs = st.dictionaries(
    st.sampled_from(("amount", "months", "declaration_date")), st.sampled_from(("1.00", "2.00", None)), max_size=3
)
days = st.integers(0, DAYS).map(lambda count: START + timedelta(days=count))
changes = st.builds(
    DatedChange,
    inputs=inputs,
    skip=st.sampled_from((None, True, False)),
    multiplier=st.sampled_from((None, "2", "0.5")),
)
dated_changes = st.dictionaries(days, changes, max_size=6)
initial_histories = st.sampled_from(({}, {INITIAL: ENDED}))


def bonus(**history: Any) -> Calculation:
    """A bonus of an employee."""
    return Calculation(CalculationOwner(1, employee_id=2), "bonus", {"amount": "9.00"}, id=3, history=history)


def values_by_day(calculation: Calculation) -> list[Any]:
    """What is in force on each day."""
    values = (calculation_on(calculation, str(START + timedelta(days=count))) for count in range(-1, DAYS + 2))
    return [current and (current.inputs, current.skip, current.multiplier) for current in values]


@settings(max_examples=300)
@given(initial_histories, dated_changes, st.randoms(use_true_random=False))
def test_changes_can_be_entered_in_any_order(
    initial: dict[str, DatedChange], by_day: dict[date, DatedChange], rng: random.Random
) -> None:
    in_order = shuffled = bonus(**initial)
    for day in sorted(by_day):
        in_order = change_on(in_order, day, by_day[day])
    for day in rng.sample(sorted(by_day), len(by_day)):
        shuffled = change_on(shuffled, day, by_day[day])
    assert values_by_day(shuffled) == values_by_day(in_order)
    assert encode_history(shuffled.history) == encode_history(in_order.history)


@settings(max_examples=300)
@given(initial_histories, dated_changes, days, changes)
def test_a_change_that_is_removed_leaves_no_trace(
    initial: dict[str, DatedChange], by_day: dict[date, DatedChange], day: date, change: DatedChange
) -> None:
    calculation = bonus(**initial)
    for other in by_day.keys() - {day}:
        calculation = change_on(calculation, other, by_day[other])
    undone = without_change(change_on(calculation, day, change), day.isoformat())
    exists = any(values is not None for values in values_by_day(calculation))
    assert undone == (calculation if exists else None)


@settings(max_examples=300)
@given(dated_changes, days)
def test_an_end_keeps_what_was_before_and_can_be_removed(by_day: dict[date, DatedChange], day: date) -> None:
    calculation = bonus()
    for other in by_day:
        if other < day:
            calculation = change_on(calculation, other, by_day[other])
    ended = end_on(calculation, day)
    assert ended is not None
    before, after = values_by_day(calculation), values_by_day(ended)
    count = (day - START).days + 1
    assert after == [*before[:count], *[None] * (len(before) - count)]
    assert without_change(ended, day.isoformat()) == calculation


@given(dated_changes)
def test_a_history_is_stored_as_it_is(by_day: dict[date, DatedChange]) -> None:
    history = {day.isoformat(): change for day, change in by_day.items()}
    assert decode_history(encode_history(history)) == history


def drafts(company: Company, employee_id: int) -> list[tuple[str, str]]:
    """The stored inputs and lines of the drafts."""
    rows = company.member.service.as_owner(
        "SELECT inputs::text, lines::text FROM payslips WHERE employee_id = $1 AND NOT finalised ORDER BY id",
        employee_id,
    )
    return [(row["inputs"], row["lines"]) for row in rows]


def finalised(company: Company, employee_id: int) -> list[Any]:
    """The complete rows of the finalised payslips and their snapshots."""
    return company.member.service.as_owner(
        "SELECT p::text, s::text FROM payslips p JOIN payslip_snapshots s ON s.payslip_id = p.id "
        "WHERE p.employee_id = $1 AND p.finalised ORDER BY p.id",
        employee_id,
    )


def test_doing_and_undoing_changes_leaves_no_trace_on_the_draft(company: Company) -> None:
    rng = random.Random("dated changes")
    employee_id = hired(company, "4400.00")
    employee = f"/employees/{employee_id}/calculations"
    created(company.member.post(employee, {"calc_type": "other_allowance", "calculation_details": {"amount": 220}}))
    paid(company)
    before, closed = drafts(company, employee_id), finalised(company, employee_id)
    for _ in range(3):
        done: list[tuple[int, str]] = []
        for _ in range(rng.randint(1, 3)):
            day = (date(2026, 1, 15) + timedelta(days=rng.randint(0, 60))).isoformat()
            name, detail = rng.choice((("basic_salary", "fixed_amount"), ("other_allowance", "amount")))
            body = {"calc_type": name, "calculation_details": {detail: rng.randint(1, 9000)}, "valid_from": day}
            done.append((created(company.member.post(employee, body)), day))
        for calculation_id, day in rng.sample(sorted(set(done)), len(set(done))):
            answer = company.member.delete(f"/calculations/{calculation_id}/changes/{day}")
            assert answer.status_code == 200, answer.text
        assert drafts(company, employee_id) == before
    assert finalised(company, employee_id) == closed


def test_the_order_of_requests_does_not_change_the_draft(company: Company) -> None:
    rng = random.Random("order of requests")
    bodies: list[dict[str, Any]] = [
        {"calc_type": name, "calculation_details": details, "valid_from": day}
        for name, details, day in (
            ("basic_salary", {"fixed_amount": 4500}, "2026-02-10"),
            ("basic_salary", {"fixed_amount": 5000}, "2026-02-20"),
            ("basic_salary", {"fixed_amount": 4450}, None),
            ("transport_allowance", {"amount": 100, "prorate": True}, "2026-02-05"),
            ("transport_allowance", {"amount": 150}, "2026-02-17"),
        )
    ]
    results = []
    for order in (bodies, bodies[::-1], rng.sample(bodies, len(bodies))):
        fresh = Company.of(company.member)
        employee_id = hired(fresh, "4400.00")
        paid(fresh)
        for body in order:
            created(fresh.member.post(f"/employees/{employee_id}/calculations", body))
        results.append(drafts(fresh, employee_id))
    assert results[0] == results[1] == results[2]


def test_clearing_an_input_is_a_change() -> None:
    cleared: InputChanges = {"amount": None, "months": "2"}
    calculation = change_on(bonus(), START, DatedChange(cleared))
    current = calculation_on(calculation, START.isoformat())
    assert current is not None
    assert current.inputs == {"months": "2"}
