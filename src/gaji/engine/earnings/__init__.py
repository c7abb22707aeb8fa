"""Earnings of a payslip, before any deduction.

1. `basic_pay`: basic salary, overtime, rest day and public holiday pay, and the basic rates of pay.
2. `gross_rate`: the gross rate of pay for a day.
3. `other_earnings`: allowances, commission, bonuses, days at the gross rate, and plain amounts.
4. `custom_items`: the client's items, in the order in which they refer to each other.
5. `dated_pay`: items whose values change within the period, paid in parts.
6. `unpaid_leave`: the amounts that unpaid days and national service take off.
7. `back_pay`: arrears of past periods that were decided later.
"""

from gaji.engine.earnings.amounts import Amounts
from gaji.engine.earnings.back_pay import (
    ABSENCES,
    BACK_PAY,
    CORRECTED_PAY,
    arrears_line,
    has_arrears,
    overpaid_amounts,
    overpaid_cents,
    with_arrears,
)
from gaji.engine.earnings.basic_pay import (
    BASIC,
    HOLIDAYS_OFF,
    BasicPay,
    agreed_pay,
    basic_pay_lines,
    basic_terms,
)
from gaji.engine.earnings.custom_items import CustomItems, FormulaProblem, ItemProblem, compile_custom_items
from gaji.engine.earnings.dated_pay import DatedLines, DatedPay, dated_lines, with_dated_pay
from gaji.engine.earnings.gross_rate import GrossRate, gross_rates
from gaji.engine.earnings.other_earnings import ALLOWANCES, other_earning_lines
from gaji.engine.earnings.unpaid_leave import (
    EXCESS_LEAVE,
    NATIONAL_SERVICE,
    UNPAID_LEAVE,
    AbsencePay,
    absence_dates,
    absence_pay,
    absent_millidays,
    prorated_lines,
)

__all__ = [
    "ABSENCES",
    "ALLOWANCES",
    "BACK_PAY",
    "BASIC",
    "CORRECTED_PAY",
    "EXCESS_LEAVE",
    "HOLIDAYS_OFF",
    "NATIONAL_SERVICE",
    "UNPAID_LEAVE",
    "AbsencePay",
    "Amounts",
    "BasicPay",
    "CustomItems",
    "DatedLines",
    "DatedPay",
    "FormulaProblem",
    "GrossRate",
    "ItemProblem",
    "absence_dates",
    "absence_pay",
    "absent_millidays",
    "agreed_pay",
    "arrears_line",
    "basic_pay_lines",
    "basic_terms",
    "compile_custom_items",
    "dated_lines",
    "gross_rates",
    "has_arrears",
    "other_earning_lines",
    "overpaid_amounts",
    "overpaid_cents",
    "prorated_lines",
    "with_arrears",
    "with_dated_pay",
]
