"""Unpaid leave: what makes the pay of a period that of an incomplete one, line by line."""

from collections.abc import Iterator

import numpy as np

from gaji.engine.earnings.amounts import Amounts, line_cents
from gaji.engine.earnings.basic_pay import BASIC, BasicPay
from gaji.engine.earnings.other_earnings import ALLOWANCES
from gaji.engine.input_columns import InputColumns
from gaji.engine.attendance import Attendance
from gaji.law.columns import Cents, Flags, any_nonzero
from gaji.law.pay import days_at_rate
from gaji.law.quantities import Millis

UNPAID_LEAVE = "unpaid_leave"


def unpaid_millidays(inputs: InputColumns) -> Millis:
    """The days that are not paid for."""
    return np.where(inputs.has_line(UNPAID_LEAVE), inputs.quantity_millis(UNPAID_LEAVE, "days"), 0)


def unpaid_leave_cents(inputs: InputColumns, presence: Attendance, agreed: BasicPay, earned: Amounts) -> Cents:
    """What unpaid leave takes: never more than the pay that it is taken from."""
    unpaid = unpaid_millidays(inputs)
    if not any_nonzero(unpaid):
        return unpaid
    at_rate = np.minimum(days_at_rate.pay_cents(agreed.terms, unpaid), earned[BASIC])
    taken = np.where(agreed.monthly_rated, 0, at_rate)
    less = np.minimum(unpaid, presence.served_millidays)
    for name, amounts, shrinks in prorated_lines(inputs, agreed):
        left = line_cents(inputs, name, presence.prorated_cents(amounts, less))
        taken = taken + np.where(shrinks, earned[name] - left, 0)
    return taken


def prorated_lines(inputs: InputColumns, agreed: BasicPay) -> Iterator[tuple[str, Cents, Flags]]:
    """The lines that an incomplete period makes smaller: the amounts of a whole period, and for whom it is so."""
    yield BASIC, agreed.terms.amounts_cents, agreed.monthly_rated
    present = set(inputs.names)
    for one in ALLOWANCES:
        if one.name in present:
            amounts, prorated = inputs.money_cents(one.name, "amount"), inputs.flag(one.name, "prorate")
            yield one.name, amounts, agreed.monthly_rated & prorated
