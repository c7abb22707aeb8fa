"""Inputs, figures and formulas of explanations as people read them."""

import re
from contextlib import suppress
from datetime import date
from decimal import Decimal, InvalidOperation

from gaji.console.formats import capitalise, format_day, format_money, format_month
from gaji.console.glossary import label
from gaji.core.constants import CONSTANT_LISTS
from gaji.engine.catalogue import SYSTEM_TYPES, InputKind
from gaji.law.explanation import Explanation, UsedParameter
from gaji.law.months import Month
from gaji.law.phrases import MoneyPart, Phrase, PhrasePart

DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
LARGE_NUMBER = re.compile(r"(?<![\d.,-])\d{4,}(?=\.\d)")
ISO_DAY_LENGTH, ISO_MONTH_LENGTH = len("2026-01-31"), len("2026-01")
MINUS_SIGNS = "−-"
MONEY_INPUTS = frozenset(
    field.name for item_type in SYSTEM_TYPES.values() for field in item_type.inputs if field.kind is InputKind.MONEY
)
"""Inputs of pay items that are amounts."""
CHOICE_INPUTS = frozenset(
    field.name for item_type in SYSTEM_TYPES.values() for field in item_type.inputs if field.kind is InputKind.CHOICE
)
"""Inputs of pay items whose values are options of the form."""


def formula_text(formula: str) -> str:
    """Return a formula, or the value of a figure, with readable dates and thousands separators.

    >>> formula_text("min(12360.00, 8000.00) = 8000.00"), formula_text("days(2026-11-01, 2026-11-30) = 30")
    ('min(12,360.00, 8,000.00) = 8,000.00', 'days(1 Nov 2026, 30 Nov 2026) = 30')
    """
    return LARGE_NUMBER.sub(lambda match: f"{int(match[0]):,}", DAY.sub(lambda match: _day_text(match[0]), formula))


def branch_text(explanation: Explanation) -> str:
    """Return which case of a rule applied, by month if the amount is the sum of two months."""
    months = (f"{format_month(part.month.first_day)}: {part.branch}" for part in explanation.months if part.branch)
    return "; ".join(months) if explanation.months else explanation.branch


def input_text(value: str, name: str) -> str:
    """Return an input of a calculation. Values of data lists have their names.

    >>> input_text("CITIZEN", "legal_status"), input_text("2026-11", "month"), input_text("2300.00", "amount")
    ('Singapore citizen', 'Nov 2026', '2,300.00')
    >>> input_text("2026-11-30", "start_date"), input_text("GG", "pr_cpf_rates")
    ('30 Nov 2026', 'Graduated employer and employee')
    >>> input_text("MYS_NAS_PRC", "tier"), input_text("R1", "skill")
    ('Malaysia, North Asia or China', 'Higher-skilled (R1)')
    >>> input_text(Phrase(MoneyPart(230000), " a period, 5 working days"), "")
    '2,300.00 a period, 5 working days'
    """
    if isinstance(value, Phrase):
        return "".join(map(_part_text, value.parts))
    if name in CHOICE_INPUTS:
        return label(value)
    names = {str(entry.value): entry.name for entry in CONSTANT_LISTS.get(name, ())}
    return names[value] if value in names else _scalar_text(value)


def input_name(name: str) -> str:
    """Return the label of an input of a calculation.

    >>> input_name("legal_status"), input_name("amount requested")
    ('Legal status', 'Amount requested')
    >>> input_name(Phrase(date(2026, 8, 1), " to ", date(2026, 8, 31), ": Basic salary", " paid"))
    '1 Aug 2026 to 31 Aug 2026: Basic salary paid'
    >>> input_name(Phrase(Month(2026, 9), ": ", "cpf_employee", " paid"))
    'Sep 2026: CPF employee paid'
    """
    if isinstance(name, Phrase):
        return "".join(label(part) if isinstance(part, str) else _part_text(part) for part in name.parts)
    return label(name)


def figure_caption(parameter: UsedParameter) -> str:
    """Return the name of a figure for an employee."""
    return parameter.caption or capitalise(parameter.name)


def item_input(value: str, name: str) -> str:
    """Return what was entered for an input of a pay item.

    >>> item_input("3500.00", "fixed_amount"), item_input("6", "overtime_hours_input"), item_input("-80.00", "amount")
    ('$3,500.00', '6', '-$80.00')
    >>> item_input("hourly", "pay_type"), item_input("services", "sector")
    ('Hourly', 'Services')
    """
    if name in MONEY_INPUTS:
        with suppress(InvalidOperation):
            return format_money(Decimal(value))
    return input_text(value, name)


def _part_text(part: PhrasePart) -> str:
    match part:
        case MoneyPart():
            return _scalar_text(str(part))
        case Month():
            return format_month(part.first_day)
        case date():
            return format_day(part)
    return part


def _scalar_text(value: str) -> str:
    """Return a value that may be a date, a month or an amount.

    >>> _scalar_text("−1234.50"), _scalar_text("1234"), _scalar_text("12.5"), _scalar_text("2026-13-01")
    ('−1,234.50', '1234', '12.5', '2026-13-01')
    """
    if len(value) == ISO_DAY_LENGTH:
        return _day_text(value)
    if len(value) == ISO_MONTH_LENGTH:
        with suppress(ValueError):
            return format_month(Month.parse(value).first_day)
    dollars, point, cents = value.lstrip(MINUS_SIGNS).partition(".")
    if not (point and dollars.isdecimal() and cents.isdecimal()):
        return value
    return value[: -len(f"{dollars}.{cents}")] + f"{int(dollars):,}.{cents}"


def _day_text(value: str) -> str:
    with suppress(ValueError):
        return format_day(date.fromisoformat(value))
    return value
