"""Doing the imports of a client that wait, as a job.

One transaction claims an import, does it and notes its outcome. A worker that dies takes all of it back with it, the
claim included: another one finds the import as it was. How far it is, and how often it was begun, is noted beside that
transaction, for others to see.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import msgspec

from gaji.accounts.service import require_writer
from gaji.db.reach import is_unreachable
from gaji.db.tenancy import Caller, Transaction
from gaji.errors import Conflict, GajiError, Invalid
from gaji.failpoints import failpoint
from gaji.spreadsheets import reading, store
from gaji.spreadsheets.outcomes import shown
from gaji.spreadsheets.sheets import import_sheet
from gaji.spreadsheets.store import Claimed

MOST_ATTEMPTS = 3
NOT_DONE = "The workbook could not be imported, by a fault of ours that was logged"
GIVEN_UP = f"The workbook could not be imported: {MOST_ATTEMPTS} times the worker ended before it was done"

Begin = Callable[[], AbstractAsyncContextManager[Transaction]]
"""Begins a transaction that sees one client."""


class NotDone(Exception):
    """An import is refused; what was done of it is not to be kept."""

    def __init__(self, import_id: int, refusal: GajiError) -> None:
        super().__init__(refusal.message)
        self.import_id = import_id
        self.refusal = refusal


async def import_waiting(begin: Begin, client_id: int) -> None:
    """Do the imports of a client that nobody does, one after the other, until there are none."""
    while True:
        try:
            if not await _import_one(begin, client_id):
                return
        except NotDone as error:
            async with begin() as tx:
                await store.finish(tx, client_id, error.import_id, "failed", _told(error.refusal))
            if error.__cause__ is not None:
                raise error.__cause__ from None


async def _import_one(begin: Begin, client_id: int) -> bool:
    async with begin() as tx:
        claimed = await store.claim(tx, client_id)
        if claimed is None:
            return False
        async with begin() as beside:
            attempts = await store.begin(beside, client_id, claimed.id)
        if attempts > MOST_ATTEMPTS:
            raise NotDone(claimed.id, GajiError(GIVEN_UP))
        try:
            await _import(tx, begin, client_id, claimed)
        except GajiError as error:
            raise NotDone(claimed.id, error) from None
        except Exception as error:
            if is_unreachable(error):
                raise
            raise NotDone(claimed.id, GajiError(NOT_DONE)) from error
        failpoint("import.before_commit")
    failpoint("import.after_commit")
    return True


async def _import(tx: Transaction, begin: Begin, client_id: int, claimed: Claimed) -> None:
    """Do an import as the user who asked for it, if they still may."""
    user = Caller(user_id=claimed.user_id, account_id=0, access_version=0, administrator=False)
    own = Transaction(tx.connection, user, tx.vault)
    await require_writer(own, client_id)
    await store.act_for(own, claimed.user_id)

    async def note(step: str, rows: int, done: int) -> None:
        async with begin() as beside:
            await store.note_progress(beside, client_id, claimed.id, step, rows, done)

    sheet = await asyncio.to_thread(reading.read, claimed.content)
    outcome = await import_sheet(own, client_id, sheet, dry_run=claimed.dry_run, note=note)
    told = msgspec.json.encode(shown(outcome, dry_run=claimed.dry_run))
    await store.finish(tx, client_id, claimed.id, "complete", told)


def _told(refusal: GajiError) -> bytes:
    """What was wrong, as it is shown."""
    errors = refusal.errors if isinstance(refusal, Invalid | Conflict) else {}
    return msgspec.json.encode({"message": refusal.message, "errors": errors})
