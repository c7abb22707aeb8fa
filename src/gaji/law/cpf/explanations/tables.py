"""Which age group, which year of permanent residence and which table someone is in, and from which day wages count."""

from datetime import date

from gaji.law.columns import Days, one_day, only
from gaji.law.cpf.explanations.person_month import ACT, one
from gaji.law.cpf.explanations.rates import FOREIGNERS
from gaji.law.cpf.inputs import People
from gaji.law.cpf.parameters import AgeGroup, Table
from gaji.law.cpf.tables import AGE_LIMITS, TABLE_BY_ELECTION_AND_YEAR, PrRates, age_groups, applying, pr_years
from gaji.law.explanation import Finding, yes_no
from gaji.law.months import MONTHS_A_YEAR, Month
from gaji.law.notation import before, below, choose, line, otherwise, same, up_to
from gaji.law.residency import LegalStatus

NONE = "none"


def explain_tables(month: Month, people: People, place: int = 0) -> tuple[Finding, ...]:
    """What applies to the person at this place in a month, each with its reason; raises ValueError as `applying`."""
    person = only(people, place)
    applies = applying(month, person)
    found = [_table(month, person, Table(one(applies.tables)))]
    if one_day(person.pr_dates) is not None:
        found.insert(0, explain_pr_year(month, person.pr_dates))
    if one_day(person.birthdates) is not None:
        found.insert(0, explain_age_group(month, person.birthdates))
    counts_from = one_day(applies.counts_from)
    return (*found, *([_counts_from(month, person, counts_from)] if counts_from else []))


def explain_age_group(month: Month, birthdates: Days, place: int = 0) -> Finding:
    """How the age group of the person at this place came about."""
    born = one_day(birthdates, place)
    if born is None:
        raise ValueError("the age group needs the birthdate")
    group = AgeGroup(int(age_groups(month, birthdates[place : place + 1])[0]))
    names = [each.name.lower() for each in AgeGroup]
    months = month - Month.holding(born)
    bands = (up_to(f"{age} × {MONTHS_A_YEAR}", name) for age, name in zip(AGE_LIMITS, names, strict=False))
    return Finding(
        figure="cpf_age_group",
        result=group.name.lower(),
        unit="age group",
        inputs={"month": str(month), "birthdate": str(born)},
        rule="The next age group begins in the month after that of the 55th, 60th, 65th or 70th birthday.",
        source=ACT,
        branch=f"in {month} {group.words}",
        parameters=(),
        arithmetic=(
            line(f"{month} − {Month.holding(born)}", months),
            line(choose(months, *bands, otherwise(names[-1])), group.name.lower()),
        ),
    )


def explain_pr_year(month: Month, pr_dates: Days, place: int = 0) -> Finding:
    """How the year of permanent residence of the person at this place came about."""
    since, year = one_day(pr_dates, place), int(pr_years(month, pr_dates[place : place + 1])[0])
    return Finding(
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
        return (line(choose(f"pr_date {NONE}", same(NONE, year)), year),)
    months, first = month - Month.holding(since), MONTHS_A_YEAR
    years = below(0, 0), up_to(first, 1), up_to(f"2 × {first}", 2), otherwise(3)
    return line(f"{month} − {Month.holding(since)}", months), line(choose(months, *years), year)


def _table(month: Month, person: People, table: Table) -> Finding:
    return Finding(
        figure="cpf_table",
        result=table.name,
        unit="table of rates",
        inputs=_inputs(month, person),
        rule="Citizens contribute by T1; permanent residents by the table of their year and of the rates they elected; "
        "foreigners and the exempt by none.",
        source=ACT,
        branch=f"by {table.name} at the end of {month}" if table != Table.NONE else f"by none in {month}",
        parameters=(),
        arithmetic=_table_lines(month, person, table),
    )


def _table_lines(month: Month, person: People, table: Table) -> tuple[str, ...]:
    status = LegalStatus(one(person.legal_status))
    if bool(person.exempt[0]):
        return (line(choose("cpf_exempt yes", same("yes", Table.NONE.name)), Table.NONE.name),)
    if status in FOREIGNERS:
        none = (same(each.name, Table.NONE.name) for each in FOREIGNERS)
        return (line(choose(f"legal_status {status.name}", *none), Table.NONE.name),)
    citizen_since = one_day(person.citizenship_dates)
    if status == LegalStatus.CITIZEN and citizen_since is None:
        return (line(choose(f"citizenship_date {NONE}", same(NONE, Table.T1.name)), Table.T1.name),)
    year = int(pr_years(month, person.pr_dates)[0])
    elected = PrRates(one(person.pr_rates))
    as_resident = Table(int(TABLE_BY_ELECTION_AND_YEAR[elected, year])).name
    elections = (same(each.name, _by_year(each, year)) for each in PrRates)
    by_election = line(choose(f"pr_cpf_rates {elected.name}", *elections), as_resident)
    lines = (*_year_lines(month, one_day(person.pr_dates), year), by_election)
    if status == LegalStatus.PR:
        return lines
    by_day = up_to(month.last_day, Table.T1.name), otherwise(as_resident)
    return (*lines, line(choose(f"citizenship_date {citizen_since}", *by_day), table.name))


def _by_year(elected: PrRates, year: int) -> str:
    """The tables of one election, year by year."""
    *years, later = (Table(int(code)).name for code in TABLE_BY_ELECTION_AND_YEAR[elected])
    return choose(year, *(same(each, name) for each, name in enumerate(years)), otherwise(later))


def _counts_from(month: Month, person: People, counts_from: date) -> Finding:
    since = one_day(person.pr_dates)
    by_birth = one(person.legal_status) == LegalStatus.CITIZEN and one_day(person.citizenship_dates) is None
    if by_birth:
        expression = choose(f"citizenship_date {NONE}", same(NONE, month.first_day))
    elif since is None:
        expression = choose(f"pr_date {NONE}", same(NONE, month.first_day))
    else:
        bands = before(month.first_day, month.first_day), up_to(month.last_day, since), otherwise(month.first_day)
        expression = choose(f"pr_date {since}", *bands)
    return Finding(
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


def _inputs(month: Month, person: People) -> dict[str, str]:
    return {
        "month": str(month),
        "legal_status": LegalStatus(one(person.legal_status)).name,
        "pr_date": str(one_day(person.pr_dates) or NONE),
        "citizenship_date": str(one_day(person.citizenship_dates) or NONE),
        "pr_cpf_rates": PrRates(one(person.pr_rates)).name,
        "cpf_exempt": yes_no(bool(person.exempt[0])),
    }
