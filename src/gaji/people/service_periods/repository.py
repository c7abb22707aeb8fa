"""Service period repository."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.json_lists import NO_FILTERS, Filters, filter_rows
from gaji.db.query_plans import ids_condition, match_ids
from gaji.db.tenancy import Transaction
from gaji.people.service_periods.rules import ServicePeriod
from gaji.people.service_periods.schemas import TerminationInput

ELEMENT = """row_to_json((SELECT e FROM (SELECT p.id, p.employee_id, p.start_date, p.end_date, false AS negative,
        shown(p.created_at) AS created_at, shown(p.updated_at) AS updated_at,
        CASE WHEN p.end_date IS NOT NULL THEN (SELECT row_to_json(a) FROM (SELECT p.ir21) a) END AS attribs,
        p.termination_code, p.notice_date, p.ir21_filed_on) e))::text AS element"""
CONDITIONS = {"ids": ids_condition("p.id")}
"""The SQL condition of each filter."""


async def load_elements(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], filters: Filters = NO_FILTERS
) -> list[asyncpg.Record]:
    """Load the service periods of employees as JSON, each with its employee, ordered by ID."""
    of_employees, ids = match_ids("p.employee_id", "$2", employee_ids)
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, ids)
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT p.employee_id, {ELEMENT} FROM service_periods p "
        f"WHERE p.client_id = $1 AND {of_employees}{conditions} ORDER BY p.employee_id, p.id",
        *arguments,
    )
    return rows


async def lock_latest_period(tx: Transaction, client_id: int, employee_id: int) -> ServicePeriod:
    """Lock the latest service period of an employee until the transaction ends."""
    row = await tx.fetchrow(
        "SELECT id, start_date, end_date, termination_code, ir21, notice_date, ir21_filed_on FROM service_periods "
        "WHERE client_id = $1 AND employee_id = $2 ORDER BY start_date DESC LIMIT 1 FOR UPDATE",
        client_id,
        employee_id,
    )
    return ServicePeriod(**row)


async def find_previous_end(tx: Transaction, client_id: int, employee_id: int, period: ServicePeriod) -> date | None:
    """Return the end of the service before the latest one."""
    end: date | None = await tx.fetchval(
        "SELECT max(end_date) FROM service_periods WHERE client_id = $1 AND employee_id = $2 AND id <> $3",
        client_id,
        employee_id,
        period.id,
    )
    return end


async def find_first_start(tx: Transaction, client_id: int, employee_id: int, period: ServicePeriod) -> date | None:
    """Return the start of the first service before the latest one."""
    start: date | None = await tx.fetchval(
        "SELECT min(start_date) FROM service_periods WHERE client_id = $1 AND employee_id = $2 AND id <> $3",
        client_id,
        employee_id,
        period.id,
    )
    return start


async def insert(tx: Transaction, client_id: int, employee_id: int, start: date) -> None:
    """Insert an open period."""
    await tx.execute(
        "INSERT INTO service_periods (client_id, employee_id, start_date) VALUES ($1, $2, $3)",
        client_id,
        employee_id,
        start,
    )


async def insert_many(tx: Transaction, client_id: int, starts: Sequence[tuple[int, date]]) -> None:
    """Insert an open period for each pair of employee and date."""
    rows = [(client_id, employee_id, start) for employee_id, start in starts]
    await tx.insert_rows("service_periods", ("client_id", "employee_id", "start_date"), rows)


async def set_start(tx: Transaction, client_id: int, period_id: int, start: date) -> None:
    """Change the start of a period."""
    await tx.execute(
        "UPDATE service_periods SET start_date = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        period_id,
        start,
    )


async def terminate(tx: Transaction, client_id: int, period_id: int, termination: TerminationInput) -> None:
    """End a period, or change its recorded termination."""
    await tx.execute(
        "UPDATE service_periods SET end_date = $3, termination_code = $4, ir21 = $5, notice_date = $6, "
        "ir21_filed_on = $7, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        period_id,
        termination.termination_date,
        termination.termination_code,
        termination.ir21,
        termination.notice_date,
        termination.ir21_filed_on,
    )


async def reopen(tx: Transaction, client_id: int, period_id: int) -> None:
    """Remove a termination. The row is as it was before, except for `updated_at`."""
    await tx.execute(
        "UPDATE service_periods SET end_date = NULL, termination_code = NULL, ir21 = NULL, notice_date = NULL, "
        "ir21_filed_on = NULL, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        period_id,
    )
