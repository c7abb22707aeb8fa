"""Working formulas out, and explaining them: cases, a second telling, and what can be relied on."""

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
)
from gaji.engine.money import MAX_CENTS
from tests.engine.formulas import reference_evaluation as plain
from tests.engine.formulas.formula_cases import Case, cases, columns, formula, numbers
from tests.law import arithmetic as calculator

SEEDS = st.integers(0, 2**32)
SALARY = Reference("basic_salary", None)
PEOPLE = 40


def people_at_random(at: random.Random, count: int) -> list[dict[str, Fraction]]:
    """People with values of every size, many of them zero."""
    sizes = (0, 0, 1, 1000, 5_000, 1_000_000, 10**13)
    return [
        {name: Fraction(at.randint(-(size := at.choice(sizes)), size), 1000) for name in plain.NAMES}
        for _ in range(count)
    ]


def formula_at_random(at: random.Random) -> tuple[plain.Tree, Formula | None]:
    """A tree and its formula; None where it cannot be read because it always divides by zero."""
    tree = plain.at_random(at, at.choice((1, 2, 3, 4)))
    text = plain.written(at, tree)
    if len(text) > 1000:
        return formula_at_random(at)
    if plain.always_divides_by_zero(tree):
        with pytest.raises(FormulaError, match=r"always divides by zero$"):
            formula(text)
        return tree, None
    return tree, formula(text)


def plain_amount(tree: plain.Tree, person: dict[str, Fraction]) -> tuple[int, bool, bool]:
    """The amount, whether it divides by zero, and whether it is beyond."""
    try:
        exact = plain.value(tree, person)
    except plain.DividesByZero:
        return 0, True, False
    cents = math.floor(exact * 100 + Fraction(1, 2))
    return (0, False, True) if abs(cents) > MAX_CENTS else (cents, False, False)


def rows(result: FormulaResult) -> list[tuple[int, bool, bool]]:
    return list(
        zip(result.amount_cents.tolist(), result.divides_by_zero.tolist(), result.out_of_range.tolist(), strict=True)
    )


@cases("cases", "case")
def test_case(case: Case) -> None:
    read, person = formula(case["formula"]), {name: Fraction(value) for name, value in case.get("values", {}).items()}
    amount_cents = int(case["amount"] * 100)
    expected = (amount_cents, case.get("divides_by_zero", False), case.get("beyond", False))
    assert rows(evaluate(read, columns([person]), 1)) == [expected]
    assert arithmetic(read, numbers(person), amount_cents) == (case["arithmetic"],)
    assert branches(read, numbers(person)) == tuple(case.get("branches", ()))
    calculator.check((case["arithmetic"],), amount_cents)


@given(seed=SEEDS)
@settings(max_examples=400)
def test_a_second_telling_comes_to_the_same_amounts(seed: int) -> None:
    at = random.Random(seed)
    tree, read = formula_at_random(at)
    if read is not None:
        people = people_at_random(at, PEOPLE)
        assert rows(evaluate(read, columns([*people]), PEOPLE)) == [plain_amount(tree, person) for person in people]


@given(seed=SEEDS)
@settings(max_examples=300)
def test_the_explanation_worked_out_with_a_calculator_gives_the_amount(seed: int) -> None:
    at = random.Random(seed)
    tree, read = formula_at_random(at)
    if read is not None:
        for person in people_at_random(at, 5):
            amount_cents, divides_by_zero, beyond = plain_amount(tree, person)
            calculator.check(arithmetic(read, numbers(person), amount_cents), amount_cents)
            told = branches(read, numbers(person))
            assert divides_by_zero == any("divides by zero" in words for words in told)
            assert beyond == any("beyond" in words for words in told)


@given(seed=SEEDS)
@settings(max_examples=100)
def test_a_batch_gives_each_person_what_the_person_would_get_alone(seed: int) -> None:
    at = random.Random(seed)
    _, read = formula_at_random(at)
    if read is not None:
        people = people_at_random(at, PEOPLE)
        alone = [row for person in people for row in rows(evaluate(read, columns([person]), 1))]
        assert rows(evaluate(read, columns([*people]), PEOPLE)) == alone


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_whatever_64_bits_can_hold_is_worked_out_exactly(left: int, right: int) -> None:
    values = {SALARY: ColumnValues(np.array([left]), 100), Reference("12", None): ColumnValues(np.array([right]), 1)}
    read = formula("(basic_salary * calc.12 - 7) / 3 + basic_salary")
    dollars = Fraction(left, 100)
    cents = math.floor(((dollars * right - 7) / 3 + dollars) * 100 + Fraction(1, 2))
    expected = cents if abs(cents) <= MAX_CENTS else 0
    assert evaluate(read, values, 1).amount_cents.tolist() == [expected]


