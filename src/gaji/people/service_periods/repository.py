"""The SQL of service periods."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.people.service_periods.rules import ServicePeriod

ELEMENT = """row_to_json((SELECT e FROM (SELECT p.id, p.employee_id, p.start_date, p.end_date, false AS negative,
        shown(p.created_at) AS created_at, shown(p.updated_at) AS updated_at,
        CASE WHEN p.end_date IS NOT NULL THEN (SELECT row_to_json(a) FROM (SELECT p.ir21) a) END AS attribs,
        p.termination_code) e))::text AS element"""


async def elements(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """The service periods of employees as JSON, each with its employee, in the order of their ids."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT p.employee_id, {ELEMENT} FROM service_periods p "
        "WHERE p.client_id = $1 AND p.employee_id = ANY ($2::bigint[]) ORDER BY p.employee_id, p.id",
        client_id,
        employee_ids,
    )
    return rows


async def spans(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Employee, start and end of the service periods of these employees, in the order of time."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, start_date, end_date FROM service_periods "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) ORDER BY employee_id, start_date",
        client_id,
        employee_ids,
    )
    return rows


TERM = "employee_id, start_date, end_date, termination_code"


async def terms(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Employee, start, end and termination code of the service periods of these employees, in the order of time."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {TERM} FROM service_periods WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) "
        "ORDER BY employee_id, start_date",
        client_id,
        employee_ids,
    )
    return rows


async def serving(
    tx: Transaction, client_id: int, day: date, employee_ids: Sequence[int] | None
) -> list[asyncpg.Record]:
    """The same of the service periods that hold a day, of all employees of a client or of these, by employee."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {TERM} FROM service_periods WHERE client_id = $1 AND start_date <= $2 "
        "AND (end_date IS NULL OR end_date >= $2) AND ($3::bigint[] IS NULL OR employee_id = ANY ($3)) "
        "ORDER BY employee_id",
        client_id,
        day,
        employee_ids,
    )
    return rows


async def awaiting_clearance(tx: Transaction, client_id: int, employee_ids: Sequence[int], day: date) -> list[int]:
    """Those of these employees whose latest service before or on a day had ended by then and asks for an IR21."""
    rows = await tx.fetch(
        "SELECT employee_id FROM (SELECT DISTINCT ON (employee_id) employee_id, end_date, ir21 FROM service_periods "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) AND start_date <= $3 "
        "ORDER BY employee_id, start_date DESC) s WHERE s.ir21 AND s.end_date <= $3",
        client_id,
        employee_ids,
        day,
    )
    return [row[0] for row in rows]


async def latest(tx: Transaction, client_id: int, employee_id: int) -> ServicePeriod:
    """The latest service period of an employee, locked until the transaction ends."""
    row = await tx.fetchrow(
        "SELECT id, start_date, end_date FROM service_periods WHERE client_id = $1 AND employee_id = $2 "
        "ORDER BY start_date DESC LIMIT 1 FOR UPDATE",
        client_id,
        employee_id,
    )
    return ServicePeriod(*row)


async def ended_with_ir21(tx: Transaction, client_id: int, employee_id: int) -> asyncpg.Record | None:
    """Start, end and termination code of the latest service period of an employee, if an IR21 is required for it."""
    return await tx.fetchrow(
        "SELECT start_date, end_date, termination_code FROM (SELECT * FROM service_periods WHERE client_id = $1 "
        "AND employee_id = $2 ORDER BY start_date DESC LIMIT 1) latest WHERE ir21",
        client_id,
        employee_id,
    )


async def previous_end(tx: Transaction, client_id: int, employee_id: int, period: ServicePeriod) -> date | None:
    """When the service before this one ended, if there was one."""
    found: date | None = await tx.fetchval(
        "SELECT max(end_date) FROM service_periods WHERE client_id = $1 AND employee_id = $2 AND id <> $3",
        client_id,
        employee_id,
        period.id,
    )
    return found


async def first_start(tx: Transaction, client_id: int, employee_id: int, before: ServicePeriod) -> date | None:
    """When the first service before this one began, if there was one."""
    found: date | None = await tx.fetchval(
        "SELECT min(start_date) FROM service_periods WHERE client_id = $1 AND employee_id = $2 AND id <> $3",
        client_id,
        employee_id,
        before.id,
    )
    return found


async def insert(tx: Transaction, client_id: int, employee_id: int, start: date) -> None:
    """Begin an open period."""
    await tx.execute(
        "INSERT INTO service_periods (client_id, employee_id, start_date) VALUES ($1, $2, $3)",
        client_id,
        employee_id,
        start,
    )


async def insert_many(tx: Transaction, client_id: int, starts: Sequence[tuple[int, date]]) -> None:
    """Begin an open period for each of these employees."""
    rows = [(client_id, employee_id, start) for employee_id, start in starts]
    await tx.load("service_periods", ("client_id", "employee_id", "start_date"), rows)


async def set_start(tx: Transaction, client_id: int, period_id: int, start: date) -> None:
    """Move the beginning of a period."""
    await tx.execute(
        "UPDATE service_periods SET start_date = $3, updated_at = now(), "
        "open_updated_at = CASE WHEN end_date IS NOT NULL THEN now() END WHERE client_id = $1 AND id = $2",
        client_id,
        period_id,
        start,
    )


async def terminate(tx: Transaction, client_id: int, period_id: int, end: date, code: int, ir21: bool) -> None:
    """Record a termination, or change what was recorded of it."""
    await tx.execute(
        "UPDATE service_periods SET open_updated_at = coalesce(open_updated_at, updated_at), end_date = $3, "
        "termination_code = $4, ir21 = $5, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        period_id,
        end,
        code,
        ir21,
    )


async def reopen(tx: Transaction, client_id: int, period_id: int) -> None:
    """Take a termination back: the row is what it was before."""
    await tx.execute(
        "UPDATE service_periods SET end_date = NULL, termination_code = NULL, ir21 = NULL, "
        "updated_at = open_updated_at, open_updated_at = NULL WHERE client_id = $1 AND id = $2",
        client_id,
        period_id,
    )
