"""SQL for retention periods."""

from datetime import date, datetime

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.privacy.retention.schemas import RetentionSettings

COLUMNS = RetentionSettings.__struct_fields__


async def load_settings(tx: Transaction, client_id: int) -> RetentionSettings:
    """Load the settings of a client, or the defaults."""
    row = await tx.fetchrow(f"SELECT {', '.join(COLUMNS)} FROM retention_settings WHERE client_id = $1", client_id)
    return RetentionSettings(**row) if row else RetentionSettings()


async def load_enforced_at(tx: Transaction, client_id: int) -> datetime | None:
    """Return when the periods of a client were last enforced."""
    query = "SELECT enforced_at FROM retention_settings WHERE client_id = $1"
    enforced_at: datetime | None = await tx.fetchval(query, client_id)
    return enforced_at


async def record_enforcement(tx: Transaction, client_id: int) -> None:
    """Record that the periods of a client have been enforced."""
    await tx.execute("UPDATE retention_settings SET enforced_at = now() WHERE client_id = $1", client_id)


async def lock_settings(tx: Transaction, client_id: int) -> None:
    """Let no other transaction change the settings of a client until this one ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('retention_settings', $1))", client_id)


async def save_settings(tx: Transaction, client_id: int, settings: RetentionSettings) -> None:
    """Save the settings of a client."""
    placeholders = ", ".join(f"${number}" for number in range(2, len(COLUMNS) + 2))
    changes = ", ".join(f"{column} = excluded.{column}" for column in COLUMNS)
    await tx.execute(
        f"INSERT INTO retention_settings (client_id, {', '.join(COLUMNS)}) VALUES ($1, {placeholders}) "
        f"ON CONFLICT (client_id) DO UPDATE SET {changes}, updated_at = now()",
        client_id,
        *(getattr(settings, column) for column in COLUMNS),
    )


async def load_leavers(tx: Transaction, client_id: int, left_before: date) -> list[asyncpg.Record]:
    """Load employees who left before a day and are not erased: ID, last day of service, last year with pay."""
    rows: list[asyncpg.Record] = await tx.fetch(
        """WITH leavers AS (
               SELECT s.employee_id, max(s.end_date) AS last_service_date FROM service_periods s
               WHERE s.client_id = $1 AND NOT EXISTS (
                   SELECT FROM erased_employees r WHERE r.client_id = $1 AND r.employee_id = s.employee_id)
               GROUP BY s.employee_id HAVING bool_and(s.end_date < $2)),
           years AS (
               SELECT p.employee_id, extract(year FROM greatest(p.date, p.pay_date))::int AS year FROM payslips p
               WHERE p.client_id = $1 AND p.finalised
               UNION ALL SELECT t.employee_id, t.year FROM tax_certificates t WHERE t.client_id = $1
               UNION ALL SELECT b.employee_id, b.year FROM take_on_balances b WHERE b.client_id = $1
               UNION ALL SELECT g.employee_id, extract(year FROM g.income_date)::int FROM share_gains g
               WHERE g.client_id = $1)
           SELECT l.employee_id, l.last_service_date, coalesce(max(y.year), 1900) AS last_pay_year
           FROM leavers l LEFT JOIN years y USING (employee_id)
           GROUP BY l.employee_id, l.last_service_date ORDER BY l.employee_id""",
        client_id,
        left_before,
    )
    return rows


async def count_certificates(tx: Transaction, client_id: int, added_before: date) -> asyncpg.Record:
    """Count the medical certificates that were added before a day, and return the oldest day."""
    return await tx.fetchrow(
        "SELECT count(*) AS records, min(created_at)::date AS oldest FROM medical_certificates "
        "WHERE client_id = $1 AND created_at < $2::date",
        client_id,
        added_before,
    )


async def delete_certificates(tx: Transaction, client_id: int, added_before: date) -> None:
    """Delete the medical certificates that were added before a day."""
    await tx.execute(
        "DELETE FROM medical_certificates WHERE client_id = $1 AND created_at < $2::date", client_id, added_before
    )
