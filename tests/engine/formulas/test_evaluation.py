"""Evaluating and explaining formulas: cases, a reference implementation, and guarantees."""

import math
import random
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.engine.formulas import (
    ColumnValues,
    Formula,
    FormulaError,
    FormulaResult,
    Reference,
    arithmetic,
    branches,
    evaluate,
    reason,
)
from gaji.engine.money import MAX_CENTS
from tests.engine.formulas import reference_evaluation
from tests.engine.formulas.formula_cases import Case, cases, columns, numbers, parse_any
from tests.law import arithmetic as calculator
from tests.law.reason_amounts import check_reason

SEEDS = st.integers(0, 2**32)
SALARY = Reference("basic_salary", None)
PEOPLE = 40


def random_people(rng: random.Random, count: int) -> list[dict[str, Fraction]]:
    """Employees with values of every size, many of them zero."""
    sizes = (0, 0, 1, 1000, 5_000, 1_000_000, 10**13)
    return [
        {name: Fraction(rng.randint(-(size := rng.choice(sizes)), size), 1000) for name in reference_evaluation.NAMES}
        for _ in range(count)
    ]


def random_formula(rng: random.Random) -> tuple[reference_evaluation.Tree, Formula | None]:
    """A tree and its formula. None if it is rejected because it always divides by zero."""
    tree = reference_evaluation.random_tree(rng, rng.choice((1, 2, 3, 4)))
    text = reference_evaluation.formula_text(rng, tree)
    if len(text) > 1000:
        return random_formula(rng)
    if reference_evaluation.always_divides_by_zero(tree):
        with pytest.raises(FormulaError, match=r"always divides by zero$"):
            parse_any(text)
        return tree, None
    return tree, parse_any(text)


def reference_amount(tree: reference_evaluation.Tree, person: dict[str, Fraction]) -> tuple[int, bool, bool]:
    """The amount, whether the formula divides by zero, and whether the result is out of range."""
    try:
        exact = reference_evaluation.value(tree, person)
    except reference_evaluation.DividesByZero:
        return 0, True, False
    cents = math.floor(exact * 100 + Fraction(1, 2))
    return (0, False, True) if abs(cents) > MAX_CENTS else (cents, False, False)


def rows(result: FormulaResult) -> list[tuple[int, bool, bool]]:
    return list(
        zip(result.amount_cents.tolist(), result.divides_by_zero.tolist(), result.out_of_range.tolist(), strict=True)
    )


@cases("cases", "case")
def test_case(case: Case) -> None:
    parsed, person = (
        parse_any(case["formula"]),
        {name: Fraction(value) for name, value in case.get("values", {}).items()},
    )
    amount_cents = int(case["amount"] * 100)
    expected = (amount_cents, case.get("divides_by_zero", False), case.get("out_of_range", False))
    assert rows(evaluate(parsed, columns([person]), 1)) == [expected]
    assert arithmetic(parsed, numbers(person), amount_cents) == (case["arithmetic"],)
    assert branches(parsed, numbers(person)) == tuple(case.get("branches", ()))
    calculator.check_amount((case["arithmetic"],), amount_cents)


@given(seed=SEEDS)
@settings(max_examples=400)
def test_the_reference_implementation_agrees(seed: int) -> None:
    rng = random.Random(seed)
    tree, parsed = random_formula(rng)
    if parsed is not None:
        people = random_people(rng, PEOPLE)
        assert rows(evaluate(parsed, columns([*people]), PEOPLE)) == [
            reference_amount(tree, person) for person in people
        ]


@given(seed=SEEDS)
@settings(max_examples=300)
def test_the_arithmetic_of_the_explanation_gives_the_amount(seed: int) -> None:
    rng = random.Random(seed)
    tree, parsed = random_formula(rng)
    if parsed is not None:
        for person in random_people(rng, 5):
            amount_cents, divides_by_zero, out_of_range = reference_amount(tree, person)
            calculator.check_amount(arithmetic(parsed, numbers(person), amount_cents), amount_cents)
            texts = branches(parsed, numbers(person))
            assert divides_by_zero == any("divides by zero" in text for text in texts)
            assert out_of_range == any("out of range" in text for text in texts)
            check_reason(reason(parsed, numbers(person)), amount_cents)


@given(seed=SEEDS)
@settings(max_examples=100)
def test_a_batch_gives_each_employee_the_same_result_as_alone(seed: int) -> None:
    rng = random.Random(seed)
    _, parsed = random_formula(rng)
    if parsed is not None:
        people = random_people(rng, PEOPLE)
        alone = [row for person in people for row in rows(evaluate(parsed, columns([person]), 1))]
        assert rows(evaluate(parsed, columns([*people]), PEOPLE)) == alone


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_all_64_bit_values_are_evaluated_exactly(left: int, right: int) -> None:
    values = {SALARY: ColumnValues(np.array([left]), 100), Reference("12", None): ColumnValues(np.array([right]), 1)}
    parsed = parse_any("(basic_salary * calc.12 - 7) / 3 + basic_salary")
    dollars = Fraction(left, 100)
    cents = math.floor(((dollars * right - 7) / 3 + dollars) * 100 + Fraction(1, 2))
    expected = cents if abs(cents) <= MAX_CENTS else 0
    assert evaluate(parsed, values, 1).amount_cents.tolist() == [expected]


