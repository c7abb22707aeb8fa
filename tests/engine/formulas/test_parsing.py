"""Reading formulas: what they refer to, and every fault with its character."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gaji.engine.formulas import ITEM_INPUTS, Formula, FormulaError, Reference, parse
from gaji.engine.formulas.parser import MAX_CHARACTERS, MAX_NAMES_AND_OPERATORS, MAX_NESTING
from tests.engine.formulas.formula_cases import NAMES, Case, cases, known

PIECES = ("basic_salary", "calc.12", "amount", "min", "max", "round", "if", "(", ")", ",", "1", "0", "2.5", " ", "$")
SIGNS = ("+", "-", "*", "/", "<", "<=", "=", "!=", ".", "calc", "calc.12.quantity", "nothing")


def fault_of(text: str) -> FormulaError:
    with pytest.raises(FormulaError) as raised:
        parse(text, known, tuple(NAMES))
    return raised.value


def read_or_refused(text: str) -> Formula | FormulaError:
    try:
        return parse(text, known, tuple(NAMES))
    except FormulaError as fault:
        return fault


@cases("errors", "error")
def test_fault(case: Case) -> None:
    fault = fault_of(case["formula"])
    assert (fault.message, fault.position) == (case["says"], case["at"].index("^"))


def test_the_text_of_a_fault_counts_characters_as_people_do() -> None:
    assert str(fault_of("1 + 2 * 3 +  basic_salry")) == (
        "character 14: there is no item `basic_salry`; did you mean basic_salary?"
    )


def test_without_suggestions_none_is_made() -> None:
    with pytest.raises(FormulaError, match=r"^character 1: there is no item `basic_salry`$"):
        parse("basic_salry", known)


def test_a_formula_knows_what_it_refers_to() -> None:
    found = parse("calc.basic_salary + basic_salary * amount - if(calc.12.quantity > 1, calc.12, 2)", known)
    assert found.references == {
        Reference("basic_salary", None),
        Reference(None, "amount"),
        Reference("12", "quantity"),
        Reference("12", None),
    }


def test_a_name_stands_for_the_same_with_and_without_calc() -> None:
    for name in ("basic_salary", "basic_salary.days_input"):
        assert parse(name, known).references == parse(f"calc.{name}", known).references


@pytest.mark.parametrize("name", ITEM_INPUTS)
def test_the_inputs_of_the_item_itself_have_no_item_in_front(name: str) -> None:
    assert parse(name, lambda _: True).references == {Reference(None, name)}
    assert parse(f"calc.{name}", lambda _: True).references == {Reference(name, None)}
    assert parse(f"calc.12.{name}", lambda _: True).references == {Reference("12", name)}


def test_a_formula_has_at_most_a_thousand_characters() -> None:
    assert parse("1".ljust(MAX_CHARACTERS), known)
    fault = fault_of("1" * 10_000)
    assert (fault.position, fault.message) == (1000, "a formula has at most 1,000 characters; this one has 10,000")


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("-", ""), ("round(", ")"), ("min(1,", ")")])
def test_a_formula_nests_at_most_fifty_deep(opening: str, closing: str) -> None:
    assert parse(opening * MAX_NESTING + "1" + closing * MAX_NESTING, known)
    fault = fault_of(opening * (MAX_NESTING + 1) + "1" + closing * (MAX_NESTING + 1))
    assert fault.position == MAX_NESTING * len(opening)
    assert fault.message == "brackets, functions and minus signs nest at most 50 deep"


def test_brackets_beside_each_other_are_not_nested() -> None:
    assert parse("+".join(["(1)"] * (MAX_NESTING + 10)), known)


def test_a_formula_has_at_most_two_hundred_names_and_operators() -> None:
    full = "+".join(["amount"] * (MAX_NAMES_AND_OPERATORS // 2))
    assert parse(full + " " * 10, known)
    fault = fault_of(full + " + 1 * 2")
    assert fault.position == len(full) + 5
    assert fault.message == "a formula has at most 200 names and operators together"


def test_formulas_of_the_same_text_are_the_same() -> None:
    assert parse("amount * 2", known) == parse("amount * 2", known)
    assert hash(parse("amount * 2", known)) == hash(parse("amount * 2", known))
    assert parse("amount * 2", known) != parse("amount * 3", known)


@given(st.lists(st.sampled_from(PIECES + SIGNS), max_size=30).map("".join) | st.text(max_size=60))
@example("if(")
@example("round(1,")
@example("min(1,")
def test_whatever_is_written_is_read_or_refused_at_one_of_its_characters(text: str) -> None:
    outcome = read_or_refused(text)
    if isinstance(outcome, FormulaError):
        assert 0 <= outcome.position <= len(text)
        assert outcome.message
        assert "``" not in outcome.message
    else:
        assert outcome.text == text
