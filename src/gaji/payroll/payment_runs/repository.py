"""SQL that reads, writes and locks payment runs."""

from collections.abc import Mapping, Sequence
from datetime import date

import asyncpg
import msgspec

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows, json_text
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction

# All payslips of a run have the pay date of its period.
PAYMENT_DATE = """coalesce(r.payment_date, (SELECT p.pay_date FROM payslips p WHERE p.client_id = r.client_id
        AND p.payment_run_id = r.id LIMIT 1), r.period_end_date)"""
PAID_BY = "(SELECT coalesce(nullif(u.name, ''), u.email) FROM users u WHERE u.id = r.paid_by)"
# The end of the corrected period, also if the run corrects a correction.
CORRECTED_END = """CASE WHEN r.corrects IS NOT NULL THEN (SELECT corrected.date FROM payslips p JOIN payslips corrected
        ON corrected.client_id = p.client_id AND corrected.id = p.corrects
        WHERE p.client_id = r.client_id AND p.payment_run_id = r.id LIMIT 1) END AS corrected_end"""
# Without the total, which is stored for finalised runs only.
ELEMENT = f"""row_to_json((SELECT e FROM (SELECT r.id, r.wave_id, r.period_offset, r.period_end_date, r.special,
        r.corrects, r.posted_to_accounting_system, {PAYMENT_DATE} AS payment_date, shown(r.paid_at) AS paid_at,
        {PAID_BY} AS paid_by, shown(r.finalised_at) AS finalised_at, shown(r.created_at) AS created_at,
        shown(r.updated_at) AS updated_at, r.external_id, r.metadata) e))::text AS element"""
RUN = """client_id, id, wave_id, period_offset, period_end_date, special, corrects, state, finalised, released,
    posted_to_accounting_system, payment_date, paid_at IS NOT NULL AS paid, rules_versions"""
EARLIER = "client_id = $1 AND wave_id = $2 AND period_offset < $3 AND NOT special"


# The states of the API.
STATE = """CASE WHEN r.finalised THEN 'finalised' WHEN r.state = 'opening' OR EXISTS (SELECT FROM payslips p
        WHERE p.client_id = r.client_id AND p.payment_run_id = r.id AND p.dirty AND NOT p.withdrawn) THEN 'calculating'
        ELSE 'open' END"""
CONDITIONS = {
    "ids": ids_condition("r.id"),
    "external_id": "r.external_id = {}",
    "wave_id": "r.wave_id = {}",
    "from": "r.period_end_date >= {}",
    "to": "r.period_end_date <= {}",
    "finalised": "r.finalised = {}",
    "state": f"{STATE} = {{}}",
}
"""The SQL condition of each filter."""


async def elements(
    tx: Transaction, client_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[asyncpg.Record], int]:
    """List the runs of a client with JSON, ID, stored total and versions, newest first, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id)
    source = f"payment_runs r WHERE r.client_id = $1{conditions}"
    columns = f"{ELEMENT}, r.id, r.total, r.rules_versions, r.state, r.finalised"
    query = f"SELECT {columns} FROM {source} ORDER BY r.period_end_date DESC, r.id DESC"
    return await fetch_page(tx, query, source, page, *arguments)


async def element(tx: Transaction, run_id: int) -> asyncpg.Record | None:
    """Load a run that the caller may see, with its JSON."""
    return await tx.fetchrow(
        f"SELECT {ELEMENT}, {RUN}, total, payslip_count, finalised_at, {PAYMENT_DATE} AS shown_payment_date, paid_at, "
        f"{PAID_BY} AS paid_by_name, {CORRECTED_END} FROM payment_runs r WHERE id = $1",
        run_id,
    )


async def list_summaries(
    tx: Transaction, client_id: int, limit: int, run_ids: Sequence[int] | None = None
) -> list[asyncpg.Record]:
    """List the newest runs of a client with their states, or those of some IDs."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, wave_id, period_offset, period_end_date, special, corrects, state = 'opening' AS opening, "
        "finalised, released, posted_to_accounting_system AS posted, payslip_count AS payslips, total, finalised_at, "
        f"rules_versions, {PAYMENT_DATE} AS payment_date, paid_at, {PAID_BY} AS paid_by, {CORRECTED_END} "
        "FROM payment_runs r WHERE client_id = $1 AND ($3::bigint[] IS NULL OR id = ANY ($3::bigint[])) "
        "ORDER BY period_end_date DESC, id DESC LIMIT $2",
        client_id,
        limit,
        run_ids,
    )
    return rows


