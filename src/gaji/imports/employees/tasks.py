"""Doing the imports of a client that wait, as errands."""

import asyncio

import msgspec

from gaji.core.errors import Conflict, GajiError, ValidationError
from gaji.db.tenancy import Caller, Transaction
from gaji.identity.service import require_writer
from gaji.imports.employees import xlsx_reader
from gaji.imports.employees import repository
from gaji.imports.employees.result import shown
from gaji.imports.employees.sheets import import_sheet
from gaji.imports.employees.repository import Claimed
from gaji.tasks.errands.doing import MOST_ATTEMPTS, Begin, Errand


async def _import(tx: Transaction, beside: Begin, client_id: int, claimed: Claimed) -> None:
    """Do an import as the user who asked for it, if they still may."""
    user = Caller(user_id=claimed.user_id, account_id=0, access_version=0, administrator=False)
    own = Transaction(tx.connection, user, tx.vault)
    await require_writer(own, client_id)
    await repository.act_for(own, claimed.user_id)

    async def note(step: str, rows: int, done: int) -> None:
        async with beside() as other:
            await repository.note_progress(other, client_id, claimed.id, step, rows, done)

    sheet = await asyncio.to_thread(xlsx_reader.read, claimed.content)
    outcome = await import_sheet(own, client_id, sheet, dry_run=claimed.dry_run, note=note)
    told = msgspec.json.encode(shown(outcome, dry_run=claimed.dry_run))
    await repository.finish(tx, client_id, claimed.id, "complete", told)


def _told(refusal: GajiError) -> bytes:
    """What was wrong, as it is shown."""
    errors = refusal.errors if isinstance(refusal, ValidationError | Conflict) else {}
    return msgspec.json.encode({"message": refusal.message, "errors": errors})


async def _fail(tx: Transaction, client_id: int, import_id: int, refusal: GajiError) -> None:
    await repository.finish(tx, client_id, import_id, "failed", _told(refusal))


IMPORTS = Errand(
    name="import",
    not_done="The workbook could not be imported, by a fault of ours that was logged",
    given_up=f"The workbook could not be imported: {MOST_ATTEMPTS} times its worker ended before it was complete",
    claim=repository.claim,
    begin=repository.begin,
    do=_import,
    fail=_fail,
)
