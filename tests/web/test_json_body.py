"""Large JSON bodies are decoded in pieces, with the same result."""

from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.core.errors import MalformedRequest
from gaji.web import json_body
from gaji.web.json_body import UnusableNumber, decode_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=5) | st.decimals(-9, 9, places=2),
    lambda children: st.lists(children, max_size=8) | st.dictionaries(st.text(max_size=3), children, max_size=8),
)


@given(VALUES, st.integers(0, 5))
def test_pieces_give_the_same_value(value: object, piece_values: int) -> None:
    text = _encode(value)
    expected = msgspec.json.Decoder(float_hook=Decimal).decode(text)
    original, json_body.PIECE_VALUES = json_body.PIECE_VALUES, piece_values
    try:
        assert decode_json(text) == expected
    finally:
        json_body.PIECE_VALUES = original


@pytest.mark.parametrize("text", [b'{"a": [1,,2]}', b"[1,2", b'{"a":1,"b"}', b"[1,2]x", b'{"a":"\xff","b":1}'])
def test_a_malformed_body_is_an_error_in_pieces_too(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_body, "PIECE_VALUES", 0)
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        decode_json(text)


def _encode(value: object) -> bytes:
    return msgspec.json.Encoder(decimal_format="number").encode(value)


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_is_rejected_before_the_body_is_read_many_times(
    opening: bytes, closing: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_bytes = 0

    def count_values(text: bytes) -> int:
        nonlocal read_bytes
        read_bytes += len(text)
        return text.count(b",") + 1

    monkeypatch.setattr(json_body, "_count_values", count_values)
    body = opening * 400 + b"[" + b"0," * json_body.PIECE_VALUES + b"0]" + closing * 400
    with pytest.raises(MalformedRequest, match="nested too deeply"):
        decode_json(body)
    assert read_bytes < 30 * len(body)


@pytest.mark.parametrize("number", ["1e1000000", "1e-101", "1e101", "9" * 1001 + ".0", "1e99999999999999999999"])
def test_a_number_out_of_range_has_no_value(number: str) -> None:
    assert decode_json(number.encode()) is UnusableNumber.OUT_OF_RANGE


def test_a_number_in_range_is_exact() -> None:
    assert decode_json(b"[1e100, 1e-100, 0.1]") == [Decimal("1e100"), Decimal("1e-100"), Decimal("0.1")]
