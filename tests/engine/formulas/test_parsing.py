"""Parsing formulas: their references, and every error with its character."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gaji.engine.formulas import ITEM_INPUTS, Formula, FormulaError, Reference, parse
from gaji.engine.formulas.parser import MAX_CHARACTERS, MAX_NAMES_AND_OPERATORS, MAX_NESTING
from tests.engine.formulas.formula_cases import NAMES, Case, cases, is_known

PIECES = ("basic_salary", "calc.12", "amount", "min", "max", "round", "if", "(", ")", ",", "1", "0", "2.5", " ", "$")
SIGNS = ("+", "-", "*", "/", "<", "<=", "=", "!=", ".", "calc", "calc.12.quantity", "nothing")


def parse_error(text: str) -> FormulaError:
    with pytest.raises(FormulaError) as raised:
        parse(text, is_known, tuple(NAMES))
    return raised.value


def parse_or_error(text: str) -> Formula | FormulaError:
    try:
        return parse(text, is_known, tuple(NAMES))
    except FormulaError as error:
        return error


@cases("errors", "error")
def test_error(case: Case) -> None:
    error = parse_error(case["formula"])
    assert (error.message, error.position) == (case["message"], case["caret"].index("^"))


def test_the_text_of_an_error_counts_characters_from_one() -> None:
    assert str(parse_error("1 + 2 * 3 +  basic_salry")) == (
        "character 14: unknown item `basic_salry`; did you mean basic_salary?"
    )


def test_without_suggestions_the_message_has_none() -> None:
    with pytest.raises(FormulaError, match=r"^character 1: unknown item `basic_salry`$"):
        parse("basic_salry", is_known)


def test_a_formula_has_its_references() -> None:
    formula = parse("calc.basic_salary + basic_salary * amount - if(calc.12.quantity > 1, calc.12, 2)", is_known)
    assert formula.references == {
        Reference("basic_salary", None),
        Reference(None, "amount"),
        Reference("12", "quantity"),
        Reference("12", None),
    }


def test_a_name_is_the_same_with_and_without_calc() -> None:
    for name in ("basic_salary", "basic_salary.days_input"):
        assert parse(name, is_known).references == parse(f"calc.{name}", is_known).references


@pytest.mark.parametrize("name", ITEM_INPUTS)
def test_the_inputs_of_the_item_itself_have_no_prefix(name: str) -> None:
    assert parse(name, lambda _: True).references == {Reference(None, name)}
    assert parse(f"calc.{name}", lambda _: True).references == {Reference(name, None)}
    assert parse(f"calc.12.{name}", lambda _: True).references == {Reference("12", name)}


def test_a_formula_has_at_most_a_thousand_characters() -> None:
    assert parse("1".ljust(MAX_CHARACTERS), is_known)
    error = parse_error("1" * 10_000)
    assert (error.position, error.message) == (1000, "a formula can have at most 1,000 characters; this one has 10,000")


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("-", ""), ("round(", ")"), ("min(1,", ")")])
def test_a_formula_nests_at_most_fifty_deep(opening: str, closing: str) -> None:
    assert parse(opening * MAX_NESTING + "1" + closing * MAX_NESTING, is_known)
    error = parse_error(opening * (MAX_NESTING + 1) + "1" + closing * (MAX_NESTING + 1))
    assert error.position == MAX_NESTING * len(opening)
    assert error.message == "brackets, functions and minus signs can be nested at most 50 deep"


def test_adjacent_brackets_are_not_nested() -> None:
    assert parse("+".join(["(1)"] * (MAX_NESTING + 10)), is_known)


def test_a_formula_has_at_most_two_hundred_names_and_operators() -> None:
    full = "+".join(["amount"] * (MAX_NAMES_AND_OPERATORS // 2))
    assert parse(full + " " * 10, is_known)
    error = parse_error(full + " + 1 * 2")
    assert error.position == len(full) + 5
    assert error.message == "a formula can have at most 200 names and operators"


def test_formulas_with_the_same_text_are_equal() -> None:
    assert parse("amount * 2", is_known) == parse("amount * 2", is_known)
    assert hash(parse("amount * 2", is_known)) == hash(parse("amount * 2", is_known))
    assert parse("amount * 2", is_known) != parse("amount * 3", is_known)


@given(st.lists(st.sampled_from(PIECES + SIGNS), max_size=30).map("".join) | st.text(max_size=60))
@example("if(")
@example("round(1,")
@example("min(1,")
def test_any_text_is_parsed_or_rejected_at_one_of_its_characters(text: str) -> None:
    outcome = parse_or_error(text)
    if isinstance(outcome, FormulaError):
        assert 0 <= outcome.position <= len(text)
        assert outcome.message
        assert "``" not in outcome.message
    else:
        assert outcome.text == text
