"""Who may change the drafts of a client when.

Whoever changes, moves or calculates drafts holds them open, side by side with all others who do. Whoever opens,
finalises, unfinalises or deletes a payment run holds them alone: such a change is about all drafts of a period, those
included that somebody is just about to make.

To hold comes before any lock on a draft, and before anything is read that is decided on: what is read after it is what
everyone who held before has left.
"""

from gaji.db.tenancy import Transaction
from gaji.payslips.store import holding as store


async def hold_open(tx: Transaction, client_id: int) -> None:
    """Keep runs of a client from being opened, finalised, unfinalised or deleted until the transaction ends."""
    await store.hold(tx, client_id, alone=False)


async def hold_alone(tx: Transaction, client_id: int) -> None:
    """Keep everyone else from changing drafts of a client until the transaction ends."""
    await store.hold(tx, client_id, alone=True)
