"""SQL for leave requests."""

from collections.abc import Sequence
from datetime import date, datetime

import asyncpg

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows, json_text
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction
from gaji.engine.dates import MAX_DATE, MIN_DATE
from gaji.leave.requests.schemas import LeaveRequestInput

DATES = """(SELECT json_agg(row_to_json((SELECT x FROM (SELECT d.date, trim_scale(d.millihours / 1000.0) AS hours,
        d.type_id, (SELECT t.name FROM leave_types t
                      WHERE t.client_id = q.client_id AND t.id = d.type_id) AS type) x)) ORDER BY d.place)
    FROM ROWS FROM (jsonb_to_recordset(q.dates) AS (date date, millihours numeric, type_id bigint))
         WITH ORDINALITY AS d(date, millihours, type_id, place))"""
ELEMENT = f"""row_to_json((SELECT e FROM (SELECT q.id, q.employee_id, {DATES} AS dates, q.reason, q.part_of_day,
        q.status, q.answer, shown(q.decided_at) AS decided_at, shown(q.created_at) AS created_at,
        shown(q.updated_at) AS updated_at) e))::text AS element"""
CLASHES = """
    WITH asked AS (
        SELECT r.request_id, r.employee_id, r.date, e.pay_point_id, w.wave_id
        FROM unnest($2::bigint[], $3::bigint[], $4::date[]) AS r (request_id, employee_id, date)
        JOIN employees e ON e.client_id = $1 AND e.id = r.employee_id
        LEFT JOIN wave_periods w ON w.client_id = $1 AND w.employee_id = r.employee_id
            AND w.start_date <= r.date AND (w.end_date IS NULL OR w.end_date >= r.date)
    ),
    absences AS (
        SELECT employee_id, date, 'away' AS status, leave_request_id AS request_id FROM leave_days
        WHERE client_id = $1 AND date = ANY ($4::date[])
        UNION ALL
        SELECT q.employee_id, d.date, 'requested', q.id FROM leave_requests q
        CROSS JOIN jsonb_to_recordset(q.dates) AS d (date date)
        WHERE q.client_id = $1 AND q.status = 'pending' AND d.date = ANY ($4::date[])
    )
    SELECT DISTINCT r.request_id, a.date, a.employee_id, a.status FROM asked r
    JOIN absences a ON a.date = r.date AND a.request_id IS DISTINCT FROM r.request_id
    JOIN employees e ON e.client_id = $1 AND e.id = a.employee_id
    LEFT JOIN wave_periods w ON w.client_id = $1 AND w.employee_id = a.employee_id
        AND w.start_date <= a.date AND (w.end_date IS NULL OR w.end_date >= a.date)
    WHERE a.employee_id = r.employee_id OR e.pay_point_id = r.pay_point_id
        OR (r.pay_point_id IS NULL AND e.pay_point_id IS NULL AND w.wave_id = r.wave_id)
    ORDER BY 1, 2, 3, 4"""


BETWEEN = """EXISTS (SELECT FROM jsonb_to_recordset(q.dates) AS d (date date)
    WHERE d.date BETWEEN ({0}::date[])[1] AND ({0}::date[])[2])"""
CONDITIONS = {
    "ids": ids_condition("q.id"),
    "status": "q.status = {}",
    "between": BETWEEN,
}
"""The SQL condition of each filter."""


async def list_elements(
    tx: Transaction, client_id: int, employee_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[str], int]:
    """List the requests of an employee as JSON, ordered by ID, and their total number."""
    between = [filters.get("from", MIN_DATE), filters.get("to", MAX_DATE)]
    conditions, arguments = filter_rows(CONDITIONS, {**filters, "between": between}, client_id, employee_id)
    source = f"leave_requests q WHERE q.client_id = $1 AND q.employee_id = $2{conditions}"
    rows, total = await fetch_page(tx, f"SELECT {ELEMENT} FROM {source} ORDER BY q.id", source, page, *arguments)
    return [row["element"] for row in rows], total


async def load_request(tx: Transaction, request_id: int) -> asyncpg.Record | None:
    """Load a request that the caller may see. The dates are JSON."""
    return await tx.fetchrow(
        "SELECT client_id, employee_id, status, dates FROM leave_requests WHERE id = $1", request_id
    )


