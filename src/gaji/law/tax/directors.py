"""Withholding tax on the fees of directors who are not tax residents (Income Tax Act 1947, s. 45)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from gaji.law.columns import RATE_SCALE
from gaji.law.explanation import Explanation, money, percent, rate, step, used_parameter
from gaji.law.months import Month
from gaji.law.reasons import Percentage, ProductSum, RoundingRule
from gaji.law.rounding import divide_half_up
from gaji.law.tax.parameters import TaxParameters

ACT = "Income Tax Act 1947, s. 45"
RULE = (
    "Tax is withheld on the fees of a director who is not a tax resident, unless the director is in Singapore for 183 "
    "days or more in the calendar year. Salary as an executive director is not affected."
)


@dataclass(frozen=True, slots=True)
class DirectorFee:
    """A director's fee on a payslip, and when it counts as paid."""

    fee_cents: int
    date_of_payment: date
    tax_resident: bool
    days_in_singapore: int | None
    """In the calendar year of the date of payment. None if unknown."""


def date_of_payment(inputs: Mapping[str, str | bool], period_end: date, pay_date: date) -> date:
    """The day on which a fee counts as paid: the earliest of when it is due and when it is paid.

    A fee approved in arrears is due on the day of its approval; one approved in advance as the services are rendered.
    """
    name = "for_to" if inputs.get("approved_in_advance") is True else "approval_date"
    value = inputs.get(name)
    default = period_end if name == "for_to" else pay_date
    due = date.fromisoformat(value) if isinstance(value, str) else default
    return min(due, pay_date)


def withholding_tax_cents(parameters: TaxParameters, fee: DirectorFee) -> int:
    """The tax to withhold, to the nearest cent. Raises MonthNotCovered if no rate is known for the date of payment.

    Zero for tax residents, and for directors who are in Singapore for 183 days or more in the year.
    """
    if not _applies(parameters, fee):
        return 0
    rate_parts = parameters.director_rate.on(fee.date_of_payment).value
    return divide_half_up(fee.fee_cents * rate_parts, RATE_SCALE)


def withholding_due(parameters: TaxParameters, paid_on: date) -> date:
    """The day by which the tax is filed and paid. It does not move."""
    due = parameters.director_due.nearest(paid_on).value
    later = Month.from_date(paid_on) + due.months_later
    return date(later.year, later.month, due.day)


def explain_withholding(parameters: TaxParameters, fee: DirectorFee) -> Explanation:
    """Explain the tax that is withheld on a fee."""
    in_force = parameters.director_rate.on(fee.date_of_payment)
    limit = parameters.resident_days.on(fee.date_of_payment)
    amount = withholding_tax_cents(parameters, fee)
    due = withholding_due(parameters, fee.date_of_payment)
    used_rate = used_parameter("rate", in_force, percent(in_force.value))
    percentage = Percentage(Fraction(in_force.value, RATE_SCALE), Fraction(fee.fee_cents))
    return Explanation(
        figure="withholding_tax",
        amount_cents=amount,
        inputs={
            "director's fee": money(fee.fee_cents),
            "date of payment": str(fee.date_of_payment),
            "days in Singapore": "not entered" if fee.days_in_singapore is None else str(fee.days_in_singapore),
        },
        rule=RULE,
        source=ACT,
        branch=f"not a tax resident; to be paid to IRAS by {due.day} {due:%B %Y}",
        parameters=(
            used_rate,
            used_parameter("days of a resident", limit, str(limit.value)),
        ),
        arithmetic=(step(f"round_cents({rate(in_force.value)} × {money(fee.fee_cents)})", amount),),
        reason=ProductSum((percentage,), RoundingRule.CENT),
        deciding=(used_rate,),
    )


def _applies(parameters: TaxParameters, fee: DirectorFee) -> bool:
    if fee.tax_resident:
        return False
    limit = parameters.resident_days.on(fee.date_of_payment).value
    return fee.days_in_singapore is None or fee.days_in_singapore < limit
