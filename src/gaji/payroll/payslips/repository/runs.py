"""The SQL of the payslips of payment runs."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.json_lists import Page, fetch_page
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository.drafts import ARRAYS, DRAFT_COLUMNS, PERIOD_COLUMNS, Rows
from gaji.payroll.payslips.repository.elements import ELEMENT

OF_RUN = "client_id = $1 AND payment_run_id = $2 AND NOT withdrawn"
# Regular drafts of a wave and period that no run has taken up.
WAITING = """client_id = $1 AND wave_id = $2 AND period_offset = $3 AND NOT special AND NOT finalised
    AND NOT withdrawn AND payment_run_id IS NULL"""
CALCULATED = "payment_run_id IS NOT NULL AND NOT dirty"
COUNTS = f"""count(*) AS payslips, count(*) FILTER (WHERE {CALCULATED}) AS calculated,
    count(*) FILTER (WHERE NOT ({CALCULATED})) AS dirty,
    count(*) FILTER (WHERE {CALCULATED} AND attention <> '{{}}') AS attention,
    coalesce(sum(nett_pay) FILTER (WHERE {CALCULATED}), 0)::bigint AS total,
    count(*) FILTER (WHERE {CALCULATED} AND nett_pay = 0) AS nothing"""


async def first_draft_before(tx: Transaction, client_id: int, wave_id: int, offset: int) -> date | None:
    """The date of the first regular draft of a wave that is of an earlier period."""
    found: date | None = await tx.fetchval(
        "SELECT min(date) FROM payslips WHERE client_id = $1 AND wave_id = $2 AND period_offset < $3 "
        "AND NOT special AND NOT finalised AND NOT withdrawn",
        client_id,
        wave_id,
        offset,
    )
    return found


async def count_waiting(tx: Transaction, client_id: int, wave_id: int, offset: int) -> int:
    """How many regular drafts of a wave and period no run has taken up."""
    found: int = await tx.fetchval(f"SELECT count(*) FROM payslips WHERE {WAITING}", client_id, wave_id, offset)
    return found


async def claim_drafts(
    tx: Transaction, client_id: int, wave_id: int, offset: int, after: int, most: int
) -> list[asyncpg.Record]:
    """Some of these drafts, those of the next employees after one, locked until the transaction ends."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"WITH chosen AS MATERIALIZED (SELECT id FROM payslips WHERE {WAITING} AND employee_id > $4 "
        f"ORDER BY employee_id LIMIT $5) "
        f"SELECT {DRAFT_COLUMNS} FROM payslips WHERE id IN (SELECT id FROM chosen) AND {WAITING} ORDER BY id FOR NO KEY UPDATE",
        client_id,
        wave_id,
        offset,
        after,
        most,
    )
    return rows


async def attach_drafts(tx: Transaction, client_id: int, wave_id: int, offset: int, run_id: int) -> list[int]:
    """Let a run take up these drafts as they are; gives their employees."""
    rows = await tx.fetch(
        f"UPDATE payslips SET payment_run_id = $4 WHERE {WAITING} RETURNING employee_id",
        client_id,
        wave_id,
        offset,
        run_id,
    )
    return [row[0] for row in rows]


