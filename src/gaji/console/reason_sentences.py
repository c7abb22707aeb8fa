"""Plain sentences that say why an amount is what it is, from the reasons of its explanation."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from gaji.console.formats import format_money, unpaid_holidays_sentence
from gaji.law.explanation import Explanation, long_month
from gaji.law.reasons import (
    AbsenceAmount,
    AmountSum,
    CarriedForward,
    ChosenAmount,
    Difference,
    FullAmount,
    LimitedAmount,
    MinimumLevy,
    MonthReason,
    MonthSum,
    Multiple,
    MultipliedAmount,
    NothingDue,
    OvertimeHours,
    Percentage,
    ProductSum,
    ProratedAmount,
    Reason,
    ReducedAmount,
    RoundingRule,
    Subtrahend,
    TableAmount,
    UncoveredShare,
    Unit,
    UnitsAtRate,
    WagesToDate,
)
from gaji.law.rounding import round_half_up

MAX_TERMS = 4
"""Longer sums are not spelled out."""
ROUNDING = {
    RoundingRule.DOLLAR_DOWN: "cents dropped",
    RoundingRule.DOLLAR: "rounded to the nearest dollar",
    RoundingRule.CENT_DOWN: "fractions of a cent dropped",
    RoundingRule.CENT: "rounded to the cent",
}
TO_CENTS = (RoundingRule.CENT_DOWN, RoundingRule.CENT)
WAGES = {
    WagesToDate.ALL: "wages",
    WagesToDate.ORDINARY: "ordinary wages",
    WagesToDate.ADDITIONAL: "additional wages",
    WagesToDate.REMUNERATION: "pay",
}
UNITS = {
    Unit.HOUR: ("hour", "hours", "an hour"),
    Unit.DAY: ("day", "days", "a day"),
    Unit.REST_DAY: ("day of pay", "days of pay", "a day"),
    Unit.MONTH: ("month", "months", "a month"),
}
"""The singular and the plural of each unit, and what its rate is for."""
EARLIER_PAYSLIPS = "on earlier payslips of the month"


def line_sentence(explanation: Explanation) -> str:
    """Return why an amount is what it is, in one sentence or one for each month. Without a reason, it is the rule.

    Public holidays that are not paid have a sentence of their own.
    """
    sentence = reason_sentence(explanation.reason) or explanation.rule
    holidays = explanation.unpaid_holidays
    return f"{sentence.removesuffix('.')}. {unpaid_holidays_sentence(holidays)}" if holidays else sentence


def reason_sentence(reason: Reason | None, *, names_wages: bool = False) -> str:
    """Return the sentence of a reason, or an empty text if it has none.

    With `names_wages`, percentages say which wages of the month they are of.

    >>> reason_sentence(Difference(Fraction(87300), Fraction(47200)))
    '$873.00 less $472.00'
    >>> reason_sentence(ProductSum((Percentage(Fraction(1, 5), Fraction(405000)),), RoundingRule.DOLLAR_DOWN))
    '20% of $4,050.00, cents dropped'
    >>> reason_sentence(UnitsAtRate(Fraction(15, 2), Unit.HOUR, Fraction(1250)))
    '7.5 hours at $12.50 an hour'
    """
    match reason:
        case ProductSum():
            return _products(reason, names_wages or reason.is_to_date)
        case ReducedAmount():
            return _reduced_amount(reason, names_wages)
        case MultipliedAmount():
            return _multiplied_amount(reason)
        case MonthSum():
            return _months(reason)
        case TableAmount() | ChosenAmount() | MinimumLevy():
            return f"{format_money(reason.cents)}, {_origin(reason)}"
        case UnitsAtRate():
            return _units(reason.count, reason.unit, reason.rate_cents)
        case OvertimeHours():
            return _overtime(reason)
        case AbsenceAmount():
            return _absence(reason)
        case CarriedForward():
            return _carried_forward(reason)
        case AmountSum(terms_cents=terms):
            return _amounts(terms)
    return _pair(reason)


def _amounts(terms_cents: Sequence[Fraction]) -> str:
    """Return the terms of a sum. Those below zero are subtracted, except the first one."""
    if len(terms_cents) > MAX_TERMS:
        return f"The sum of {len(terms_cents)} amounts"
    first, *others = terms_cents
    return _money(first) + "".join(f" {'less' if cents < 0 else 'plus'} {_money(abs(cents))}" for cents in others)


def _pair(reason: Reason | None) -> str:
    """Return the sentence of a reason that has one or two amounts."""
    match reason:
        case FullAmount(cents=cents):
            return f"The full amount of {format_money(cents)}"
        case LimitedAmount(cents=cents, due_cents=due):
            return f"{format_money(cents)} of the {format_money(due)} due"
        case Difference(cents=amount, less_cents=less):
            return f"{_money(amount)} less {_money(less)}"
        case ProratedAmount(full_cents=full, days=days, working_days=working_days):
            return f"{format_money(full)} for {_number(days)} of {_number(working_days)} working days"
        case UncoveredShare(employer_cents=employer, uncovered_cents=uncovered):
            share = f"{format_money(uncovered)} of the employee's share that the pay does not cover"
            return f"{format_money(employer)} plus {share}"
    return ""


def _origin(reason: TableAmount | ChosenAmount | MinimumLevy) -> str:
    """Return where an amount comes from that is not calculated."""
    match reason:
        case TableAmount(wages_cents=wages):
            return f"the amount in the table for {format_money(wages)}"
        case ChosenAmount():
            return "as the employee chose"
        case MinimumLevy():
            return "the minimum levy"


def _products(reason: ProductSum, names_wages: bool) -> str:
    products = [product for product in reason.products if product.cents]
    if not 0 < len(products) <= MAX_TERMS:
        return ""
    texts = [_product(product, names_wages) for product in products]
    if len(products) == 2 and _is_part_of_same(*products):
        texts[1] = _part(products[1], "the part")
    is_exact = reason.rounding in TO_CENTS and reason.cents.denominator == 1
    rounding = "" if reason.rounding is None or is_exact else f", {ROUNDING[reason.rounding]}"
    return " plus ".join(texts) + rounding + _nothing_before(reason)


def _nothing_before(reason: ProductSum) -> str:
    """Return why nothing was deducted on earlier payslips of the month, if that is so."""
    if reason.nil_before_cents is None:
        return ""
    bound = format_money(reason.nil_before_cents)
    return f"; nothing was deducted before, because the month's wages had not passed {bound}"


def _product(product: Percentage | Multiple, names_wages: bool) -> str:
    if isinstance(product, Multiple):
        return f"{_number(product.factor)} times {_money(product.amount_cents)}"
    base = _money(product.base_cents)
    if product.above_cents is not None:
        return _part(product, f"the part of the month's wages ({base})")
    if names_wages and product.wages is not None:
        base = f"the month's {WAGES[product.wages]} of {base}"
    return f"{_number(product.rate * 100)}% of {base}"


def _part(product: Percentage | Multiple, part: str) -> str:
    """Return the percentage of a part of the month's wages, to which graduated CPF rates apply."""
    if not isinstance(product, Percentage) or product.above_cents is None:
        return ""
    return f"{_number(product.rate * 100)}% of {part} above {format_money(product.above_cents)}"


