"""SQL for leave days."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import asyncpg

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction

# A leave day as the API shows it, without its payslip.
ELEMENT = """row_to_json((SELECT e FROM (SELECT d.id, d.employee_id, d.leave_type_id AS type_id, t.name AS type, d.date,
        trim_scale(d.millihours / 1000.0) AS hours, trim_scale(d.millidays / 1000.0) AS days) e))::text AS element"""
IN_SERVICE = """EXISTS (SELECT FROM unnest($3::date[], $4::date[]) AS s(first, last)
        WHERE d.date >= s.first AND (s.last IS NULL OR d.date <= s.last))"""
CONDITIONS = {
    "ids": ids_condition("d.id"),
    "from": "d.date >= {}",
    "to": "d.date <= {}",
    "type_id": "d.leave_type_id = {}",
}
"""The SQL condition of each filter."""


@dataclass(frozen=True, slots=True)
class NewLeaveDay:
    """A leave day as it is stored."""

    type_id: int
    date: date
    millihours: int | None
    day_millihours: int
    millidays: int
    working_millidays: int

    @property
    def hours_taken(self) -> int:
        """Thousandths of hours of leave."""
        return self.day_millihours if self.millihours is None else self.millihours


DAY_COLUMNS = "leave_type_id, date, millihours, day_millihours, millidays, working_millidays"


async def list_elements(
    tx: Transaction,
    client_id: int,
    employee_id: int,
    service: Sequence[tuple[date, date | None]],
    page: ListPage | None,
    filters: Filters,
) -> tuple[list[asyncpg.Record], int]:
    """List the leave days of an employee in service with date and JSON, ordered by ID, and their total number."""
    starts, ends = [start for start, _ in service], [end for _, end in service]
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, employee_id, starts, ends)
    source = f"leave_days d WHERE d.client_id = $1 AND d.employee_id = $2 AND {IN_SERVICE}{conditions}"
    return await fetch_page(
        tx,
        f"SELECT d.date, (SELECT {ELEMENT} FROM leave_types t WHERE t.client_id = d.client_id "
        f"AND t.id = d.leave_type_id) AS element FROM {source} ORDER BY d.id",
        source,
        page,
        *arguments,
    )


async def load_day(tx: Transaction, day_id: int) -> asyncpg.Record | None:
    """Load a leave day that the caller may see."""
    return await tx.fetchrow(f"SELECT client_id, employee_id, {DAY_COLUMNS} FROM leave_days WHERE id = $1", day_id)


async def load_hours(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
    """Load id, date and thousandths of hours of all leave days of an employee."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, date, coalesce(millihours, day_millihours) AS millihours FROM leave_days "
        "WHERE client_id = $1 AND employee_id = $2",
        client_id,
        employee_id,
    )
    return rows


async def load_request_days(tx: Transaction, client_id: int, request_id: int) -> dict[int, date]:
    """Load the dates of the leave days of a request, by ID of the day."""
    rows = await tx.fetch(
        "SELECT id, date FROM leave_days WHERE client_id = $1 AND leave_request_id = $2", client_id, request_id
    )
    return dict(rows)


async def insert(
    tx: Transaction, client_id: int, employee_id: int, days: Sequence[NewLeaveDay], request_id: int | None = None
) -> list[int]:
    """Insert leave days and return their ids in order."""
    rows = await tx.fetch(
        f"INSERT INTO leave_days (client_id, employee_id, leave_request_id, {DAY_COLUMNS}) "
        "SELECT $1, $2, $3, type_id, date, millihours, day_millihours, millidays, working_millidays "
        "FROM unnest($4::bigint[], $5::date[], $6::integer[], $7::integer[], $8::integer[], $9::integer[]) "
        "WITH ORDINALITY AS n(type_id, date, millihours, day_millihours, millidays, working_millidays, place) "
        "ORDER BY place RETURNING id",
        client_id,
        employee_id,
        request_id,
        [day.type_id for day in days],
        [day.date for day in days],
        [day.millihours for day in days],
        [day.day_millihours for day in days],
        [day.millidays for day in days],
        [day.working_millidays for day in days],
    )
    return [row["id"] for row in rows]


async def update(tx: Transaction, client_id: int, day_id: int, day: NewLeaveDay) -> None:
    """Update a leave day."""
    await tx.execute(
        "UPDATE leave_days SET leave_type_id = $3, date = $4, millihours = $5, day_millihours = $6, millidays = $7, "
        "working_millidays = $8, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        day_id,
        day.type_id,
        day.date,
        day.millihours,
        day.day_millihours,
        day.millidays,
        day.working_millidays,
    )


async def delete(tx: Transaction, client_id: int, day_ids: Collection[int]) -> None:
    """Delete leave days."""
    await tx.execute("DELETE FROM leave_days WHERE client_id = $1 AND id = ANY ($2::bigint[])", client_id, day_ids)


async def list_days_since(tx: Transaction, client_id: int, since: Mapping[int, date]) -> list[asyncpg.Record]:
    """List the lengths of leave days since a day, by employee."""
    rows: list[asyncpg.Record] = await tx.fetch(
        # OFFSET 0 for the same reasons as in `db.query_plans`.
        "SELECT d.id, d.employee_id, d.date, d.millihours, d.day_millihours, d.millidays, d.working_millidays "
        "FROM (SELECT $1::bigint AS client_id, service.* FROM unnest($2::bigint[], $3::date[]) "
        "AS service(employee_id, since) OFFSET 0) s CROSS JOIN LATERAL (SELECT * FROM leave_days d "
        "WHERE d.client_id = s.client_id AND d.employee_id = s.employee_id AND d.date >= s.since OFFSET 0) d",
        client_id,
        list(since),
        list(since.values()),
    )
    return rows


async def set_day_lengths(tx: Transaction, client_id: int, lengths: Sequence[tuple[int, int, int, int]]) -> None:
    """Save lengths of leave days: id, hours of the date, thousandths of a day and of a working day."""
    await tx.execute(
        "UPDATE leave_days d SET day_millihours = n.day_millihours, millidays = n.millidays, "
        "working_millidays = n.working_millidays, updated_at = now() "
        "FROM unnest($2::bigint[], $3::integer[], $4::integer[], $5::integer[]) "
        "AS n(id, day_millihours, millidays, working_millidays) WHERE d.client_id = $1 AND d.id = n.id",
        client_id,
        *zip(*lengths, strict=True),
    )


async def load_hours_by_type(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    firsts: Sequence[date],
    lasts: Sequence[date],
    type_ids: Sequence[int],
) -> list[asyncpg.Record]:
    """Load leave of some types between first and last days, for each employee; `place` counts the employees from 1."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT s.place, d.leave_type_id, d.date, coalesce(d.millihours, d.day_millihours) AS millihours, "
        "d.day_millihours, d.working_millidays FROM (SELECT $1::bigint AS client_id, service.* FROM "
        "unnest($2::bigint[], $3::date[], $4::date[]) WITH ORDINALITY AS service(employee_id, first, last, place) "
        "OFFSET 0) s CROSS JOIN LATERAL (SELECT * FROM leave_days d WHERE d.client_id = s.client_id "
        "AND d.employee_id = s.employee_id AND d.date BETWEEN s.first AND s.last OFFSET 0) d "
        "WHERE d.leave_type_id = ANY ($5::bigint[]) ORDER BY s.place, d.date",
        client_id,
        employee_ids,
        firsts,
        lasts,
        type_ids,
    )
    return rows
