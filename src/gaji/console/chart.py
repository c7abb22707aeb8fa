"""Geometry of charts that templates draw as SVG: stacked bars by month, and a ranking of amounts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.engine.money import to_cents

WIDTH, HEIGHT = 600, 220
LEFT, TOP, BOTTOM = 64, 12, 28
GAP_RATIO = 0.35
"""Gap between bars, as a part of the width of a bar with its gap."""
STEPS = (1, 2, 2.5, 5, 10)
MAX_RANKED = 8
ROW_HEIGHT, LABEL_WIDTH, AMOUNT_WIDTH = 28, 220, 140


@dataclass(frozen=True)
class BarPart:
    """One colour of a bar."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Bar:
    """One month. The total is in cents."""

    month: date
    total: int
    middle: float
    parts: Sequence[BarPart]


@dataclass(frozen=True)
class BarChart:
    """Bars, and the grid lines behind them with their labels."""

    bars: Sequence[Bar]
    lines: Sequence[tuple[float, str]]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT


@dataclass(frozen=True)
class RankingBar:
    """One amount of a ranking, in cents."""

    name: str
    amount: int
    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Ranking:
    """The largest amounts, one below the other, and the position of zero."""

    title: str
    bars: Sequence[RankingBar]
    zero: float
    height: int
    width: int = WIDTH


def build_chart(amounts: Mapping[date, Sequence[int]], kinds: Sequence[str] = ("a", "b", "c")) -> BarChart | None:
    """Return the chart of amounts in cents by month, each split into kinds, or None if there is nothing to show."""
    largest = max((sum(parts) for parts in amounts.values()), default=0)
    if largest <= 0:
        return None
    step = _grid_step(largest)
    top = -(-largest // step) * step
    inner_height = HEIGHT - TOP - BOTTOM
    slot = (WIDTH - LEFT) / len(amounts)
    bars = []
    for i, (month, parts) in enumerate(amounts.items()):
        x, y, width = LEFT + slot * (i + GAP_RATIO / 2), float(TOP + inner_height), slot * (1 - GAP_RATIO)
        bar_parts = []
        for kind, amount in zip(kinds, parts, strict=True):
            height = inner_height * amount / top
            y -= height
            bar_parts.append(BarPart(kind, round(x, 1), round(y, 1), round(width, 1), round(height, 1)))
        bars.append(Bar(month, sum(parts), round(x + width / 2, 1), bar_parts))
    lines = [
        (round(TOP + inner_height * (1 - amount / top), 1), _short_amount(amount)) for amount in range(0, top + 1, step)
    ]
    return BarChart(bars, lines)


def build_ranking(title: str, amounts: Iterable[tuple[str, str]]) -> Ranking | None:
    """Return the largest sums by name, or None if there are fewer than two. Amounts are texts such as `$1,200.00`."""
    sums: dict[str, int] = defaultdict(int)
    for name, amount in amounts:
        sums[name] += to_cents(amount.replace("$", "").replace(",", ""))
    nonzero = ((name, cents) for name, cents in sums.items() if cents)
    largest = sorted(nonzero, key=lambda named: -abs(named[1]))[:MAX_RANKED]
    if len(largest) < 2:
        return None
    minimum, maximum = min(0, *(cents for _, cents in largest)), max(0, *(cents for _, cents in largest))
    scale = (WIDTH - LABEL_WIDTH - AMOUNT_WIDTH) / (maximum - minimum)
    zero = LABEL_WIDTH - minimum * scale
    bars = [
        RankingBar(
            name,
            cents,
            round(min(zero, zero + cents * scale), 1),
            float(ROW_HEIGHT * i),
            round(max(abs(cents) * scale, 1), 1),
        )
        for i, (name, cents) in enumerate(largest)
    ]
    return Ranking(title, bars, round(zero, 1), ROW_HEIGHT * len(largest))


def _grid_step(largest: int) -> int:
    """Return a round amount of cents, so that three or four grid lines reach the largest amount.

    >>> _grid_step(31_000_000), _grid_step(900)
    (10000000, 250)
    """
    size = 1
    while size * 10 <= largest // 4:
        size *= 10
    return next(int(size * step) for step in STEPS if int(size * step) * 4 >= largest) if largest >= 4 else 1


def _short_amount(cents: int) -> str:
    """Return an amount in few characters.

    >>> _short_amount(0), _short_amount(12_500_000), _short_amount(250_000_000), _short_amount(50_000)
    ('0', '$125k', '$2.5m', '$500')
    """
    dollars = cents / 100
    if dollars >= 1_000_000:
        return f"${dollars / 1_000_000:g}m"
    if dollars >= 1_000:
        return f"${dollars / 1_000:g}k"
    return f"${dollars:g}" if cents else "0"
