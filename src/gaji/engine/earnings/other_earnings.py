"""Earnings other than the basic salary: allowances, commission, bonuses, days at the gross rate, and plain amounts."""

from collections.abc import Callable, Sequence

import numpy as np

from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import SYSTEM_TYPES, CalculationKind, CalculationType
from gaji.engine.earnings.amounts import Amounts, line_cents
from gaji.engine.earnings.basic_pay import BasicPay
from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Cents
from gaji.law.quantities import Millis


def _with_input(input_name: str) -> list[CalculationType]:
    return [item_type for item_type in SYSTEM_TYPES.values() if input_name in item_type.inputs_by_name]


ALLOWANCES: Sequence[CalculationType] = _with_input("prorate")
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
FIXED_INPUTS = ("fixed", "per_employee")
"""The inputs of custom items whose amount does not depend on the payslip."""

PayForDays = Callable[[Millis], Cents]


def other_earning_lines(
    inputs: InputColumns, attendance: Attendance, basic_pay: BasicPay, gross_pay_cents: PayForDays
) -> Amounts:
    """The system's earnings other than the basic salary, and the benefits."""
    present = set(inputs.names)
    lines: Amounts = {}
    for name in _present_names(ALLOWANCES, present):
        lines[name] = _allowance_cents(inputs, attendance, name)
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
    if definition.input not in FIXED_INPUTS:
        return None
    if definition.input == "fixed":
        return np.full(inputs.person_count, definition.amount_cents or 0, dtype=np.int64)
    return inputs.money_cents(name, "amount")


def _present_names(types: Sequence[CalculationType], present: set[str]) -> list[str]:
    return [item_type.name for item_type in types if item_type.name in present]


def _allowance_cents(inputs: InputColumns, attendance: Attendance, name: str) -> Cents:
    amounts = inputs.money_cents(name, "amount")
    return np.where(inputs.flag(name, "prorate"), attendance.prorated_cents(amounts), amounts)


def _amount_or(inputs: InputColumns, name: str, default_cents: Cents) -> Cents:
    return np.where(inputs.is_entered(name, "amount"), inputs.money_cents(name, "amount"), default_cents)