async def count_payslips_between(tx: Transaction, client_id: int, first: date, last: date) -> int:
    """Count the payslips of the finalised runs whose periods end on these days, without corrections."""
    count: int = await tx.fetchval(
        "SELECT coalesce(sum(payslip_count), 0)::bigint FROM payment_runs WHERE client_id = $1 AND finalised "
        "AND corrects IS NULL AND period_end_date BETWEEN $2 AND $3",
        client_id,
        first,
        last,
    )
    return count


async def run_before(tx: Transaction, client_id: int, wave_id: int, offset: int) -> asyncpg.Record | None:
    """Load the finalised regular run of the previous period."""
    return await tx.fetchrow(
        "SELECT id, finalised_at FROM payment_runs WHERE client_id = $1 AND wave_id = $2 AND period_offset = $3 - 1 "
        "AND NOT special AND finalised",
        client_id,
        wave_id,
        offset,
    )


async def client_of(tx: Transaction, run_id: int) -> int | None:
    """Return the client of a run that the caller may see."""
    client_id: int | None = await tx.fetchval("SELECT client_id FROM payment_runs WHERE id = $1", run_id)
    return client_id


async def lock_run(tx: Transaction, client_id: int, run_id: int) -> asyncpg.Record | None:
    """Lock a run. Raises LockNotAvailableError if another transaction has locked it."""
    return await tx.fetchrow(
        f"SELECT {RUN} FROM payment_runs WHERE client_id = $1 AND id = $2 FOR UPDATE NOWAIT",
        client_id,
        run_id,
    )


async def claim_opening(tx: Transaction, client_id: int) -> asyncpg.Record | None:
    """Lock a run that is being opened and that no other worker has claimed."""
    return await tx.fetchrow(
        f"SELECT {RUN} FROM payment_runs WHERE client_id = $1 AND state = 'opening' "
        "ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
        client_id,
    )


async def regular_run(tx: Transaction, client_id: int, wave_id: int, offset: int) -> asyncpg.Record | None:
    """Load the regular run of a wave and period."""
    return await tx.fetchrow(
        f"SELECT {RUN} FROM payment_runs WHERE client_id = $1 AND wave_id = $2 AND period_offset = $3 AND NOT special",
        client_id,
        wave_id,
        offset,
    )


async def first_open_before(tx: Transaction, client_id: int, wave_id: int, offset: int) -> date | None:
    """Return the end of the wave's first earlier period whose run is not finalised."""
    end: date | None = await tx.fetchval(
        f"SELECT min(period_end_date) FROM payment_runs WHERE {EARLIER} AND NOT finalised", client_id, wave_id, offset
    )
    return end


async def regular_run_of_end(tx: Transaction, client_id: int, wave_id: int, end: date) -> asyncpg.Record | None:
    """Load the regular run of a wave and the period that ends on a day."""
    return await tx.fetchrow(
        f"SELECT {RUN} FROM payment_runs WHERE client_id = $1 AND wave_id = $2 AND period_end_date = $3 "
        "AND NOT special",
        client_id,
        wave_id,
        end,
    )


async def find_correction(tx: Transaction, client_id: int, run_id: int) -> int | None:
    """Return the id of the latest run that corrects a run."""
    correction_id: int | None = await tx.fetchval(
        "SELECT max(id) FROM payment_runs WHERE client_id = $1 AND corrects = $2", client_id, run_id
    )
    return correction_id


async def find_finalised_correction(tx: Transaction, client_id: int, run_id: int) -> int | None:
    """Return the id of the latest finalised run that corrects a run."""
    correction_id: int | None = await tx.fetchval(
        "SELECT max(id) FROM payment_runs WHERE client_id = $1 AND corrects = $2 AND finalised", client_id, run_id
    )
    return correction_id