def _is_part_of_same(first: Percentage | Multiple, second: Percentage | Multiple) -> bool:
    """Return whether the second percentage is of a part of the wages of the first one."""
    if not isinstance(first, Percentage) or not isinstance(second, Percentage) or second.above_cents is None:
        return False
    return first.above_cents is None and first.base_cents == second.base_cents


def _reduced_amount(reason: ReducedAmount, names_wages: bool) -> str:
    """Return how an amount is calculated and what is subtracted from it, such as what earlier payslips took."""
    is_earlier = reason.subtrahend == Subtrahend.EARLIER_PAYSLIPS
    before = reason_sentence(reason.before, names_wages=names_wages or is_earlier)
    amount, less = format_money(reason.before_cents), format_money(reason.less_cents)
    if not reason.less_cents:
        return before
    if not before or isinstance(reason.before, FullAmount):
        return f"{amount} less {less}"
    if not _says_amount(reason.before):
        before = f"{before} ({amount})"
    return (
        f"{before}, less {less} {EARLIER_PAYSLIPS}" if is_earlier else f"{before}, less the employee's share of {less}"
    )


def _says_amount(reason: Reason | None) -> bool:
    """Return whether the sentence of a reason says the amount, or ends with what is subtracted to give it."""
    if isinstance(reason, ReducedAmount):
        return bool(reason.less_cents and reason_sentence(reason.before))
    return isinstance(reason, TableAmount | ChosenAmount | MinimumLevy)


