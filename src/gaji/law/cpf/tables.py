"""Who contributes by which table, in which age group, and from which day of the month."""

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np

from gaji.law.columns import MISSING_DATE, Codes, Dates, Flags, any_nonzero, equals_code
from gaji.law.cpf.inputs import CpfMembers
from gaji.law.cpf.parameters import AgeGroup, RateTable
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.residency import LegalStatus

__all__ = ["AgeGroup", "CpfApplicability", "PrRateElection", "RateTable", "age_groups", "applicability", "pr_years"]

AGE_LIMITS = (55, 60, 65, 70)
FROM_THE_THIRD_YEAR = 3


class PrRateElection(IntEnum):
    """The rates of a permanent resident's first two years: graduated or full, the employer's named first."""

    GG = 0
    FG = 1
    FF = 2


TABLE_BY_ELECTION_AND_YEAR = np.array(
    [
        # not yet   year 1    year 2    from year 3
        [RateTable.NONE, RateTable.T2, RateTable.T3, RateTable.T1],  # GG
        [RateTable.NONE, RateTable.T4, RateTable.T5, RateTable.T1],  # FG
        [RateTable.NONE, RateTable.T1, RateTable.T1, RateTable.T1],  # FF
    ],
    dtype=np.int8,
)


@dataclass(frozen=True)
class CpfApplicability:
    """What applies to each person in a month."""

    tables: Codes
    """Table, at the end of the month."""
    tables_before: Codes
    """Table before `changes_on`; the same table where nothing changes."""
    age_groups: Codes
    """AgeGroup."""
    counts_from: Dates
    """The first day of the month whose wages count: the first, or the day of becoming a permanent resident; none for
    whoever does not contribute."""
    changes_on: Dates
    """The day of the month, after its first, on which citizenship began."""


def applicability(month: Month, people: CpfMembers) -> CpfApplicability:
    """What applies to each person in a month; raises ValueError when a date is missing without which nobody can say."""
    citizen = equals_code(people.legal_status, LegalStatus.CITIZEN)
    naturalised = citizen & ~np.isnat(people.citizenship_dates)
    resident = citizen | equals_code(people.legal_status, LegalStatus.PR)
    contributes = resident & ~people.exempt
    _check_dates(people, contributes)

    as_resident = TABLE_BY_ELECTION_AND_YEAR[people.pr_rates, pr_years(month, people.pr_dates)]
    is_citizen = citizen & (~naturalised | (people.citizenship_dates <= _last_day(month.number)))
    tables = np.where(contributes, np.where(is_citizen, int(RateTable.T1), as_resident), int(RateTable.NONE)).astype(
        np.int8
    )
    changes = contributes & naturalised & _within(month, people.citizenship_dates)
    changes &= people.citizenship_dates > _first_day(month.number)
    # A citizen by birth has no first day, whatever date has been left behind.
    begins = (naturalised | ~citizen) & _within(month, people.pr_dates)
    counts_from = np.where(begins, people.pr_dates, _first_day(month.number))
    return CpfApplicability(
        tables=tables,
        tables_before=np.where(changes, as_resident, tables).astype(np.int8),
        age_groups=age_groups(month, people.birthdates),
        counts_from=np.where(equals_code(tables, RateTable.NONE), MISSING_DATE, counts_from),
        changes_on=np.where(changes, people.citizenship_dates, MISSING_DATE),
    )


def age_groups(month: Month, birthdates: Dates) -> Codes:
    """The age group in a month: the next one begins in the month after that of the 55th, 60th, 65th, 70th birthday.

    Whoever was born before the month that is 55 years ago had that birthday before this month began.
    """
    groups = np.zeros(len(birthdates), dtype=np.int8)
    for limit in AGE_LIMITS:
        groups += birthdates < _first_day(month.number - limit * MONTHS_PER_YEAR)
    return groups


def pr_years(month: Month, pr_dates: Dates) -> Codes:
    """The year of permanent residence: 0 before it, then 1, 2, and 3 for all that follow, or without a date.

    A year ends with the month of its anniversary, whatever the day.
    """
    years = (pr_dates <= _last_day(month.number)).astype(np.int8)
    years += pr_dates < _first_day(month.number - MONTHS_PER_YEAR)
    years += pr_dates < _first_day(month.number - 2 * MONTHS_PER_YEAR)
    years[np.isnat(pr_dates)] = FROM_THE_THIRD_YEAR
    return years


def _check_dates(people: CpfMembers, contributes: Flags) -> None:
    if any_nonzero(contributes & np.isnat(people.birthdates)):
        raise ValueError("the rates of CPF need the birthdate")
    if any_nonzero(contributes & equals_code(people.legal_status, LegalStatus.PR) & np.isnat(people.pr_dates)):
        raise ValueError("the rates of a permanent resident need pr_date")


def _within(month: Month, days: Dates) -> Flags:
    within: Flags = (days >= _first_day(month.number)) & (days <= _last_day(month.number))
    return within


@lru_cache(maxsize=4096)
def _first_day(number: int) -> np.datetime64:
    return np.datetime64(Month.from_number(number).first_day, "D")


@lru_cache(maxsize=4096)
def _last_day(number: int) -> np.datetime64:
    return np.datetime64(Month.from_number(number).last_day, "D")