async def insert(
    tx: Transaction,
    client_id: int,
    wave_id: int,
    offset: int,
    end: date,
    special: bool,
    state: str,
    corrects: int | None = None,
    employee_ids: Sequence[int] | None = None,
) -> int:
    """Insert a run and return its id. Raises UniqueViolationError for a second regular run of a period."""
    run_id: int = await tx.fetchval(
        "INSERT INTO payment_runs (client_id, wave_id, period_offset, period_end_date, special, state, corrects, "
        "employee_ids) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
        client_id,
        wave_id,
        offset,
        end,
        special,
        state,
        corrects,
        employee_ids,
    )
    return run_id


async def load_employee_ids(tx: Transaction, client_id: int, run_id: int) -> list[int] | None:
    """Load the employees that a correction run is limited to. None: everyone in the corrected run."""
    employee_ids: list[int] | None = await tx.fetchval(
        "SELECT employee_ids FROM payment_runs WHERE client_id = $1 AND id = $2", client_id, run_id
    )
    return employee_ids


async def set_opening(tx: Transaction, client_id: int, run_id: int) -> None:
    """Mark a run as being opened: a task has to attach its payslips."""
    await tx.execute(
        "UPDATE payment_runs SET state = 'opening', updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
    )


async def set_ready(tx: Transaction, client_id: int, run_id: int) -> None:
    """Mark a run as ready: all its payslips are attached."""
    await tx.execute(
        "UPDATE payment_runs SET state = 'ready', updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
    )


async def finalise(
    tx: Transaction, client_id: int, run_id: int, payslips: int, total: int, rules_versions: Sequence[str]
) -> None:
    """Mark a run as finalised, with its number of payslips, its total and the rules versions of its payslips."""
    await tx.execute(
        "UPDATE payment_runs SET finalised = true, finalised_at = now(), payslip_count = $3, total = $4, "
        "rules_versions = $5, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
        payslips,
        total,
        rules_versions,
    )


async def unfinalise(tx: Transaction, client_id: int, run_id: int) -> None:
    """Mark a run as not finalised and not released."""
    await tx.execute(
        "UPDATE payment_runs SET finalised = false, finalised_at = NULL, released = false, "
        "posted_to_accounting_system = false, payslip_count = NULL, "
        "total = NULL, rules_versions = NULL, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
    )


async def release(tx: Transaction, client_id: int, run_id: int) -> None:
    """Mark a run as released."""
    await tx.execute(
        "UPDATE payment_runs SET released = true, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
    )


async def set_posted(tx: Transaction, client_id: int, run_id: int, posted: bool) -> None:
    """Set whether a run is in the accounting system."""
    await tx.execute(
        "UPDATE payment_runs SET posted_to_accounting_system = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
        posted,
    )


async def load_references(tx: Transaction, client_id: int, run_id: int) -> tuple[str | None, dict[str, str]]:
    """Load the external ID and the metadata of a run."""
    row = await tx.fetchrow(
        "SELECT external_id, metadata FROM payment_runs WHERE client_id = $1 AND id = $2", client_id, run_id
    )
    return row["external_id"], msgspec.json.decode(row["metadata"])


async def set_references(
    tx: Transaction, client_id: int, run_id: int, external_id: str | None, metadata: Mapping[str, str]
) -> None:
    """Set the external ID and the metadata of a run. Raises UniqueViolationError if another run has the ID."""
    await tx.execute(
        "UPDATE payment_runs SET external_id = $3, metadata = $4, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
        external_id,
        json_text(metadata),
    )


async def set_payment_date(tx: Transaction, client_id: int, run_id: int, payment_date: date | None) -> None:
    """Set the day on which a run is paid. None: the pay date of its payslips."""
    await tx.execute(
        "UPDATE payment_runs SET payment_date = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
        payment_date,
    )


async def set_paid(tx: Transaction, client_id: int, run_id: int, paid: bool) -> None:
    """Set whether a run was paid, now and by the caller."""
    await tx.execute(
        "UPDATE payment_runs SET paid_at = CASE WHEN $3 THEN now() END, paid_by = CASE WHEN $3 THEN $4::bigint END, "
        "updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        run_id,
        paid,
        tx.caller.user_id,
    )


async def delete(tx: Transaction, client_id: int, run_id: int) -> None:
    """Delete a run without payslips."""
    await tx.execute("DELETE FROM payment_runs WHERE client_id = $1 AND id = $2", client_id, run_id)
