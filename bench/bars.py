"""Performance bars: definition, measurement and output."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True)
class Sample:
    """One measurement, with further values for information."""

    value: float
    notes: dict[str, float] = field(default_factory=dict)


Measure = Callable[[], Sample]


@dataclass(frozen=True)
class Sides:
    """The two measurements that are compared."""

    ours: Measure
    baseline: Measure


@dataclass(frozen=True)
class PerformanceBar:
    """A limit for the ratio of our measurement to a baseline."""

    name: str
    unit: str
    sides: Callable[[], AbstractContextManager[Sides]]
    """Sets up both sides and cleans up afterwards."""
    min_ratio: float | None = None
    max_ratio: float | None = None
    rounds: int = 11

    @property
    def limit(self) -> str:
        """The limit as text."""
        if self.min_ratio is not None and self.max_ratio is not None:
            return f"{self.min_ratio:.2f} to {self.max_ratio}"
        return f"at least {self.min_ratio}" if self.min_ratio is not None else f"at most {self.max_ratio}"

    def allows(self, ratio: float) -> bool:
        """Return whether a ratio is within the limit."""
        return (self.min_ratio is None or ratio >= self.min_ratio) and (
            self.max_ratio is None or ratio <= self.max_ratio
        )


@dataclass(frozen=True)
class BarResult:
    """The measurements of a bar."""

    bar: PerformanceBar
    ours: list[Sample]
    baseline: list[Sample]

    @property
    def ratio(self) -> float:
        """The median ratio. Each round compares two measurements taken close together."""
        pairs = zip(self.ours, self.baseline, strict=True)
        return median(ours.value / baseline.value for ours, baseline in pairs)

    @property
    def holds(self) -> bool:
        """Whether the bar is met."""
        return self.bar.allows(self.ratio)

    def lines(self) -> list[str]:
        """Return the lines to print: the result and the details of each side."""
        bar = self.bar
        return [
            f"{bar.name:<24}{_median(self.ours):>12,.1f}{_median(self.baseline):>12,.1f} {bar.unit:<8}"
            f"{self.ratio:>8.3f}  {bar.limit:<14}{'holds' if self.holds else 'FAILS'}",
            *(f"  {side:<10}{_notes(samples)}" for side, samples in (("ours", self.ours), ("baseline", self.baseline))),
        ]


HEADING = f"{'name':<24}{'ours':>12}{'baseline':>12} {'unit':<8}{'ratio':>8}  {'bar':<14}"


def measure_bar(bar: PerformanceBar) -> BarResult:
    """Measure both sides alternately, so that other load on the machine affects both."""
    ours: list[Sample] = []
    baseline: list[Sample] = []
    with bar.sides() as sides:
        for round_number in range(bar.rounds):
            turns = [(ours, sides.ours), (baseline, sides.baseline)]
            for samples, measure in turns if round_number % 2 else reversed(turns):
                samples.append(measure())
    return BarResult(bar, ours, baseline)


def _median(samples: list[Sample]) -> float:
    return median(sample.value for sample in samples)


def _notes(samples: list[Sample]) -> str:
    values = " ".join(f"{sample.value:,.0f}" for sample in samples)
    names = samples[0].notes
    notes = (f"{name} {median(sample.notes[name] for sample in samples):.2f}" for name in names)
    return "  ".join([*notes, f"rounds {values}"])
