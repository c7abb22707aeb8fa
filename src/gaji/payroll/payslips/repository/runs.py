"""SQL for the payslips of payment runs."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import planned_without
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository.drafts import ARRAYS, DRAFT_COLUMNS, PERIOD_COLUMNS, TYPES, Rows
from gaji.payroll.payslips.repository.elements import CONDITIONS, ELEMENT

OF_RUN = "client_id = $1 AND payment_run_id = $2 AND NOT withdrawn"
# Regular drafts of a wave and period that belong to no run.
WAITING = """client_id = $1 AND wave_id = $2 AND period_offset = $3 AND NOT special AND NOT finalised
    AND NOT withdrawn AND payment_run_id IS NULL"""
# In the order of IDs, as other transactions lock them. Each draft is looked up by its ID (see `db.query_plans`). It may
# have changed before it was locked, so it is compared again, in a form for which PostgreSQL uses no index.
CLAIM_DRAFTS = f"""WITH chosen AS MATERIALIZED (
        SELECT id FROM payslips WHERE {WAITING} AND employee_id > $4 ORDER BY employee_id LIMIT $5)
    SELECT p.* FROM (SELECT id FROM chosen ORDER BY id) c CROSS JOIN LATERAL (
        SELECT {DRAFT_COLUMNS} FROM payslips
        WHERE id = c.id AND (client_id, wave_id, period_offset) IS NOT DISTINCT FROM ($1, $2, $3)
            AND NOT special AND NOT finalised AND NOT withdrawn AND coalesce(payment_run_id, 0) = 0
        OFFSET 0 FOR NO KEY UPDATE) p"""
# Hours of a finalised payslip are as they were meant.
WITHOUT_HOURS = "pays_regular_hours AND NOT finalised"
CALCULATED = "payment_run_id IS NOT NULL AND NOT dirty"
COUNTS = f"""count(*) AS payslips, count(*) FILTER (WHERE {CALCULATED}) AS calculated,
    count(*) FILTER (WHERE NOT ({CALCULATED})) AS dirty,
    count(*) FILTER (WHERE {CALCULATED} AND attention <> '{{}}') AS attention,
    coalesce(sum(nett_pay) FILTER (WHERE {CALCULATED}), 0)::bigint AS total,
    count(*) FILTER (WHERE {CALCULATED} AND nett_pay = 0) AS nothing,
    count(*) FILTER (WHERE {CALCULATED} AND {WITHOUT_HOURS}) AS without_hours"""


async def first_draft_before(tx: Transaction, client_id: int, wave_id: int, offset: int) -> date | None:
    """Return the date of the wave's first regular draft in an earlier period."""
    day: date | None = await tx.fetchval(
        "SELECT min(date) FROM payslips WHERE client_id = $1 AND wave_id = $2 AND period_offset < $3 "
        "AND NOT special AND NOT finalised AND NOT withdrawn",
        client_id,
        wave_id,
        offset,
    )
    return day


async def count_waiting(tx: Transaction, client_id: int, wave_id: int, offset: int) -> int:
    """Count the regular drafts of a period that belong to no run."""
    count: int = await tx.fetchval(f"SELECT count(*) FROM payslips WHERE {WAITING}", client_id, wave_id, offset)
    return count


async def claim_drafts(
    tx: Transaction, client_id: int, wave_id: int, offset: int, after: int, limit: int
) -> list[asyncpg.Record]:
    """Lock waiting drafts of the next employees after one."""
    # Without an index in the order of employees, all of them would be read and sorted for each chunk.
    async with planned_without(tx, "enable_sort"):
        rows: list[asyncpg.Record] = await tx.fetch(CLAIM_DRAFTS, client_id, wave_id, offset, after, limit)
    return rows


async def attach_drafts(tx: Transaction, client_id: int, wave_id: int, offset: int, run_id: int) -> list[int]:
    """Attach waiting drafts to a run without calculating them. Returns their employees."""
    rows = await tx.fetch(
        f"UPDATE payslips SET payment_run_id = $4 WHERE {WAITING} RETURNING employee_id",
        client_id,
        wave_id,
        offset,
        run_id,
    )
    return [row["employee_id"] for row in rows]


