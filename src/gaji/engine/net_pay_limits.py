"""What the law takes of the employee, as far as the pay of the payslip goes: CPF first, then the funds.

An employer owes both shares of CPF and may take the employee's out of the wages (CPF Act 1953, s. 7): what these do not
hold is the employer's to pay. The month's next payslip takes the month to date less what was taken, and so makes up for
it.
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
    """One thing that the law takes of the employee."""

    name: str
    due_cents: Cents
    available_cents: Cents
    """What there was to take it from."""
    deducted_cents: Cents

    @property
    def shortfall_cents(self) -> Cents:
        """What could not be taken."""
        return self.due_cents - self.deducted_cents


def cap_to_net_pay(by_law: StatutoryResult, payable: Cents) -> Sequence[StatutoryDeduction]:
    """What CPF and the funds take of what would be paid out without them."""
    due = {CPF_EMPLOYEE: by_law.assessment.due.employee_cents}
    due |= {FUND_NAMES[fund]: by_law.funds[fund] for fund in FUNDS}
    found = []
    for name, amounts in due.items():
        taken = np.minimum(amounts, payable)
        found.append(StatutoryDeduction(name, amounts, payable, taken))
        payable = payable - taken
    return found
