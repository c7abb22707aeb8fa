"""What operators do with the audit log and access events: verify them, and export the heads of their chains."""

from gaji.audit import access_repository, repository
from gaji.audit.access_verification import verify_access_chains
from gaji.audit.exported_heads import export_heads, read_heads
from gaji.audit.tasks import add_access_links, add_links
from gaji.audit.verification import ChainReport, verify_chains
from gaji.db.installation import Installation
from gaji.db.tenancy import open_pool, pooled_connection


async def verify(installation: Installation, head_file: str | None = None) -> tuple[ChainReport, ChainReport]:
    """Verify all chains, also against the text of a file with exported heads.

    Return the reports about the audit log and about access events. Raises InvalidHeadFile.
    """
    exported = None if head_file is None else read_heads(installation.vault, head_file)
    async with (
        installation.database.owner_connection() as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        audit_report = await verify_chains(connection, installation.vault, exported)
        return audit_report, await verify_access_chains(connection, installation.vault, exported)


async def export(installation: Installation) -> str:
    """Add links to new entries, and return the heads of all chains as the text of a file."""
    pool = await open_pool(installation.database.as_application("gaji audit"), 1)
    try:
        await add_links(pool, installation.vault)
        await add_access_links(pool, installation.vault)
        async with pooled_connection(pool) as connection:
            heads = await repository.load_heads(connection)
            access_heads = await access_repository.load_heads(connection)
    finally:
        await pool.close()
    return export_heads(installation.vault, heads.values(), access_heads.values())
