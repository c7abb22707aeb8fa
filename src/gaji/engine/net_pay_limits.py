"""Limit statutory deductions to the pay that is available: CPF first, then the self-help funds, then withholding tax.

An employer owes both shares of CPF and may recover the employee's share from the wages (CPF Act 1953, s. 7). The
employer pays the part that the wages do not cover. The month's next payslip deducts the month-to-date liability less
what was deducted before, and so makes up for it.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from gaji.engine.past_months import PastMonths
from gaji.engine.statutory import FUND_NAMES, MonthAssessment, StatutoryResult
from gaji.engine.withholding_tax import WITHHOLDING_TAX
from gaji.law.columns import Cents, any_nonzero
from gaji.law.self_help_funds import FUNDS

CPF_EMPLOYEE = "cpf_employee"


class StatutoryDeduction(Struct, frozen=True):
    """The employee's CPF share, a fund contribution or tax."""

    name: str
    due_cents: Cents
    available_cents: Cents
    """The pay left to deduct it from."""
    deducted_cents: Cents
    previous_cents: Cents
    """The part of the deducted amount for the month before the payslip's."""
    missing_past_cents: Cents
    """The part for corrections of earlier months that could not be deducted."""

    @property
    def shortfall_cents(self) -> Cents:
        """The part that could not be deducted."""
        return self.due_cents - self.deducted_cents


def cap_to_net_pay(
    statutory: StatutoryResult, past: PastMonths, payable_cents: Cents, withholding_tax_cents: Cents | None
) -> Sequence[StatutoryDeduction]:
    """Deduct CPF, fund contributions and withholding tax from the pay before them, up to what is left."""
    current = _due_cents(statutory.current)
    previous = {} if statutory.previous is None else _due_cents(statutory.previous)
    if withholding_tax_cents is not None:
        current[WITHHOLDING_TAX] = withholding_tax_cents
    zeros = np.zeros_like(payable_cents)
    deductions = []
    for name, current_cents in current.items():
        previous_cents, past_cents = previous.get(name, zeros), past.total(name)
        due_cents = current_cents + previous_cents + past_cents
        deducted_cents = np.minimum(due_cents, payable_cents)
        missing, previous_deducted, missing_past = due_cents - deducted_cents, previous_cents, zeros
        if past.by_payslip or any_nonzero(missing):
            # What the pay does not cover is missing from the payslip's month first, then from the one before.
            missing_before = missing - np.minimum(missing, np.maximum(current_cents, 0))
            missing_past = np.clip(missing_before - np.maximum(previous_cents, 0), 0, past_cents)
            previous_deducted = previous_cents - (missing_before - missing_past)
        deductions.append(
            StatutoryDeduction(name, due_cents, payable_cents, deducted_cents, previous_deducted, missing_past)
        )
        payable_cents = payable_cents - deducted_cents
    return deductions


def _due_cents(month: MonthAssessment) -> dict[str, Cents]:
    """The employee's CPF share and the fund contributions due for a month, by item."""
    return {CPF_EMPLOYEE: month.assessment.due.employee_cents} | {FUND_NAMES[fund]: month.funds[fund] for fund in FUNDS}
