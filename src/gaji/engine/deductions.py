"""Deductions out of wages: what each is to take, and what of it the law and the pay leave room for.

In the order of priority. What cannot be taken is carried forward; of a tracked item it stays owed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaji.engine.payslip_input import PayslipInput, PayPeriod
from gaji.engine.catalogue import CalculationType, Catalogue, CalculationKind
from gaji.engine.earnings.amounts import Amounts, line_cents
from gaji.engine.earnings.gross_rate import GrossRate
from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Cents, Flags, cents
from gaji.law.months import Month
from gaji.law.pay import DeductionKind, PayParameters, deductions

LIMITS = {"loan": DeductionKind.LOAN, "advance": DeductionKind.ADVANCE, "other": DeductionKind.OTHER}


@dataclass(frozen=True)
class DeductionResult:
    """One deduction of a batch."""

    type: CalculationType
    requested_cents: Cents
    limit_cents: Cents
    """The most that a deduction of its kind may take."""
    available_cents: Cents
    """What the deductions before it left."""
    deducted_cents: Cents

    @property
    def shortfall_cents(self) -> Cents:
        """What could not be taken."""
        return self.requested_cents - self.deducted_cents


@dataclass(frozen=True)
class DeductionBasis:
    """What the limits of deductions go by."""

    amount_cents: Cents
    """The income less reimbursements and unpaid leave."""
    payable_cents: Cents
    """What would be paid out without any of these deductions."""
    statutory_cents: Cents
    """CPF and funds, which come first."""
    is_final_salary: Flags
    """The last salary before the service ends."""


def compute_deductions(
    law: PayParameters,
    month: Month,
    period: PayPeriod,
    catalogue: Catalogue,
    cases: Sequence[PayslipInput],
    inputs: InputColumns,
    salary: DeductionBasis,
    gross: GrossRate,
    custom: Amounts,
) -> list[DeductionResult]:
    """The deductions of a batch, in the order of priority."""
    half = deductions.max_total_cents(law, month, salary.amount_cents, {}, salary.is_final_salary)
    inside_room = np.maximum(half - salary.statutory_cents, 0)
    payable = np.maximum(salary.payable_cents, 0)
    outside = law.excluded_deductions.at(month).value
    takings: list[DeductionResult] = []
    for one in _in_order(catalogue, cases, inputs):
        kind = LIMITS[one.limit]
        wanted = _wanted(one, period, cases, inputs, gross, custom)
        most = deductions.max_kind_cents(law, month, kind, salary.amount_cents)
        limit = np.where(salary.is_final_salary, np.maximum(salary.amount_cents, 0), most)
        limit = limit if kind in (DeductionKind.LOAN, DeductionKind.ADVANCE) else np.maximum(wanted, 0)
        room = payable if kind in outside else np.minimum(payable, inside_room)
        taken = np.minimum(np.minimum(wanted, limit), room)
        takings.append(DeductionResult(one, wanted, limit, room, taken))
        payable = payable - taken
        inside_room = inside_room if kind in outside else inside_room - taken
    return takings


def _in_order(catalogue: Catalogue, cases: Sequence[PayslipInput], inputs: InputColumns) -> list[CalculationType]:
    carried = {name for case in cases for name in case.carried_forward_cents}
    present = [catalogue.types[name] for name in {*inputs.names, *carried} if name in catalogue.types]
    payments = [one for one in present if one.kind == CalculationKind.PAYMENT]
    return sorted(payments, key=lambda one: (one.priority, int(one.name) if one.is_custom else 0, one.name))


def _wanted(
    one: CalculationType, period: PayPeriod, cases: Sequence[PayslipInput], inputs: InputColumns, gross: GrossRate, custom: Amounts
) -> Cents:
    if one.tracked:
        return _instalment(one, period, cases, inputs)
    if one.is_custom:
        amounts = custom.get(one.name, np.zeros(inputs.person_count, dtype=np.int64))
    else:
        amounts = inputs.money_cents(one.name, "amount")
        if "days" in one.inputs_by_name:
            by_days = gross.cents(inputs.quantity_millis(one.name, "days"))
            amounts = np.where(inputs.is_entered(one.name, "amount"), amounts, by_days)
        amounts = line_cents(inputs, one.name, amounts)
    return amounts + cents([case.carried_forward_cents.get(one.name, 0) for case in cases])


def _instalment(one: CalculationType, period: PayPeriod, cases: Sequence[PayslipInput], inputs: InputColumns) -> Cents:
    """The instalment from the start date on; of what is owed no more than is left of it."""
    starts = inputs.dates(one.name, "start_date")
    begun = np.isnat(starts) | (starts <= np.datetime64(period.end, "D"))
    instalment = np.where(begun, line_cents(inputs, one.name, inputs.money_cents(one.name, "instalment")), 0)
    if one.tracked == "saved":
        return instalment
    moved = cents([case.instalments_cents.get(one.name, 0) for case in cases])
    left = np.maximum(inputs.money_cents(one.name, "balance") - moved, 0)
    return np.where(inputs.is_entered(one.name, "balance"), np.minimum(instalment, left), instalment)
