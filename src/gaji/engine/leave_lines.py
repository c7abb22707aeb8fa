"""What a payslip shows of leave: what each type came to, and what paid leave was paid for."""

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache

import numpy as np

from gaji.engine.payslip_input import PayslipInput, LeaveTypeSummary
from gaji.engine.money import decimal_text
from gaji.law.columns import Cents
from gaji.law.quantities import MILLI, Millis

AtRate = Callable[[Millis], Cents]
"""What so many days are paid with."""
NOTHING = ""


def leave_lines(cases: Sequence[PayslipInput], at_gross_rate: AtRate) -> list[str]:
    """The part of each form that is about leave, as JSON without braces; nothing where there is none."""
    paid = _paid(cases, at_gross_rate)
    return [_line(case, paid.get(place, {})) for place, case in enumerate(cases)]


def _line(case: PayslipInput, paid: dict[str, str]) -> str:
    shown = case.leave.types
    if not shown:
        return NOTHING
    types = ",".join(f"{_name(name)}:{_figures(one)}" for name, one in shown.items())
    payments = ",".join(
        f'{_name(name)}:{{"days":{shown[name].paid},"amount":"{cents}"}}' for name, cents in paid.items()
    )
    return f'"leave":{{{types}}},"leave_payments":{{{payments}}}'


@lru_cache(maxsize=10_000)
def _figures(one: LeaveTypeSummary) -> str:
    return f'{{"accrual":{one.accrual},"taken":{one.taken},"balance":{one.balance}}}'


@lru_cache(maxsize=10_000)
def _name(name: str) -> str:
    return json.dumps(name)


def _paid(cases: Sequence[PayslipInput], at_gross_rate: AtRate) -> dict[int, dict[str, str]]:
    """By place and type, what leave that was taken and paid for brings: the gross rate of pay (Employment Act 1968)."""
    found: dict[int, dict[str, str]] = {}
    taken = [
        (place, name, one.paid)
        for place, case in enumerate(cases)
        for name, one in case.leave.types.items()
        if one.paid != "0"
    ]
    for name in dict.fromkeys(name for _, name, _ in taken):
        millidays = np.zeros(len(cases), dtype=np.int64)
        for place, own, days in taken:
            if own == name:
                millidays[place] = int(Decimal(days) * MILLI)
        amounts = at_gross_rate(millidays)
        for place in np.flatnonzero(millidays).tolist():
            found.setdefault(place, {})[name] = decimal_text(int(amounts[place]))
    return found
