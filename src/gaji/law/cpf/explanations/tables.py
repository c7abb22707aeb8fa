"""Explanations of the age group, year of permanent residence, rate table, and the day from which wages count."""

from datetime import date

from gaji.law.columns import Dates, date_at, single_person
from gaji.law.cpf.explanations.person_month import ACT, entry
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
from gaji.law.explanation import FactExplanation, long_date, long_month, yes_no
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import before, below, choose, equals, line, otherwise, up_to
from gaji.law.residency import LegalStatus

NONE = "none"


def explain_tables(month: Month, members: CpfMembers, index: int = 0) -> tuple[FactExplanation, ...]:
    """Explain what applies in a month to the person at this index; raise ValueError as `applicability` does."""
    member = single_person(members, index)
    applicable = applicability(month, member)
    explanations = [_table(month, member, RateTable(entry(applicable.tables)))]
    if date_at(member.pr_dates) is not None:
        explanations.insert(0, explain_pr_year(month, member.pr_dates))
    if date_at(member.birthdates) is not None:
        explanations.insert(0, explain_age_group(month, member.birthdates))
    counts_from = date_at(applicable.counts_from)
    return (*explanations, *([_counts_from(month, member, counts_from)] if counts_from else []))


def explain_age_group(month: Month, birthdates: Dates, index: int = 0) -> FactExplanation:
    """Explain the age group of the person at this index."""
    birthdate = date_at(birthdates, index)
    if birthdate is None:
        raise ValueError("the age group requires the birthdate")
    group = AgeGroup(int(age_groups(month, birthdates[index : index + 1])[0]))
    names = [member.name.lower() for member in AgeGroup]
    months = month - Month.from_date(birthdate)
    clauses = (up_to(f"{age} × {MONTHS_PER_YEAR}", name) for age, name in zip(AGE_LIMITS, names, strict=False))
    return FactExplanation(
        figure="cpf_age_group",
        result=group.name.lower(),
        unit="age group",
        inputs={"month": str(month), "birthdate": str(birthdate)},
        rule="The next age group starts in the month after the 55th, 60th, 65th or 70th birthday.",
        source=ACT,
        branch=f"{group.label} in {long_month(month)}",
        parameters=(),
        arithmetic=(
            line(f"{month} − {Month.from_date(birthdate)}", months),
            line(choose(months, *clauses, otherwise(names[-1])), group.name.lower()),
        ),
    )


def explain_pr_year(month: Month, pr_dates: Dates, index: int = 0) -> FactExplanation:
    """Explain the year of permanent residence of the person at this index."""
    since, year = date_at(pr_dates, index), int(pr_years(month, pr_dates[index : index + 1])[0])
    return FactExplanation(
        figure="pr_year",
        result=str(year),
        unit="year, 3 for the third and later years",
        inputs={"month": str(month), "pr_date": NONE if since is None else str(since)},
        rule="A year of permanent residence ends with the month of its anniversary, whatever the day.",
        source=ACT,
        branch=("not yet a permanent resident", "first year", "second year", "third year or later")[year],
        parameters=(),
        arithmetic=_year_lines(month, since, year),
    )


def _year_lines(month: Month, since: date | None, year: int) -> tuple[str, ...]:
    if since is None:
        return (line(choose(f"pr_date {NONE}", equals(NONE, year)), year),)
    months = month - Month.from_date(since)
    clauses = below(0, 0), up_to(MONTHS_PER_YEAR, 1), up_to(f"2 × {MONTHS_PER_YEAR}", 2), otherwise(3)
    return line(f"{month} − {Month.from_date(since)}", months), line(choose(months, *clauses), year)


def _table(month: Month, member: CpfMembers, table: RateTable) -> FactExplanation:
    has_table = table != RateTable.NONE
    return FactExplanation(
        figure="cpf_table",
        result=table.name,
        unit="rate table",
        inputs=_inputs(month, member),
        rule="Table T1 applies to citizens. For permanent residents, the table depends on the year of permanent "
        "residence and the elected rates. No table applies to foreigners and exempt employees.",
        source=ACT,
        branch=f"{f'table {table.name}' if has_table else 'no table'} at the end of {long_month(month)}",
        parameters=(),
        arithmetic=_table_lines(month, member, table),
    )


def _table_lines(month: Month, member: CpfMembers, table: RateTable) -> tuple[str, ...]:
    status = LegalStatus(entry(member.legal_status))
    if bool(member.exempt[0]):
        return (line(choose("cpf_exempt yes", equals("yes", RateTable.NONE.name)), RateTable.NONE.name),)
    if status in FOREIGNERS:
        clauses = (equals(foreigner.name, RateTable.NONE.name) for foreigner in FOREIGNERS)
        return (line(choose(f"legal_status {status.name}", *clauses), RateTable.NONE.name),)
    citizen_since = date_at(member.citizenship_dates)
    if status == LegalStatus.CITIZEN and citizen_since is None:
        return (line(choose(f"citizenship_date {NONE}", equals(NONE, RateTable.T1.name)), RateTable.T1.name),)
    year = int(pr_years(month, member.pr_dates)[0])
    elected = PrRateElection(entry(member.pr_rates))
    pr_table = RateTable(int(TABLE_BY_ELECTION_AND_YEAR[elected, year])).name
    elections = (equals(election.name, _tables_by_year(election, year)) for election in PrRateElection)
    by_election = line(choose(f"pr_cpf_rates {elected.name}", *elections), pr_table)
    lines = (*_year_lines(month, date_at(member.pr_dates), year), by_election)
    if status == LegalStatus.PR:
        return lines
    by_date = up_to(month.last_day, RateTable.T1.name), otherwise(pr_table)
    return (*lines, line(choose(f"citizenship_date {citizen_since}", *by_date), table.name))


def _tables_by_year(election: PrRateElection, year: int) -> str:
    """The rate tables of one election by year of permanent residence."""
    *tables, later = (RateTable(int(code)).name for code in TABLE_BY_ELECTION_AND_YEAR[election])
    return choose(year, *(equals(number, table) for number, table in enumerate(tables)), otherwise(later))


def _counts_from(month: Month, member: CpfMembers, counts_from: date) -> FactExplanation:
    since = date_at(member.pr_dates)
    by_birth = entry(member.legal_status) == LegalStatus.CITIZEN and date_at(member.citizenship_dates) is None
    if by_birth:
        expression = choose(f"citizenship_date {NONE}", equals(NONE, month.first_day))
    elif since is None:
        expression = choose(f"pr_date {NONE}", equals(NONE, month.first_day))
    else:
        clauses = before(month.first_day, month.first_day), up_to(month.last_day, since), otherwise(month.first_day)
        expression = choose(f"pr_date {since}", *clauses)
    full_month = counts_from == month.first_day
    return FactExplanation(
        figure="cpf_counts_from",
        result=str(counts_from),
        unit="date",
        inputs=_inputs(month, member),
        rule="In the month in which permanent residence starts, wages count from that day.",
        source=ACT,
        branch="the whole month counts" if full_month else f"permanent resident from {long_date(counts_from)}",
        parameters=(),
        arithmetic=(line(expression, counts_from),),
    )


def _inputs(month: Month, member: CpfMembers) -> dict[str, str]:
    return {
        "month": str(month),
        "legal_status": LegalStatus(entry(member.legal_status)).name,
        "pr_date": str(date_at(member.pr_dates) or NONE),
        "citizenship_date": str(date_at(member.citizenship_dates) or NONE),
        "pr_cpf_rates": PrRateElection(entry(member.pr_rates)).name,
        "cpf_exempt": yes_no(bool(member.exempt[0])),
    }
