"""The SQL of days of leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import asyncpg

from gaji.db.json_lists import Page, counted
from gaji.db.tenancy import Transaction

# A day as the API shows it, but for its payslip.
ELEMENT = """row_to_json((SELECT e FROM (SELECT d.id, d.employee_id, d.leave_type_id AS type_id, t.name AS type, d.date,
        trim_scale(d.millihours / 1000.0) AS hours, trim_scale(d.millidays / 1000.0) AS days) e))::text AS element"""
IN_SERVICE = """EXISTS (SELECT FROM unnest($3::date[], $4::date[]) AS s(first, last)
        WHERE d.date >= s.first AND (s.last IS NULL OR d.date <= s.last))"""
BETWEEN = "($5::date IS NULL OR d.date >= $5) AND ($6::date IS NULL OR d.date <= $6)"


@dataclass(frozen=True, slots=True)
class NewDay:
    """A day of leave as it is kept."""

    type_id: int
    date: date
    millihours: int | None
    day_millihours: int
    millidays: int
    working_millidays: int

    @property
    def hours_taken(self) -> int:
        """The thousandths of hours of leave."""
        return self.day_millihours if self.millihours is None else self.millihours


KEPT = "leave_type_id, date, millihours, day_millihours, millidays, working_millidays"


async def elements(
    tx: Transaction,
    client_id: int,
    employee_id: int,
    service: Sequence[tuple[date, date | None]],
    first: date | None,
    last: date | None,
    page: Page | None,
) -> tuple[list[asyncpg.Record], int]:
    """The days of leave of an employee in service, each with its date and JSON, by id; and how many there are."""
    source = f"leave_days d WHERE d.client_id = $1 AND d.employee_id = $2 AND {IN_SERVICE} AND {BETWEEN}"
    return await counted(
        tx,
        f"SELECT d.date, (SELECT {ELEMENT} FROM leave_types t WHERE t.client_id = d.client_id "
        f"AND t.id = d.leave_type_id) FROM {source} ORDER BY d.id",
        source,
        page,
        client_id,
        employee_id,
        [start for start, _ in service],
        [end for _, end in service],
        first,
        last,
    )


async def kept(tx: Transaction, day_id: int) -> asyncpg.Record | None:
    """Client, employee and what is kept of a day of leave that the caller may see."""
    return await tx.fetchrow(f"SELECT client_id, employee_id, {KEPT} FROM leave_days WHERE id = $1", day_id)


async def hours(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
    """Id, date and thousandths of hours of all leave of an employee."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, date, coalesce(millihours, day_millihours) FROM leave_days "
        "WHERE client_id = $1 AND employee_id = $2",
        client_id,
        employee_id,
    )
    return rows


async def insert(
    tx: Transaction, client_id: int, employee_id: int, days: Sequence[NewDay], request_id: int | None = None
) -> list[int]:
    """Save days of leave and give their ids in order."""
    rows = await tx.fetch(
        f"INSERT INTO leave_days (client_id, employee_id, leave_request_id, {KEPT}) "
        "SELECT $1, $2, $3, type_id, date, millihours, day_millihours, millidays, working_millidays "
        "FROM unnest($4::bigint[], $5::date[], $6::integer[], $7::integer[], $8::integer[], $9::integer[]) "
        "WITH ORDINALITY AS n(type_id, date, millihours, day_millihours, millidays, working_millidays, place) "
        "ORDER BY place RETURNING id",
        client_id,
        employee_id,
        request_id,
        [one.type_id for one in days],
        [one.date for one in days],
        [one.millihours for one in days],
        [one.day_millihours for one in days],
        [one.millidays for one in days],
        [one.working_millidays for one in days],
    )
    return [row["id"] for row in rows]


async def update(tx: Transaction, client_id: int, day_id: int, day: NewDay) -> None:
    """Save a changed day of leave."""
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


async def delete(tx: Transaction, client_id: int, day_id: int) -> None:
    """Remove a day of leave."""
    await tx.execute("DELETE FROM leave_days WHERE client_id = $1 AND id = $2", client_id, day_id)


async def days_since(tx: Transaction, client_id: int, since: Mapping[int, date]) -> list[asyncpg.Record]:
    """What is measured of the days of leave of employees, those of each from a day on."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT d.id, d.employee_id, d.date, d.millihours, d.day_millihours, d.millidays, d.working_millidays "
        "FROM unnest($2::bigint[], $3::date[]) AS s(employee_id, since) "
        "JOIN leave_days d ON d.client_id = $1 AND d.employee_id = s.employee_id AND d.date >= s.since",
        client_id,
        list(since),
        list(since.values()),
    )
    return rows


async def set_measures(tx: Transaction, client_id: int, measures: Sequence[tuple[int, int, int, int]]) -> None:
    """Save what days of leave count: id, the hours of the date, thousandths of a day and of a working day."""
    await tx.execute(
        "UPDATE leave_days d SET day_millihours = n.day_millihours, millidays = n.millidays, "
        "working_millidays = n.working_millidays, updated_at = now() "
        "FROM unnest($2::bigint[], $3::integer[], $4::integer[], $5::integer[]) "
        "AS n(id, day_millihours, millidays, working_millidays) WHERE d.client_id = $1 AND d.id = n.id",
        client_id,
        *zip(*measures, strict=True),
    )


async def hours_of_types(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    firsts: Sequence[date],
    lasts: Sequence[date],
    type_ids: Sequence[int],
) -> list[asyncpg.Record]:
    """Leave of some types from first to last days, by place from 1: type, date, and thousandths of the hours of leave,
    of the hours of the date, and of a working day."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT s.place, d.leave_type_id, d.date, coalesce(d.millihours, d.day_millihours), d.day_millihours, "
        "d.working_millidays FROM unnest($2::bigint[], $3::date[], $4::date[]) "
        "WITH ORDINALITY AS s(employee_id, first, last, place) "
        "JOIN leave_days d ON d.client_id = $1 AND d.employee_id = s.employee_id AND d.date BETWEEN s.first AND s.last "
        "WHERE d.leave_type_id = ANY ($5::bigint[]) ORDER BY s.place, d.date",
        client_id,
        employee_ids,
        firsts,
        lasts,
        type_ids,
    )
    return rows
