"""Service period queries."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import asyncpg

from gaji.core.threads import run_in_thread_if_many
from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import ServiceInterval
from gaji.law.tax import is_withheld

TERM_COLUMNS = "employee_id, start_date, end_date, termination_code"
OF_EMPLOYEE = "FROM service_periods WHERE client_id = ids.client_id AND employee_id = ids.id"


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
    notice_date: date | None


class ClearanceTerm(NamedTuple):
    """One service of an employee, as far as tax clearance depends on it."""

    start: date
    end: date | None
    ir21: bool
    notice_date: date | None
    """None if the termination was recorded before there were notice dates."""

    def withholds(self, period_end: date, pay_date: date, payment_date: date | None) -> bool:
        """Return whether a payment is withheld for tax clearance."""
        if not self.ir21 or self.end is None:
            return False
        return is_withheld(self.notice_date, self.end, period_end, pay_date, payment_date)


def is_subject_to_clearance(
    terms: Sequence[ClearanceTerm], period_end: date, pay_date: date, payment_date: date | None
) -> bool:
    """Return whether pay of a period must be withheld for tax clearance until it is released.

    `payment_date` is the day that is set as the one on which it will be paid.
    """
    term = find_term(terms, period_end)
    return term is not None and term.withholds(period_end, pay_date, payment_date)


def find_term(terms: Sequence[ClearanceTerm], period_end: date) -> ClearanceTerm | None:
    """Return the service that pay of a period belongs to: the latest one that had started by the end of the period."""
    return next((term for term in reversed(terms) if term.start <= period_end), None)


async def load_service_intervals(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, list[ServiceInterval]]:
    """Load the service of employees by employee, in chronological order."""
    query = each_id("$2", f"SELECT employee_id, start_date, end_date {OF_EMPLOYEE}")
    rows = await tx.fetch(f"SELECT s.* FROM {query} s ORDER BY employee_id, start_date", client_id, employee_ids)
    return await run_in_thread_if_many(len(rows), lambda: _group_intervals(rows))


async def list_employees_in_service(tx: Transaction, client_id: int, first: date, last: date) -> list[int]:
    """List the IDs of the employees who were in service on at least one of these days, in order."""
    rows = await tx.fetch(
        "SELECT DISTINCT employee_id FROM service_periods "
        "WHERE client_id = $1 AND start_date <= $3 AND (end_date IS NULL OR end_date >= $2) ORDER BY employee_id",
        client_id,
        first,
        last,
    )
    return [row["employee_id"] for row in rows]


async def count_in_service(tx: Transaction, client_id: int, first: date, last: date) -> int:
    """Return how many employees were in service on at least one of these days."""
    count: int = await tx.fetchval(
        "SELECT count(DISTINCT employee_id) FROM service_periods "
        "WHERE client_id = $1 AND start_date <= $3 AND (end_date IS NULL OR end_date >= $2)",
        client_id,
        first,
        last,
    )
    return count


def _group_intervals(rows: Sequence[asyncpg.Record]) -> dict[int, list[ServiceInterval]]:
    intervals: dict[int, list[ServiceInterval]] = defaultdict(list)
    for row in rows:
        intervals[row["employee_id"]].append(ServiceInterval(row["start_date"], row["end_date"]))
    return intervals


async def load_service_terms(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, list[ServiceTerm]]:
    """Load the service of employees with termination codes by employee, in chronological order."""
    query = each_id("$2", f"SELECT {TERM_COLUMNS} {OF_EMPLOYEE}")
    rows = await tx.fetch(f"SELECT s.* FROM {query} s ORDER BY employee_id, start_date", client_id, employee_ids)
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
        "SELECT start_date, end_date, termination_code, notice_date FROM (SELECT * FROM service_periods "
        "WHERE client_id = $1 AND employee_id = $2 ORDER BY start_date DESC LIMIT 1) latest WHERE ir21",
        client_id,
        employee_id,
    )
    if row is None:
        return None
    return TerminatedService(row["start_date"], row["end_date"], row["termination_code"], row["notice_date"])


async def load_clearance_terms(
    tx: Transaction, client_id: int, employee_ids: Sequence[int] | None
) -> dict[int, list[ClearanceTerm]]:
    """Load the service of everyone who ever left with an IR21, or of these employees, in chronological order."""
    rows = await tx.fetch(
        "SELECT employee_id, start_date, end_date, ir21, notice_date FROM service_periods "
        "WHERE client_id = $1 AND CASE WHEN $2::bigint[] IS NULL THEN employee_id IN "
        "(SELECT employee_id FROM service_periods WHERE client_id = $1 AND ir21) ELSE employee_id = ANY ($2) END "
        "ORDER BY employee_id, start_date",
        client_id,
        employee_ids,
    )
    terms: dict[int, list[ClearanceTerm]] = defaultdict(list)
    for row in rows:
        term = ClearanceTerm(row["start_date"], row["end_date"], bool(row["ir21"]), row["notice_date"])
        terms[row["employee_id"]].append(term)
    return terms


def _service_term(row: asyncpg.Record) -> ServiceTerm:
    return ServiceTerm(row["employee_id"], row["start_date"], row["end_date"], row["termination_code"])
