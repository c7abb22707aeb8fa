"""Who contributes by which table, in which age group, and from which day of the month."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Codes, Days
from gaji.law.cpf.inputs import People
from gaji.law.cpf.parameters import AgeGroup, Table
from gaji.law.months import MONTHS_A_YEAR, Month
from gaji.law.residency import LegalStatus

__all__ = ["AgeGroup", "Applying", "PrRates", "Table", "age_groups", "applying", "pr_years"]

AGE_LIMITS = (55, 60, 65, 70)
PR_YEAR_ENDS = (-1, MONTHS_A_YEAR, 2 * MONTHS_A_YEAR)
"""The last month, counted from that of becoming a permanent resident, of: not yet, the first year, the second."""


class PrRates(IntEnum):
    """The rates of a permanent resident's first two years: graduated or full, the employer's named first."""

    GG = 0
    FG = 1
    FF = 2


TABLE_BY_ELECTION_AND_YEAR = np.array(
    [
        # not yet   year 1    year 2    from year 3
        [Table.NONE, Table.T2, Table.T3, Table.T1],  # GG
        [Table.NONE, Table.T4, Table.T5, Table.T1],  # FG
        [Table.NONE, Table.T1, Table.T1, Table.T1],  # FF
    ],
    dtype=np.int8,
)


@dataclass(frozen=True)
class Applying:
    """What applies to each person in a month."""

    tables: Codes
    """Table, at the end of the month."""
    tables_before: Codes
    """Table before `changes_on`; the same table where nothing changes."""
    age_groups: Codes
    """AgeGroup."""
    counts_from: Days
    """The first day of the month whose wages count: the first, or the day of becoming a permanent resident; none for
    whoever does not contribute."""
    changes_on: Days
    """The day of the month, after its first, on which citizenship began."""


def applying(month: Month, people: People) -> Applying:
    """What applies to each person in a month; raises ValueError when a date is missing without which nobody can say."""
    citizen = people.legal_status == LegalStatus.CITIZEN
    naturalised = citizen & ~np.isnat(people.citizenship_dates)
    resident = citizen | (people.legal_status == LegalStatus.PR)
    contributes = resident & ~people.exempt
    _check_dates(people, contributes)

    as_resident = TABLE_BY_ELECTION_AND_YEAR[people.pr_rates, pr_years(month, people.pr_dates)]
    is_citizen = citizen & (~naturalised | (_months(people.citizenship_dates) <= month.in_columns))
    tables = np.where(is_citizen, Table.T1, as_resident)
    # A citizen by birth may have no date at all; only someone who became one can have begun this month.
    changes = naturalised & _during(people.citizenship_dates, month)
    begins = ~is_citizen | naturalised
    begins &= _months(people.pr_dates) == month.in_columns

    tables = np.where(contributes, tables, Table.NONE).astype(np.int8)
    first_day = np.datetime64(month.first_day, "D")
    counts_from = np.where(begins, people.pr_dates, first_day)
    return Applying(
        tables=tables,
        tables_before=np.where(changes & contributes, as_resident, tables).astype(np.int8),
        age_groups=age_groups(month, people.birthdates),
        counts_from=np.where(tables == Table.NONE, np.datetime64("NaT", "D"), counts_from),
        changes_on=np.where(changes & contributes, people.citizenship_dates, np.datetime64("NaT", "D")),
    )


def age_groups(month: Month, birthdates: Days) -> Codes:
    """The age group in a month: the next one begins in the month after that of the 55th, 60th, 65th, 70th birthday."""
    months_old = _months_since(birthdates, month)
    limits = np.array([limit * MONTHS_A_YEAR for limit in AGE_LIMITS])
    return np.searchsorted(limits, months_old, side="left").astype(np.int8)


def pr_years(month: Month, pr_dates: Days) -> npt.NDArray[np.int8]:
    """The year of permanent residence: 0 before it, then 1, 2, and 3 for all that follow, or without a date.

    A year ends with the month of its anniversary, whatever the day.
    """
    years = np.searchsorted(PR_YEAR_ENDS, _months_since(pr_dates, month), side="left")
    return np.where(np.isnat(pr_dates), len(PR_YEAR_ENDS), years).astype(np.int8)


def _check_dates(people: People, contributes: npt.NDArray[np.bool_]) -> None:
    if np.any(contributes & np.isnat(people.birthdates)):
        raise ValueError("the rates of CPF need the birthdate")
    if np.any(contributes & (people.legal_status == LegalStatus.PR) & np.isnat(people.pr_dates)):
        raise ValueError("the rates of a permanent resident need pr_date")


def _months(days: Days) -> Days:
    return days.astype("datetime64[M]")


def _months_since(days: Days, month: Month) -> npt.NDArray[np.int64]:
    return (month.in_columns - _months(days)).astype(np.int64)


def _during(days: Days, month: Month) -> npt.NDArray[np.bool_]:
    """Whether the day is in the month, but not its first."""
    after_the_first: npt.NDArray[np.bool_] = days > np.datetime64(month.first_day, "D")
    return after_the_first & (days <= np.datetime64(month.last_day, "D"))
