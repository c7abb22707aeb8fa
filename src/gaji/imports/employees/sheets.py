"""A sheet in a transaction: done whole, or looked at and undone."""

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.imports.employees.import_sheet import Note, apply, nobody_watches
from gaji.imports.employees.result import Outcome
from gaji.imports.employees.xlsx_reader import Sheet


async def import_sheet(
    tx: Transaction, client_id: int, sheet: Sheet, *, dry_run: bool, note: Note = nobody_watches
) -> Outcome:
    """Do what a sheet asks for; a dry run finds the same faults and leaves everything as it was."""
    await tx.savepoint("import")
    try:
        outcome = await apply(tx, client_id, sheet, keep=not dry_run, note=note)
    except (asyncpg.UniqueViolationError, asyncpg.ForeignKeyViolationError):
        # Somebody just took a number, or removed a wave. Now that they have, looking again says which cell is wrong.
        await tx.roll_back_to("import")
        outcome = await apply(tx, client_id, sheet, keep=not dry_run, note=note)
    if dry_run:
        await tx.roll_back_to("import")
    await tx.execute("RELEASE SAVEPOINT import")
    return outcome
