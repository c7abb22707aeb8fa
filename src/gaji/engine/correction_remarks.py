"""Remarks about corrections of earlier months: what to contribute late, and what to claim back.

The remarks of the employer say what to do. Those of the employee, which payslips print, leave that out.
"""

from collections import defaultdict
from collections.abc import Sequence

from gaji.engine.money import format_dollars
from gaji.engine.past_months import employee_share_cents, recovered_share_cents
from gaji.engine.payslip_input import MISSED, PastDifference, PayslipInput
from gaji.law.due_dates import due_date
from gaji.law.explanation import long_date, long_month
from gaji.law.months import Month
from gaji.law.registry import Law

CPF = ("cpf_employee", "cpf_employer")
DEDUCTED = ("cpf_employee", "cdac", "ecf", "mbmf", "sinda")
"""Contributions that are deducted from the employee's pay."""
CLAIMED_BACK = (*DEDUCTED, "cpf_employer", "sdl")
EXCESS_ADVICE = (
    "If the CPF file of the month was submitted, apply to the CPF Board for a refund; otherwise the file has the lower "
    "amount"
)
"""What to do about contributions that were too much."""
REPAYMENT = "with the pay item Reimbursement, which has no CPF"
"""How the employee gets back what was deducted too much."""


def correction_remarks(law: Law, payslip: PayslipInput) -> list[str]:
    """Say what the employer has to do about contributions of earlier months that a payslip corrects."""
    due: dict[Month, int] = defaultdict(int)
    for difference in _missed(payslip):
        for text, figures in difference.months.items():
            due[Month.parse(text)] += sum(figures[name].accepted for name in CPF if name in figures)
    excess = _excess_cents(payslip, CLAIMED_BACK)
    shares = _excess_cents(payslip, DEDUCTED)
    remarks = [
        f"CPF of {long_month(month)}: contribute {format_dollars(cents)} more, due by "
        f"{long_date(due_date(law.due_dates.cpf, month, law.holidays))}. If that day has passed, contribute it now. "
        f"Interest then runs from {long_date((month + 1).first_day)}"
        for month, cents in sorted(due.items())
        if cents > 0
    ]
    remarks += [
        f"{format_dollars(cents)} too much was contributed for {long_month(month)}. {EXCESS_ADVICE}"
        + _repayment_sentence(shares.get(month, 0))
        for month, cents in excess.items()
        if cents > 0
    ]
    remarks += [
        f"Contributions of {long_month(month)}: {format_dollars(-cents)} less is too much than was found earlier. "
        "If you applied for a refund, withdraw the application, or contribute the amount again if it was refunded"
        for month, cents in excess.items()
        if cents < 0
    ]
    return remarks + _uncovered_share_remarks(payslip)


def employee_correction_remarks(payslip: PayslipInput) -> list[str]:
    """Say what the corrections of a payslip mean for the employee."""
    remarks = [
        f"Contributions of {long_month(month)}: {format_dollars(cents)} too much was deducted. It will be paid back"
        for month, cents in _excess_cents(payslip, DEDUCTED).items()
        if cents > 0
    ]
    return remarks + _uncovered_share_remarks(payslip)


def _repayment_sentence(share_cents: int) -> str:
    if share_cents <= 0:
        return ""
    share = format_dollars(share_cents)
    return f". Pay the employee's share of {share} back {REPAYMENT}"


def _missed(payslip: PayslipInput) -> list[PastDifference]:
    return [difference for difference in payslip.past_differences if difference.treatment == MISSED]


def _excess_cents(payslip: PayslipInput, names: Sequence[str]) -> dict[Month, int]:
    """What is to be claimed back now of these contributions, by month. Negative if it is less than before."""
    excess: dict[Month, int] = defaultdict(int)
    for difference in _missed(payslip):
        for text, figures in difference.months.items():
            excess[Month.parse(text)] += sum(figures[name].claim_cents for name in names if name in figures)
    return dict(sorted(excess.items()))


def _uncovered_share_remarks(payslip: PayslipInput) -> list[str]:
    uncovered = sum(
        employee_share_cents(difference) - recovered_share_cents(difference) for difference in _missed(payslip)
    )
    if not uncovered:
        return []
    return [
        f"CPF, employee's share: {format_dollars(uncovered)} of earlier months is paid by the employer, because it "
        "was not deducted in time"
    ]
