"""Making the reports of a client that wait, as errands: each sees one state of the database throughout."""

import zlib

import msgspec

from gaji.core.errors import GajiError, ValidationError
from gaji.core.failpoints import failpoint
from gaji.db.tenancy import Transaction
from gaji.reports import repository
from gaji.reports.registry import report_of
from gaji.reports.builder import make
from gaji.reports.repository import Claimed
from gaji.tasks.errands.doing import MOST_ATTEMPTS, Begin, Errand

COMPRESSION = 1
"""Most of the size goes with the first level, most of the time with the last."""

_decode = msgspec.json.Decoder().decode


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
        await repository.add_piece(tx, client_id, claimed.id, place, zlib.compress(piece.text.encode(), COMPRESSION))
        async with beside() as other:
            await repository.note_progress(other, client_id, claimed.id, rows)
        failpoint("report.after_piece")
    await repository.complete(tx, client_id, claimed.id, table.keys, sorted(versions))


async def _fail(tx: Transaction, client_id: int, run_id: int, refusal: GajiError) -> None:
    await repository.fail(tx, client_id, run_id, _told(refusal))


def _told(error: GajiError) -> str:
    """Why a report is refused, with what is wrong about each field."""
    if isinstance(error, ValidationError):
        return "; ".join(f"{name}: {fault}" for name, fault in error.errors.items())
    return error.message


REPORTS = Errand(
    name="report",
    not_done="The report could not be made, by a fault of ours that was logged",
    given_up=f"The report could not be made: {MOST_ATTEMPTS} times its worker ended before it was complete",
    claim=repository.claim,
    begin=repository.begin,
    do=_make,
    fail=_fail,
)
