"""Logo queries."""

import asyncio

import asyncpg

from gaji.company.logos.rules import LogoImage
from gaji.core.vault import SealedCell
from gaji.db.tenancy import Transaction

TABLE, CONTENT = "client_logos", "content_sealed"
VERSION_SQL = "(SELECT extract(epoch FROM l.updated_at)::text FROM client_logos l WHERE l.client_id = c.id)"
"""Changes with the logo of the client in the row `c`. Null without a logo."""


async def open_logo(tx: Transaction, client_id: int, row: asyncpg.Record) -> LogoImage:
    """Decrypt the logo of a row."""
    cell = sealed_cell(client_id, row["logo_id"])
    content = await asyncio.to_thread(tx.vault.open_bytes, row[CONTENT], cell)
    return LogoImage(row["media_type"], row["width_pixels"], row["height_pixels"], content)


def sealed_cell(client_id: int, logo_id: int) -> SealedCell:
    """Return the cell that the content of a logo is encrypted for."""
    return SealedCell(client_id, TABLE, logo_id, CONTENT)
