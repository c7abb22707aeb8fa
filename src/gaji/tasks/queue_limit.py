"""The limit on queued tasks of a client, and the UUIDs of tasks."""

from dataclasses import dataclass
from uuid import UUID

from gaji.core.errors import TooManyRequests
from gaji.db.tenancy import Transaction
from gaji.tasks import repository


@dataclass(frozen=True)
class QueueLimit:
    """Limits the queued and running tasks of one kind, in a table with `client_id` and `state`."""

    table: str
    lock: str
    """The name of the advisory lock under which a client's task is added."""
    noun: str
    """The plural noun for messages, such as `reports`."""
    retry_after_s: int

    async def require_capacity(self, tx: Transaction, client_id: int, maximum: int) -> None:
        """Raise TooManyRequests if the queue is full. No other task can be added until the transaction ends."""
        if await repository.count_queued(tx, client_id, self.table, self.lock) >= maximum:
            raise TooManyRequests(
                f"This client already has {maximum} {self.noun} queued or running; wait for one to finish",
                headers={"Retry-After": str(self.retry_after_s)},
            )


def is_uuid(text: str) -> bool:
    """Return whether a text is a UUID in its usual form.

    >>> is_uuid("6b0f2d0e-9e0a-4d3c-8f55-0f8f4b1c2d3e"), is_uuid("6b0f2d0e9e0a4d3c8f550f8f4b1c2d3e"), is_uuid("x")
    (True, False, False)
    """
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False
