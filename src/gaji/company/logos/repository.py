"""SQL for logos."""

import asyncio

from gaji.company.logos.queries import open_logo, sealed_cell
from gaji.company.logos.rules import LogoImage
from gaji.db.tenancy import Transaction


async def load_logo(tx: Transaction, client_id: int) -> LogoImage | None:
    """Load the logo of a client."""
    row = await tx.fetchrow("SELECT *, id AS logo_id FROM client_logos WHERE client_id = $1", client_id)
    return await open_logo(tx, client_id, row) if row else None


async def replace_logo(tx: Transaction, client_id: int, logo: LogoImage) -> None:
    """Insert or replace the logo of a client."""
    logo_id: int = await tx.fetchval(
        "SELECT coalesce((SELECT id FROM client_logos WHERE client_id = $1), "
        "nextval(pg_get_serial_sequence('client_logos', 'id')))",
        client_id,
    )
    sealed = await asyncio.to_thread(tx.vault.seal, logo.content, sealed_cell(client_id, logo_id))
    await tx.execute(
        "INSERT INTO client_logos (client_id, id, media_type, width_pixels, height_pixels, content_sealed) "
        "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (client_id, id) DO UPDATE SET media_type = excluded.media_type, "
        "width_pixels = excluded.width_pixels, height_pixels = excluded.height_pixels, "
        "content_sealed = excluded.content_sealed, updated_at = now()",
        client_id,
        logo_id,
        logo.media_type,
        logo.width,
        logo.height,
        sealed,
    )


async def delete_logo(tx: Transaction, client_id: int) -> None:
    """Delete the logo of a client, if there is one."""
    await tx.execute("DELETE FROM client_logos WHERE client_id = $1", client_id)


async def lock_logo(tx: Transaction, client_id: int) -> None:
    """Let no other transaction replace the logo of a client until this one ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('client_logos', $1))", client_id)
