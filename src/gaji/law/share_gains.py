"""Gains from share options and share awards (Appendix 8B of form IR8A): the day, the amount and the section of the Act.

>>> gain = ShareGain(SharePlan.OPTION, date(2024, 1, 2), "10", "5", "100", exercise_date=date(2026, 6, 1))
>>> income_date(gain)
datetime.date(2026, 6, 1)
"""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from enum import StrEnum

from gaji.law.explanation import Explanation, long_date, step, used_parameter
from gaji.law.months import Month
from gaji.law.parameters import History, ParameterFiles
from gaji.law.rounding import CENTS_PER_DOLLAR

DOWN, NEAREST = "down", "nearest"
SECTION_B, SECTION_G = "10(1)(b)", "10(1)(g)"
SOURCE = "IRAS, gains from the exercise of stock options; how to complete the Form IR21"
DAY_RULES = {
    "restriction_end_date": "The gain is income of the year in which the selling restriction ends.",
    "exercise_date": "The gain of an option is income of the year in which it is exercised.",
    "vesting_date": "The gain of an award is income of the year in which it vests.",
    "grant_date": "The gain of an award that vests at once is income of the year in which it is granted.",
}
DEEMED_RULE = "Options and awards of a foreigner who leaves count as exercised before the last day of service."
GAIN_RULE = "It is the market value on that day less the price paid, for each share."
PRECISION = 40


class SharePlan(StrEnum):
    """The kind of plan."""

    OPTION = "option"
    AWARD = "award"


@dataclass(frozen=True, slots=True)
class ShareGain:
    """Shares that an employee acquired on one day. Prices and numbers of shares are decimal text."""

    plan: SharePlan
    grant_date: date
    market_value: str
    """Of one share, on the day of the gain."""
    price: str
    """What the employee pays for one share."""
    shares: str
    exercise_date: date | None = None
    vesting_date: date | None = None
    restriction_end_date: date | None = None
    """The day on which a selling restriction ends."""
    is_deemed: bool = False
    """Whether the shares count as acquired because the employee leaves, on the day of exercise or vesting."""


@dataclass(frozen=True)
class ShareGainParameters:
    """The parameters of share gains."""

    section_10_1_b: History[date]
    deemed_exercise: History[int]
    gain_rounding: History[str]


def read_parameters(files: ParameterFiles) -> ShareGainParameters:
    """Read the parameters of share gains."""
    subject = files.subject("share_gains")
    parameters = ShareGainParameters(
        section_10_1_b=subject.history("section_10_1_b", lambda row: row.day("granted_from")),
        deemed_exercise=subject.whole_number("deemed_exercise"),
        gain_rounding=subject.choice("gain_rounding", DOWN, NEAREST),
    )
    subject.reject_unknown()
    return parameters


def income_date(gain: ShareGain) -> date:
    """The day that gives the year of income."""
    return _income_day(gain)[1]


def gain_cents(parameters: ShareGainParameters, gain: ShareGain) -> int:
    """The gain in cents. Shares that are worth less than their price have none."""
    with localcontext(prec=PRECISION):
        exact = (Decimal(gain.market_value) - Decimal(gain.price)) * Decimal(gain.shares) * CENTS_PER_DOLLAR
        if parameters.gain_rounding.nearest(income_date(gain)).value == NEAREST:
            exact = exact.quantize(Decimal(1), ROUND_HALF_UP)
        return max(int(exact), 0)


def income_section(parameters: ShareGainParameters, gain: ShareGain) -> str:
    """The section of the Income Tax Act under which the gain is income."""
    since = parameters.section_10_1_b.nearest(income_date(gain)).value
    return SECTION_G if gain.plan == SharePlan.OPTION and gain.grant_date < since else SECTION_B


def deemed_exercise_date(parameters: ShareGainParameters, grant_date: date, last_day: date) -> date:
    """The day on which the shares of a foreigner who leaves count as acquired."""
    months = parameters.deemed_exercise.nearest(last_day).value
    month = Month.from_date(last_day) + (-months)
    day = min(last_day.day, monthrange(month.year, month.month)[1])
    return max(date(month.year, month.month, day), grant_date)


def explain(parameters: ShareGainParameters, gain: ShareGain) -> Explanation:
    """Explain a gain."""
    name, day = _income_day(gain)
    rounding = parameters.gain_rounding.nearest(day)
    amount = gain_cents(parameters, gain)
    function = "round_cents" if rounding.value == NEAREST else "floor_cents"
    return Explanation(
        figure="share_gain",
        amount_cents=amount,
        inputs={
            "day": str(day),
            "market value": gain.market_value,
            "price paid": gain.price,
            "shares": gain.shares,
        },
        rule=f"{DEEMED_RULE if gain.is_deemed else DAY_RULES[name]} {GAIN_RULE}",
        source=SOURCE,
        branch=f"income of {day.year}, on {long_date(day)}, under section {income_section(parameters, gain)}",
        parameters=(used_parameter("rounding", rounding, rounding.value),),
        arithmetic=(step(f"{function}(max({gain.market_value} − {gain.price}, 0) × {gain.shares})", amount),),
    )


def _income_day(gain: ShareGain) -> tuple[str, date]:
    """Return the name and the value of the day that counts. A selling restriction delays any other day."""
    if gain.restriction_end_date is not None and not gain.is_deemed:
        return "restriction_end_date", gain.restriction_end_date
    if gain.exercise_date is not None:
        return "exercise_date", gain.exercise_date
    if gain.vesting_date is not None:
        return "vesting_date", gain.vesting_date
    return "grant_date", gain.grant_date
