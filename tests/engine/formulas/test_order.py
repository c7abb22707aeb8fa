"""The order of evaluation of formulas."""

import random
import re

import pytest

from gaji.engine.formulas import CircularReference, Formula, evaluation_order, parse


def parse_all(**texts: str) -> dict[str, Formula]:
    """Formulas of the items 12, 13 …, given as c12, c13 …."""
    return {key[1:]: parse(text, lambda _: True) for key, text in texts.items()}


def test_a_formula_comes_after_those_it_refers_to() -> None:
    assert evaluation_order(parse_all(c12="calc.13 + calc.14", c13="calc.14 * 2", c14="basic_salary")) == [
        "14",
        "13",
        "12",
    ]


def test_no_formulas_have_no_order() -> None:
    assert evaluation_order({}) == []


def test_items_without_a_formula_are_left_out() -> None:
    assert evaluation_order(parse_all(c12="calc.99 + basic_salary")) == ["12"]


def test_inputs_do_not_affect_the_order() -> None:
    both = parse_all(c12="calc.13.quantity", c13="calc.12.quantity + calc.13.quantity")
    assert sorted(evaluation_order(both)) == ["12", "13"]


@pytest.mark.parametrize(
    ("texts", "message", "keys"),
    [
        ({"c12": "calc.12 + 1"}, "12 refers to itself", ("12",)),
        ({"c12": "calc.14", "c14": "calc.12"}, "12 refers to 14, which refers to 12", ("12", "14")),
        (
            {"c100": "calc.9", "c9": "calc.10 * 2", "c10": "calc.100", "c11": "calc.9"},
            "9 refers to 10, which refers to 100, which refers to 9",
            ("9", "10", "100"),
        ),
    ],
)
def test_a_circular_reference_is_named(texts: dict[str, str], message: str, keys: tuple[str, ...]) -> None:
    with pytest.raises(CircularReference, match=f"^{re.escape(message)}$") as raised:
        evaluation_order(parse_all(**texts))
    assert raised.value.keys == keys


def test_a_chain_may_be_long_and_in_any_order() -> None:
    length = 3_000
    chain = {str(number): parse(f"calc.{number + 1}", lambda _: True) for number in range(length)}
    keys = list(chain)
    random.Random(5).shuffle(keys)
    assert evaluation_order({key: chain[key] for key in keys}) == [str(number) for number in reversed(range(length))]
