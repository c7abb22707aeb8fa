"""The amounts of lines as columns, by the name of the line."""

import numpy as np

from gaji.engine.input_columns import Inputs
from gaji.law.columns import Cents
from gaji.law.quantities import MILLI, share_cents

Amounts = dict[str, Cents]


def times_multiplier(inputs: Inputs, name: str, amounts: Cents) -> Cents:
    """The amounts of a calculation times its multiplier, none where it has no line; rounded to the nearest cent."""
    return multiplied(inputs, name, np.where(inputs.shows(name), amounts, 0))


def multiplied(inputs: Inputs, name: str, amounts: Cents) -> Cents:
    """The amounts of a calculation times its multiplier, with a line or without; rounded to the nearest cent."""
    if not inputs.multiplies(name):
        return amounts
    multiplier = inputs.multiplier(name)
    return share_cents(amounts, multiplier, np.full_like(multiplier, MILLI))
