"""Lines of arithmetic that select the rates for one person's total wages and apply them."""

from collections.abc import Iterator
from enum import Enum, auto
from fractions import Fraction

from gaji.law.columns import RATE_SCALE, date_at
from gaji.law.cpf.explanations.person_month import (
    PersonMonth,
    RatedWages,
    RateParameters,
    ceiling_parameter,
    employer_only_parameter,
    entry,
    rate_parameters,
)
from gaji.law.cpf.parameters import RateTable
from gaji.law.explanation import UsedParameter, money, rate, step
from gaji.law.notation import Clause, after, choose, equals, line, otherwise, up_to
from gaji.law.reasons import Percentage, WagesToDate
from gaji.law.residency import LegalStatus

FOREIGNERS = tuple(status for status in LegalStatus if status not in (LegalStatus.CITIZEN, LegalStatus.PR))


class RateKind(Enum):
    """Which share a rate gives."""

    TOTAL = auto()
    """Both shares together; in the graduated band without the employee's."""
    EMPLOYEE = auto()


def rate_lines(person: PersonMonth, kind: RateKind) -> tuple[str, ...]:
    """One line for each part of the wages, with the rate for the total wages."""
    parts = [part for part in person.parts if part.table != RateTable.NONE]
    lines = [line(_band_choice(person, part, kind), band_rate(person, part, kind)) for part in parts]
    return tuple(dict.fromkeys(lines))


def band_rate(person: PersonMonth, part: RatedWages, kind: RateKind) -> str:
    """The rate of the wage band that contains the total wages."""
    return rate(band_rate_parts(person, part, kind))


def band_rate_parts(person: PersonMonth, part: RatedWages, kind: RateKind) -> int:
    """The same rate in parts of the rate scale."""
    if part.table == RateTable.NONE:
        return 0
    bands = _bands(person, part, kind)
    bounds = [bound for bound, _ in bands[:-1]]
    return bands[sum(person.total_wages_cents > bound for bound in bounds)][1]


def rate_sum(person: PersonMonth, kind: RateKind) -> str:
    """The sum of rate × wages over the parts of the wages and over ordinary and additional wages."""
    terms = []
    for part in person.parts:
        percentage = band_rate(person, part, kind)
        is_shortfall = part.month != person.month
        if not is_shortfall:
            terms.append(f"{percentage} × {money(part.ordinary_cents)}")
        if part.additional_cents or (person.additional_cents and any(person.divided_parts) and not is_shortfall):
            terms.append(f"{percentage} × {money(part.additional_cents)}")
    return " + ".join(terms)


def percentages(person: PersonMonth, kind: RateKind) -> Iterator[Percentage]:
    """The terms of the sum as data, without those of nothing."""
    for part in person.parts:
        percentage = Fraction(band_rate_parts(person, part, kind), RATE_SCALE)
        ordinary, additional = _month_wages(person, part)
        if part.ordinary_cents:
            yield Percentage(percentage, Fraction(part.ordinary_cents), ordinary)
        if part.additional_cents:
            yield Percentage(percentage, Fraction(part.additional_cents), additional)


def _month_wages(person: PersonMonth, part: RatedWages) -> tuple[WagesToDate | None, WagesToDate | None]:
    """What the ordinary and the additional wages of a part are called if they are all of the month to date."""
    ordinary, additional = entry(person.wages.ordinary_cents), entry(person.wages.additional_cents)
    names = (WagesToDate.ORDINARY, WagesToDate.ADDITIONAL) if ordinary and additional else (WagesToDate.ALL,) * 2
    return (
        names[0] if part.ordinary_cents == ordinary else None,
        names[1] if part.additional_cents == additional else None,
    )


def deciding_parameters(person: PersonMonth, kind: RateKind) -> Iterator[UsedParameter]:
    """The parameters that the rates, and the wages that they apply to, come from."""
    if person.ordinary_cents == person.ceiling_cents:
        yield ceiling_parameter(person)
    if person.in_graduated_band:
        yield employer_only_parameter(person)
    for part in person.parts:
        if part.table != RateTable.NONE:
            yield from _deciding_rates(person, rate_parameters(person, part), kind)


def _deciding_rates(person: PersonMonth, rates: RateParameters, kind: RateKind) -> Iterator[UsedParameter]:
    total, bands = person.total_wages_cents, person.bands
    if person.in_graduated_band:
        yield rates.graduated
    if total > bands.graduated_up_to_cents:
        yield rates.employee if kind == RateKind.EMPLOYEE else rates.total
    elif kind == RateKind.TOTAL and total > bands.nil_up_to_cents:
        yield rates.employer_only


def not_liable_line(person: PersonMonth) -> str:
    """The line that gives zero to a person who does not contribute."""
    if bool(person.members.exempt[0]):
        return step(choose("cpf_exempt yes", equals("yes", money(0))), 0)
    status = LegalStatus(entry(person.members.legal_status))
    if status in FOREIGNERS:
        clauses = (equals(foreigner.name, money(0)) for foreigner in FOREIGNERS)
        return step(choose(f"legal_status {status.name}", *clauses), 0)
    pr_date = date_at(person.members.pr_dates)
    return step(choose(f"pr_date {pr_date}", after(person.month.last_day, money(0))), 0)


def _band_choice(person: PersonMonth, part: RatedWages, kind: RateKind) -> str:
    *bounded, (_, last) = _bands(person, part, kind)
    clauses: list[Clause] = [up_to(money(bound), rate(parts)) for bound, parts in bounded]
    return choose(money(person.total_wages_cents), *clauses, otherwise(rate(last)))


def _bands(person: PersonMonth, part: RatedWages, kind: RateKind) -> list[tuple[int, int]]:
    """The upper bound and the rate of each wage band. The last band has no upper bound."""
    rates, bands = person.rates(part).value[part.age_group], person.bands
    if kind == RateKind.EMPLOYEE:
        return [
            (bands.employer_only_up_to_cents, 0),
            (bands.graduated_up_to_cents, rates.graduated),
            (0, rates.employee),
        ]
    return [(bands.nil_up_to_cents, 0), (bands.graduated_up_to_cents, rates.employer_only), (0, rates.total)]
