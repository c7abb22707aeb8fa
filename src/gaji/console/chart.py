"""Small charts, as numbers that a template draws: stacked bars, one for each month, and a ranking of amounts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.engine.money import to_cents

WIDTH, HEIGHT = 600, 220
LEFT, TOP, BOTTOM = 64, 12, 28
GAP = 0.35
"""Of the width of a bar."""
STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Part:
    """One colour of a bar."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Bar:
    """One month."""

    month: date
    total: int
    middle: float
    parts: Sequence[Part]


@dataclass(frozen=True)
class Chart:
    """Bars, and the lines behind them with what each stands for."""

    bars: Sequence[Bar]
    lines: Sequence[tuple[float, str]]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT


def chart(amounts: Mapping[date, Sequence[int]], kinds: Sequence[str] = ("a", "b", "c")) -> Chart | None:
    """The chart of these amounts of cents by month, each in parts; None when there is nothing to see."""
    most = max((sum(parts) for parts in amounts.values()), default=0)
    if most <= 0:
        return None
    step = _step(most)
    top = -(-most // step) * step
    inner = HEIGHT - TOP - BOTTOM
    slot = (WIDTH - LEFT) / len(amounts)
    bars = []
    for place, (month, parts) in enumerate(amounts.items()):
        x, y, width = LEFT + slot * (place + GAP / 2), float(TOP + inner), slot * (1 - GAP)
        drawn = []
        for kind, amount in zip(kinds, parts, strict=True):
            height = inner * amount / top
            y -= height
            drawn.append(Part(kind, round(x, 1), round(y, 1), round(width, 1), round(height, 1)))
        bars.append(Bar(month, sum(parts), round(x + width / 2, 1), drawn))
    lines = [(round(TOP + inner * (1 - at / top), 1), _short(at)) for at in range(0, top + 1, step)]
    return Chart(bars, lines)


MOST_RANKED = 8
ROW, LABELS, AMOUNTS = 28, 220, 140
"""The height of a row, and what is left for names before the bars and for amounts after them."""


@dataclass(frozen=True)
class Rank:
    """One amount of a ranking."""

    name: str
    amount: int
    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Ranked:
    """The largest amounts, one below the other, and where nothing is."""

    title: str
    ranks: Sequence[Rank]
    zero: float
    height: int
    width: int = WIDTH


def ranked(title: str, amounts: Iterable[tuple[str, str]]) -> Ranked | None:
    """The largest sums of these amounts by name, given as people read them; None when fewer than two are to be seen."""
    sums: dict[str, int] = defaultdict(int)
    for name, amount in amounts:
        sums[name] += to_cents(amount.replace("$", "").replace(",", ""))
    largest = sorted(((name, sum_) for name, sum_ in sums.items() if sum_), key=lambda one: -abs(one[1]))[:MOST_RANKED]
    if len(largest) < 2:
        return None
    least, most = min(0, *(amount for _, amount in largest)), max(0, *(amount for _, amount in largest))
    scale = (WIDTH - LABELS - AMOUNTS) / (most - least)
    zero = LABELS - least * scale
    ranks = [
        Rank(
            name,
            amount,
            round(min(zero, zero + amount * scale), 1),
            float(ROW * place),
            round(max(abs(amount) * scale, 1), 1),
        )
        for place, (name, amount) in enumerate(largest)
    ]
    return Ranked(title, ranks, round(zero, 1), ROW * len(largest))


def _step(most: int) -> int:
    """A round amount of cents of which some three or four make the most.

    >>> _step(31_000_000), _step(900)
    (10000000, 250)
    """
    size = 1
    while size * 10 <= most // 4:
        size *= 10
    return next(int(size * step) for step in STEPS if int(size * step) * 4 >= most) if most >= 4 else 1


def _short(cents: int) -> str:
    """An amount in few characters.

    >>> _short(0), _short(12_500_000), _short(250_000_000), _short(50_000)
    ('0', '$125k', '$2.5m', '$500')
    """
    dollars = cents / 100
    if dollars >= 1_000_000:
        return f"${dollars / 1_000_000:g}m"
    if dollars >= 1_000:
        return f"${dollars / 1_000:g}k"
    return f"${dollars:g}" if cents else "0"
