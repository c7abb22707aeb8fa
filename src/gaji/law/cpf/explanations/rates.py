"""Lines of arithmetic that select the rates for one person's total wages and apply them."""

from enum import Enum, auto

from gaji.law.columns import date_at
from gaji.law.cpf.explanations.person_month import PersonMonth, RatedWages, entry
from gaji.law.cpf.parameters import RateTable
from gaji.law.explanation import money, rate, step
from gaji.law.notation import Clause, after, choose, equals, line, otherwise, up_to
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
    if part.table == RateTable.NONE:
        return rate(0)
    bands = _bands(person, part, kind)
    bounds = [bound for bound, _ in bands[:-1]]
    return rate(bands[sum(person.total_wages_cents > bound for bound in bounds)][1])


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
