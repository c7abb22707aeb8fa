"""Unpaid leave: what makes the pay of a period that of an incomplete one, line by line."""

from collections.abc import Iterator

import numpy as np

from gaji.engine.earnings.amounts import Amounts, times_multiplier
from gaji.engine.earnings.basic_pay import BASIC, Pay
from gaji.engine.earnings.other_earnings import ALLOWANCES
from gaji.engine.input_columns import Inputs
from gaji.engine.attendance import Presence
from gaji.law.columns import Cents, Flags, any_nonzero
from gaji.law.pay import days_at_rate
from gaji.law.quantities import Millis

UNPAID = "unpaid_leave"


def unpaid_millidays(inputs: Inputs) -> Millis:
    """The days that are not paid for."""
    return np.where(inputs.shows(UNPAID), inputs.quantity(UNPAID, "days"), 0)


def unpaid_leave_cents(inputs: Inputs, presence: Presence, agreed: Pay, earned: Amounts) -> Cents:
    """What unpaid leave takes: never more than the pay that it is taken from."""
    unpaid = unpaid_millidays(inputs)
    if not any_nonzero(unpaid):
        return unpaid
    at_rate = np.minimum(days_at_rate.pay_cents(agreed.terms, unpaid), earned[BASIC])
    taken = np.where(agreed.monthly_rated, 0, at_rate)
    less = np.minimum(unpaid, presence.served_millidays)
    for name, amounts, shrinks in shrinking(inputs, agreed):
        left = times_multiplier(inputs, name, presence.pay_cents(amounts, less))
        taken = taken + np.where(shrinks, earned[name] - left, 0)
    return taken


def shrinking(inputs: Inputs, agreed: Pay) -> Iterator[tuple[str, Cents, Flags]]:
    """The lines that an incomplete period makes smaller: the amounts of a whole period, and for whom it is so."""
    yield BASIC, agreed.terms.amounts_cents, agreed.monthly_rated
    present = set(inputs.names)
    for one in ALLOWANCES:
        if one.name in present:
            amounts, prorated = inputs.money(one.name, "amount"), inputs.flag(one.name, "prorate")
            yield one.name, amounts, agreed.monthly_rated & prorated
