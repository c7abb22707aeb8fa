"""The SQL of what payslips have shown, for those who look back at many of them."""

from collections.abc import AsyncIterator, Sequence
from datetime import date

import asyncpg

from gaji.db.chunks import chunks
from gaji.db.tenancy import Transaction

AT_ONCE = 1000
"""Rows that are read together."""
FINALISED = """payslips WHERE client_id = $1 AND finalised AND date BETWEEN $2 AND $3
    AND ($4::bigint[] IS NULL OR wave_id = ANY ($4)) AND ($5::bigint[] IS NULL OR employee_id = ANY ($5))"""
OF_PERIOD = """SELECT employee_id, lines, rules_version FROM payslips
    WHERE client_id = $1 AND wave_id = $2 AND period_offset = {offset} AND NOT special AND NOT withdrawn
    AND ($4::bigint[] IS NULL OR employee_id = ANY ($4))"""


def finalised(
    tx: Transaction,
    client_id: int,
    days: tuple[date, date],
    wave_ids: Sequence[int] | None,
    employee_ids: Sequence[int] | None,
) -> AsyncIterator[list[asyncpg.Record]]:
    """Employee, date, rules version and lines of the finalised payslips of some days, by employee and date."""
    query = f"SELECT employee_id, date, rules_version, lines FROM {FINALISED} ORDER BY employee_id, date, id"
    return chunks(tx, AT_ONCE, query, client_id, *days, wave_ids, employee_ids)


def lines_of_finalised(
    tx: Transaction,
    client_id: int,
    days: tuple[date, date],
    wave_ids: Sequence[int] | None,
    employee_ids: Sequence[int] | None,
) -> AsyncIterator[list[asyncpg.Record]]:
    """The lines of the same payslips, in no order."""
    return chunks(tx, AT_ONCE, f"SELECT lines FROM {FINALISED}", client_id, *days, wave_ids, employee_ids)


def of_two_periods(
    tx: Transaction, client_id: int, wave_id: int, offset: int, employee_ids: Sequence[int] | None
) -> AsyncIterator[list[asyncpg.Record]]:
    """By employee, the lines of the regular payslip of a period and of the one before, each with its rules version."""
    query = (
        "SELECT coalesce(s.employee_id, b.employee_id) AS employee_id, b.lines AS before, s.lines AS selected, "
        "b.rules_version AS rules_before, s.rules_version AS rules_selected "
        f"FROM ({OF_PERIOD.format(offset='$3')}) s FULL JOIN ({OF_PERIOD.format(offset='$3 - 1')}) b "
        "ON b.employee_id = s.employee_id ORDER BY 1"
    )
    return chunks(tx, AT_ONCE, query, client_id, wave_id, offset, employee_ids)


async def waiting(
    tx: Transaction, client_id: int, wave_id: int, offset: int, employee_ids: Sequence[int] | None
) -> int:
    """How many regular payslips of a period and the one before wait for calculation."""
    found: int = await tx.fetchval(
        "SELECT count(*) FROM payslips WHERE client_id = $1 AND wave_id = $2 AND period_offset BETWEEN $3 - 1 AND $3 "
        "AND dirty AND NOT finalised AND NOT special AND NOT withdrawn "
        "AND ($4::bigint[] IS NULL OR employee_id = ANY ($4))",
        client_id,
        wave_id,
        offset,
        employee_ids,
    )
    return found


async def moved(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    items: Sequence[str],
    starts: Sequence[date | None],
    until: date,
) -> list[asyncpg.Record]:
    """Employee, item and cents that finalised payslips took for these items from their start to a day."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT w.employee_id, w.item, sum((p.moved ->> w.item)::bigint)::bigint AS cents "
        "FROM unnest($2::bigint[], $3::text[], $4::date[]) AS w(employee_id, item, start) "
        "JOIN payslips p ON p.client_id = $1 AND p.employee_id = w.employee_id AND p.finalised "
        "AND p.moved ? w.item AND p.date <= $5 AND (w.start IS NULL OR p.date >= w.start) GROUP BY 1, 2",
        client_id,
        employee_ids,
        items,
        starts,
        until,
    )
    return rows
