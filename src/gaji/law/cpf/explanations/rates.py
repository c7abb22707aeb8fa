"""The rates that one person's total wages lead to, and what they bring, as lines of arithmetic."""

from enum import Enum, auto

from gaji.law.columns import date_at
from gaji.law.cpf.explanations.person_month import PersonMonth, one
from gaji.law.cpf.parameters import RateTable
from gaji.law.explanation import money, rate, step
from gaji.law.notation import Clause, after, choose, equals, line, otherwise, up_to
from gaji.law.residency import LegalStatus

FOREIGNERS = tuple(status for status in LegalStatus if status not in (LegalStatus.CITIZEN, LegalStatus.PR))


class Share(Enum):
    """What a rate is for."""

    TOTAL = auto()
    """Both sides together; in the graduated band without the employee's."""
    EMPLOYEE = auto()


def rate_lines(case: PersonMonth, share: Share) -> tuple[str, ...]:
    """For each table of the month, the rate that the total wages lead to."""
    tables = [table for table, *_ in case.parts if table != RateTable.NONE]
    return tuple(line(_by_band(case, table, share), rate_of(case, table, share)) for table in tables)


def rate_of(case: PersonMonth, table: RateTable, share: Share) -> str:
    """The rate of the wage band that the total wages are in."""
    if table == RateTable.NONE:
        return rate(0)
    bounds = [bound for bound, _ in _bands(case, table, share)[:-1]]
    return rate(_bands(case, table, share)[sum(case.total_wages > bound for bound in bounds)][1])


def on_each(case: PersonMonth, share: Share) -> str:
    """A rate on the ordinary and on the additional wages of each table of the month."""
    terms = []
    for table, ordinary, additional in case.parts:
        percentage = rate_of(case, table, share)
        terms.append(f"{percentage} × {money(ordinary)}")
        if case.additional_subject and (additional or len(case.parts) > 1):
            terms.append(f"{percentage} × {money(additional)}")
    return " + ".join(terms)


def nothing_line(case: PersonMonth) -> str:
    """Why someone contributes nothing at all."""
    if bool(case.people.exempt[0]):
        return step(choose("cpf_exempt yes", equals("yes", money(0))), 0)
    status = LegalStatus(one(case.people.legal_status))
    if status in FOREIGNERS:
        return step(choose(f"legal_status {status.name}", *(equals(each.name, money(0)) for each in FOREIGNERS)), 0)
    pr_date = date_at(case.people.pr_dates)
    return step(choose(f"pr_date {pr_date}", after(case.month.last_day, money(0))), 0)


def _by_band(case: PersonMonth, table: RateTable, share: Share) -> str:
    *bounded, (_, last) = _bands(case, table, share)
    clauses: list[Clause] = [up_to(money(bound), rate(parts)) for bound, parts in bounded]
    return choose(money(case.total_wages), *clauses, otherwise(rate(last)))


def _bands(case: PersonMonth, table: RateTable, share: Share) -> list[tuple[int, int]]:
    """Up to which total wages which rate holds; the last one without an end."""
    rates, bands = case.rates(table).value[case.group], case.bands
    if share == Share.EMPLOYEE:
        return [
            (bands.employer_only_up_to_cents, 0),
            (bands.graduated_up_to_cents, rates.graduated),
            (0, rates.employee),
        ]
    return [(bands.nil_up_to_cents, 0), (bands.graduated_up_to_cents, rates.employer_only), (0, rates.total)]
