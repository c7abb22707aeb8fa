"""Amounts of payslip lines as columns, and their multipliers."""

from collections.abc import Callable

import numpy as np

from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Cents
from gaji.law.quantities import MILLI, Millis, share_cents

Amounts = dict[str, Cents]
"""Keyed by line name."""
PayForDays = Callable[[Millis], Cents]
"""The pay for a number of days at a rate."""


def line_cents(inputs: InputColumns, name: str, amounts: Cents) -> Cents:
    """Amounts times the calculation's multiplier, to the nearest cent. Zero where the calculation has no line."""
    return multiplied_cents(inputs, name, np.where(inputs.has_line(name), amounts, 0))


def multiplied_cents(inputs: InputColumns, name: str, amounts: Cents) -> Cents:
    """Amounts times the calculation's multiplier, to the nearest cent, with or without a line."""
    if not inputs.has_multiplier(name):
        return amounts
    multiplier = inputs.multiplier_millis(name)
    return share_cents(amounts, multiplier, np.full_like(multiplier, MILLI))
