"""SQL for payslip PDFs and their templates."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.company.logos.queries import open_logo
from gaji.company.waves.queries import load_pay_calendars_of_waves
from gaji.db.tenancy import Transaction
from gaji.documents.payslips.design import PayslipDesign, PayslipOptions

OPTION_COLUMNS = PayslipOptions.__struct_fields__
IDENTITY_DOCUMENTS = {
    "nric_masked": "NRIC",
    "fin_masked": "FIN",
    "malaysian_ic_masked": "Malaysian IC",
    "passport_number_masked": "passport number",
}
"""The documents of an employee. Payslips have the number of the first that exists."""
ANY_IDENTITY_DOCUMENT = "NRIC, FIN, Malaysian IC or passport number, whichever exists first"


async def load_documents(tx: Transaction, payslip_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Load everything that is printed on the payslips that the caller may see, ordered by id."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT d.*, m.payment_date, (SELECT p.remarks <> '{}' FROM payslips p WHERE p.client_id = d.client_id "
        "AND p.id = d.id) AS has_remarks FROM payslip_papers($1) d JOIN payslip_payments($1) m "
        "ON m.payslip_id = d.id ORDER BY d.id",
        payslip_ids,
    )
    return rows


async def load_first_days(tx: Transaction, payslip_ids: Sequence[int]) -> dict[int, date]:
    """Load the first day of the year that was paid here, to the employee of each payslip or to others on its wave.

    Days of an employee who was recorded late are paid here too. The caller must see all payslips of the client.
    """
    # The payslips of others are not read, only their runs. A large company has thousands of payslips for each run.
    rows = await tx.fetch(
        "WITH printed AS (SELECT client_id, id, employee_id, wave_id, start_date, date, "
        "date_trunc('year', date)::date AS year_start FROM payslips WHERE id = ANY ($1)), "
        "paid AS (SELECT w.client_id, w.wave_id, w.year_start, min(r.period_offset) AS first_offset "
        "FROM (SELECT client_id, wave_id, year_start, max(date) AS date FROM printed "
        "GROUP BY client_id, wave_id, year_start) w "
        "JOIN payment_runs r ON r.client_id = w.client_id AND r.wave_id = w.wave_id AND r.payslip_count > 0 "
        "AND r.period_end_date >= w.year_start AND r.period_end_date <= w.date "
        "GROUP BY w.client_id, w.wave_id, w.year_start) "
        "SELECT p.id, p.wave_id, least(p.start_date, own.first_day) AS first_day, paid.first_offset "
        "FROM printed p LEFT JOIN paid USING (client_id, wave_id, year_start) "
        "CROSS JOIN LATERAL (SELECT min(q.start_date) AS first_day FROM payslips q "
        "WHERE q.client_id = p.client_id AND q.employee_id = p.employee_id AND q.finalised "
        "AND q.date >= p.year_start AND q.date <= p.date OFFSET 0) own",
        payslip_ids,
    )
    calendars = await load_pay_calendars_of_waves(tx, list({row["wave_id"] for row in rows}))
    first_days = {}
    for row in rows:
        first_day, offset = row["first_day"], row["first_offset"]
        paid_from = first_day if offset is None else calendars[row["wave_id"]].schedule.start(offset)
        first_days[row["id"]] = min(first_day, paid_from)
    return first_days


async def find_identity_document(tx: Transaction, client_id: int, employee_id: int, identity: str | None) -> str:
    """Name the document of an employee whose number is printed on a payslip. Name all if the number has changed."""
    columns = ", ".join(f"e.{column}" for column in IDENTITY_DOCUMENTS)
    row = await tx.fetchrow(
        f"SELECT {columns} FROM employees e WHERE e.client_id = $1 AND e.id = $2", client_id, employee_id
    )
    same = [name for column, name in IDENTITY_DOCUMENTS.items() if row is not None and row[column] == identity]
    return same[0] if same else ANY_IDENTITY_DOCUMENT


async def load_design(tx: Transaction, client_id: int) -> PayslipDesign:
    """Load what payslips of a client show, for everyone who can see them."""
    row = await tx.fetchrow("SELECT * FROM payslip_design($1)", client_id)
    if row is None:
        return PayslipDesign(PayslipOptions(), None)
    logo = await open_logo(tx, client_id, row) if row["logo_id"] is not None else None
    return PayslipDesign(_build_options(row), logo)


async def load_options(tx: Transaction, client_id: int) -> PayslipOptions:
    """Load the payslip options of a client, for everyone who can see its payslips."""
    row = await tx.fetchrow(f"SELECT has_options, {', '.join(OPTION_COLUMNS)} FROM payslip_design($1)", client_id)
    return _build_options(row) if row else PayslipOptions()


async def lock_options(tx: Transaction, client_id: int) -> None:
    """Let no other transaction change the options of a client until this one ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('payslip_options', $1))", client_id)


async def save_options(tx: Transaction, client_id: int, options: PayslipOptions) -> None:
    """Save the payslip options of a client."""
    placeholders = ", ".join(f"${number}" for number in range(2, len(OPTION_COLUMNS) + 2))
    changes = ", ".join(f"{column} = excluded.{column}" for column in OPTION_COLUMNS)
    await tx.execute(
        f"INSERT INTO payslip_options (client_id, {', '.join(OPTION_COLUMNS)}) VALUES ($1, {placeholders}) "
        f"ON CONFLICT (client_id) DO UPDATE SET {changes}, updated_at = now()",
        client_id,
        *(getattr(options, column) for column in OPTION_COLUMNS),
    )


async def find_template(tx: Transaction, client_id: int) -> asyncpg.Record | None:
    """Return the source of a client's template and when it was updated."""
    return await tx.fetchrow(
        "SELECT source, shown(updated_at) AS updated_at FROM payslip_templates WHERE client_id = $1", client_id
    )


async def upsert_template(tx: Transaction, client_id: int, source: str) -> None:
    """Save the template of a client."""
    await tx.execute(
        "INSERT INTO payslip_templates (client_id, source) VALUES ($1, $2) "
        "ON CONFLICT (client_id) DO UPDATE SET source = excluded.source, updated_at = now()",
        client_id,
        source,
    )


async def delete_template(tx: Transaction, client_id: int) -> None:
    """Delete the template of a client, if there is one."""
    await tx.execute("DELETE FROM payslip_templates WHERE client_id = $1", client_id)


def _build_options(row: asyncpg.Record) -> PayslipOptions:
    return PayslipOptions(**{name: row[name] for name in OPTION_COLUMNS}) if row["has_options"] else PayslipOptions()
