"""Which age group, which year of permanent residence and which table someone is in, and from which day wages count."""

from datetime import date

from gaji.law.columns import Dates, date_at, single_person
from gaji.law.cpf.explanations.person_month import ACT, one
from gaji.law.cpf.explanations.rates import FOREIGNERS
from gaji.law.cpf.inputs import CpfMembers
from gaji.law.cpf.parameters import AgeGroup, RateTable
from gaji.law.cpf.tables import (
    AGE_LIMITS,
    TABLE_BY_ELECTION_AND_YEAR,
    PrRateElection,
    age_groups,
    applicability,
    pr_years,
)
from gaji.law.explanation import FactExplanation, yes_no
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import before, below, choose, equals, line, otherwise, up_to
from gaji.law.residency import LegalStatus

NONE = "none"


def explain_tables(month: Month, people: CpfMembers, index: int = 0) -> tuple[FactExplanation, ...]:
    """What applies to the person at this place in a month, each with its reason; raises ValueError as `applying`."""
    person = single_person(people, index)
    applies = applicability(month, person)
    found = [_table(month, person, RateTable(one(applies.tables)))]
    if date_at(person.pr_dates) is not None:
        found.insert(0, explain_pr_year(month, person.pr_dates))
    if date_at(person.birthdates) is not None:
        found.insert(0, explain_age_group(month, person.birthdates))
    counts_from = date_at(applies.counts_from)
    return (*found, *([_counts_from(month, person, counts_from)] if counts_from else []))


def explain_age_group(month: Month, birthdates: Dates, index: int = 0) -> FactExplanation:
    """How the age group of the person at this place came about."""
    born = date_at(birthdates, index)
    if born is None:
        raise ValueError("the age group needs the birthdate")
    group = AgeGroup(int(age_groups(month, birthdates[index : index + 1])[0]))
    names = [each.name.lower() for each in AgeGroup]
    months = month - Month.from_date(born)
    bands = (up_to(f"{age} × {MONTHS_PER_YEAR}", name) for age, name in zip(AGE_LIMITS, names, strict=False))
    return FactExplanation(
        figure="cpf_age_group",
        result=group.name.lower(),
        unit="age group",
        inputs={"month": str(month), "birthdate": str(born)},
        rule="The next age group begins in the month after that of the 55th, 60th, 65th or 70th birthday.",
        source=ACT,
        branch=f"in {month} {group.label}",
        parameters=(),
        arithmetic=(
            line(f"{month} − {Month.from_date(born)}", months),
            line(choose(months, *bands, otherwise(names[-1])), group.name.lower()),
        ),
    )


def explain_pr_year(month: Month, pr_dates: Dates, index: int = 0) -> FactExplanation:
    """How the year of permanent residence of the person at this place came about."""
    since, year = date_at(pr_dates, index), int(pr_years(month, pr_dates[index : index + 1])[0])
    return FactExplanation(
        figure="pr_year",
        result=str(year),
        unit="year, 3 for all from the third on",
        inputs={"month": str(month), "pr_date": NONE if since is None else str(since)},
        rule="A year of permanent residence ends with the month of its anniversary, whatever the day.",
        source=ACT,
        branch=("not yet", "the first year", "the second year", "from the third year on")[year],
        parameters=(),
        arithmetic=_year_lines(month, since, year),
    )


def _year_lines(month: Month, since: date | None, year: int) -> tuple[str, ...]:
    if since is None:
        return (line(choose(f"pr_date {NONE}", equals(NONE, year)), year),)
    months, first = month - Month.from_date(since), MONTHS_PER_YEAR
    years = below(0, 0), up_to(first, 1), up_to(f"2 × {first}", 2), otherwise(3)
    return line(f"{month} − {Month.from_date(since)}", months), line(choose(months, *years), year)


def _table(month: Month, person: CpfMembers, table: RateTable) -> FactExplanation:
    return FactExplanation(
        figure="cpf_table",
        result=table.name,
        unit="table of rates",
        inputs=_inputs(month, person),
        rule="Citizens contribute by T1; permanent residents by the table of their year and of the rates they elected; "
        "foreigners and the exempt by none.",
        source=ACT,
        branch=f"by {table.name} at the end of {month}" if table != RateTable.NONE else f"by none in {month}",
        parameters=(),
        arithmetic=_table_lines(month, person, table),
    )


def _table_lines(month: Month, person: CpfMembers, table: RateTable) -> tuple[str, ...]:
    status = LegalStatus(one(person.legal_status))
    if bool(person.exempt[0]):
        return (line(choose("cpf_exempt yes", equals("yes", RateTable.NONE.name)), RateTable.NONE.name),)
    if status in FOREIGNERS:
        none = (equals(each.name, RateTable.NONE.name) for each in FOREIGNERS)
        return (line(choose(f"legal_status {status.name}", *none), RateTable.NONE.name),)
    citizen_since = date_at(person.citizenship_dates)
    if status == LegalStatus.CITIZEN and citizen_since is None:
        return (line(choose(f"citizenship_date {NONE}", equals(NONE, RateTable.T1.name)), RateTable.T1.name),)
    year = int(pr_years(month, person.pr_dates)[0])
    elected = PrRateElection(one(person.pr_rates))
    as_resident = RateTable(int(TABLE_BY_ELECTION_AND_YEAR[elected, year])).name
    elections = (equals(each.name, _by_year(each, year)) for each in PrRateElection)
    by_election = line(choose(f"pr_cpf_rates {elected.name}", *elections), as_resident)
    lines = (*_year_lines(month, date_at(person.pr_dates), year), by_election)
    if status == LegalStatus.PR:
        return lines
    by_day = up_to(month.last_day, RateTable.T1.name), otherwise(as_resident)
    return (*lines, line(choose(f"citizenship_date {citizen_since}", *by_day), table.name))


def _by_year(elected: PrRateElection, year: int) -> str:
    """The tables of one election, year by year."""
    *years, later = (RateTable(int(code)).name for code in TABLE_BY_ELECTION_AND_YEAR[elected])
    return choose(year, *(equals(each, name) for each, name in enumerate(years)), otherwise(later))


def _counts_from(month: Month, person: CpfMembers, counts_from: date) -> FactExplanation:
    since = date_at(person.pr_dates)
    by_birth = one(person.legal_status) == LegalStatus.CITIZEN and date_at(person.citizenship_dates) is None
    if by_birth:
        expression = choose(f"citizenship_date {NONE}", equals(NONE, month.first_day))
    elif since is None:
        expression = choose(f"pr_date {NONE}", equals(NONE, month.first_day))
    else:
        bands = before(month.first_day, month.first_day), up_to(month.last_day, since), otherwise(month.first_day)
        expression = choose(f"pr_date {since}", *bands)
    return FactExplanation(
        figure="cpf_counts_from",
        result=str(counts_from),
        unit="date",
        inputs=_inputs(month, person),
        rule="In the month in which permanent residence begins, wages count from that day on.",
        source=ACT,
        branch="the whole month counts" if counts_from == month.first_day else f"permanent resident from {counts_from}",
        parameters=(),
        arithmetic=(line(expression, counts_from),),
    )


def _inputs(month: Month, person: CpfMembers) -> dict[str, str]:
    return {
        "month": str(month),
        "legal_status": LegalStatus(one(person.legal_status)).name,
        "pr_date": str(date_at(person.pr_dates) or NONE),
        "citizenship_date": str(date_at(person.citizenship_dates) or NONE),
        "pr_cpf_rates": PrRateElection(one(person.pr_rates)).name,
        "cpf_exempt": yes_no(bool(person.exempt[0])),
    }
