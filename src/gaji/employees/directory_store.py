"""The SQL of looking people up."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.elements import Page

# Someone's wave is the open wave period, and their service the latest one.
FOUND = """
    SELECT e.id, e.number, e.first_name, e.last_name, e.name_format, e.job_title, e.legal_status, w.wave_id,
        s.start_date, s.end_date
    FROM employees e
    CROSS JOIN LATERAL (SELECT wave_id FROM wave_periods w
                        WHERE w.client_id = e.client_id AND w.employee_id = e.id AND w.end_date IS NULL) w
    CROSS JOIN LATERAL (SELECT start_date, end_date FROM service_periods s
                        WHERE s.client_id = e.client_id AND s.employee_id = e.id ORDER BY start_date DESC LIMIT 1) s"""
# $2 are the words that were typed, each of which has to be somewhere.
MATCHES = """e.client_id = $1 AND NOT EXISTS (
        SELECT FROM unnest($2::text[]) AS typed(word)
        WHERE strpos(lower(concat_ws(' ', e.first_name, e.last_name, e.number, e.job_title, e.email)), word) = 0)"""
STATES = {
    "": "true",
    "serving": "(s.end_date IS NULL OR s.end_date >= $3)",
    "left": "s.end_date < $3",
}


async def search(
    tx: Transaction, client_id: int, typed: Sequence[str], today: date, state: str, wave_id: int | None, page: Page
) -> tuple[list[asyncpg.Record], int]:
    """A page of the people who match, by name, and how many there are in all."""
    arguments: tuple[Any, ...] = (client_id, typed)
    where = MATCHES
    if state or wave_id:
        where = f"{MATCHES} AND {STATES[state]} AND ($4::bigint IS NULL OR w.wave_id = $4) AND $3::date IS NOT NULL"
        arguments = (*arguments, today, wave_id)
        total = await tx.fetchval(f"SELECT count(*) FROM ({FOUND} WHERE {where}) found", *arguments)
    else:
        # Without the periods, which everybody has: they cost more to look up than everything else.
        total = await tx.fetchval(f"SELECT count(*) FROM employees e WHERE {where}", *arguments)
    rows = await tx.fetch(
        f"{FOUND} WHERE {where} ORDER BY lower(e.first_name), lower(e.last_name), e.id "
        f"LIMIT {page.size:d} OFFSET {page.offset:d}",
        *arguments,
    )
    return rows, total


async def names(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Id, number, names and their format of these employees."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, number, first_name, last_name, name_format FROM employees "
        "WHERE client_id = $1 AND id = ANY ($2::bigint[])",
        client_id,
        employee_ids,
    )
    return rows


async def heads(tx: Transaction, client_id: int, today: date) -> asyncpg.Record:
    """How many people there are in all, in service today, joining and leaving this month."""
    return await tx.fetchrow(
        "SELECT count(DISTINCT employee_id) AS everyone, "
        "count(*) FILTER (WHERE start_date <= $2 AND (end_date IS NULL OR end_date >= $2)) AS serving, "
        "count(*) FILTER (WHERE date_trunc('month', start_date) = date_trunc('month', $2::date)) AS joining, "
        "count(*) FILTER (WHERE date_trunc('month', end_date) = date_trunc('month', $2::date)) AS leaving "
        "FROM service_periods WHERE client_id = $1",
        client_id,
        today,
    )


async def passes_ending(tx: Transaction, client_id: int, until: date, today: date) -> list[asyncpg.Record]:
    """Id, number, names, their format and the last day of the pass of people in service whose pass ends soon."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT e.id, e.number, e.first_name, e.last_name, e.name_format, e.pass_to FROM employees e "
        "WHERE e.client_id = $1 AND e.pass_to <= $2 AND EXISTS (SELECT FROM service_periods s "
        "WHERE s.client_id = e.client_id AND s.employee_id = e.id AND (s.end_date IS NULL OR s.end_date >= $3)) "
        "ORDER BY e.pass_to, e.id LIMIT 20",
        client_id,
        until,
        today,
    )
    return rows
