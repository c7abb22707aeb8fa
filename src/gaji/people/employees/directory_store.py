"""The SQL of looking people up."""

import re
from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.json_lists import Page
from gaji.db.tenancy import Transaction

# Of those who match, the periods are looked up for the page alone: someone's wave is the open wave period, and their
# service the latest one.
FOUND = """
    SELECT e.id, e.number, e.first_name, e.last_name, e.name_format, e.job_title, e.legal_status,
        (SELECT w.wave_id FROM wave_periods w
         WHERE w.client_id = $1 AND w.employee_id = e.id AND w.end_date IS NULL) AS wave_id, s.start_date, s.end_date
    FROM chosen e
    CROSS JOIN LATERAL (SELECT start_date, end_date FROM service_periods s
                        WHERE s.client_id = $1 AND s.employee_id = e.id ORDER BY start_date DESC LIMIT 1) s
    ORDER BY e.place"""
COLUMNS = "e.id, e.number, e.first_name, e.last_name, e.name_format, e.job_title, e.legal_status"
BY_NAME = "lower(e.first_name), lower(e.last_name), e.id"
SERVES = """EXISTS (SELECT FROM service_periods s WHERE s.client_id = $1 AND s.employee_id = e.id
    AND (s.end_date IS NULL OR s.end_date >= $2))"""
STATES = {"": "$2::date IS NOT NULL", "serving": SERVES, "left": f"NOT {SERVES}"}
PAID_BY = """e.id IN (SELECT w.employee_id FROM wave_periods w
    WHERE w.client_id = $1 AND w.wave_id = $3 AND w.end_date IS NULL)"""
PAID_BY_ANY = "$3::bigint IS NULL"
WORDS = "e.searched LIKE ALL ($4::text[])"
WILD = re.compile(r"([%_\\])")
"""What LIKE does not take as it is."""


async def search(
    tx: Transaction, client_id: int, typed: Sequence[str], today: date, state: str, wave_id: int | None, page: Page
) -> tuple[list[asyncpg.Record], int]:
    """A page of the people in whom every typed word is, by name, and how many there are in all.

    Whoever has what was typed as their number comes first.
    """
    source = " AND ".join(
        ["employees e WHERE e.client_id = $1", STATES[state], PAID_BY_ANY if wave_id is None else PAID_BY]
    )
    limit = f"LIMIT {page.size:d} OFFSET {page.offset:d}"
    arguments = (client_id, today, wave_id)
    if not typed:
        # Found in the order of names, so that only those of the page are looked at.
        total = await tx.fetchval(f"SELECT count(*) FROM {source}", *arguments)
        chosen = f"SELECT {COLUMNS}, row_number() OVER (ORDER BY {BY_NAME}) AS place FROM {source} ORDER BY {BY_NAME}"
        return await tx.fetch(f"WITH chosen AS ({chosen} {limit}) {FOUND}", *arguments), total
    # Whoever types a number means the one who has it, and not all in whose numbers it is.
    order = f"lower(e.number) <> $5, {BY_NAME}"
    # To look for words takes longer than all the rest: once for the page and the count.
    rows = await tx.fetch(
        f"WITH matching AS MATERIALIZED (SELECT {COLUMNS}, row_number() OVER (ORDER BY {order}) AS place "
        f"FROM {source} AND {WORDS}), chosen AS (SELECT * FROM matching ORDER BY place {limit}), "
        f"counted AS (SELECT count(*) AS total FROM matching), found AS ({FOUND}) "
        "SELECT found.*, counted.total FROM counted LEFT JOIN found ON true",
        *arguments,
        ["%" + WILD.sub(r"\\\1", word) + "%" for word in typed],
        " ".join(typed),
    )
    return [row for row in rows if row["id"] is not None], rows[0]["total"]


async def names(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Id, number, names and their format of these employees."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, number, first_name, last_name, name_format FROM employees "
        "WHERE client_id = $1 AND id = ANY ($2::bigint[])",
        client_id,
        employee_ids,
    )
    return rows


async def names_by_number(tx: Transaction, client_id: int, numbers: Sequence[str]) -> list[asyncpg.Record]:
    """The same of those with these numbers."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, number, first_name, last_name, name_format FROM employees "
        "WHERE client_id = $1 AND number = ANY ($2::text[])",
        client_id,
        numbers,
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
