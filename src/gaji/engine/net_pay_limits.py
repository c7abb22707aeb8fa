"""Limit statutory deductions to the pay that is available: CPF first, then the self-help funds.

An employer owes both shares of CPF and may recover the employee's share from the wages (CPF Act 1953, s. 7). The
employer pays the part that the wages do not cover. The month's next payslip deducts the month-to-date liability less
what was deducted before, and so makes up for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaji.engine.statutory import FUND_NAMES, StatutoryResult
from gaji.law.columns import Cents
from gaji.law.self_help_funds import FUNDS

CPF_EMPLOYEE = "cpf_employee"


@dataclass(frozen=True)
class StatutoryDeduction:
    """The employee's CPF share or a fund contribution."""

    name: str
    due_cents: Cents
    available_cents: Cents
    """The pay left to deduct it from."""
    deducted_cents: Cents

    @property
    def shortfall_cents(self) -> Cents:
        """The part that could not be deducted."""
        return self.due_cents - self.deducted_cents


def cap_to_net_pay(statutory: StatutoryResult, payable_cents: Cents) -> Sequence[StatutoryDeduction]:
    """Deduct CPF and fund contributions from the pay before them, up to what is left."""
    due = {CPF_EMPLOYEE: statutory.assessment.due.employee_cents}
    due |= {FUND_NAMES[fund]: statutory.funds[fund] for fund in FUNDS}
    deductions = []
    for name, due_cents in due.items():
        deducted_cents = np.minimum(due_cents, payable_cents)
        deductions.append(StatutoryDeduction(name, due_cents, payable_cents, deducted_cents))
        payable_cents = payable_cents - deducted_cents
    return deductions
