"""Remarks about corrections of earlier months: what to contribute late, and what to claim back."""

from collections import defaultdict

from gaji.engine.money import format_dollars
from gaji.engine.past_months import employee_share_cents, recovered_share_cents
from gaji.engine.payslip_input import MISSED, PayslipInput
from gaji.law.explanation import long_date, long_month
from gaji.law.months import Month

CPF = ("cpf_employee", "cpf_employer")
CLAIMED_BACK = (*CPF, "cdac", "ecf", "mbmf", "sinda", "sdl")


def correction_remarks(payslip: PayslipInput) -> list[str]:
    """Say what the corrections of a payslip mean for contributions of earlier months."""
    missed = [difference for difference in payslip.past_differences if difference.treatment == MISSED]
    due: dict[Month, int] = defaultdict(int)
    excess: dict[Month, int] = defaultdict(int)
    for difference in missed:
        for text, figures in difference.months.items():
            month = Month.parse(text)
            due[month] += sum(figures[name].accepted for name in CPF if name in figures)
            excess[month] += sum(figures[name].claim_cents for name in CLAIMED_BACK if name in figures)
    remarks = [
        f"CPF of {long_month(month)}: contribute {format_dollars(cents)} more, with interest from "
        f"{long_date((month + 1).first_day)}"
        for month, cents in sorted(due.items())
        if cents > 0
    ]
    remarks += [
        f"Contributions of {long_month(month)}: {format_dollars(cents)} too much. Apply for a refund; "
        "the employee's share goes back to the employee"
        for month, cents in sorted(excess.items())
        if cents > 0
    ]
    remarks += [
        f"Contributions of {long_month(month)}: {format_dollars(-cents)} less is too much than was found earlier. "
        "Withdraw the application for a refund; contribute it again if it was refunded"
        for month, cents in sorted(excess.items())
        if cents < 0
    ]
    uncovered = sum(employee_share_cents(difference) - recovered_share_cents(difference) for difference in missed)
    if uncovered:
        remarks.append(
            f"CPF, employee's share: {format_dollars(uncovered)} of earlier months is paid by the employer, because it "
            "was not deducted in time"
        )
    return remarks
