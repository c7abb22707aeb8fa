"""The SQL of payment runs."""

from datetime import date

import asyncpg

from gaji.db.json_lists import Page, counted
from gaji.db.tenancy import Transaction

# But for the total, which only a finalised run knows by itself.
ELEMENT = """row_to_json((SELECT e FROM (SELECT r.id, r.wave_id, r.period_offset, r.period_end_date, r.special,
        r.posted_to_accounting_system, shown(r.created_at) AS created_at, shown(r.updated_at) AS updated_at) e))::text
    AS element"""
RUN = """client_id, id, wave_id, period_offset, period_end_date, special, state, finalised, released,
    posted_to_accounting_system"""
EARLIER = "client_id = $1 AND wave_id = $2 AND period_offset < $3 AND NOT special"


async def elements(tx: Transaction, client_id: int, page: Page | None) -> tuple[list[asyncpg.Record], int]:
    """The runs of a client, newest first, each with its JSON, its id and its total if it is finalised; and how many."""
    return await counted(
        tx,
        f"SELECT {ELEMENT}, r.id, r.total FROM payment_runs r WHERE r.client_id = $1 "
        "ORDER BY r.period_end_date DESC, r.id DESC",
        "payment_runs r WHERE r.client_id = $1",
        page,
        client_id,
    )


async def element(tx: Transaction, run_id: int) -> asyncpg.Record | None:
    """A run that the caller may see: its JSON, and what is known of it beside."""
    return await tx.fetchrow(
        f"SELECT {ELEMENT}, {RUN}, total, payslip_count, finalised_at FROM payment_runs r WHERE id = $1", run_id
    )


async def looked_at(tx: Transaction, client_id: int, most: int) -> list[asyncpg.Record]:
    """The newest runs of a client with their states."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, wave_id, period_offset, period_end_date, special, state = 'opening', finalised, released, "
        "posted_to_accounting_system, payslip_count, total, finalised_at FROM payment_runs WHERE client_id = $1 "
        "ORDER BY period_end_date DESC, id DESC LIMIT $2",
        client_id,
        most,
    )
    return rows


async def run_before(tx: Transaction, client_id: int, wave_id: int, offset: int) -> asyncpg.Record | None:
    """Id and time of the finalised regular run of the period before."""
    return await tx.fetchrow(
        "SELECT id, finalised_at FROM payment_runs WHERE client_id = $1 AND wave_id = $2 AND period_offset = $3 - 1 "
        "AND NOT special AND finalised",
        client_id,
        wave_id,
        offset,
    )


async def facts(tx: Transaction, run_id: int) -> asyncpg.Record | None:
    """Client, wave, and whether finalised, posted and still opening, of a run that the caller may see."""
    return await tx.fetchrow(
        "SELECT client_id, wave_id, finalised, posted_to_accounting_system, state = 'opening' "
        "FROM payment_runs WHERE id = $1",
        run_id,
    )


async def open_runs(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """Wave, period offset and id of the regular runs that are not finalised."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT wave_id, period_offset, id FROM payment_runs WHERE client_id = $1 AND NOT special AND NOT finalised",
        client_id,
    )
    return rows


async def open_between(tx: Transaction, client_id: int, first: date, last: date) -> list[asyncpg.Record]:
    """Id and period end of the runs, special ones too, of periods that end on these days and are not finalised."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, period_end_date FROM payment_runs "
        "WHERE client_id = $1 AND period_end_date BETWEEN $2 AND $3 AND NOT finalised ORDER BY id",
        client_id,
        first,
        last,
    )
    return rows


async def client_of(tx: Transaction, run_id: int) -> int | None:
    """The client of a run that the caller may see."""
    found: int | None = await tx.fetchval("SELECT client_id FROM payment_runs WHERE id = $1", run_id)
    return found


async def for_change(tx: Transaction, client_id: int, run_id: int) -> asyncpg.Record | None:
    """A run, locked until the transaction ends; raises LockNotAvailableError where someone else has it locked."""
    return await tx.fetchrow(
        f"SELECT {RUN} FROM payment_runs WHERE client_id = $1 AND id = $2 FOR UPDATE NOWAIT",
        client_id,
        run_id,
    )


async def claim_opening(tx: Transaction, client_id: int) -> asyncpg.Record | None:
    """A run that is still being opened and that nobody else works on, locked until the transaction ends."""
    return await tx.fetchrow(
        f"SELECT {RUN} FROM payment_runs WHERE client_id = $1 AND state = 'opening' "
        "ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
        client_id,
    )


async def regular_run(tx: Transaction, client_id: int, wave_id: int, offset: int) -> asyncpg.Record | None:
    """The regular run of a wave and period."""
    return await tx.fetchrow(
        f"SELECT {RUN} FROM payment_runs WHERE client_id = $1 AND wave_id = $2 AND period_offset = $3 AND NOT special",
        client_id,
        wave_id,
        offset,
    )


async def first_open_before(tx: Transaction, client_id: int, wave_id: int, offset: int) -> date | None:
    """The end of the first earlier period of a wave whose run is not finalised."""
    found: date | None = await tx.fetchval(
        f"SELECT min(period_end_date) FROM payment_runs WHERE {EARLIER} AND NOT finalised", client_id, wave_id, offset
    )
    return found


async def is_finalised(tx: Transaction, client_id: int, wave_id: int, end: date) -> bool:
    """Whether the regular run of the period that ends on this day is finalised."""
    found: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM payment_runs WHERE client_id = $1 AND wave_id = $2 AND period_end_date = $3 "
        "AND NOT special AND finalised)",
        client_id,
        wave_id,
        end,
    )
    return found


async def insert(
    tx: Transaction, client_id: int, wave_id: int, offset: int, end: date, special: bool, state: str
) -> int:
    """Save a new run and give its id; raises UniqueViolationError for a second regular one."""
    run_id: int = await tx.fetchval(
        "INSERT INTO payment_runs (client_id, wave_id, period_offset, period_end_date, special, state) "
        "VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
        client_id,
        wave_id,
        offset,
        end,
        special,
        state,
    )
    return run_id


async def set_ready(tx: Transaction, client_id: int, run_id: int) -> None:
    """Note that all payslips of a run are taken up."""
    await tx.execute(
        "UPDATE payment_runs SET state = 'ready', updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
    )


async def finalise(tx: Transaction, client_id: int, run_id: int, payslips: int, total: int) -> None:
    """Note that a run is finalised, with how many payslips and for how much."""
    await tx.execute(
        "UPDATE payment_runs SET finalised = true, finalised_at = now(), payslip_count = $3, total = $4, "
        "updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
        payslips,
        total,
    )


async def unfinalise(tx: Transaction, client_id: int, run_id: int) -> None:
    """Note that a run is finalised no more, and so not released either."""
    await tx.execute(
        "UPDATE payment_runs SET finalised = false, finalised_at = NULL, released = false, payslip_count = NULL, "
        "total = NULL, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
    )


async def release(tx: Transaction, client_id: int, run_id: int) -> None:
    """Note that a run is released."""
    await tx.execute(
        "UPDATE payment_runs SET released = true, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
    )


async def post(tx: Transaction, client_id: int, run_id: int, posted: bool) -> None:
    """Note whether a run is in the accounting system."""
    await tx.execute(
        "UPDATE payment_runs SET posted_to_accounting_system = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
        posted,
    )


async def delete(tx: Transaction, client_id: int, run_id: int) -> None:
    """Remove a run that no payslip is in any more."""
    await tx.execute("DELETE FROM payment_runs WHERE client_id = $1 AND id = $2", client_id, run_id)
