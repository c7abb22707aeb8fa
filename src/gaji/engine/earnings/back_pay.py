"""Back pay: arrears of finalised periods.

Arrears that were decided later are additional wages of the month of the payslip that pays them. Items that are not
wages under the CPF Act keep their own line. Pay that was missed by mistake belongs to the month it is for: its line,
`corrected_pay`, counts for nothing in the month of the payslip.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from gaji.engine.catalogue import Catalogue, CpfTreatment, PayslipSection
from gaji.engine.earnings.amounts import Amounts
from gaji.engine.earnings.unpaid_leave import EXCESS_LEAVE, NATIONAL_SERVICE, UNPAID_LEAVE
from gaji.engine.payslip_input import MISSED, PastDifference, PayslipInput
from gaji.law.columns import Cents, cents

BACK_PAY = "back_pay"
CORRECTED_PAY = "corrected_pay"
ABSENCES = (UNPAID_LEAVE, NATIONAL_SERVICE, EXCESS_LEAVE)
"""Lines that reduce the pay."""


def with_arrears(catalogue: Catalogue, payslips: Sequence[PayslipInput], earnings: Amounts) -> Amounts:
    """The earnings with the arrears of past periods."""
    added: dict[str, dict[int, int]] = defaultdict(dict)
    for i, payslip in enumerate(payslips):
        for line, amount in arrears_by_line(catalogue, payslip.past_differences).items():
            added[line][i] = amount
    if not added:
        return earnings
    zeros = np.zeros(len(payslips), dtype=np.int64)
    changed = {}
    for line, amounts in added.items():
        column = earnings.get(line, zeros).copy()
        column[list(amounts)] += np.array(list(amounts.values()), dtype=np.int64)
        changed[line] = column
    return earnings | changed


def arrears_by_line(catalogue: Catalogue, differences: Sequence[PastDifference]) -> dict[str, int]:
    """The arrears in cents, by the line that pays them. Overpaid wages have none."""
    by_line: dict[str, int] = defaultdict(int)
    for difference in differences:
        if difference.treatment == MISSED:
            by_line[CORRECTED_PAY] += max(difference.total_cents, 0)
            continue
        for item, amount in difference.items.items():
            by_line[arrears_line(catalogue, item)] += amount.accepted
    return {line: amount for line, amount in by_line.items() if amount}


def arrears_line(catalogue: Catalogue, item: str) -> str:
    """The line that pays arrears of an item that were decided later."""
    line = catalogue.lines.get(item)
    if item in ABSENCES or line is None or line.treatment.cpf != CpfTreatment.NONE:
        return BACK_PAY
    return item


def has_arrears(catalogue: Catalogue, item: str) -> bool:
    """Whether a difference of the item is paid: items of income, and the absences that reduce them."""
    line = catalogue.lines.get(item)
    return item in ABSENCES or (line is not None and line.section == PayslipSection.INCOME)


def overpaid_cents(payslips: Sequence[PayslipInput]) -> Cents:
    """The wages that past periods paid too much, by payslip."""
    return cents([sum(overpaid_amounts(payslip.past_differences)) for payslip in payslips])


def overpaid_amounts(differences: Sequence[PastDifference]) -> list[int]:
    """The wages that past periods paid too much, one amount for each period."""
    totals = (difference.total_cents for difference in differences if difference.treatment == MISSED)
    return [-total for total in totals if total < 0]
