"""Service period queries."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import ServiceInterval

TERM_COLUMNS = "employee_id, start_date, end_date, termination_code"


class ServiceTerm(NamedTuple):
    """One service of an employee and the reason of its end."""

    employee_id: int
    start: date
    end: date | None
    termination_code: int | None


class TerminatedService(NamedTuple):
    """A service that ended with an IR21 to be filed."""

    start: date
    end: date
    termination_code: int


async def load_service_intervals(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, list[ServiceInterval]]:
    """Load the service of employees by employee, in chronological order."""
    rows = await tx.fetch(
        "SELECT employee_id, start_date, end_date FROM service_periods "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) ORDER BY employee_id, start_date",
        client_id,
        employee_ids,
    )
    intervals: dict[int, list[ServiceInterval]] = defaultdict(list)
    for row in rows:
        intervals[row["employee_id"]].append(ServiceInterval(row["start_date"], row["end_date"]))
    return intervals


async def load_service_terms(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, list[ServiceTerm]]:
    """Load the service of employees with termination codes by employee, in chronological order."""
    rows = await tx.fetch(
        f"SELECT {TERM_COLUMNS} FROM service_periods WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) "
        "ORDER BY employee_id, start_date",
        client_id,
        employee_ids,
    )
    terms: dict[int, list[ServiceTerm]] = defaultdict(list)
    for row in rows:
        terms[row["employee_id"]].append(_service_term(row))
    return terms


async def load_terms_on(
    tx: Transaction, client_id: int, day: date, employee_ids: Sequence[int] | None = None
) -> list[ServiceTerm]:
    """Load the service of everyone in service on a day, or of these employees, ordered by employee."""
    rows = await tx.fetch(
        f"SELECT {TERM_COLUMNS} FROM service_periods WHERE client_id = $1 AND start_date <= $2 "
        "AND (end_date IS NULL OR end_date >= $2) AND ($3::bigint[] IS NULL OR employee_id = ANY ($3)) "
        "ORDER BY employee_id",
        client_id,
        day,
        employee_ids,
    )
    return [_service_term(row) for row in rows]


async def find_ir21_termination(tx: Transaction, client_id: int, employee_id: int) -> TerminatedService | None:
    """Return the latest service of an employee if it ended with an IR21 to be filed."""
    row = await tx.fetchrow(
        "SELECT start_date, end_date, termination_code FROM (SELECT * FROM service_periods WHERE client_id = $1 "
        "AND employee_id = $2 ORDER BY start_date DESC LIMIT 1) latest WHERE ir21",
        client_id,
        employee_id,
    )
    return TerminatedService(row["start_date"], row["end_date"], row["termination_code"]) if row else None


async def list_awaiting_tax_clearance(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], day: date
) -> set[int]:
    """Return the employees whose latest service had ended by a day and requires an IR21 before they are paid."""
    rows = await tx.fetch(
        "SELECT employee_id FROM (SELECT DISTINCT ON (employee_id) employee_id, end_date, ir21 FROM service_periods "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) AND start_date <= $3 "
        "ORDER BY employee_id, start_date DESC) s WHERE s.ir21 AND s.end_date <= $3",
        client_id,
        employee_ids,
        day,
    )
    return {row["employee_id"] for row in rows}


def _service_term(row: asyncpg.Record) -> ServiceTerm:
    return ServiceTerm(row["employee_id"], row["start_date"], row["end_date"], row["termination_code"])
