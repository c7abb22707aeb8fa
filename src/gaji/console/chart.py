"""Geometry of charts that templates draw as SVG: stacked bars by month, and a ranking of amounts."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.console.formats import format_money, format_month

WIDTH, HEIGHT = 600, 220
LEFT, TOP, BOTTOM = 64, 12, 28
GAP_RATIO = 0.35
"""Gap between bars, as a part of the width of a bar with its gap."""
STEPS = (1, 2, 2.5, 5, 10)
KINDS = ("a", "b", "c")
"""The colours of the parts of a bar, from the bottom."""
MAX_RANKED = 8
ROW_HEIGHT, LABEL_WIDTH, AMOUNT_WIDTH = 28, 220, 140


@dataclass(frozen=True)
class BarPart:
    """One colour of a bar."""

    kind: str
    amount: int
    """In cents."""
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Bar:
    """One month or one year. The total is in cents."""

    name: str
    label: str
    """The text below the bar."""
    short_label: str
    """The text below the bar on narrow screens."""
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
    """One amount of a ranking."""

    name: str
    amount: int
    text: str
    """The amount as people read it."""
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


def build_chart(amounts: Mapping[date, Sequence[int]], *, by_year: bool = False) -> BarChart | None:
    """Return the chart of amounts in cents by the first day of each month or year, or None if there is nothing to show.

    Each amount is split into up to three kinds.
    """
    largest = max((sum(parts) for parts in amounts.values()), default=0)
    if largest <= 0:
        return None
    step = _grid_step(largest)
    top = -(-largest // step) * step
    inner_height = HEIGHT - TOP - BOTTOM
    slot = (WIDTH - LEFT) / len(amounts)
    bars = []
    for i, (day, parts) in enumerate(amounts.items()):
        x, y, width = LEFT + slot * (i + GAP_RATIO / 2), float(TOP + inner_height), slot * (1 - GAP_RATIO)
        bar_parts = []
        for kind, amount in zip(KINDS, parts, strict=False):
            height = inner_height * amount / top
            y -= height
            bar_parts.append(BarPart(kind, amount, round(x, 1), round(y, 1), round(width, 1), round(height, 1)))
        bars.append(Bar(*_labels(day, by_year=by_year), sum(parts), round(x + width / 2, 1), bar_parts))
    lines = [
        (round(TOP + inner_height * (1 - amount / top), 1), _short_amount(amount)) for amount in range(0, top + 1, step)
    ]
    return BarChart(bars, lines)


def largest_sums(amounts: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the largest sums by name, of either sign.

    >>> largest_sums([("Bonus", 500), ("Overtime", -900), ("Bonus", 100), ("Commission", 0)])
    [('Overtime', -900), ('Bonus', 600)]
    """
    sums: dict[str, int] = defaultdict(int)
    for name, amount in amounts:
        sums[name] += amount
    nonzero = ((name, amount) for name, amount in sums.items() if amount)
    return sorted(nonzero, key=lambda named: -abs(named[1]))[:MAX_RANKED]


def build_ranking(
    title: str, amounts: Sequence[tuple[str, int]], format_amount: Callable[[int], str] = format_money
) -> Ranking | None:
    """Return the ranking of amounts by name, or None if there are fewer than two."""
    if len(amounts) < 2:
        return None
    minimum, maximum = min(0, *(amount for _, amount in amounts)), max(0, *(amount for _, amount in amounts))
    scale = (WIDTH - LABEL_WIDTH - AMOUNT_WIDTH) / (maximum - minimum)
    zero = LABEL_WIDTH - minimum * scale
    bars = [
        RankingBar(
            name,
            amount,
            format_amount(amount),
            round(min(zero, zero + amount * scale), 1),
            float(ROW_HEIGHT * i),
            round(max(abs(amount) * scale, 1), 1),
        )
        for i, (name, amount) in enumerate(amounts)
    ]
    return Ranking(title, bars, round(zero, 1), ROW_HEIGHT * len(amounts))


def _labels(day: date, *, by_year: bool) -> tuple[str, str, str]:
    """Return the name of a month or year, and the long and the short text below its bar.

    >>> _labels(date(2026, 3, 1), by_year=False), _labels(date(2026, 1, 1), by_year=True)
    (('Mar 2026', 'Mar', 'M'), ('2026', '2026', '26'))
    """
    return (f"{day:%Y}", f"{day:%Y}", f"{day:%y}") if by_year else (format_month(day), f"{day:%b}", f"{day:%b}"[0])


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
