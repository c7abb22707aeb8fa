"""Deductions out of wages: what each is to take, and what of it the law and the pay leave room for.

In the order of priority. What cannot be taken is carried forward; of a tracked item it stays owed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaji.engine.payslip_input import Case, PayPeriod
from gaji.engine.catalogue import CalculationType, Catalogue, Kind
from gaji.engine.earnings.amounts import Amounts, times_multiplier
from gaji.engine.earnings.gross_rate import GrossRate
from gaji.engine.input_columns import Inputs
from gaji.law.columns import Cents, Flags, cents
from gaji.law.months import Month
from gaji.law.pay import Deduction, PayParameters, deductions

LIMITS = {"loan": Deduction.LOAN, "advance": Deduction.ADVANCE, "other": Deduction.OTHER}


@dataclass(frozen=True)
class Taking:
    """One deduction of a batch."""

    type: CalculationType
    wanted: Cents
    limit: Cents
    """The most that a deduction of its kind may take."""
    room: Cents
    """What the deductions before it left."""
    taken: Cents

    @property
    def short(self) -> Cents:
        """What could not be taken."""
        return self.wanted - self.taken


@dataclass(frozen=True)
class Salary:
    """What the limits of deductions go by."""

    amount_cents: Cents
    """The income less reimbursements and unpaid leave."""
    payable_cents: Cents
    """What would be paid out without any of these deductions."""
    by_law_cents: Cents
    """CPF and funds, which come first."""
    is_last: Flags
    """The last salary before the service ends."""


def take(
    law: PayParameters,
    month: Month,
    period: PayPeriod,
    catalogue: Catalogue,
    cases: Sequence[Case],
    inputs: Inputs,
    salary: Salary,
    gross: GrossRate,
    custom: Amounts,
) -> list[Taking]:
    """The deductions of a batch, in the order of priority."""
    half = deductions.most_in_total_cents(law, month, salary.amount_cents, {}, salary.is_last)
    inside_room = np.maximum(half - salary.by_law_cents, 0)
    payable = np.maximum(salary.payable_cents, 0)
    outside = law.outside_total_deductions.at(month).value
    takings: list[Taking] = []
    for one in _in_order(catalogue, cases, inputs):
        kind = LIMITS[one.limit]
        wanted = _wanted(one, period, cases, inputs, gross, custom)
        most = deductions.most_of_kind_cents(law, month, kind, salary.amount_cents)
        limit = np.where(salary.is_last, np.maximum(salary.amount_cents, 0), most)
        limit = limit if kind in (Deduction.LOAN, Deduction.ADVANCE) else np.maximum(wanted, 0)
        room = payable if kind in outside else np.minimum(payable, inside_room)
        taken = np.minimum(np.minimum(wanted, limit), room)
        takings.append(Taking(one, wanted, limit, room, taken))
        payable = payable - taken
        inside_room = inside_room if kind in outside else inside_room - taken
    return takings


def _in_order(catalogue: Catalogue, cases: Sequence[Case], inputs: Inputs) -> list[CalculationType]:
    carried = {name for case in cases for name in case.carried}
    present = [catalogue.types[name] for name in {*inputs.names, *carried} if name in catalogue.types]
    payments = [one for one in present if one.kind == Kind.PAYMENT]
    return sorted(payments, key=lambda one: (one.priority, int(one.name) if one.is_custom else 0, one.name))


def _wanted(
    one: CalculationType, period: PayPeriod, cases: Sequence[Case], inputs: Inputs, gross: GrossRate, custom: Amounts
) -> Cents:
    if one.tracked:
        return _instalment(one, period, cases, inputs)
    if one.is_custom:
        amounts = custom.get(one.name, np.zeros(inputs.people, dtype=np.int64))
    else:
        amounts = inputs.money(one.name, "amount")
        if "days" in one.input_names:
            by_days = gross.cents(inputs.quantity(one.name, "days"))
            amounts = np.where(inputs.given(one.name, "amount"), amounts, by_days)
        amounts = times_multiplier(inputs, one.name, amounts)
    return amounts + cents([case.carried.get(one.name, 0) for case in cases])


def _instalment(one: CalculationType, period: PayPeriod, cases: Sequence[Case], inputs: Inputs) -> Cents:
    """The instalment from the start date on; of what is owed no more than is left of it."""
    starts = inputs.day(one.name, "start_date")
    begun = np.isnat(starts) | (starts <= np.datetime64(period.end, "D"))
    instalment = np.where(begun, times_multiplier(inputs, one.name, inputs.money(one.name, "instalment")), 0)
    if one.tracked == "saved":
        return instalment
    moved = cents([case.moved.get(one.name, 0) for case in cases])
    left = np.maximum(inputs.money(one.name, "balance") - moved, 0)
    return np.where(inputs.given(one.name, "balance"), np.minimum(instalment, left), instalment)
