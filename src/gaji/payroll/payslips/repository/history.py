"""SQL for the amounts of many past payslips."""

from collections.abc import AsyncIterator, Sequence
from datetime import date

import asyncpg

from gaji.db.chunks import fetch_chunks
from gaji.db.tenancy import Transaction

CHUNK_SIZE = 1000

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
    """Iterate over employee, date, rules version and lines of finalised payslips, by employee and date."""
    query = f"SELECT employee_id, date, rules_version, lines FROM {FINALISED} ORDER BY employee_id, date, id"
    return fetch_chunks(tx, CHUNK_SIZE, query, client_id, *days, wave_ids, employee_ids)


def lines_of_finalised(
    tx: Transaction,
    client_id: int,
    days: tuple[date, date],
    wave_ids: Sequence[int] | None,
    employee_ids: Sequence[int] | None,
) -> AsyncIterator[list[asyncpg.Record]]:
    """Iterate over the lines of finalised payslips, in no particular order."""
    return fetch_chunks(tx, CHUNK_SIZE, f"SELECT lines FROM {FINALISED}", client_id, *days, wave_ids, employee_ids)


def of_two_periods(
    tx: Transaction, client_id: int, wave_id: int, offset: int, employee_ids: Sequence[int] | None
) -> AsyncIterator[list[asyncpg.Record]]:
    """Iterate over the lines and rules versions of a period and the previous one, by employee."""
    query = (
        "SELECT coalesce(s.employee_id, b.employee_id) AS employee_id, b.lines AS before, s.lines AS selected, "
        "b.rules_version AS rules_before, s.rules_version AS rules_selected "
        f"FROM ({OF_PERIOD.format(offset='$3')}) s FULL JOIN ({OF_PERIOD.format(offset='$3 - 1')}) b "
        "ON b.employee_id = s.employee_id ORDER BY 1"
    )
    return fetch_chunks(tx, CHUNK_SIZE, query, client_id, wave_id, offset, employee_ids)


async def count_dirty(
    tx: Transaction, client_id: int, wave_id: int, offset: int, employee_ids: Sequence[int] | None
) -> int:
    """Count the regular payslips of a period and the previous one that wait for calculation."""
    count: int = await tx.fetchval(
        "SELECT count(*) FROM payslips WHERE client_id = $1 AND wave_id = $2 AND period_offset BETWEEN $3 - 1 AND $3 "
        "AND dirty AND NOT finalised AND NOT special AND NOT withdrawn "
        "AND ($4::bigint[] IS NULL OR employee_id = ANY ($4))",
        client_id,
        wave_id,
        offset,
        employee_ids,
    )
    return count


async def load_instalment_totals(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    items: Sequence[str],
    starts: Sequence[date | None],
    until: date,
) -> list[asyncpg.Record]:
    """Load the cents that finalised payslips took for items, from the start of each item to a day, by rules version."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT w.employee_id, w.item, sum((p.moved ->> w.item)::bigint)::bigint AS cents, p.rules_version "
        "FROM (SELECT $1::bigint AS client_id, wanted.* "
        "FROM unnest($2::bigint[], $3::text[], $4::date[]) AS wanted(employee_id, item, start) OFFSET 0) w "
        "CROSS JOIN LATERAL (SELECT moved, rules_version FROM payslips "
        "WHERE client_id = w.client_id AND employee_id = w.employee_id AND finalised AND moved ? w.item "
        "AND date <= $5 AND (w.start IS NULL OR date >= w.start) OFFSET 0) p GROUP BY 1, 2, 4",
        client_id,
        employee_ids,
        items,
        starts,
        until,
    )
    return rows