def _multiplied_amount(reason: MultipliedAmount) -> str:
    before = reason_sentence(reason.before)
    if before and not isinstance(reason.before, FullAmount):
        return f"{before}, then times {_number(reason.multiplier)}"
    amount = Fraction(reason.before_cents)
    is_part = abs(reason.multiplier) <= 1
    product = Percentage(reason.multiplier, amount) if is_part else Multiple(reason.multiplier, amount)
    return reason_sentence(ProductSum((product,), RoundingRule.CENT))


def _months(reason: MonthSum) -> str:
    """Return the amount of each month, and how it is calculated if that can be said plainly."""
    amounts = [f"{format_money(month.cents)} for {long_month(month.month)}" for month in reason.months]
    reasons = [_month_reason(month) for month in reason.months]
    if not any(reasons):
        return " and ".join(amounts)
    pairs = zip(amounts, reasons, strict=True)
    return " ".join(f"{amount}: {text}." if text else f"{amount}." for amount, text in pairs)


def _month_reason(month: MonthReason) -> str:
    match month.reason:
        case NothingDue(case=case):
            return case
        case TableAmount() | ChosenAmount() | MinimumLevy() as amount:
            return _origin(amount)
        case None | FullAmount():
            return ""
    return reason_sentence(month.reason, names_wages=True)


def _units(count: Fraction, unit: Unit, rate_cents: Fraction) -> str:
    """Return how many hours, days or months are paid, and the rate of one, which may have more decimals."""
    singular, plural, per = UNITS[unit]
    return f"{_number(count)} {singular if 0 < count <= 1 else plural} at {_money(rate_cents)} {per}"


def _overtime(reason: OvertimeHours) -> str:
    units = _units(reason.hours, Unit.HOUR, reason.factor * reason.hourly_cents)
    return f"{units}, which is {_number(reason.factor)} times the hourly rate of {_money(reason.hourly_cents)}"


def _absence(reason: AbsenceAmount) -> str:
    """Return how many of the working days are not paid, and the amount that is for all of them."""
    days = f"{_number(reason.days)} of the {_number(reason.working_days)} working days of the period"
    less = f", less {format_money(reason.less_cents)} of unpaid leave" if reason.less_cents else ""
    if reason.period_cents is None:
        return f"The pay of {days}{less}"
    return f"{format_money(reason.period_cents)} for {days}{less}"


def _carried_forward(reason: CarriedForward) -> str:
    carried = (
        f"{format_money(reason.carried_cents)}{'' if reason.due_cents else ','} carried forward from earlier payslips"
    )
    return f"{format_money(reason.due_cents)} plus {carried}" if reason.due_cents else carried


def _money(cents: Fraction) -> str:
    """Return an amount, and that it is rounded if it is not a whole number of cents.

    >>> _money(Fraction(1875)), _money(Fraction(1206, 7))
    ('$18.75', 'about $1.72')
    """
    return ("" if cents.denominator == 1 else "about ") + format_money(round_half_up(cents))


def _number(number: Fraction) -> str:
    """Return a number without trailing zeros.

    >>> _number(Fraction(5)), _number(Fraction("7.50")), _number(Fraction("0.25"))
    ('5', '7.5', '0.25')
    """
    return format((Decimal(number.numerator) / number.denominator).normalize(), "f")
