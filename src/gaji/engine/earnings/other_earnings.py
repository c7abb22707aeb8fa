"""Earnings beside the basic salary: allowances, commission, bonuses, days at the gross rate, and plain amounts."""

from collections.abc import Callable, Sequence

import numpy as np

from gaji.engine.catalogue import SYSTEM_TYPES, CalculationType, CalculationKind
from gaji.engine.earnings.amounts import Amounts, line_cents
from gaji.engine.earnings.basic_pay import BasicPay
from gaji.engine.input_columns import InputColumns
from gaji.engine.attendance import Attendance
from gaji.law.columns import Cents
from gaji.law.quantities import Millis

ALLOWANCES: Sequence[CalculationType] = [one for one in SYSTEM_TYPES.values() if "prorate" in one.inputs_by_name]
BONUSES: Sequence[CalculationType] = [one for one in SYSTEM_TYPES.values() if "months" in one.inputs_by_name]
BY_DAYS: Sequence[CalculationType] = [
    one for one in SYSTEM_TYPES.values() if one.kind == CalculationKind.EARNING and "days" in one.inputs_by_name
]
PLAIN_AMOUNTS: Sequence[CalculationType] = [
    one
    for one in SYSTEM_TYPES.values()
    if one.kind in (CalculationKind.EARNING, CalculationKind.BENEFIT)
    and "amount" in one.inputs_by_name
    and one not in (*ALLOWANCES, *BONUSES, *BY_DAYS)
]
AtRate = Callable[[Millis], Cents]
"""What so many days bring."""
FIXED_INPUTS = ("fixed", "per_employee")
"""Of custom items: those whose amount does not depend on the payslip."""


def other_earning_lines(inputs: InputColumns, presence: Attendance, agreed: BasicPay, at_gross_rate: AtRate) -> Amounts:
    """The earnings of the system's own types but the basic salary, and the benefits."""
    present = set(inputs.names)
    lines: Amounts = {}
    for one in ALLOWANCES:
        if one.name in present:
            lines[one.name] = _allowance(inputs, presence, one.name)
    for one in BONUSES:
        if one.name in present:
            months = agreed.month_rates.cents(inputs.quantity_millis(one.name, "months"))
            lines[one.name] = _amount_or(inputs, one.name, months)
    for one in BY_DAYS:
        if one.name in present:
            by_days = at_gross_rate(inputs.quantity_millis(one.name, "days"))
            lines[one.name] = _amount_or(inputs, one.name, by_days)
    for one in PLAIN_AMOUNTS:
        if one.name in present:
            lines[one.name] = inputs.money_cents(one.name, "amount")
    if "commission" in present:
        lines["commission"] = inputs.money_cents("commission", "commission_input")
    return {name: line_cents(inputs, name, amounts) for name, amounts in lines.items()}


def full_amount_cents(inputs: InputColumns, one: CalculationType) -> Cents | None:
    """What a calculation brings on every payslip in full; none for a custom item that depends on the payslip."""
    if one.definition is None:
        return inputs.money_cents(one.name, "commission_input" if one.name == "commission" else "amount")
    if one.definition.input not in FIXED_INPUTS:
        return None
    if one.definition.input == "fixed":
        return np.full(inputs.person_count, one.definition.amount_cents or 0, dtype=np.int64)
    return inputs.money_cents(one.name, "amount")


def _allowance(inputs: InputColumns, presence: Attendance, name: str) -> Cents:
    amounts = inputs.money_cents(name, "amount")
    return np.where(inputs.flag(name, "prorate"), presence.prorated_cents(amounts), amounts)


def _amount_or(inputs: InputColumns, name: str, otherwise: Cents) -> Cents:
    return np.where(inputs.is_entered(name, "amount"), inputs.money_cents(name, "amount"), otherwise)
