"""Unpaid leave: the difference that unpaid days make to the pay of a period, line by line."""

from collections.abc import Iterator

import numpy as np

from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import PRORATE, Catalogue
from gaji.engine.earnings.amounts import Amounts, line_cents
from gaji.engine.earnings.basic_pay import BASIC, BasicPay
from gaji.engine.earnings.other_earnings import full_amount_cents, is_prorated
from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Cents, Flags, any_nonzero
from gaji.law.pay import days_at_rate
from gaji.law.quantities import Millis

UNPAID_LEAVE = "unpaid_leave"


def unpaid_millidays(inputs: InputColumns) -> Millis:
    """The unpaid days of each payslip."""
    return np.where(inputs.has_line(UNPAID_LEAVE), inputs.quantity_millis(UNPAID_LEAVE, "days"), 0)


def unpaid_leave_cents(
    catalogue: Catalogue, inputs: InputColumns, attendance: Attendance, basic_pay: BasicPay, earnings: Amounts
) -> Cents:
    """The deduction for unpaid leave, at most the pay that it is deducted from."""
    unpaid = unpaid_millidays(inputs)
    if not any_nonzero(unpaid):
        return unpaid
    at_rate = np.minimum(days_at_rate.pay_cents(basic_pay.terms, unpaid), earnings[BASIC])
    deducted = np.where(basic_pay.monthly_rated, 0, at_rate)
    unpaid_in_service = np.minimum(unpaid, attendance.served_millidays)
    for name, amounts, prorated in prorated_lines(catalogue, inputs, basic_pay):
        remaining = line_cents(inputs, name, attendance.prorated_cents(amounts, unpaid_in_service))
        deducted = deducted + np.where(prorated, earnings[name] - remaining, 0)
    return deducted


def prorated_lines(
    catalogue: Catalogue, inputs: InputColumns, basic_pay: BasicPay
) -> Iterator[tuple[str, Cents, Flags]]:
    """The lines that are prorated in an incomplete period: name, amounts of a whole period, and for whom."""
    yield BASIC, basic_pay.terms.amounts_cents, basic_pay.monthly_rated
    for name in inputs.names:
        item_type = catalogue.types[name]
        if PRORATE in item_type.inputs_by_name and (amounts := full_amount_cents(inputs, item_type)) is not None:
            yield name, amounts, basic_pay.monthly_rated & is_prorated(inputs, basic_pay, item_type)
