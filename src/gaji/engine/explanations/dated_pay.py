"""Explanation of a line whose values change within the period: one step for each part, and one for their sum."""

from collections.abc import Sequence
from decimal import Decimal

from gaji.engine.batch import CalculationTrace
from gaji.engine.earnings import DatedPay
from gaji.engine.earnings.dated_pay import PartPay
from gaji.law import notation
from gaji.law.explanation import Explanation, money, step
from gaji.law.pay.incomplete_month import ACT
from gaji.law.pay.rates import PayType
from gaji.law.phrases import MoneyPart, Phrase
from gaji.law.quantities import MILLI, format_millis

UNITS = {PayType.MONTHLY: "working days", PayType.DAILY: "days", PayType.HOURLY: "hours"}


def dated_pay(trace: CalculationTrace, name: str) -> DatedPay | None:
    """The parts of a line of the payslip. None if its values do not change within the period."""
    return trace.dated.get(name, {}).get(0)


def explain_dated_pay(trace: CalculationTrace, name: str, pay: DatedPay) -> Explanation:
    """Explain a line that is paid in parts."""
    working = int(trace.attendance.working_millidays[0])
    return Explanation(
        figure=name,
        amount_cents=pay.cents,
        inputs={
            **{Phrase(part.start, " to ", part.last): _describe(part) for part in pay.parts},
            "working days of the period": format_millis(working),
        },
        rule="Each value applies to its own days: amount × working days of the part ÷ working days of the period, or "
        "rate × days or hours of the part. The sum is rounded once to the nearest cent.",
        source=ACT,
        branch=f"the values change within the period; {len(pay.parts)} parts",
        parameters=(),
        arithmetic=(*(_part_step(part) for part in pay.parts), step(f"round_cents({exact_sum(pay)})", pay.cents)),
    )


def exact_sum(pay: DatedPay) -> str:
    """The expression for the exact sum of the parts."""
    groups: dict[str, list[str]] = {}
    for part in pay.parts:
        groups.setdefault(_divisor(part), []).append(_product(part))
    terms = [_group(products, divisor) for divisor, products in groups.items()]
    return " + ".join(terms)


def _group(products: Sequence[str], divisor: str) -> str:
    total = products[0] if len(products) == 1 else f"({' + '.join(products)})"
    return total + divisor


def _divisor(part: PartPay) -> str:
    """What the product of a part is multiplied and divided by."""
    factor = part.factor * MILLI
    if factor == 1:
        return ""
    if factor == 0:
        return " × 0"
    numerator, denominator = factor.numerator, factor.denominator
    return (f" × {numerator}" if numerator != 1 else "") + (f" ÷ {denominator}" if denominator != 1 else "")


def _part_step(part: PartPay) -> str:
    multiplier = "" if part.multiplier_millis == MILLI else f" × {format_millis(part.multiplier_millis)}"
    expression = f"{money(part.amount_cents)} × {format_millis(part.quantity_millis)}{multiplier}"
    return notation.line(expression, _product(part))


def _product(part: PartPay) -> str:
    """The amount of a part × its days or hours, and its multiplier: exact, with at least two decimals."""
    scale = MILLI * MILLI * 100
    exact = (Decimal(part.amount_cents * part.quantity_millis * part.multiplier_millis) / scale).normalize()
    return f"{exact:.2f}" if -exact.as_tuple().exponent <= 2 else f"{exact:f}"  # type: ignore[operator]


def _describe(part: PartPay) -> str:
    per = {PayType.MONTHLY: "a period", PayType.DAILY: "a day", PayType.HOURLY: "an hour"}[part.pay_type]
    return Phrase(MoneyPart(part.amount_cents), f" {per}, {format_millis(part.quantity_millis)} {UNITS[part.pay_type]}")