async def lock_request(tx: Transaction, request_id: int) -> asyncpg.Record | None:
    """Lock a request that the caller may change until the transaction ends, and load it. The dates are JSON."""
    return await tx.fetchrow(
        "SELECT client_id, employee_id, status, dates FROM leave_requests WHERE id = $1 FOR UPDATE", request_id
    )


async def lock_requests(tx: Transaction, employee_id: int) -> None:
    """Let no other transaction add a request of an employee until this one ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('leave_requests', $1))", employee_id)


async def load_pending_dates(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
    """Load the days of the requests of an employee that wait for a decision: date, type and hours."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT d.date, d.type_id, d.millihours FROM leave_requests q "
        "CROSS JOIN jsonb_to_recordset(q.dates) AS d (date date, type_id bigint, millihours bigint) "
        "WHERE q.client_id = $1 AND q.employee_id = $2 AND q.status = 'pending' ORDER BY q.id, d.date",
        client_id,
        employee_id,
    )
    return rows


WITHDRAWAL_DECLINED = """q.status = 'approved' AND EXISTS (SELECT FROM leave_days d
    WHERE d.client_id = q.client_id AND d.employee_id = q.employee_id AND d.leave_request_id = q.id
        AND d.created_at < q.decided_at)"""
"""Whether leave stays because its withdrawal was declined.

The approval of a request records its days in the same transaction, so a later decision was about the withdrawal.
"""


async def load_declined_withdrawals(tx: Transaction, client_id: int, employee_id: int) -> list[int]:
    """Load the IDs of the requests whose leave stays because its withdrawal was declined."""
    rows = await tx.fetch(
        f"SELECT q.id FROM leave_requests q WHERE q.client_id = $1 AND q.employee_id = $2 AND {WITHDRAWAL_DECLINED}",
        client_id,
        employee_id,
    )
    return [row["id"] for row in rows]


async def load_decisions(
    tx: Transaction, client_id: int, employee_id: int, statuses: Sequence[str], since: datetime, limit: int
) -> list[asyncpg.Record]:
    """Load the requests of an employee that were decided since a moment and have these statuses, latest first."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT q.status, q.decided_at, {WITHDRAWAL_DECLINED} AS is_withdrawal_declined, days.first_date, "
        "days.last_date FROM leave_requests q CROSS JOIN LATERAL (SELECT min(d.date) AS first_date, "
        "max(d.date) AS last_date FROM jsonb_to_recordset(q.dates) AS d (date date)) days "
        "WHERE q.client_id = $1 AND q.employee_id = $2 AND q.status = ANY ($3::text[]) AND q.decided_at >= $4 "
        "ORDER BY q.decided_at DESC, q.id DESC LIMIT $5",
        client_id,
        employee_id,
        statuses,
        since,
        limit,
    )
    return rows


async def set_status(tx: Transaction, client_id: int, request_id: int, status: str) -> None:
    """Save the status of a request that was cancelled or is being withdrawn."""
    await tx.execute(
        "UPDATE leave_requests SET status = $3, decided_at = coalesce(decided_at, now()), updated_at = now() "
        "WHERE client_id = $1 AND id = $2",
        client_id,
        request_id,
        status,
    )


async def insert(tx: Transaction, client_id: int, employee_id: int, request: LeaveRequestInput) -> int:
    """Insert a request and return its id."""
    request_id: int = await tx.fetchval(
        "INSERT INTO leave_requests (client_id, employee_id, dates, reason, part_of_day) "
        "VALUES ($1, $2, $3, $4, $5) RETURNING id",
        client_id,
        employee_id,
        json_text(request.dates),
        request.reason,
        request.part_of_day,
    )
    return request_id


async def decide(tx: Transaction, client_id: int, request_id: int, status: str, answer: str | None) -> None:
    """Save the decision on a request."""
    await tx.execute(
        "UPDATE leave_requests SET status = $3, answer = $4, decided_at = now(), updated_at = now() "
        "WHERE client_id = $1 AND id = $2",
        client_id,
        request_id,
        status,
        answer,
    )


async def load_clashes(
    tx: Transaction, client_id: int, request_ids: Sequence[int], employee_ids: Sequence[int], dates: Sequence[date]
) -> list[asyncpg.Record]:
    """Load who is away on requested days or has asked for them too. The sequences have one place for each day."""
    rows: list[asyncpg.Record] = await tx.fetch(CLASHES, client_id, request_ids, employee_ids, dates)
    return rows
