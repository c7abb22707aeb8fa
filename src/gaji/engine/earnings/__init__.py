"""Earnings: what a payslip brings, before anything is taken.

1. `basic`: the basic salary, overtime, rest days and public holidays, and the rates of pay that others go by.
2. `others`: allowances, commission, bonuses, days at a rate, fees.
3. `unpaid_leave`: what the days that are not paid for take of these.
4. `custom`: the items of the client, in the order in which they refer to each other.
"""

from gaji.engine.earnings.amounts import Amounts
from gaji.engine.earnings.basic_pay import BASIC, BasicPay, basic_pay_lines, basic_terms, agreed_pay
from gaji.engine.earnings.custom_items import CustomItems, ItemProblem, compile_custom_items
from gaji.engine.earnings.gross_rate import GrossRate, gross_rates
from gaji.engine.earnings.other_earnings import ALLOWANCES, other_earning_lines
from gaji.engine.earnings.unpaid_leave import UNPAID_LEAVE, prorated_lines, unpaid_leave_cents, unpaid_millidays

__all__ = [
    "ALLOWANCES",
    "BASIC",
    "UNPAID_LEAVE",
    "Amounts",
    "CustomItems",
    "GrossRate",
    "BasicPay",
    "ItemProblem",
    "basic_pay_lines",
    "basic_terms",
    "compile_custom_items",
    "gross_rates",
    "other_earning_lines",
    "agreed_pay",
    "prorated_lines",
    "unpaid_leave_cents",
    "unpaid_millidays",
]
