"""Charts."""

import pytest

from gaji.console.chart import build_ranking

PHONE_CHARACTER = 10
"""How wide a character is at most on a phone, where the letters of a chart are largest."""


@pytest.mark.parametrize("sign", [1, -1])
def test_bars_do_not_overlap_amounts_on_a_phone(sign: int) -> None:
    chart = build_ranking("What changed", [("Total income", sign * 123_456_789), ("Overtime", sign * 59_908)])
    assert chart is not None
    room = len("-$1,234,567.89") * PHONE_CHARACTER
    assert all(bar.x + bar.width <= chart.width - room + 1 for bar in chart.bars)
