"""Earnings other than the basic salary: allowances, commission, bonuses, days at the gross rate, and plain amounts."""

from collections.abc import Sequence

import numpy as np

from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import PRORATE, SYSTEM_TYPES, CalculationKind, CalculationType
from gaji.engine.earnings.amounts import Amounts, PayForDays, line_cents
from gaji.engine.earnings.basic_pay import BasicPay
from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Cents, Flags


def _with_input(input_name: str) -> list[CalculationType]:
    return [item_type for item_type in SYSTEM_TYPES.values() if input_name in item_type.inputs_by_name]


ALLOWANCES: Sequence[CalculationType] = _with_input(PRORATE)
BONUSES: Sequence[CalculationType] = _with_input("months")
BY_DAYS: Sequence[CalculationType] = [
    item_type for item_type in _with_input("days") if item_type.kind == CalculationKind.EARNING
]
PLAIN_AMOUNTS: Sequence[CalculationType] = [
    item_type
    for item_type in _with_input("amount")
    if item_type.kind in (CalculationKind.EARNING, CalculationKind.BENEFIT)
    and item_type not in (*ALLOWANCES, *BONUSES, *BY_DAYS)
]


def other_earning_lines(
    inputs: InputColumns, attendance: Attendance, basic_pay: BasicPay, gross_pay_cents: PayForDays
) -> Amounts:
    """The system's earnings other than the basic salary, and the benefits."""
    present = set(inputs.names)
    lines: Amounts = {}
    for item_type in ALLOWANCES:
        if (name := item_type.name) in present:
            amounts = inputs.money_cents(name, "amount")
            prorated = is_prorated(inputs, basic_pay, item_type)
            lines[name] = np.where(prorated, attendance.prorated_cents(amounts), amounts)
    for name in _present_names(BONUSES, present):
        lines[name] = _amount_or(inputs, name, basic_pay.month_rates.cents(inputs.quantity_millis(name, "months")))
    for name in _present_names(BY_DAYS, present):
        lines[name] = _amount_or(inputs, name, gross_pay_cents(inputs.quantity_millis(name, "days")))
    for name in _present_names(PLAIN_AMOUNTS, present):
        lines[name] = inputs.money_cents(name, "amount")
    if "commission" in present:
        lines["commission"] = inputs.money_cents("commission", "commission_input")
    return {name: line_cents(inputs, name, amounts) for name, amounts in lines.items()}


def full_amount_cents(inputs: InputColumns, item_type: CalculationType) -> Cents | None:
    """The full amount of a calculation on any payslip. None for a custom item that depends on the payslip."""
    name, definition = item_type.name, item_type.definition
    if definition is None:
        return inputs.money_cents(name, "commission_input" if name == "commission" else "amount")
    if not definition.has_fixed_amount:
        return None
    if definition.input == "fixed":
        return np.full(inputs.person_count, definition.amount_cents or 0, dtype=np.int64)
    return inputs.money_cents(name, "amount")


def is_prorated(inputs: InputColumns, basic_pay: BasicPay, item_type: CalculationType) -> Flags:
    """Whether an item is prorated in an incomplete period.

    By default, the items of the gross rate of pay are, for employees who are paid by the period (Employment Act 1968,
    s. 20A).
    """
    entered = inputs.flag(item_type.name, PRORATE)
    if not item_type.prorated_by_default:
        return entered
    by_default = inputs.prorates_gross_rate & basic_pay.monthly_rated & ~inputs.is_entered(item_type.name, PRORATE)
    return entered | by_default


def _present_names(types: Sequence[CalculationType], present: set[str]) -> list[str]:
    return [item_type.name for item_type in types if item_type.name in present]


def _amount_or(inputs: InputColumns, name: str, default_cents: Cents) -> Cents:
    return np.where(inputs.is_entered(name, "amount"), inputs.money_cents(name, "amount"), default_cents)
