"""Excess leave: annual leave taken beyond the entitlement, which a leaver's last payslip deducts.

It reduces the wages of the month in which it was taken, not of the month in which it is deducted (CPF Board). Months
that the payslip assesses are charged less. Contributions of earlier months were paid already: the CPF Board refunds
them on application.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import accumulate

import numpy as np

from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.engine.deductions import entered_cents
from gaji.engine.earnings.gross_rate import GrossRate
from gaji.engine.earnings.unpaid_leave import EXCESS_LEAVE
from gaji.engine.input_columns import InputColumns
from gaji.engine.payslip_input import CalculationEntry, MonthToDate, PayPeriod, PayslipInput
from gaji.law import cpf
from gaji.law.columns import Cents, cents
from gaji.law.months import Month
from gaji.law.quantities import MILLI
from gaji.law.rounding import divide_half_up

TAKEN_IN = "taken_in"


@dataclass(frozen=True)
class ExcessLeave:
    """The excess leave of each payslip by the calendar month in which it was taken."""

    current_cents: Cents
    """Of the payslip's month."""
    previous_cents: Cents
    """Of the month before, if the period spans both."""
    earlier_cents: Mapping[int, Mapping[Month, int]] = field(default_factory=dict)
    """Of months that the payslip does not assess, by payslip index."""


@dataclass(frozen=True)
class MonthRefund:
    """The contributions of an earlier month that can be claimed back, of one payslip."""

    month: Month
    excess_cents: int
    employee_cents: int
    employer_cents: int
    is_known: bool
    """Whether the wages of the month are known. Otherwise there are no amounts."""


def taken_months(payslip: PayslipInput, entry: CalculationEntry) -> dict[Month, int]:
    """The months in which the excess leave of a payslip was taken, each with its days in thousandths.

    What was entered comes first, then the dates of the leave, then the payslip's month.
    """
    current = Month.from_date(payslip.period.end)
    if (month := entry.inputs.get(TAKEN_IN)) is not None:
        return {min(Month.parse(str(month)), current): MILLI}
    days = {Month.parse(text): int(Decimal(number) * MILLI) for text, number in payslip.leave.excess_days.items()}
    return dict(sorted(days.items())) or {current: MILLI}


def divide_excess_leave(
    period: PayPeriod, payslips: Sequence[PayslipInput], inputs: InputColumns, gross_rate: GrossRate
) -> ExcessLeave | None:
    """Divide the excess leave of a batch by month. None if no payslip has any."""
    if EXCESS_LEAVE not in inputs.names:
        return None
    month = Month.from_date(period.end)
    amounts = entered_cents(SYSTEM_TYPES[EXCESS_LEAVE], inputs, gross_rate)
    columns = {month: np.zeros_like(amounts), month - 1: np.zeros_like(amounts)}
    assessed = columns if period.apportionment is not None else {month: columns[month]}
    earlier: dict[int, dict[Month, int]] = {}
    for i, entry in inputs.entries(EXCESS_LEAVE):
        for taken_in, part in _divide(int(amounts[i]), taken_months(payslips[i], entry)).items():
            if taken_in in assessed:
                assessed[taken_in][i] = part
            elif part:
                earlier.setdefault(i, {})[taken_in] = part
    return ExcessLeave(columns[month], columns[month - 1], earlier)


def _divide(amount_cents: int, days: Mapping[Month, int]) -> dict[Month, int]:
    """Divide an amount by days without remainder: the sum up to each month is rounded."""
    total = sum(days.values())
    until = [divide_half_up(amount_cents * millidays, total) for millidays in accumulate(days.values())]
    return {month: end - start for month, start, end in zip(days, [0, *until], until, strict=False)}


def month_refunds(
    parameters: cpf.CpfParameters, payslip: PayslipInput, members: cpf.CpfMembers, earlier: Mapping[Month, int]
) -> Iterator[MonthRefund]:
    """The refunds of one payslip. Months without CPF have none."""
    for month, excess in earlier.items():
        if month < parameters.ordinary_wage_ceiling_cents.covered_from:
            continue
        if cpf.applicability(month, members).tables[0] == cpf.RateTable.NONE:
            continue
        totals = payslip.corrected_months.get(str(month), MonthToDate())
        employee, employer = cpf.reduction_refund_cents(
            parameters, month, members, cents([totals.ordinary]), cents([totals.additional_subject]), cents([excess])
        )
        is_known = totals.ordinary > 0
        if not is_known or employee[0] or employer[0]:
            yield MonthRefund(month, excess, int(employee[0]), int(employer[0]), is_known)
