"""What operators do with the audit log: verify it, and export the heads of its chains."""

from gaji.audit import repository
from gaji.audit.exported_heads import export_heads, read_heads
from gaji.audit.tasks import add_links
from gaji.audit.verification import ChainReport, verify_chains
from gaji.db.installation import Installation
from gaji.db.tenancy import open_pool, pooled_connection


async def verify(installation: Installation, head_file: str | None = None) -> ChainReport:
    """Verify all chains, also against the text of a file with exported heads. Raises InvalidHeadFile."""
    exported = None if head_file is None else read_heads(installation.vault, head_file)
    async with (
        installation.database.owner_connection() as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        return await verify_chains(connection, installation.vault, exported)


async def export(installation: Installation) -> str:
    """Add links to new entries, and return the heads of all chains as the text of a file."""
    pool = await open_pool(installation.database.as_application("gaji audit"), 1)
    try:
        await add_links(pool, installation.vault)
        async with pooled_connection(pool) as connection:
            heads = await repository.load_heads(connection)
    finally:
        await pool.close()
    return export_heads(installation.vault, heads.values())
