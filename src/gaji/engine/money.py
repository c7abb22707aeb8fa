"""Money: integer cents in code, decimal text in JSON, never a float.

>>> to_cents("1234.5")
123450
>>> decimal_text(123450)
'1234.50'
>>> format_dollars(-123456789)
'-$1,234,567.89'
"""

from decimal import Context, Decimal, Inexact, InvalidOperation

from gaji.engine.invalid_input import InputProblem, InvalidInput
from gaji.law.rounding import CENTS_PER_DOLLAR

DECIMALS = 2
MAX_CENTS = 10**12 - 1
"""The largest single amount: just below ten billion dollars. A larger amount is assumed to be a typing error."""
EXACT = Context(prec=40, traps=[Inexact])
"""Decimal arithmetic that raises an error instead of rounding."""


def to_cents(value: str | int | Decimal) -> int:
    """Convert dollars, as decimal text or an exact number, to cents. Raises InvalidInput."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise InvalidInput(InputProblem.NOT_AN_AMOUNT)
    try:
        dollars = Decimal(value)
    except InvalidOperation:
        raise InvalidInput(InputProblem.NOT_AN_AMOUNT) from None
    if not dollars.is_finite():
        raise InvalidInput(InputProblem.NOT_AN_AMOUNT)
    if dollars.copy_abs() > Decimal(MAX_CENTS) / CENTS_PER_DOLLAR:
        raise InvalidInput(InputProblem.TOO_LARGE, maximum=Decimal(MAX_CENTS) / CENTS_PER_DOLLAR)
    try:
        amount = EXACT.multiply(dollars, CENTS_PER_DOLLAR)
    except Inexact:
        raise InvalidInput(InputProblem.TOO_MANY_DECIMALS, maximum=DECIMALS) from None
    if amount != amount.to_integral_value():
        raise InvalidInput(InputProblem.TOO_MANY_DECIMALS, maximum=DECIMALS)
    return int(amount)


def decimal_text(amount_cents: int) -> str:
    """Format an amount for the API: two decimals, no separators."""
    sign = "-" if amount_cents < 0 else ""
    dollars, cents = divmod(abs(amount_cents), CENTS_PER_DOLLAR)
    return f"{sign}{dollars}.{cents:02d}"


def format_dollars(amount_cents: int) -> str:
    """Format an amount for people to read."""
    sign = "-" if amount_cents < 0 else ""
    dollars, cents = divmod(abs(amount_cents), CENTS_PER_DOLLAR)
    return f"{sign}${dollars:,}.{cents:02d}"
