"""Making the reports of a client that wait, as a job.

One transaction claims a report, makes it and completes it, and sees one state of the database throughout. A worker that
dies takes all of it back with it, the claim included: another one finds the report as it was. How far a report is,
and how often it was begun, is noted beside that transaction, for others to see.
"""

import zlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import asyncpg
import msgspec

from gaji.db.reach import is_unreachable
from gaji.db.tenancy import Transaction
from gaji.errors import GajiError, Invalid
from gaji.failpoints import failpoint
from gaji.reports import store
from gaji.reports.catalogue import report_of
from gaji.reports.making import make
from gaji.reports.store import Claimed

MOST_ATTEMPTS = 3
COMPRESSION = 1
"""Most of the size goes with the first level, most of the time with the last."""
NOT_MADE = "The report could not be made, by a fault of ours that was logged"
GIVEN_UP = f"The report could not be made: {MOST_ATTEMPTS} times its worker ended before it was complete"

Begin = Callable[[], AbstractAsyncContextManager[Transaction]]
"""Begins a transaction that sees one client."""

_decode = msgspec.json.Decoder().decode


class NotMade(Exception):
    """A report cannot be made; what was made of it is not to be kept."""

    def __init__(self, run_id: int, message: str) -> None:
        super().__init__(message)
        self.run_id = run_id
        self.message = message


async def make_waiting(alone: Begin, beside: Begin, client_id: int) -> None:
    """Make the reports of a client that nobody makes, one after the other, until there are none.

    `alone` begins a transaction that sees one state throughout, `beside` a short one whose outcome others see at once.
    """
    while True:
        try:
            if not await _make_one(alone, beside, client_id):
                return
        except asyncpg.SerializationError:
            continue  # someone else completed the same report in this very moment
        except NotMade as error:
            async with beside() as tx:
                await store.fail(tx, client_id, error.run_id, error.message)
            if error.__cause__ is not None:
                raise error.__cause__ from None


async def _make_one(alone: Begin, beside: Begin, client_id: int) -> bool:
    async with alone() as tx:
        claimed = await store.claim(tx, client_id)
        if claimed is None:
            return False
        async with beside() as other:
            attempts = await store.begin(other, client_id, claimed.id)
        if attempts > MOST_ATTEMPTS:
            raise NotMade(claimed.id, GIVEN_UP)
        try:
            await _make(tx, beside, client_id, claimed)
        except GajiError as error:
            raise NotMade(claimed.id, _told(error)) from None
        except Exception as error:
            if is_unreachable(error):
                raise
            raise NotMade(claimed.id, NOT_MADE) from error
        failpoint("report.before_commit")
    failpoint("report.after_commit")
    return True


def _told(error: GajiError) -> str:
    """Why a report is refused, with what is wrong about each field."""
    if isinstance(error, Invalid):
        return "; ".join(f"{name}: {fault}" for name, fault in error.errors.items())
    return error.message


async def _make(tx: Transaction, beside: Begin, client_id: int, claimed: Claimed) -> None:
    """Make a report and keep it."""
    table = await make(tx, client_id, report_of(claimed.report), _decode(claimed.request))
    versions: set[str] = set()
    rows = place = 0
    async for piece in table.pieces:
        versions |= piece.rules_versions
        if not piece.rows:
            continue
        place += 1
        rows += len(piece.rows)
        await store.add_piece(tx, client_id, claimed.id, place, zlib.compress(piece.text.encode(), COMPRESSION))
        async with beside() as other:
            await store.note_progress(other, client_id, claimed.id, rows)
        failpoint("report.after_piece")
    await store.complete(tx, client_id, claimed.id, table.keys, sorted(versions))