async def lock_drafts(tx: Transaction, client_id: int, run_id: int) -> list[asyncpg.Record]:
    """Lock the drafts of a run."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {DRAFT_COLUMNS} FROM payslips WHERE {OF_RUN} AND NOT finalised ORDER BY id FOR NO KEY UPDATE",
        client_id,
        run_id,
    )
    return rows


async def insert_special(tx: Transaction, client_id: int, rows: Rows) -> list[asyncpg.Record]:
    """Insert once-off drafts and return them."""
    inserted: list[asyncpg.Record] = await tx.fetch(
        f"INSERT INTO payslips (client_id, employee_id, {', '.join(PERIOD_COLUMNS)}, special) "
        f"SELECT $1, n.*, true FROM unnest($2::bigint[], {ARRAYS}) AS n RETURNING {DRAFT_COLUMNS}",
        client_id,
        *zip(*rows, strict=True),
    )
    return inserted


async def insert_corrections(
    tx: Transaction,
    client_id: int,
    corrected_run_id: int,
    employee_ids: Sequence[int] | None,
    columns: Sequence[object],
) -> list[int]:
    """Insert a withdrawn draft for each employee of a finalised run without one, and return these employees.

    The columns are PERIOD_COLUMNS, with the correction run as the last. The payslip of a correction run is not
    corrected itself, but the one that it corrects.
    """
    numbers = (f"${number}::{kind}" for number, kind in enumerate(TYPES, start=4))
    last = 3 + len(TYPES)
    rows = await tx.fetch(
        f"INSERT INTO payslips (client_id, employee_id, corrects, special, withdrawn, {', '.join(PERIOD_COLUMNS)}) "
        f"SELECT $1, employee_id, coalesce(corrects, id), true, true, {', '.join(numbers)} FROM payslips "
        "WHERE client_id = $1 AND payment_run_id = $2 AND ($3::bigint[] IS NULL OR employee_id = ANY ($3)) "
        f"AND employee_id NOT IN (SELECT employee_id FROM payslips WHERE client_id = $1 AND payment_run_id = ${last}) "
        "ORDER BY employee_id RETURNING employee_id",
        client_id,
        corrected_run_id,
        employee_ids,
        *columns,
    )
    return [row["employee_id"] for row in rows]


async def load_last_finalised_day(
    tx: Transaction, client_id: int, run_id: int, employee_ids: Sequence[int] | None
) -> date | None:
    """Return the date of the latest finalised payslip of a run's employees."""
    day: date | None = await tx.fetchval(
        "SELECT max(last.date) FROM payslips p CROSS JOIN LATERAL (SELECT max(q.date) AS date FROM payslips q "
        "WHERE q.client_id = p.client_id AND q.employee_id = p.employee_id AND q.finalised OFFSET 0) last "
        "WHERE p.client_id = $1 AND p.payment_run_id = $2 AND ($3::bigint[] IS NULL OR p.employee_id = ANY ($3))",
        client_id,
        run_id,
        employee_ids,
    )
    return day


async def list_employees(tx: Transaction, client_id: int, run_id: int) -> list[int]:
    """Return the employees with a payslip in a run."""
    rows = await tx.fetch(f"SELECT employee_id FROM payslips WHERE {OF_RUN} ORDER BY employee_id", client_id, run_id)
    return [row["employee_id"] for row in rows]