def test_amounts_and_quantities_have_scales_of_their_own() -> None:
    values = {
        SALARY: ColumnValues(np.array([250_050]), 100),
        Reference(None, "quantity"): ColumnValues(np.array([1_500]), 1000),
    }
    assert evaluate(formula("basic_salary * quantity"), values, 1).amount_cents.tolist() == [375_075]
    assert [values[SALARY].number(0), values[Reference(None, "quantity")].number(0)] == [
        Fraction("2500.50"),
        Fraction("1.5"),
    ]


@pytest.mark.parametrize("people", [0, 1, 3])
def test_what_is_the_same_for_everyone_is_there_for_everyone(people: int) -> None:
    assert rows(evaluate(formula("2 + 3"), {}, people)) == [(500, False, False)] * people
    assert rows(evaluate(formula("999999999999 * 2"), {}, people)) == [(0, False, True)] * people


def test_each_person_goes_a_way_of_their_own() -> None:
    people = [
        {"basic_salary": Fraction(salary), "quantity": Fraction(days)} for salary, days in ((10, 0), (10, 4), (9, 0))
    ]
    read = formula("if(basic_salary = 10, if(quantity > 0, basic_salary / quantity, 1), basic_salary / quantity)")
    assert rows(evaluate(read, columns([*people]), 3)) == [(100, False, False), (250, False, False), (0, True, False)]


def test_the_columns_that_were_given_are_left_alone() -> None:
    column = np.array([500_000, -100])
    evaluate(formula("basic_salary"), {SALARY: ColumnValues(column, 100)}, 2).amount_cents[:] = 7
    assert column.tolist() == [500_000, -100]


def test_a_reference_without_values_is_refused() -> None:
    with pytest.raises(KeyError):
        evaluate(formula("basic_salary"), {}, 1)


@pytest.mark.parametrize("length", [0, 1, 4])
def test_a_column_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=f"^a column of {length} for 3 people$"):
        evaluate(formula("basic_salary"), {SALARY: ColumnValues(np.zeros(length, dtype=np.int64), 100)}, 3)


def test_an_amount_that_the_formula_does_not_give_is_not_explained() -> None:
    with pytest.raises(ValueError, match=r"^the formula gives 250\.00, not 250\.01$"):
        arithmetic(formula("basic_salary * 0.05"), {SALARY: Fraction(5000)}, 25_001)


def test_a_number_without_end_is_written_as_a_quotient() -> None:
    third = {SALARY: Fraction(-1, 3)}
    assert arithmetic(formula("2 * basic_salary"), third, -67) == ("round_cents(2 × (−1 ÷ 3)) = −0.67",)
    assert branches(formula("if(basic_salary < 0, 1, 2)"), third) == ("−1 ÷ 3 < 0.00 holds",)


def test_a_number_too_long_to_be_read_is_told_about() -> None:
    read = formula("if(basic_salary / 999999.999999 / 999999.999999 > 1, 1, 2)")
    assert branches(read, {SALARY: Fraction(5)}) == ("about 0.000000 > 1.00 does not hold",)


def test_the_longest_formulas_are_worked_out_and_explained() -> None:
    deep = formula("min(1," * 49 + "basic_salary" + ")" * 49)
    long = formula("*".join(["amount"] * 50) + "/amount" * 49)
    steep = formula("+".join(["0"] * 199) + "+basic_salary")
    for read, reference in ((deep, SALARY), (steep, SALARY), (long, Reference(None, "amount"))):
        assert evaluate(read, {reference: ColumnValues(np.array([73, 91]), 100)}, 2).amount_cents.tolist() == [73, 91]
        calculator.check(arithmetic(read, {reference: Fraction(73, 100)}, 73), 73)


def test_thirty_thousand_people_take_well_under_half_a_second_of_cpu() -> None:
    people, at = 30_000, np.random.default_rng(7)
    values = {
        SALARY: ColumnValues(at.integers(0, 2_000_000, people), 100),
        Reference("12", None): ColumnValues(at.integers(0, 10**11, people), 100),
        Reference(None, "quantity"): ColumnValues(at.integers(0, 31_000, people), 1000),
    }
    read = formula("if(quantity > 0, basic_salary / quantity, 0) + basic_salary * 12 / calc.12")
    times_s = []
    for _ in range(3):
        begin_s = time.process_time()
        evaluate(read, values, people)
        times_s.append(time.process_time() - begin_s)
    assert min(times_s) < 0.5
