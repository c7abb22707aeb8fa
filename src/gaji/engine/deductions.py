"""Deductions from wages: the requested amount of each, limited by the law and by the pay available.

Deductions are made in order of priority. The part that cannot be deducted is carried forward, or remains owed if the
item is tracked.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from gaji.engine.catalogue import CalculationKind, CalculationType, Catalogue
from gaji.engine.earnings.amounts import Amounts, line_cents
from gaji.engine.earnings.back_pay import overpaid_amounts, overpaid_cents
from gaji.engine.earnings.gross_rate import GrossRate
from gaji.engine.input_columns import InputColumns
from gaji.engine.payslip_input import PayPeriod, PayslipInput
from gaji.law.columns import Cents, Flags, cents
from gaji.law.months import Month
from gaji.law.pay import DeductionKind, PayParameters, deductions

KINDS_BY_LIMIT = {
    "absence": DeductionKind.ABSENCE,
    "loan": DeductionKind.LOAN,
    "advance": DeductionKind.ADVANCE,
    "overpayment": DeductionKind.OVERPAYMENT,
    "other": DeductionKind.OTHER,
}
OVERPAID_WAGES = "overpaid_wages"


class DeductionResult(Struct, frozen=True):
    """One deduction of a batch."""

    type: CalculationType
    owed_cents: Cents
    """What is to be deducted on this payslip and on later ones."""
    requested_cents: Cents
    """What is to be deducted on this payslip. Less than what is owed if a smaller instalment was agreed."""
    limit_cents: Cents
    """The maximum for a deduction of its kind."""
    available_cents: Cents
    """What earlier deductions left."""
    payable_cents: Cents
    """The pay that earlier deductions left. More than what is available if the limit of all deductions is lower."""
    deducted_cents: Cents

    @property
    def shortfall_cents(self) -> Cents:
        """The part that could not be deducted."""
        return self.requested_cents - self.deducted_cents

    @property
    def deferred_cents(self) -> Cents:
        """The part that is left for later instalments, as agreed."""
        return self.owed_cents - self.requested_cents

    @property
    def carried_forward_cents(self) -> Cents:
        """What the next payslip owes."""
        return self.owed_cents - self.deducted_cents


class DeductionBasis(Struct, frozen=True):
    """The amounts that the limits of deductions depend on."""

    amount_cents: Cents
    """The salary: income less reimbursements and unpaid leave."""
    payable_cents: Cents
    """The pay before any of these deductions."""
    statutory_cents: Cents
    """CPF and funds, which are deducted first."""
    is_final_salary: Flags
    """Whether it is the last salary before the service ends."""


def compute_deductions(
    law: PayParameters,
    month: Month,
    period: PayPeriod,
    catalogue: Catalogue,
    payslips: Sequence[PayslipInput],
    inputs: InputColumns,
    basis: DeductionBasis,
    gross_rate: GrossRate,
    custom: Amounts,
) -> list[DeductionResult]:
    """Compute the deductions of a batch, in order of priority."""
    max_total = deductions.max_total_cents(law, month, basis.amount_cents, {}, basis.is_final_salary)
    within_total = np.maximum(max_total - basis.statutory_cents, 0)
    payable = np.maximum(basis.payable_cents, 0)
    excluded_kinds = law.excluded_deductions.at(month).value
    results: list[DeductionResult] = []
    for item_type in _by_priority(catalogue, payslips, inputs):
        kind = KINDS_BY_LIMIT[item_type.limit]
        owed = _owed_cents(item_type, period, payslips, inputs, gross_rate, custom)
        requested = _within_instalment(item_type, inputs, owed)
        limit = np.maximum(requested, 0)
        if kind in (DeductionKind.LOAN, DeductionKind.ADVANCE):
            max_kind = deductions.max_kind_cents(law, month, kind, basis.amount_cents)
            limit = np.where(basis.is_final_salary, np.maximum(basis.amount_cents, 0), max_kind)
        available = payable if kind in excluded_kinds else np.minimum(payable, within_total)
        deducted = np.minimum(np.minimum(requested, limit), available)
        results.append(DeductionResult(item_type, owed, requested, limit, available, payable, deducted))
        payable = payable - deducted
        within_total = within_total if kind in excluded_kinds else within_total - deducted
    return results


def _by_priority(catalogue: Catalogue, payslips: Sequence[PayslipInput], inputs: InputColumns) -> list[CalculationType]:
    carried = {name for payslip in payslips for name in payslip.carried_forward_cents}
    if any(overpaid_amounts(payslip.past_differences) for payslip in payslips):
        carried.add(OVERPAID_WAGES)
    present = [catalogue.types[name] for name in {*inputs.names, *carried} if name in catalogue.types]
    payments = [item_type for item_type in present if item_type.kind == CalculationKind.PAYMENT]
    return sorted(payments, key=_priority_key)


def _priority_key(item_type: CalculationType) -> tuple[int, int, str]:
    return item_type.priority, int(item_type.name) if item_type.is_custom else 0, item_type.name


def _within_instalment(item_type: CalculationType, inputs: InputColumns, owed_cents: Cents) -> Cents:
    """What is owed, or the agreed instalment of it. What is owed of a tracked item is the instalment already."""
    if item_type.tracked or "instalment" not in item_type.inputs_by_name:
        return owed_cents
    instalment = inputs.money_cents(item_type.name, "instalment")
    is_agreed = inputs.is_entered(item_type.name, "instalment")
    return np.where(is_agreed, np.minimum(owed_cents, instalment), owed_cents)


def _owed_cents(
    item_type: CalculationType,
    period: PayPeriod,
    payslips: Sequence[PayslipInput],
    inputs: InputColumns,
    gross_rate: GrossRate,
    custom: Amounts,
) -> Cents:
    name = item_type.name
    if item_type.tracked:
        return _instalment_cents(item_type, period, payslips, inputs)
    if item_type.is_custom:
        amounts = custom.get(name, np.zeros(inputs.person_count, dtype=np.int64))
    else:
        amounts = entered_cents(item_type, inputs, gross_rate)
        if name == OVERPAID_WAGES:
            amounts = amounts + overpaid_cents(payslips)
    return amounts + cents([payslip.carried_forward_cents.get(name, 0) for payslip in payslips])


def entered_cents(item_type: CalculationType, inputs: InputColumns, gross_rate: GrossRate) -> Cents:
    """The amount of a deduction as entered, or its days at the gross rate of pay."""
    name = item_type.name
    amounts = inputs.money_cents(name, "amount")
    if "days" in item_type.inputs_by_name:
        by_days = gross_rate.cents(inputs.quantity_millis(name, "days"))
        amounts = np.where(inputs.is_entered(name, "amount"), amounts, by_days)
    return line_cents(inputs, name, amounts)


def _instalment_cents(
    item_type: CalculationType, period: PayPeriod, payslips: Sequence[PayslipInput], inputs: InputColumns
) -> Cents:
    """The instalment since the start date, limited to the balance still owed."""
    name = item_type.name
    starts = inputs.dates(name, "start_date")
    started = np.isnat(starts) | (starts <= np.datetime64(period.end, "D"))
    instalment = np.where(started, line_cents(inputs, name, inputs.money_cents(name, "instalment")), 0)
    if item_type.tracked == "saved":
        return instalment
    repaid = cents([payslip.instalments_cents.get(name, 0) for payslip in payslips])
    owed = np.maximum(inputs.money_cents(name, "balance") - repaid, 0)
    return np.where(inputs.is_entered(name, "balance"), np.minimum(instalment, owed), instalment)
