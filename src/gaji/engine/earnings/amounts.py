"""The amounts of lines as columns, by the name of the line."""

import numpy as np

from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Cents
from gaji.law.quantities import MILLI, share_cents

Amounts = dict[str, Cents]


def line_cents(inputs: InputColumns, name: str, amounts: Cents) -> Cents:
    """The amounts of a calculation times its multiplier, none where it has no line; rounded to the nearest cent."""
    return multiplied_cents(inputs, name, np.where(inputs.has_line(name), amounts, 0))


def multiplied_cents(inputs: InputColumns, name: str, amounts: Cents) -> Cents:
    """The amounts of a calculation times its multiplier, with a line or without; rounded to the nearest cent."""
    if not inputs.has_multiplier(name):
        return amounts
    multiplier = inputs.multiplier_millis(name)
    return share_cents(amounts, multiplier, np.full_like(multiplier, MILLI))
