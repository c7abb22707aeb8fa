"""What a bar is, how it is measured, and the line that says whether it holds."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True)
class Sample:
    """One measurement, with what else was seen on the way."""

    value: float
    notes: dict[str, float] = field(default_factory=dict)


Measure = Callable[[], Sample]


@dataclass(frozen=True)
class Sides:
    """The two things that are compared, both ready to be measured."""

    ours: Measure
    ceiling: Measure


@dataclass(frozen=True)
class Bar:
    """A ratio of ours to the ceiling that must be at least, or at most, so much."""

    name: str
    unit: str
    sides: Callable[[], AbstractContextManager[Sides]]
    """Makes both sides ready, and clears them away."""
    at_least: float | None = None
    at_most: float | None = None
    rounds: int = 11

    @property
    def limit(self) -> str:
        """The bar in words."""
        if self.at_least is not None and self.at_most is not None:
            return f"{self.at_least:.2f} to {self.at_most}"
        return f"at least {self.at_least}" if self.at_least is not None else f"at most {self.at_most}"

    def allows(self, ratio: float) -> bool:
        """Whether this ratio is good enough."""
        return (self.at_least is None or ratio >= self.at_least) and (self.at_most is None or ratio <= self.at_most)


@dataclass(frozen=True)
class Outcome:
    """What a run of a bar found."""

    bar: Bar
    ours: list[Sample]
    ceiling: list[Sample]

    @property
    def ratio(self) -> float:
        """Ours to the ceiling in the middle one of the rounds: each compares two measurements made close together."""
        return median(ours.value / ceiling.value for ours, ceiling in zip(self.ours, self.ceiling, strict=True))

    @property
    def holds(self) -> bool:
        """Whether the bar was met."""
        return self.bar.allows(self.ratio)

    def lines(self) -> list[str]:
        """The result, and below it what else was seen on each side."""
        bar = self.bar
        return [
            f"{bar.name:<24}{_middle(self.ours):>12,.1f}{_middle(self.ceiling):>12,.1f} {bar.unit:<8}"
            f"{self.ratio:>8.3f}  {bar.limit:<14}{'holds' if self.holds else 'FAILS'}",
            *(f"  {side:<10}{_notes(samples)}" for side, samples in (("ours", self.ours), ("ceiling", self.ceiling))),
        ]


HEADING = f"{'name':<24}{'ours':>12}{'ceiling':>12} {'unit':<8}{'ratio':>8}  {'bar':<14}"


def run(bar: Bar) -> Outcome:
    """Measure both sides in turn, each first every other time, so that whatever else the machine does falls on both."""
    ours: list[Sample] = []
    ceiling: list[Sample] = []
    with bar.sides() as sides:
        for number in range(bar.rounds):
            turns = [(ours, sides.ours), (ceiling, sides.ceiling)]
            for samples, measure in turns if number % 2 else reversed(turns):
                samples.append(measure())
    return Outcome(bar, ours, ceiling)


def _middle(samples: list[Sample]) -> float:
    return median(sample.value for sample in samples)


def _notes(samples: list[Sample]) -> str:
    values = " ".join(f"{sample.value:,.0f}" for sample in samples)
    names = samples[0].notes
    notes = (f"{name} {median(sample.notes[name] for sample in samples):.2f}" for name in names)
    return "  ".join([*notes, f"rounds {values}"])
