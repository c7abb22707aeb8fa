"""Asking for errands: how many of a client may wait at once, and the names that they are found by."""

from dataclasses import dataclass
from uuid import UUID

from gaji.core.errors import TooManyRequests
from gaji.db.tenancy import Transaction
from gaji.tasks.errands import store


@dataclass(frozen=True)
class Queue:
    """The errands of one kind that wait or are being done, in a table with client_id and state."""

    table: str
    lock: str
    """Under this name a client's is held while one is added."""
    called: str
    """What they are, as their client is told."""
    again_s: int
    """After how long it is worth asking again."""

    async def check_room(self, tx: Transaction, client_id: int, most: int) -> None:
        """Raise TooManyRequests when there is no room; until the transaction ends, nobody else adds one."""
        if await store.queued(tx, client_id, self.table, self.lock) >= most:
            raise TooManyRequests(
                f"This client has {most} {self.called} queued or running, which is the most there can be; wait for one",
                headers={"Retry-After": str(self.again_s)},
            )


def is_uuid(text: str) -> bool:
    """Whether an errand can have this name.

    >>> is_uuid("6b0f2d0e-9e0a-4d3c-8f55-0f8f4b1c2d3e"), is_uuid("6b0f2d0e9e0a4d3c8f550f8f4b1c2d3e"), is_uuid("x")
    (True, False, False)
    """
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False