async def list_uncompared(tx: Transaction, client_id: int, run_id: int, after: int, limit: int) -> list[asyncpg.Record]:
    """List the drafts of a correction run whose differences are not known yet, of the next employees after one."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {DRAFT_COLUMNS} FROM payslips WHERE client_id = $1 AND payment_run_id = $2 AND withdrawn "
        "AND employee_id > $3 ORDER BY employee_id LIMIT $4",
        client_id,
        run_id,
        after,
        limit,
    )
    return rows


async def count_uncompared(tx: Transaction, client_id: int, run_id: int) -> int:
    """Count the drafts of a correction run whose differences are not known yet."""
    count: int = await tx.fetchval(
        "SELECT count(*) FROM payslips WHERE client_id = $1 AND payment_run_id = $2 AND withdrawn", client_id, run_id
    )
    return count


async def withdraw_corrections(tx: Transaction, client_id: int, run_id: int) -> int:
    """Withdraw the drafts of a correction run, to compare them again. Returns their number."""
    rows = await tx.fetch(
        "UPDATE payslips SET withdrawn = true, dirty = true "
        "WHERE client_id = $1 AND payment_run_id = $2 AND NOT finalised RETURNING id",
        client_id,
        run_id,
    )
    return len(rows)


async def delete_drafts(tx: Transaction, client_id: int, payslip_ids: Sequence[int]) -> None:
    """Delete drafts."""
    await tx.execute("DELETE FROM payslips WHERE client_id = $1 AND id = ANY ($2::bigint[])", client_id, payslip_ids)


async def detach_drafts(tx: Transaction, client_id: int, run_id: int) -> None:
    """Detach the regular drafts of a run, and delete its once-off drafts."""
    await tx.execute(
        "WITH gone AS (DELETE FROM payslips WHERE client_id = $1 AND payment_run_id = $2 AND special) "
        "UPDATE payslips SET payment_run_id = NULL "
        "WHERE client_id = $1 AND payment_run_id = $2 AND NOT special",
        client_id,
        run_id,
    )


# The following are grouped by rules version, which is faster than an array of the distinct versions.
async def counts(tx: Transaction, client_id: int, run_id: int) -> list[asyncpg.Record]:
    """Count the payslips of a run by state, and sum their nett pay in cents, by rules version."""
    return await _counts(tx, OF_RUN, client_id, run_id)


async def counts_of_period(tx: Transaction, client_id: int, wave_id: int, offset: int) -> list[asyncpg.Record]:
    """Count the regular payslips of a period in the same way, whether they belong to a run or not."""
    of_period = "client_id = $1 AND wave_id = $2 AND period_offset = $3 AND NOT special AND NOT withdrawn"
    return await _counts(tx, of_period, client_id, wave_id, offset)


async def counts_of_correction(tx: Transaction, client_id: int, run_id: int) -> list[asyncpg.Record]:
    """Count the payslips of a correction run that is being opened in the same way, with those not compared yet."""
    return await _counts(tx, "client_id = $1 AND payment_run_id = $2", client_id, run_id)


async def _counts(tx: Transaction, condition: str, *arguments: object) -> list[asyncpg.Record]:
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT rules_version, {COUNTS} FROM payslips WHERE {condition} GROUP BY rules_version", *arguments
    )
    return rows


async def list_totals(tx: Transaction, client_id: int, run_ids: Sequence[int]) -> list[asyncpg.Record]:
    """List the nett pay of calculated payslips in cents and the number of dirty ones, by run and rules version."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT payment_run_id, rules_version, coalesce(sum(nett_pay) FILTER (WHERE NOT dirty), 0)::bigint AS total, "
        "count(*) FILTER (WHERE dirty) AS dirty, count(*) FILTER (WHERE NOT dirty) AS calculated "
        "FROM payslips WHERE client_id = $1 "
        "AND payment_run_id = ANY ($2::bigint[]) AND NOT withdrawn GROUP BY 1, 2",
        client_id,
        run_ids,
    )
    return rows


async def list_blocked(tx: Transaction, client_id: int, run_id: int, limit: int) -> list[asyncpg.Record]:
    """List the payslips of a run that cannot be finalised, with their total number."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, employee_id, dirty, attention, count(*) OVER () AS total FROM payslips "
        f"WHERE {OF_RUN} AND (dirty OR attention <> '{{}}') ORDER BY id LIMIT $3",
        client_id,
        run_id,
        limit,
    )
    return rows


# This and `count_next_drafts` look up the payslips of each employee by index (see `db.query_plans`).
LATER_FINALISED = """payslips p CROSS JOIN LATERAL (
        SELECT * FROM payslips q WHERE q.client_id = p.client_id AND q.employee_id = p.employee_id
        AND q.finalised AND q.date >= p.date AND q.id <> p.id
        AND (q.date > p.date OR q.finalised_at > p.finalised_at) OFFSET 0) later
        WHERE p.client_id = $1 AND p.payment_run_id = $2 AND NOT p.withdrawn"""


async def find_later_finalised(tx: Transaction, client_id: int, run_id: int) -> asyncpg.Record | None:
    """Find a finalised payslip after one of this run's: with a later date, or finalised later on the same date."""
    return await tx.fetchrow(
        "SELECT later.id, later.date, later.employee_id, later.payment_run_id, (SELECT corrected.date "
        "FROM payslips corrected WHERE corrected.client_id = later.client_id AND corrected.id = later.corrects) "
        f"AS corrected_end FROM {LATER_FINALISED} "
        "ORDER BY later.date DESC, later.finalised_at DESC, later.id DESC LIMIT 1",
        client_id,
        run_id,
    )


async def list_later_runs(tx: Transaction, client_id: int, run_id: int) -> list[int]:
    """List the runs with a finalised payslip after one of this run's, as `find_later_finalised` finds them."""
    rows = await tx.fetch(
        f"SELECT DISTINCT later.payment_run_id FROM {LATER_FINALISED}",
        client_id,
        run_id,
    )
    return [row["payment_run_id"] for row in rows]