def test_amounts_and_quantities_have_different_scales() -> None:
    quantity = Reference(None, "quantity")
    values = {SALARY: ColumnValues(np.array([250_050]), 100), quantity: ColumnValues(np.array([1_500]), 1000)}
    assert evaluate(parse_any("basic_salary * quantity"), values, 1).amount_cents.tolist() == [375_075]
    assert [values[SALARY].number(0), values[quantity].number(0)] == [
        Fraction("2500.50"),
        Fraction("1.5"),
    ]


@pytest.mark.parametrize("people", [0, 1, 3])
def test_a_constant_applies_to_everyone(people: int) -> None:
    assert rows(evaluate(parse_any("2 + 3"), {}, people)) == [(500, False, False)] * people
    assert rows(evaluate(parse_any("999999999999 * 2"), {}, people)) == [(0, False, True)] * people


def test_each_employee_takes_their_own_branch() -> None:
    people = [
        {"basic_salary": Fraction(salary), "quantity": Fraction(days)} for salary, days in ((10, 0), (10, 4), (9, 0))
    ]
    parsed = parse_any("if(basic_salary = 10, if(quantity > 0, basic_salary / quantity, 1), basic_salary / quantity)")
    assert rows(evaluate(parsed, columns([*people]), 3)) == [(100, False, False), (250, False, False), (0, True, False)]


def test_the_input_columns_are_not_modified() -> None:
    column = np.array([500_000, -100])
    evaluate(parse_any("basic_salary"), {SALARY: ColumnValues(column, 100)}, 2).amount_cents[:] = 7
    assert column.tolist() == [500_000, -100]


def test_a_reference_without_values_is_rejected() -> None:
    with pytest.raises(KeyError):
        evaluate(parse_any("basic_salary"), {}, 1)


@pytest.mark.parametrize("length", [0, 1, 4])
def test_a_column_of_the_wrong_length_is_rejected(length: int) -> None:
    with pytest.raises(ValueError, match=f"^a column of length {length} for 3 employees$"):
        evaluate(parse_any("basic_salary"), {SALARY: ColumnValues(np.zeros(length, dtype=np.int64), 100)}, 3)


def test_a_wrong_amount_is_not_explained() -> None:
    with pytest.raises(ValueError, match=r"^the formula gives 250\.00, not 250\.01$"):
        arithmetic(parse_any("basic_salary * 0.05"), {SALARY: Fraction(5000)}, 25_001)


def test_a_number_with_endless_decimals_is_shown_as_a_quotient() -> None:
    third = {SALARY: Fraction(-1, 3)}
    assert arithmetic(parse_any("2 * basic_salary"), third, -67) == ("round_cents(2 × (−1 ÷ 3)) = −0.67",)
    assert branches(parse_any("if(basic_salary < 0, 1, 2)"), third) == ("−1 ÷ 3 < 0.00 is true",)


def test_a_number_with_too_many_digits_is_shortened() -> None:
    parsed = parse_any("if(basic_salary / 999999.999999 / 999999.999999 > 1, 1, 2)")
    assert branches(parsed, {SALARY: Fraction(5)}) == ("about 0.000000 > 1.00 is false",)


def test_the_longest_formulas_are_evaluated_and_explained() -> None:
    deep = parse_any("min(1," * 49 + "basic_salary" + ")" * 49)
    long = parse_any("*".join(["amount"] * 50) + "/amount" * 49)
    many = parse_any("+".join(["0"] * 199) + "+basic_salary")
    for parsed, reference in ((deep, SALARY), (many, SALARY), (long, Reference(None, "amount"))):
        assert evaluate(parsed, {reference: ColumnValues(np.array([73, 91]), 100)}, 2).amount_cents.tolist() == [73, 91]
        calculator.check_amount(arithmetic(parsed, {reference: Fraction(73, 100)}, 73), 73)
        check_reason(reason(parsed, {reference: Fraction(73, 100)}), 73)


def test_thirty_thousand_employees_take_well_under_half_a_second_of_cpu() -> None:
    people, rng = 30_000, np.random.default_rng(7)
    values = {
        SALARY: ColumnValues(rng.integers(0, 2_000_000, people), 100),
        Reference("12", None): ColumnValues(rng.integers(0, 10**11, people), 100),
        Reference(None, "quantity"): ColumnValues(rng.integers(0, 31_000, people), 1000),
    }
    parsed = parse_any("if(quantity > 0, basic_salary / quantity, 0) + basic_salary * 12 / calc.12")
    times_s = []
    for _ in range(3):
        start_s = time.process_time()
        evaluate(parsed, values, people)
        times_s.append(time.process_time() - start_s)
    assert min(times_s) < 0.5
