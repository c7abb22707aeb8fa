"""Budgets for memory that callers can hold by sending or reading slowly."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gaji.core.errors import Unavailable

MIB = 1024 * 1024


class ByteBudget:
    """Bytes that a server process holds for its callers, and the share of each caller."""

    def __init__(self, total_bytes: int, share_bytes: int) -> None:
        self._total_bytes = total_bytes
        self._share_bytes = share_bytes
        self._held: Counter[int] = Counter()

    @contextmanager
    def hold(self, owner: int) -> Iterator[Callable[[int], None]]:
        """Yield a function that adds bytes of this owner. All are given back at the end of the block.

        The function raises Unavailable if the owner or all owners together hold too many.
        """
        held_bytes = 0

        def add(count: int) -> None:
            nonlocal held_bytes
            self._require(owner, count)
            held_bytes += count
            self._held[owner] += count

        try:
            yield add
        finally:
            self._held[owner] -= held_bytes
            if not self._held[owner]:
                del self._held[owner]

    def _require(self, owner: int, count: int) -> None:
        if self._held[owner] + count > self._share_bytes or self._held.total() + count > self._total_bytes:
            raise Unavailable("Too much data is being transferred at once; try again", retry_after_s=5)


# A server process starts with about 140 MiB. Reading and encoding what is sent takes about 70 MiB beyond its budget.
# With both budgets used up, and what the allocator does not return, it stays below 600 MiB.
RECEIVED = ByteBudget(total_bytes=128 * MIB, share_bytes=40 * MIB)
"""Bodies of requests that are not complete, by account. Those of requests without sign-in count together."""
SENT = ByteBudget(total_bytes=192 * MIB, share_bytes=96 * MIB)
"""Large bodies of responses that their callers have not read, by account."""
