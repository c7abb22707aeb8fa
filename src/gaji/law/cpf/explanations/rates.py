"""Lines of arithmetic that select the rates for one person's total wages and apply them."""

from enum import Enum, auto

from gaji.law.columns import date_at
from gaji.law.cpf.explanations.person_month import PersonMonth, entry
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
    """One line per rate table of the month, with the rate for the total wages."""
    tables = [table for table, *_ in person.parts if table != RateTable.NONE]
    return tuple(line(_band_choice(person, table, kind), band_rate(person, table, kind)) for table in tables)


def band_rate(person: PersonMonth, table: RateTable, kind: RateKind) -> str:
    """The rate of the wage band that contains the total wages."""
    if table == RateTable.NONE:
        return rate(0)
    bands = _bands(person, table, kind)
    bounds = [bound for bound, _ in bands[:-1]]
    return rate(bands[sum(person.total_wages_cents > bound for bound in bounds)][1])


def rate_sum(person: PersonMonth, kind: RateKind) -> str:
    """The sum of rate × wages over the rate tables of the month and over ordinary and additional wages."""
    terms = []
    for table, ordinary, additional in person.parts:
        percentage = band_rate(person, table, kind)
        terms.append(f"{percentage} × {money(ordinary)}")
        if person.additional_cents and (additional or len(person.parts) > 1):
            terms.append(f"{percentage} × {money(additional)}")
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


def _band_choice(person: PersonMonth, table: RateTable, kind: RateKind) -> str:
    *bounded, (_, last) = _bands(person, table, kind)
    clauses: list[Clause] = [up_to(money(bound), rate(parts)) for bound, parts in bounded]
    return choose(money(person.total_wages_cents), *clauses, otherwise(rate(last)))


def _bands(person: PersonMonth, table: RateTable, kind: RateKind) -> list[tuple[int, int]]:
    """The upper bound and the rate of each wage band. The last band has no upper bound."""
    rates, bands = person.rates(table).value[person.age_group], person.bands
    if kind == RateKind.EMPLOYEE:
        return [
            (bands.employer_only_up_to_cents, 0),
            (bands.graduated_up_to_cents, rates.graduated),
            (0, rates.employee),
        ]
    return [(bands.nil_up_to_cents, 0), (bands.graduated_up_to_cents, rates.employer_only), (0, rates.total)]