async def lock_drafts(tx: Transaction, client_id: int, run_id: int) -> list[asyncpg.Record]:
    """The drafts of a run, locked until the transaction ends."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {DRAFT_COLUMNS} FROM payslips WHERE {OF_RUN} AND NOT finalised ORDER BY id FOR NO KEY UPDATE",
        client_id,
        run_id,
    )
    return rows


async def insert_special(tx: Transaction, client_id: int, rows: Rows) -> list[asyncpg.Record]:
    """Save once-off drafts, each an employee and where it stands; gives them as drafts."""
    inserted: list[asyncpg.Record] = await tx.fetch(
        f"INSERT INTO payslips (client_id, employee_id, {', '.join(PERIOD_COLUMNS)}, special) "
        f"SELECT $1, n.*, true FROM unnest($2::bigint[], {ARRAYS}) AS n RETURNING {DRAFT_COLUMNS}",
        client_id,
        *zip(*rows, strict=True),
    )
    return inserted


async def detach_drafts(tx: Transaction, client_id: int, run_id: int) -> None:
    """Let the regular drafts of a run be in none, and remove its once-off ones."""
    await tx.execute(
        "WITH gone AS (DELETE FROM payslips WHERE client_id = $1 AND payment_run_id = $2 AND special) "
        "UPDATE payslips SET payment_run_id = NULL "
        "WHERE client_id = $1 AND payment_run_id = $2 AND NOT special",
        client_id,
        run_id,
    )


async def counts(tx: Transaction, client_id: int, run_id: int) -> asyncpg.Record:
    """How many payslips a run has, in which states, and their nett pay in cents."""
    return await tx.fetchrow(f"SELECT {COUNTS} FROM payslips WHERE {OF_RUN}", client_id, run_id)


async def counts_of_period(tx: Transaction, client_id: int, wave_id: int, offset: int) -> asyncpg.Record:
    """The same of the regular payslips of a wave and period, those included that no run has taken up."""
    return await tx.fetchrow(
        f"SELECT {COUNTS} FROM payslips "
        "WHERE client_id = $1 AND wave_id = $2 AND period_offset = $3 AND NOT special AND NOT withdrawn",
        client_id,
        wave_id,
        offset,
    )


async def totals(tx: Transaction, client_id: int, run_ids: Sequence[int]) -> dict[int, int]:
    """The nett pay of runs in cents, by run; of those whose payslips are calculated."""
    rows = await tx.fetch(
        "SELECT payment_run_id, sum(nett_pay)::bigint FROM payslips WHERE client_id = $1 "
        "AND payment_run_id = ANY ($2::bigint[]) AND NOT withdrawn AND NOT dirty GROUP BY 1",
        client_id,
        run_ids,
    )
    return {row[0]: row[1] for row in rows}


async def list_blocked(tx: Transaction, client_id: int, run_id: int, most: int) -> list[asyncpg.Record]:
    """The payslips of a run that cannot be finalised: id, employee, dirty, attention, and how many there are in all."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, employee_id, dirty, attention, count(*) OVER () AS total FROM payslips "
        f"WHERE {OF_RUN} AND (dirty OR attention <> '{{}}') ORDER BY id LIMIT $3",
        client_id,
        run_id,
        most,
    )
    return rows


async def find_later_finalised(tx: Transaction, client_id: int, run_id: int) -> asyncpg.Record | None:
    """A finalised payslip that comes after one of this run's: its id, date, employee and run.

    After comes what has a later date, or the same date and was finalised later.
    """
    return await tx.fetchrow(
        "SELECT later.id, later.date, later.employee_id, later.payment_run_id FROM payslips p "
        "JOIN payslips later ON later.client_id = p.client_id AND later.employee_id = p.employee_id "
        "AND later.finalised AND later.date >= p.date AND later.id <> p.id "
        "AND (later.date > p.date OR later.finalised_at > p.finalised_at) "
        "WHERE p.client_id = $1 AND p.payment_run_id = $2 AND NOT p.withdrawn "
        "ORDER BY later.date DESC, later.finalised_at DESC, later.id DESC LIMIT 1",
        client_id,
        run_id,
    )


async def finalise(tx: Transaction, client_id: int, run_id: int) -> asyncpg.Record:
    """Finalise the payslips of a run; gives their employees, how many there are, and their nett pay in cents."""
    return await tx.fetchrow(
        "WITH done AS (UPDATE payslips SET finalised = true, finalised_at = now() "
        f"WHERE {OF_RUN} AND NOT dirty RETURNING employee_id, nett_pay) "
        "SELECT coalesce(array_agg(employee_id ORDER BY employee_id), '{}') AS employee_ids, count(*) AS payslips, "
        "coalesce(sum(nett_pay), 0)::bigint AS total FROM done",
        client_id,
        run_id,
    )


async def unfinalise(tx: Transaction, client_id: int, run_id: int) -> list[int]:
    """Make the payslips of a run drafts again, to be calculated, not seen in self-service; gives their employees."""
    rows = await tx.fetch(
        "UPDATE payslips SET finalised = false, finalised_at = NULL, ss_released = false, dirty = true "
        f"WHERE {OF_RUN} RETURNING employee_id",
        client_id,
        run_id,
    )
    return [row[0] for row in rows]


async def release(tx: Transaction, client_id: int, run_id: int) -> None:
    """Let employees see the payslips of a run."""
    await tx.execute(
        f"UPDATE payslips SET ss_released = true WHERE {OF_RUN} AND NOT ss_released",
        client_id,
        run_id,
    )


async def list_elements(
    tx: Transaction, client_id: int, run_id: int, page: Page | None
) -> tuple[list[asyncpg.Record], int]:
    """The payslips of a run by id, each with its JSON and what is calculated of it; and how many there are."""
    source = f"payslips p WHERE {OF_RUN}"
    query = (
        "SELECT p.employee_id, CASE WHEN p.dirty THEN '{}' ELSE p.lines END AS lines, p.rules_version, "
        f"{ELEMENT} FROM {source} ORDER BY p.id"
    )
    return await fetch_page(tx, query, source, page, client_id, run_id)
