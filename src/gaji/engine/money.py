"""Money: whole cents inside, decimal text outside, never a float.

>>> cents("1234.5")
123450
>>> decimal_text(123450)
'1234.50'
>>> dollars(-123456789)
'-$1,234,567.89'
"""

from decimal import Context, Decimal, Inexact, InvalidOperation

CENTS_A_DOLLAR = 100
MAX_CENTS = 10**12 - 1
"""No single amount reaches ten thousand million dollars; one that does is a slip of the keyboard."""
EXACT = Context(prec=40, traps=[Inexact])
"""Arithmetic that refuses to round."""


class InvalidAmount(ValueError):
    """The value is not an amount in dollars and cents; the message says how."""


def to_cents(value: str | int | Decimal) -> int:
    """The amount in cents, from a decimal text or an exact number of dollars."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise InvalidAmount("must be an amount such as 1234.50")
    try:
        dollars_exact = Decimal(value)
    except InvalidOperation:
        raise InvalidAmount("must be an amount such as 1234.50") from None
    if not dollars_exact.is_finite():
        raise InvalidAmount("must be an amount such as 1234.50")
    if dollars_exact.copy_abs() > Decimal(MAX_CENTS) / CENTS_A_DOLLAR:
        raise InvalidAmount(f"must not be above {format_dollars(MAX_CENTS)}")
    try:
        amount = EXACT.multiply(dollars_exact, CENTS_A_DOLLAR)
    except Inexact:
        raise InvalidAmount("must not have parts of a cent") from None
    if amount != amount.to_integral_value():
        raise InvalidAmount("must not have parts of a cent")
    return int(amount)


def decimal_text(amount_cents: int) -> str:
    """The amount as the API shows it: two decimals, no separators."""
    sign = "-" if amount_cents < 0 else ""
    whole, part = divmod(abs(amount_cents), CENTS_A_DOLLAR)
    return f"{sign}{whole}.{part:02d}"


def format_dollars(amount_cents: int) -> str:
    """The amount as a person reads it."""
    sign = "-" if amount_cents < 0 else ""
    whole, part = divmod(abs(amount_cents), CENTS_A_DOLLAR)
    return f"{sign}${whole:,}.{part:02d}"
