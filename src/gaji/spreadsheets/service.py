"""What can be asked about employees as a spreadsheet: the workbook of a client, and what one that is sent back does."""

import asyncio

import asyncpg

from gaji.accounts.service import require_writer
from gaji.db.tenancy import Tenant, Transaction
from gaji.spreadsheets import reading
from gaji.spreadsheets.exporting import export_employees
from gaji.spreadsheets.importing import Outcome, apply
from gaji.spreadsheets.reading import Sheet

__all__ = ["export_employees", "import_employees", "import_sheet"]


async def import_employees(tenant: Tenant, client_id: int, content: bytes, *, dry_run: bool) -> Outcome:
    """Do what a workbook asks for, all of it or nothing; a dry run finds the same faults and saves nothing."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
    sheet = await asyncio.to_thread(reading.read, content)
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        return await import_sheet(tx, client_id, sheet, dry_run=dry_run)


async def import_sheet(tx: Transaction, client_id: int, sheet: Sheet, *, dry_run: bool) -> Outcome:
    """The same in a transaction that goes on."""
    await tx.execute("SAVEPOINT import")
    try:
        outcome = await apply(tx, client_id, sheet, keep=not dry_run)
    except (asyncpg.UniqueViolationError, asyncpg.ForeignKeyViolationError):
        # Somebody just took a number, or removed a wave. Now that they have, looking again says which cell is wrong.
        await tx.execute("ROLLBACK TO SAVEPOINT import")
        outcome = await apply(tx, client_id, sheet, keep=not dry_run)
    await tx.execute("ROLLBACK TO SAVEPOINT import" if dry_run else "RELEASE SAVEPOINT import")
    return outcome
