"""Earnings beside the basic salary: allowances, commission, bonuses, days at the gross rate, and plain amounts."""

from collections.abc import Callable, Sequence

import numpy as np

from gaji.engine.catalogue import SYSTEM, CalculationType, Kind
from gaji.engine.earnings.amounts import Amounts, times_multiplier
from gaji.engine.earnings.basic_pay import Pay
from gaji.engine.input_columns import Inputs
from gaji.engine.attendance import Presence
from gaji.law.columns import Cents
from gaji.law.quantities import Millis

ALLOWANCES: Sequence[CalculationType] = [one for one in SYSTEM.values() if "prorate" in one.input_names]
BONUSES: Sequence[CalculationType] = [one for one in SYSTEM.values() if "months" in one.input_names]
BY_DAYS: Sequence[CalculationType] = [
    one for one in SYSTEM.values() if one.kind == Kind.EARNING and "days" in one.input_names
]
PLAIN: Sequence[CalculationType] = [
    one
    for one in SYSTEM.values()
    if one.kind in (Kind.EARNING, Kind.BENEFIT)
    and "amount" in one.input_names
    and one not in (*ALLOWANCES, *BONUSES, *BY_DAYS)
]
AtRate = Callable[[Millis], Cents]
"""What so many days bring."""
STEADY = ("fixed", "per_employee")
"""Of custom items: those whose amount does not depend on the payslip."""


def other_lines(inputs: Inputs, presence: Presence, agreed: Pay, at_gross_rate: AtRate) -> Amounts:
    """The earnings of the system's own types but the basic salary, and the benefits."""
    present = set(inputs.names)
    lines: Amounts = {}
    for one in ALLOWANCES:
        if one.name in present:
            lines[one.name] = _allowance(inputs, presence, one.name)
    for one in BONUSES:
        if one.name in present:
            months = agreed.month.cents(inputs.quantity(one.name, "months"))
            lines[one.name] = _amount_or(inputs, one.name, months)
    for one in BY_DAYS:
        if one.name in present:
            by_days = at_gross_rate(inputs.quantity(one.name, "days"))
            lines[one.name] = _amount_or(inputs, one.name, by_days)
    for one in PLAIN:
        if one.name in present:
            lines[one.name] = inputs.money(one.name, "amount")
    if "commission" in present:
        lines["commission"] = inputs.money("commission", "commission_input")
    return {name: times_multiplier(inputs, name, amounts) for name, amounts in lines.items()}


def steady_cents(inputs: Inputs, one: CalculationType) -> Cents | None:
    """What a calculation brings on every payslip in full; none for a custom item that depends on the payslip."""
    if one.definition is None:
        return inputs.money(one.name, "commission_input" if one.name == "commission" else "amount")
    if one.definition.input not in STEADY:
        return None
    if one.definition.input == "fixed":
        return np.full(inputs.people, one.definition.amount_cents or 0, dtype=np.int64)
    return inputs.money(one.name, "amount")


def _allowance(inputs: Inputs, presence: Presence, name: str) -> Cents:
    amounts = inputs.money(name, "amount")
    return np.where(inputs.flag(name, "prorate"), presence.pay_cents(amounts), amounts)


def _amount_or(inputs: Inputs, name: str, otherwise: Cents) -> Cents:
    return np.where(inputs.given(name, "amount"), inputs.money(name, "amount"), otherwise)
