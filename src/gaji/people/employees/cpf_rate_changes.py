"""Employees whose CPF rates change because of a birthday, a year of permanent residence or a new status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import asyncpg
import msgspec
import numpy as np

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.engine.employee_columns import cpf_members
from gaji.engine.payslip_input import EmployeeDetails
from gaji.law.cpf import RateTable
from gaji.law.cpf.tables import AGE_LIMITS, applicability
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.people.employees import filters
from gaji.people.employees.display_name import EmployeeLabel, employee_label

# New rates start in the month after a birthday or an anniversary, and in the month of a new status.
CANDIDATES = f"""
    SELECT id, number, first_name, last_name, name_format, birthdate, legal_status, pr_date, citizenship_date,
        pr_cpf_rates, cpf_exempt
    FROM employees e
    WHERE client_id = $1
        AND (birthdate <@ $3::datemultirange OR pr_date <@ $4::datemultirange OR citizenship_date <@ $5::daterange)
        AND {filters.IN_SERVICE_OF_FEW.format("$2")}
    ORDER BY lower(first_name), lower(last_name), id"""
PR_YEARS = (1, 2)
"""The years of permanent residence after which other rates apply."""


class CpfRateChangeReason(StrEnum):
    """Why the rates change."""

    AGE = "age"
    PR_YEAR = "pr_year"
    PR_STARTS = "pr_starts"
    CITIZENSHIP = "citizenship"


@dataclass(frozen=True)
class CpfRateChange:
    """An employee whose CPF rates are different from a month on."""

    employee_id: int
    employee: EmployeeLabel
    month: Month
    reason: CpfRateChangeReason
    number: int | None = None
    """The age that the employee has passed, or the year of permanent residence that begins."""


async def list_cpf_rate_changes(tx: Transaction, client_id: int, month: Month) -> list[CpfRateChange]:
    """List the employees in service whose CPF rates change at the start of a month, or within it."""
    birth_months = [_days_of(month - 1 - age * MONTHS_PER_YEAR) for age in AGE_LIMITS]
    pr_months = [_days_of(month)] + [_days_of(month - 1 - year * MONTHS_PER_YEAR) for year in PR_YEARS]
    first_day = max(month.first_day, clock.today())
    rows = await tx.fetch(CANDIDATES, client_id, first_day, birth_months, pr_months, _days_of(month))
    return cpf_rate_changes(rows, month)


def _days_of(month: Month) -> asyncpg.Range:
    return asyncpg.Range(month.first_day, month.last_day, upper_inc=True)


def cpf_rate_changes(rows: Sequence[Mapping[str, Any]], month: Month) -> list[CpfRateChange]:
    """Return the changes of these employees. Someone for whom two things change is there twice."""
    if not rows:
        return []
    members = cpf_members([msgspec.convert(dict(row), EmployeeDetails, strict=False) for row in rows])
    before, after = applicability(month - 1, members), applicability(month, members)
    no_cpf = after.tables == int(RateTable.NONE)
    older = (before.age_groups != after.age_groups) & ~no_cpf
    other_table = (before.tables != after.tables) & ~no_cpf
    changes: list[tuple[int, CpfRateChangeReason, int | None]] = [
        (index, CpfRateChangeReason.AGE, AGE_LIMITS[after.age_groups[index] - 1])
        for index in np.flatnonzero(older).tolist()
    ]
    changes += [(index, *_table_reason(rows[index], month)) for index in np.flatnonzero(other_table).tolist()]
    return [
        CpfRateChange(rows[index]["id"], employee_label(rows[index]), month, reason, number)
        for index, reason, number in sorted(changes, key=lambda change: change[0])
    ]


def _table_reason(row: Mapping[str, Any], month: Month) -> tuple[CpfRateChangeReason, int | None]:
    if row["citizenship_date"] is not None and Month.from_date(row["citizenship_date"]) == month:
        return CpfRateChangeReason.CITIZENSHIP, None
    pr_month = Month.from_date(row["pr_date"])
    if pr_month == month:
        return CpfRateChangeReason.PR_STARTS, None
    return CpfRateChangeReason.PR_YEAR, (month - 1 - pr_month) // MONTHS_PER_YEAR + 1
