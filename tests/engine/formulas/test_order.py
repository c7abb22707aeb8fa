"""Which formula comes first."""

import random
import re

import pytest

from gaji.engine.formulas import CircularReference, Formula, evaluation_order, parse


def formulas(**texts: str) -> dict[str, Formula]:
    """Formulas of the items 12, 13 …, written c12, c13 …."""
    return {key[1:]: parse(text, lambda _: True) for key, text in texts.items()}


def test_each_comes_after_those_it_refers_to() -> None:
    assert evaluation_order(formulas(c12="calc.13 + calc.14", c13="calc.14 * 2", c14="basic_salary")) == [
        "14",
        "13",
        "12",
    ]


def test_nothing_comes_of_nothing() -> None:
    assert evaluation_order({}) == []


def test_items_that_are_no_formulas_are_left_out() -> None:
    assert evaluation_order(formulas(c12="calc.99 + basic_salary")) == ["12"]


def test_an_input_of_an_item_is_there_before_its_amount() -> None:
    both = formulas(c12="calc.13.quantity", c13="calc.12.quantity + calc.13.quantity")
    assert sorted(evaluation_order(both)) == ["12", "13"]


@pytest.mark.parametrize(
    ("texts", "told", "keys"),
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
def test_a_circle_is_named(texts: dict[str, str], told: str, keys: tuple[str, ...]) -> None:
    with pytest.raises(CircularReference, match=f"^{re.escape(told)}$") as raised:
        evaluation_order(formulas(**texts))
    assert raised.value.keys == keys


def test_a_chain_may_be_long_and_come_in_any_order() -> None:
    length = 3_000
    chain = {str(place): parse(f"calc.{place + 1}", lambda _: True) for place in range(length)}
    keys = list(chain)
    random.Random(5).shuffle(keys)
    assert evaluation_order({key: chain[key] for key in keys}) == [str(place) for place in reversed(range(length))]
