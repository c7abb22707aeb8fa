"""Money: integer cents in code, decimal text in JSON."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.engine.invalid_input import InvalidInput
from gaji.engine.money import MAX_CENTS, decimal_text, format_dollars, to_cents

amounts = st.integers(-MAX_CENTS, MAX_CENTS)


@given(amounts)
def test_an_amount_survives_formatting_and_parsing(amount: int) -> None:
    assert to_cents(decimal_text(amount)) == amount
    assert to_cents(Decimal(decimal_text(amount))) == amount


@given(amounts)
def test_the_text_of_an_amount_has_two_decimals_and_no_separators(amount: int) -> None:
    text = decimal_text(amount)
    assert Decimal(text) * 100 == amount
    assert len(text.partition(".")[2]) == 2
    assert set(text) <= set("-0123456789.")


@given(amounts)
def test_formatted_dollars_are_the_same_amount(amount: int) -> None:
    assert to_cents(format_dollars(amount).replace("$", "").replace(",", "")) == amount


@given(st.integers(-(MAX_CENTS // 100), MAX_CENTS // 100))
def test_a_whole_number_is_an_amount_of_dollars(amount: int) -> None:
    assert to_cents(amount) == to_cents(str(amount)) == amount * 100


@given(st.decimals(-(10**9), 10**9, places=4))
def test_parts_of_a_cent_are_rejected_and_never_rounded(value: Decimal) -> None:
    if value == round(value, 2):
        assert to_cents(value) == int(value * 100)
    else:
        with pytest.raises(InvalidInput, match="too_many_decimals"):
            to_cents(value)


@pytest.mark.parametrize(
    "value", ["0.001", "1e-99999999999", "1." + "0" * 50 + "1", "9999999999.980000000000000000000001"]
)
def test_the_smallest_part_of_a_cent_is_rejected(value: str) -> None:
    with pytest.raises(InvalidInput, match="too_many_decimals"):
        to_cents(value)


def test_zeros_after_the_cents_are_accepted() -> None:
    assert to_cents("1.25" + "0" * 1000) == 125


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", 0),
        ("-0.00", 0),
        ("1234.5", 123450),
        ("0.01", 1),
        ("-0.01", -1),
        ("1e2", 10000),
        ("9999999999.99", MAX_CENTS),
    ],
)
def test_amounts_in_different_notations(value: str, expected: int) -> None:
    assert to_cents(value) == expected


@pytest.mark.parametrize("value", ["", " ", "abc", "$5", "1,000.00", "NaN", "Infinity", "-inf", True, None, 1.5, []])
def test_invalid_amounts_are_rejected(value: Any) -> None:
    with pytest.raises(InvalidInput):
        to_cents(value)


@pytest.mark.parametrize("value", ["10000000000.00", 10**10, Decimal("1E+50"), "-10000000000", "1e99999999999"])
def test_amounts_above_the_maximum_are_rejected(value: Any) -> None:
    with pytest.raises(InvalidInput, match="too_large"):
        to_cents(value)
