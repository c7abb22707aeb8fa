"""The amounts of lines as columns, by the name of the line."""

import numpy as np

from gaji.engine.inputs import Inputs
from gaji.law.columns import Cents
from gaji.law.quantities import MILLI, share_cents

Amounts = dict[str, Cents]


def times_multiplier(inputs: Inputs, name: str, amounts: Cents) -> Cents:
    """The amounts of a calculation times its multiplier, none where it has no line; rounded to the nearest cent."""
    shown = np.where(inputs.shows(name), amounts, 0)
    multiplier = inputs.multiplier(name)
    if (multiplier == MILLI).all():
        return shown
    return share_cents(shown, multiplier, np.full_like(multiplier, MILLI))
