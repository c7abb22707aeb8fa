"""The rate table and age group of each person, and the day of the month from which wages count."""

from enum import IntEnum
from functools import lru_cache

import numpy as np
from msgspec import Struct

from gaji.law.columns import MISSING_DATE, Codes, Dates, Flags, any_nonzero, equals_code, missing_dates
from gaji.law.cpf.inputs import CpfMembers
from gaji.law.cpf.parameters import PAY_DATE, AgeGroup, CpfParameters, RateTable
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.residency import LegalStatus

__all__ = [
    "AgeGroup",
    "CpfApplicability",
    "PrRateElection",
    "RateTable",
    "age_groups",
    "applicability",
    "counts_after_leaving",
    "pr_years",
]

AGE_LIMITS = (55, 60, 65, 70)
THIRD_YEAR_ON = 3


class PrRateElection(IntEnum):
    """Graduated or full rates in the first two years of permanent residence; the first letter is the employer's."""

    GG = 0
    FG = 1
    FF = 2


TABLE_BY_ELECTION_AND_YEAR = np.array(
    [
        # not yet        year 1        year 2        from year 3
        [RateTable.NONE, RateTable.T2, RateTable.T3, RateTable.T1],  # GG
        [RateTable.NONE, RateTable.T4, RateTable.T5, RateTable.T1],  # FG
        [RateTable.NONE, RateTable.T1, RateTable.T1, RateTable.T1],  # FF
    ],
    dtype=np.int8,
)


class CpfApplicability(Struct, frozen=True):
    """What applies to each person in a month."""

    tables: Codes
    """RateTable at the end of the month."""
    tables_before: Codes
    """RateTable before `changes_on`; the same as `tables` where nothing changes."""
    age_groups: Codes
    """AgeGroup."""
    counts_from: Dates
    """The first day of the month for which wages count: the first, or the day permanent residence started. Missing for
    people without a rate table."""
    changes_on: Dates
    """The day of the month, after the first, on which citizenship started."""


def applicability(month: Month, members: CpfMembers) -> CpfApplicability:
    """What applies to each person in a month; raises ValueError if a required date is missing."""
    citizen = equals_code(members.legal_status, LegalStatus.CITIZEN)
    naturalised = citizen & ~np.isnat(members.citizenship_dates)
    resident = citizen | equals_code(members.legal_status, LegalStatus.PR)
    contributes = resident & ~members.exempt
    _check_dates(members, contributes)
    if not any_nonzero(contributes & (naturalised | ~citizen)):
        return _by_birth(month, members, contributes)

    pr_tables = TABLE_BY_ELECTION_AND_YEAR[members.pr_rates, pr_years(month, members.pr_dates)]
    is_citizen = citizen & (~naturalised | (members.citizenship_dates <= _last_day(month.number)))
    resident_tables = np.where(is_citizen, int(RateTable.T1), pr_tables)
    tables = np.where(contributes, resident_tables, int(RateTable.NONE)).astype(np.int8)
    changes = contributes & naturalised & _in_month(month, members.citizenship_dates)
    changes &= members.citizenship_dates > _first_day(month.number)
    # A citizen by birth contributes for the whole month; a PR date on the record is ignored.
    residence_starts = (naturalised | ~citizen) & _in_month(month, members.pr_dates)
    counts_from = np.where(residence_starts, members.pr_dates, _first_day(month.number))
    return CpfApplicability(
        tables=tables,
        tables_before=np.where(changes, pr_tables, tables).astype(np.int8),
        age_groups=age_groups(month, members.birthdates),
        counts_from=np.where(equals_code(tables, RateTable.NONE), MISSING_DATE, counts_from),
        changes_on=np.where(changes, members.citizenship_dates, MISSING_DATE),
    )


def _by_birth(month: Month, members: CpfMembers, contributes: Flags) -> CpfApplicability:
    """What applies if all who contribute are citizens by birth: they contribute for the whole month."""
    tables = np.where(contributes, int(RateTable.T1), int(RateTable.NONE)).astype(np.int8)
    return CpfApplicability(
        tables=tables,
        tables_before=tables,
        age_groups=age_groups(month, members.birthdates),
        counts_from=np.where(contributes, _first_day(month.number), MISSING_DATE),
        changes_on=missing_dates(len(tables)),
    )


def counts_after_leaving(
    parameters: CpfParameters, month: Month, members: CpfMembers, leaving_dates: Dates, paid_on: np.datetime64
) -> Flags:
    """Whether additional wages payable on a day of the month count for CPF, given each person's last day of employment.

    `applicability` decides whether a person contributes on the pay date. From 2024, wages payable after the last day
    count only if the person was also a citizen or permanent resident on that day.
    """
    switch = parameters.after_leaving
    left = leaving_dates < paid_on
    if switch is None or not any_nonzero(left) or switch.at(month).value == PAY_DATE:
        return np.ones(len(leaving_dates), dtype=np.bool_)
    by_birth = equals_code(members.legal_status, LegalStatus.CITIZEN) & np.isnat(members.citizenship_dates)
    since = np.where(np.isnat(members.pr_dates), members.citizenship_dates, members.pr_dates)
    resident: Flags = by_birth | ~(since > leaving_dates)
    return ~left | resident


def age_groups(month: Month, birthdates: Dates) -> Codes:
    """The age group in a month. The next one starts in the month after the 55th, 60th, 65th or 70th birthday.

    A person born before the first day of the month 55 years ago had that birthday before this month started.
    """
    groups = np.zeros(len(birthdates), dtype=np.int8)
    for limit in AGE_LIMITS:
        groups += birthdates < _first_day(month.number - limit * MONTHS_PER_YEAR)
    return groups


def pr_years(month: Month, pr_dates: Dates) -> Codes:
    """The year of permanent residence: 0 before it starts, then 1 and 2, and 3 from the third year or without a date.

    A year ends with the month of its anniversary, whatever the day.
    """
    years = (pr_dates <= _last_day(month.number)).astype(np.int8)
    years += pr_dates < _first_day(month.number - MONTHS_PER_YEAR)
    years += pr_dates < _first_day(month.number - 2 * MONTHS_PER_YEAR)
    years[np.isnat(pr_dates)] = THIRD_YEAR_ON
    return years


def _check_dates(members: CpfMembers, contributes: Flags) -> None:
    if any_nonzero(contributes & np.isnat(members.birthdates)):
        raise ValueError("CPF rates require the birthdate")
    if any_nonzero(contributes & equals_code(members.legal_status, LegalStatus.PR) & np.isnat(members.pr_dates)):
        raise ValueError("the CPF rates of a permanent resident require pr_date")


def _in_month(month: Month, dates: Dates) -> Flags:
    inside: Flags = (dates >= _first_day(month.number)) & (dates <= _last_day(month.number))
    return inside


@lru_cache(maxsize=4096)
def _first_day(number: int) -> np.datetime64:
    return np.datetime64(Month.from_number(number).first_day, "D")


@lru_cache(maxsize=4096)
def _last_day(number: int) -> np.datetime64:
    return np.datetime64(Month.from_number(number).last_day, "D")
