"""Progressive Wage Credit: a share of the increase of the average gross monthly wage.

An increase is co-funded in its own year (`increase_credit`) and, as far as the wage is still paid, in the next year
(`sustained_credit`), each at the rate of the year of payment. Both are the same for every month of a year.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from gaji.law.columns import RATE_SCALE
from gaji.law.explanation import UsedParameter, dollars, money, percent, rate, step, used_parameter
from gaji.law.months import Month
from gaji.law.notation import below, choose, otherwise
from gaji.law.parameters import DatedValue
from gaji.law.rounding import round_half_up
from gaji.law.wage_offsets.estimate import (
    Scheme,
    WageOffset,
    YearlyWages,
    not_estimated,
    value_in_force,
)
from gaji.law.wage_offsets.parameters import (
    NOT_ESTIMATED,
    NOTHING,
    YEAR_OF_INCREASE,
    ProgressiveWageTerms,
    WageOffsetParameters,
    WageTier,
)

WagesByYear = Mapping[int, YearlyWages]

RULE = (
    "Each month with CPF pays the rate of the increase of the average gross monthly wage over last year's, up to the "
    "wage ceiling, if the increase reaches the minimum."
)
SUSTAINED_RULE = (
    "Each month with CPF pays this year's rate of last year's increase of the average gross monthly wage, as far as "
    "this year's average is still above that of the year before."
)


def increase_credit(parameters: WageOffsetParameters, year: int, wages: WagesByYear) -> WageOffset | None:
    """The credit of a month for this year's increase. None if last year's average reached the wage ceiling."""
    in_force = value_in_force(parameters.progressive_wage_credit, Month(year, 1))
    if in_force is None:
        return None
    terms = in_force.value
    now, before = wages[year], wages.get(year - 1, YearlyWages())
    draft = WageOffset(
        scheme=Scheme.PROGRESSIVE_WAGE_CREDIT,
        rate=_rates_text(terms.tiers),
        rule=RULE,
        inputs=_wage_inputs({year: now, year - 1: before}),
        terms=_terms_parameter(in_force),
        other_parameters=_limit_parameters(in_force),
        certainty=max(terms.certainty, terms.formula_certainty),
    )
    is_above = _reaches_ceiling(now, terms)
    if before.months < terms.minimum_months:
        return None if is_above else replace(draft, branch=_not_recorded(year - 1, terms))
    if _reaches_ceiling(before, terms):
        return None
    if now.months < terms.minimum_months:
        return replace(
            draft, amount_cents=0, branch=_too_few_months(year, now, terms), arithmetic=_months_line(now, terms)
        )
    if now.average - before.average < terms.minimum_increase_cents:
        return replace(
            draft,
            amount_cents=0,
            branch=f"the average rose by less than {dollars(terms.minimum_increase_cents)}",
            arithmetic=(step(_if_increased(now, before, terms), 0),),
        )
    if terms.ceiling_cents is None:
        return not_estimated(draft, _unknown_ceiling(year))
    amount = _credit_cents(terms.tiers, before.average, now.average)
    credit = _credit_text(terms.tiers, _average_text(before), _average_text(now))
    settled = replace(
        draft,
        amount_cents=amount,
        branch=f"the average rose by at least {dollars(terms.minimum_increase_cents)}",
        arithmetic=(step(_if_increased(now, before, terms, credit), amount),),
    )
    return _above_ceiling(parameters, year, settled) if is_above else settled


def sustained_credit(parameters: WageOffsetParameters, year: int, wages: WagesByYear) -> WageOffset | None:
    """The credit of a month for last year's increase.

    None if there was no eligible increase or no scheme, and if last year's wages are not recorded: `increase_credit`
    says so already.
    """
    in_force = value_in_force(parameters.progressive_wage_credit, Month(year, 1))
    last_in_force = value_in_force(parameters.progressive_wage_credit, Month(year - 1, 1))
    if in_force is None or last_in_force is None:
        return None
    terms, last_terms = in_force.value, last_in_force.value
    now, last, before = (wages.get(past, YearlyWages()) for past in (year, year - 1, year - 2))
    minimum = used_parameter("minimum increase last year", last_in_force, money(last_terms.minimum_increase_cents))
    draft = WageOffset(
        scheme=Scheme.SUSTAINED_INCREASE,
        rate=_rates_text(terms.tiers),
        rule=SUSTAINED_RULE,
        inputs=_wage_inputs({year: now, year - 1: last, year - 2: before}),
        terms=_terms_parameter(in_force),
        other_parameters=(*_limit_parameters(in_force), minimum),
        certainty=max(terms.certainty, last_terms.certainty, terms.formula_certainty),
    )
    is_above = _reaches_ceiling(now, terms) or _reaches_ceiling(last, last_terms)
    if last.months < last_terms.minimum_months:
        return None
    if before.months < last_terms.minimum_months:
        return None if is_above else replace(draft, branch=_not_recorded(year - 2, last_terms))
    has_no_increase = last.average - before.average < last_terms.minimum_increase_cents
    if has_no_increase or _reaches_ceiling(before, last_terms):
        return None
    if now.months < terms.minimum_months:
        return replace(
            draft, amount_cents=0, branch=_too_few_months(year, now, terms), arithmetic=_months_line(now, terms)
        )
    if terms.ceiling_cents is None or last_terms.ceiling_cents is None:
        unknown = year if terms.ceiling_cents is None else year - 1
        return not_estimated(draft, _unknown_ceiling(unknown))
    switch = parameters.sustained_ceiling.at(Month(year, 1))
    tiers = terms.tiers
    if terms.ceiling_cents != last_terms.ceiling_cents:
        if switch.value.choice == NOT_ESTIMATED:
            reason = f"whether the ceiling of {year} or of {year - 1} limits the increase is not known"
            return not_estimated(draft, reason)
        if switch.value.choice == YEAR_OF_INCREASE:
            tiers = (*tiers[:-1], replace(tiers[-1], up_to_cents=last_terms.ceiling_cents))
        draft = replace(
            draft,
            certainty=max(draft.certainty, switch.value.certainty),
            terms=replace(draft.terms, value=_rates_text(tiers)),
        )
    high, low = min(now.average, last.average), min(now.average, before.average)
    amount = _credit_cents(tiers, low, high)
    high_text = f"min({_average_text(now)}, {_average_text(last)})"
    low_text = f"min({_average_text(now)}, {_average_text(before)})"
    credit = _credit_text(tiers, low_text, high_text)
    settled = replace(
        draft,
        amount_cents=amount,
        branch="last year's increase is still paid" if amount else "the average is back at that of two years ago",
        arithmetic=(step(_if_increased(last, before, last_terms, credit), amount),),
    )
    return _above_ceiling(parameters, year, settled) if is_above and amount else settled


def _above_ceiling(parameters: WageOffsetParameters, year: int, settled: WageOffset) -> WageOffset:
    """Apply the switch for averages at or above the wage ceiling."""
    switch = parameters.above_ceiling.at(Month(year, 1)).value
    certainty = max(settled.certainty, switch.certainty)
    if switch.choice == NOT_ESTIMATED:
        part = settled.amount_cents or 0
        reason = (
            "the average is not below the wage ceiling. "
            f"{dollars(0)} if nothing is paid then, {dollars(part)} if the part below the ceiling is paid"
        )
        return not_estimated(settled, reason)
    if switch.choice == NOTHING:
        branch = "the average is not below the wage ceiling"
        line = step(choose("above_ceiling nothing", ("nothing", money(0))), 0)
        inputs = {**settled.inputs, "above ceiling": "nothing"}
        return replace(settled, amount_cents=0, branch=branch, arithmetic=(line,), inputs=inputs, certainty=certainty)
    return replace(settled, branch="the part of the increase below the wage ceiling", certainty=certainty)


def _credit_cents(tiers: Sequence[WageTier], low: Fraction, high: Fraction) -> int:
    """The credit for the part of the wage between two averages, rounded once."""
    exact = Fraction(0)
    for bottom, top, tier_rate in _bounds(tiers):
        exact += tier_rate * max(Fraction(0), min(high, Fraction(top)) - max(low, Fraction(bottom)))
    return round_half_up(exact / RATE_SCALE)


def _credit_text(tiers: Sequence[WageTier], low: str, high: str) -> str:
    """The expression for the credit between two averages."""
    terms = []
    for bottom, top, tier_rate in _bounds(tiers):
        high_part, low_part = (f"min({average}, {money(top)})" for average in (high, low))
        if bottom:
            high_part, low_part = (f"max({part}, {money(bottom)})" for part in (high_part, low_part))
        terms.append(f"{rate(tier_rate)} × ({high_part} − {low_part})")
    return f"round_cents({' + '.join(terms)})"


def _bounds(tiers: Sequence[WageTier]) -> list[tuple[int, int, int]]:
    """The lower and upper wage and the rate of each tier whose limits are known."""
    tops = [tier.up_to_cents for tier in tiers if tier.up_to_cents is not None]
    return [(bottom, top, tier.rate) for bottom, top, tier in zip((0, *tops), tops, tiers, strict=False)]


def _if_increased(now: YearlyWages, before: YearlyWages, terms: ProgressiveWageTerms, credit: str = "") -> str:
    """The expression that pays nothing for an increase below the minimum."""
    clauses = [below(money(terms.minimum_increase_cents), money(0)), *([otherwise(credit)] if credit else [])]
    return choose(f"{_average_text(now)} − {_average_text(before)}", *clauses)


def _months_line(now: YearlyWages, terms: ProgressiveWageTerms) -> tuple[str, ...]:
    return (step(choose(now.months, below(terms.minimum_months, money(0))), 0),)


def _average_text(wages: YearlyWages) -> str:
    return f"{money(wages.cents)} ÷ {wages.months}"


def _reaches_ceiling(wages: YearlyWages, terms: ProgressiveWageTerms) -> bool:
    return terms.ceiling_cents is not None and wages.months > 0 and wages.average >= terms.ceiling_cents


def _wage_inputs(wages: WagesByYear) -> dict[str, str]:
    inputs = {}
    for year, yearly in wages.items():
        inputs[f"wages with CPF in {year}"] = money(yearly.cents)
        inputs[f"months with CPF in {year}"] = str(yearly.months)
    return inputs


def _rates_text(tiers: Sequence[WageTier]) -> str:
    if tiers[-1].up_to_cents is None:
        return "; ".join(percent(tier.rate) for tier in tiers)
    return "; ".join(f"{percent(tier.rate)} up to {money(tier.up_to_cents or 0)}" for tier in tiers)


def _terms_parameter(in_force: DatedValue[ProgressiveWageTerms]) -> UsedParameter:
    return used_parameter("rate by wage", in_force, _rates_text(in_force.value.tiers))


def _limit_parameters(in_force: DatedValue[ProgressiveWageTerms]) -> tuple[UsedParameter, ...]:
    return (
        used_parameter("minimum increase", in_force, money(in_force.value.minimum_increase_cents)),
        used_parameter("minimum months with CPF", in_force, str(in_force.value.minimum_months)),
    )


def _not_recorded(year: int, terms: ProgressiveWageTerms) -> str:
    return (
        f"not estimated: fewer than {terms.minimum_months} months with CPF are recorded for {year}. Wages from an "
        "earlier employer, or from before the company used this system, are not known here"
    )


def _too_few_months(year: int, now: YearlyWages, terms: ProgressiveWageTerms) -> str:
    months = "1 month" if now.months == 1 else f"{now.months} months"
    return f"{months} with CPF in {year} so far; {terms.minimum_months} are required"


def _unknown_ceiling(year: int) -> str:
    return f"the wage ceiling of {year} is not known"
