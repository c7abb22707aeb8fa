"""SQL for payslip PDFs and their templates."""

from collections.abc import Sequence

import asyncpg

from gaji.db.tenancy import Transaction


async def load_documents(tx: Transaction, payslip_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Load everything that is printed on the payslips that the caller may see, ordered by id."""
    rows: list[asyncpg.Record] = await tx.fetch("SELECT * FROM payslip_papers($1)", payslip_ids)
    return rows


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
