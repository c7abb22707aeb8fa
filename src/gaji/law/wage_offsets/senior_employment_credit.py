"""Senior Employment Credit: a percentage of the monthly wage of older citizens, by age."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

from gaji.law.columns import RATE_SCALE
from gaji.law.explanation import dollars, money, percent, rate, step, used_parameter
from gaji.law.months import Month
from gaji.law.notation import choose, format_clauses, from_, line
from gaji.law.rounding import round_half_up
from gaji.law.wage_offsets.estimate import (
    MonthlyWage,
    OffsetEmployee,
    Scheme,
    WageOffset,
    not_estimated,
    value_in_force,
)
from gaji.law.wage_offsets.parameters import (
    FIRST_DAY,
    LINEAR,
    NOT_ESTIMATED,
    UNKNOWN,
    AgeBand,
    SeniorTerms,
    WageOffsetParameters,
)

RULE = (
    "The employer of an older citizen gets a percentage of the monthly wage, by age: the full rate up to one wage, "
    "less above it, and nothing from another wage on."
)
YOUNGEST_AGE = 55
"""The lowest age in any year. Where the rates are not known, it is the lowest age of the year before."""


def senior_credit(
    parameters: WageOffsetParameters, month: Month, employee: OffsetEmployee, wage: MonthlyWage
) -> WageOffset | None:
    """The credit for a month. None for owners, for people who are not citizens, and below the lowest age."""
    in_force = value_in_force(parameters.senior_employment_credit, month)
    is_too_young = employee.age_on(month.last_day) < YOUNGEST_AGE
    if in_force is None or is_too_young or employee.is_owner or not employee.is_citizen(month):
        return None
    terms, cents = in_force.value, wage.cents
    bands = terms.bands or _latest_bands(parameters)
    at_start, at_end = (_band(bands, employee, day) for day in (month.first_day, month.last_day))
    if at_end is None:
        return None
    draft = WageOffset(
        scheme=Scheme.SENIOR_EMPLOYMENT_CREDIT,
        rule=RULE,
        inputs={"month": str(month), "monthly wage": money(cents), "birthdate": str(employee.birthdate)},
        terms=used_parameter("rate by age", in_force, format_clauses(_rate_clauses(terms.bands)) or "not known"),
        other_parameters=(
            used_parameter("full rate up to", in_force, money(terms.full_rate_up_to_cents)),
            used_parameter("nothing from", in_force, money(terms.nothing_from_cents)),
        ),
        certainty=at_end.certainty if terms.bands else UNKNOWN,
    )
    if cents >= terms.nothing_from_cents:
        return replace(
            draft,
            amount_cents=0,
            rate=percent(at_end.rate) if terms.bands else "",
            branch=f"the wage is not below {dollars(terms.nothing_from_cents)}",
            arithmetic=(step(choose(money(cents), from_(money(terms.nothing_from_cents), money(0))), 0),),
        )
    if not terms.bands:
        reason = f"the rates of {month.year} are not known"
        return not_estimated(draft, reason)
    switch = parameters.age_day.at(month).value
    band: AgeBand | None
    if at_start == at_end:
        band, day, certainty = at_end, month.last_day, at_end.certainty
    elif switch.choice == NOT_ESTIMATED:
        reason = (
            "a birthday changes the rate in this month, and the day on which the age is taken is not "
            f"known. The rates are {percent(at_start.rate) if at_start else 'nothing'} before and "
            f"{percent(at_end.rate)} after the birthday"
        )
        return not_estimated(draft, reason)
    else:
        band, day = (at_start, month.first_day) if switch.choice == FIRST_DAY else (at_end, month.last_day)
        certainty = max(at_end.certainty, switch.certainty)
    if band is None:
        return None
    age = employee.age_on(day)
    rate_line = line(choose(f"age {age}", *_rate_clauses(bands)), rate(band.rate))
    full_cents = round_half_up(Fraction(band.rate * min(cents, terms.full_rate_up_to_cents), RATE_SCALE))
    settled = replace(
        draft,
        amount_cents=full_cents,
        inputs={**draft.inputs, "age": str(age)},
        rate=percent(band.rate),
        branch=f"aged {age}, with a wage up to {dollars(terms.full_rate_up_to_cents)}",
        arithmetic=(rate_line, step(f"round_cents({rate(band.rate)} × {money(cents)})", full_cents)),
        certainty=certainty,
    )
    if cents <= terms.full_rate_up_to_cents:
        return settled
    return _tapered(parameters, month, terms, band, cents, settled)


def _tapered(
    parameters: WageOffsetParameters, month: Month, terms: SeniorTerms, band: AgeBand, cents: int, full: WageOffset
) -> WageOffset:
    """Apply the switch for wages between the full rate and nothing. `full` has the amount at the full rate."""
    switch = parameters.taper.at(month).value
    certainty = max(full.certainty, switch.certainty)
    top, end = terms.full_rate_up_to_cents, terms.nothing_from_cents
    if switch.choice != LINEAR:
        reason = (
            f"the formula for wages from {dollars(top)} to {dollars(end)} is not known. The amount is "
            f"between {dollars(0)} and {dollars(full.amount_cents or 0)}"
        )
        return not_estimated(full, reason)
    amount = round_half_up(Fraction(band.rate * top, RATE_SCALE) * Fraction(end - cents, end - top))
    share = f"({money(end)} − {money(cents)}) ÷ ({money(end)} − {money(top)})"
    return replace(
        full,
        amount_cents=amount,
        branch=f"the wage is between {dollars(top)} and {dollars(end)}, so the credit falls in proportion",
        arithmetic=(full.arithmetic[0], step(f"round_cents({rate(band.rate)} × {money(top)} × {share})", amount)),
        certainty=certainty,
    )


def _band(bands: Sequence[AgeBand], employee: OffsetEmployee, day: date) -> AgeBand | None:
    age = employee.age_on(day)
    return next((band for band in reversed(bands) if band.from_age <= age), None)


def _latest_bands(parameters: WageOffsetParameters) -> tuple[AgeBand, ...]:
    """The newest known bands. They decide who is listed in a year whose rates are not known."""
    values = parameters.senior_employment_credit.values
    return next((value.value.bands for value in values if value.value.bands), ())


def _rate_clauses(bands: Sequence[AgeBand]) -> list[tuple[str, str]]:
    return [from_(band.from_age, rate(band.rate)) for band in reversed(bands)]
