"""The SQL of payslips on paper and of the templates that clients put in place of ours."""

from collections.abc import Sequence

import asyncpg

from gaji.db.tenancy import Transaction


async def papers(tx: Transaction, payslip_ids: Sequence[int]) -> list[asyncpg.Record]:
    """All that is printed on those of these payslips that the caller may see, by id."""
    rows: list[asyncpg.Record] = await tx.fetch("SELECT * FROM payslip_papers($1)", payslip_ids)
    return rows


async def template(tx: Transaction, client_id: int) -> asyncpg.Record | None:
    """The template of a client and when it was changed, as it is shown."""
    return await tx.fetchrow(
        "SELECT source, shown(updated_at) AS updated_at FROM payslip_templates WHERE client_id = $1", client_id
    )


async def replace_template(tx: Transaction, client_id: int, source: str) -> None:
    """Save the template of a client in place of the one that was there."""
    await tx.execute(
        "INSERT INTO payslip_templates (client_id, source) VALUES ($1, $2) "
        "ON CONFLICT (client_id) DO UPDATE SET source = excluded.source, updated_at = now()",
        client_id,
        source,
    )


async def delete_template(tx: Transaction, client_id: int) -> None:
    """Remove the template of a client, if it has one."""
    await tx.execute("DELETE FROM payslip_templates WHERE client_id = $1", client_id)