async def count_next_drafts(tx: Transaction, client_id: int, run_id: int) -> asyncpg.Record:
    """Count the regular drafts that follow the payslips of a regular run, and those with entries of their own."""
    return await tx.fetchrow(
        "SELECT count(*) AS drafts, count(*) FILTER (WHERE EXISTS (SELECT FROM calculations c "
        "WHERE c.client_id = d.client_id AND c.employee_id = d.employee_id AND c.payslip_id = d.id)) AS entries "
        "FROM payslips p CROSS JOIN LATERAL (SELECT * FROM payslips q "
        "WHERE q.client_id = p.client_id AND q.employee_id = p.employee_id "
        "AND q.date > p.date AND NOT q.finalised AND NOT q.withdrawn AND NOT q.special OFFSET 0) d "
        "WHERE p.client_id = $1 AND p.payment_run_id = $2 AND NOT p.withdrawn AND NOT p.special",
        client_id,
        run_id,
    )


async def load_content(tx: Transaction, client_id: int, run_id: int) -> asyncpg.Record:
    """Return the number of payslips of a run, their nett pay in cents, and a hash of all that they show."""
    return await tx.fetchrow(
        "SELECT count(*) AS payslips, coalesce(sum(nett_pay), 0)::bigint AS total, encode(sha256(convert_to("
        "coalesce(string_agg(encode(sha256(convert_to(concat_ws(' ', id, employee_id, pay_date, nett_pay, lines), "
        "'UTF8')), 'hex'), '' ORDER BY id), ''), 'UTF8')), 'hex') AS fingerprint "
        f"FROM payslips WHERE {OF_RUN}",
        client_id,
        run_id,
    )


async def finalise(tx: Transaction, client_id: int, run_id: int) -> asyncpg.Record:
    """Finalise the payslips of a run. Returns their employees, number, nett pay in cents and rules versions."""
    return await tx.fetchrow(
        "WITH done AS (UPDATE payslips SET finalised = true, finalised_at = now() "
        f"WHERE {OF_RUN} AND NOT dirty RETURNING employee_id, nett_pay, rules_version) "
        "SELECT coalesce(array_agg(employee_id ORDER BY employee_id), '{}') AS employee_ids, count(*) AS payslips, "
        "coalesce(sum(nett_pay), 0)::bigint AS total, coalesce(array_agg(DISTINCT rules_version) "
        "FILTER (WHERE rules_version IS NOT NULL), '{}') AS rules_versions FROM done",
        client_id,
        run_id,
    )


async def unfinalise(tx: Transaction, client_id: int, run_id: int) -> list[int]:
    """Turn the payslips of a run into dirty, unreleased drafts. Returns their employees."""
    rows = await tx.fetch(
        "UPDATE payslips SET finalised = false, finalised_at = NULL, ss_released = false, dirty = true "
        f"WHERE {OF_RUN} RETURNING employee_id",
        client_id,
        run_id,
    )
    return [row["employee_id"] for row in rows]


async def insert_queued_calculation(tx: Transaction, client_id: int, run_id: int) -> None:
    """Record that a task calculates the payslips of a run."""
    await tx.execute("INSERT INTO queued_calculations VALUES ($1, $2) ON CONFLICT DO NOTHING", client_id, run_id)


async def delete_completed_calculations(tx: Transaction, client_id: int) -> list[int]:
    """Return the runs whose queued calculation is complete, each only once."""
    rows = await tx.fetch(
        "DELETE FROM queued_calculations q WHERE q.client_id = $1 AND NOT EXISTS (SELECT FROM payslips p "
        "WHERE p.client_id = q.client_id AND p.payment_run_id = q.payment_run_id AND p.dirty AND NOT p.finalised "
        "AND NOT p.withdrawn) RETURNING payment_run_id",
        client_id,
    )
    return [row["payment_run_id"] for row in rows]


async def release(tx: Transaction, client_id: int, run_id: int) -> list[int]:
    """Release the payslips of a run to employees. Returns their IDs."""
    rows = await tx.fetch(
        f"UPDATE payslips SET ss_released = true WHERE {OF_RUN} AND NOT ss_released RETURNING id",
        client_id,
        run_id,
    )
    return [row["id"] for row in rows]


async def list_elements(
    tx: Transaction, client_id: int, run_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[asyncpg.Record], int]:
    """List the payslips of a run with JSON and lines, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, run_id)
    source = f"payslips p WHERE {OF_RUN}{conditions}"
    query = (
        "SELECT p.employee_id, CASE WHEN p.dirty THEN '{}' ELSE p.lines END AS lines, p.rules_version, "
        f"p.catalogue_version, {ELEMENT} FROM {source} ORDER BY p.id"
    )
    return await fetch_page(tx, query, source, page, *arguments)
