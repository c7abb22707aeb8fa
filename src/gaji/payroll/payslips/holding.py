"""Who may change the drafts of a client when.

Whoever changes, moves or calculates drafts holds them open, side by side with all others who do. Whoever opens,
finalises, unfinalises or deletes a payment run holds them alone: such a change is about all drafts of a period, those
included that somebody is just about to make.

To hold comes before any lock on a draft, and before anything is read that is decided on: what is read after it is what
everyone who held before has left.
"""

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.store import holding as store

OPEN = store.OPEN.format("client_id")
"""An expression that holds the drafts of a row's client open, for those who lock the row with the same statement."""
_DRAFTS = "drafts"


async def lock_drafts_shared(tx: Transaction, client_id: int) -> None:
    """Keep runs of a client from being opened, finalised, unfinalised or deleted until the transaction ends."""
    if (_DRAFTS, client_id) not in tx.held:
        await store.hold_open(tx, client_id)
        held_open(tx, client_id)


def held_open(tx: Transaction, client_id: int) -> None:
    """Note that they are held open."""
    tx.held.add((_DRAFTS, client_id))


async def hold_alone(tx: Transaction, client_id: int) -> None:
    """Keep everyone else from changing drafts of a client until the transaction ends."""
    await store.hold_alone(tx, client_id)
