"""Scales: a value for each step of completed months, weeks or years, and zero below the first step.

>>> Scale((3, 6), (5, 14)).at(np.array([2, 3, 5, 6, 400])).tolist()
[0, 5, 5, 14, 14]
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gaji.law.parameters import TableReader
from gaji.law.quantities import Counts


@dataclass(frozen=True)
class Scale:
    """The steps, lowest first."""

    thresholds: tuple[int, ...]
    values: tuple[int, ...]

    def at(self, measure: Counts) -> Counts:
        """The value of the highest step that each measure reaches."""
        steps = np.searchsorted(np.asarray(self.thresholds, dtype=np.int64), measure, side="right")
        return np.asarray((0, *self.values), dtype=np.int64)[steps]


def parse_scales(entry: TableReader, name: str, *fields: str) -> tuple[Scale, ...]:
    """Parse one scale per field from the list of steps under this name. All scales share the thresholds."""
    steps = entry.tables(name)
    thresholds = tuple(step.whole_number("least") for step in steps)
    values = [tuple(step.whole_number(field) for step in steps) for field in fields]
    for step in steps:
        step.reject_unknown()
    if any(later <= earlier for earlier, later in pairwise(thresholds)):
        raise entry.error(name, "must list each step once, lowest first")
    for field, column in zip(fields, values, strict=True):
        if any(later < earlier for earlier, later in pairwise(column)):
            raise entry.error(name, f"must not decrease: a later step has fewer {field}")
    return tuple(Scale(thresholds, column) for column in values)
