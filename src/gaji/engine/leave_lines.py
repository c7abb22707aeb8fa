"""Encode the leave of a payslip as JSON: the movements of each type, and the pay for paid leave."""

import json
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

import numpy as np

from gaji.engine.earnings.amounts import PayForDays
from gaji.engine.money import decimal_text
from gaji.engine.payslip_input import LeaveTypeSummary, PayslipInput
from gaji.law.quantities import MILLI


def encode_leave_lines(payslips: Sequence[PayslipInput], gross_pay_cents: PayForDays) -> list[str]:
    """Encode the leave of each payslip as JSON members without braces. Empty if a payslip has no leave."""
    paid = _paid_amounts(payslips, gross_pay_cents)
    return [_encode_leave(payslip, paid.get(i, {})) for i, payslip in enumerate(payslips)]


def _encode_leave(payslip: PayslipInput, paid_amounts: dict[str, str]) -> str:
    summaries = payslip.leave.types
    if not summaries:
        return ""
    types = ",".join(f"{_json_string(name)}:{_encode_summary(summary)}" for name, summary in summaries.items())
    payments = ",".join(
        f'{_json_string(name)}:{{"days":{summaries[name].paid},"amount":"{amount}"}}'
        for name, amount in paid_amounts.items()
    )
    return f'"leave":{{{types}}},"leave_payments":{{{payments}}}'


@lru_cache(maxsize=10_000)
def _encode_summary(summary: LeaveTypeSummary) -> str:
    return f'{{"accrual":{summary.accrual},"taken":{summary.taken},"balance":{summary.balance}}}'


@lru_cache(maxsize=10_000)
def _json_string(text: str) -> str:
    return json.dumps(text)


def _paid_amounts(payslips: Sequence[PayslipInput], gross_pay_cents: PayForDays) -> dict[int, dict[str, str]]:
    """By payslip index and leave type, the pay for paid leave: days at the gross rate (Employment Act 1968)."""
    amounts_by_index: dict[int, dict[str, str]] = {}
    paid_days = [
        (i, name, summary.paid)
        for i, payslip in enumerate(payslips)
        for name, summary in payslip.leave.types.items()
        if summary.paid != "0"
    ]
    for type_name in dict.fromkeys(name for _, name, _ in paid_days):
        millidays = np.zeros(len(payslips), dtype=np.int64)
        for i, name, days in paid_days:
            if name == type_name:
                millidays[i] = int(Decimal(days) * MILLI)
        amounts = gross_pay_cents(millidays)
        for i in np.flatnonzero(millidays).tolist():
            amounts_by_index.setdefault(i, {})[type_name] = decimal_text(int(amounts[i]))
    return amounts_by_index
