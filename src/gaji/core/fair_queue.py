"""A queue in which owners take turns, so that one with much work does not delay the others."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gaji.core.errors import TooManyRequests

RETRY_AFTER_S = 2
NO_OWNER = 0
"""The owner of work that belongs to nobody. It takes turns with the others, and has no limit of its own."""


class FairQueue:
    """A number of slots. The work of each owner waits in its own line, and the lines take turns."""

    def __init__(
        self, noun: str, slots: int, max_waiting: int | None = None, slots_per_owner: int | None = None
    ) -> None:
        self._noun = noun
        self._slots = slots
        self._free = slots
        self._max_waiting = max_waiting
        self._slots_per_owner = slots_per_owner or slots
        self._running: dict[int, int] = {}
        self._lines: OrderedDict[int, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def slot(self, owner: int) -> AsyncIterator[None]:
        """Wait for a slot and hold it. Raises TooManyRequests if too much work of this owner is waiting."""
        await self.acquire(owner)
        try:
            yield
        finally:
            self.release(owner)

    @property
    def in_use(self) -> int:
        """The number of slots that are held."""
        return self._slots - self._free

    def try_acquire(self, owner: int) -> bool:
        """Take a slot, if that is possible without waiting."""
        if not self._can_start(owner):
            return False
        self._start(owner)
        return True

    async def acquire(self, owner: int) -> None:
        """Wait for a slot and take it. Raises TooManyRequests if too much work of this owner is waiting."""
        if self.try_acquire(owner):
            return
        line = self._lines.get(owner, deque())
        if self._max_waiting is not None and len(line) >= self._max_waiting:
            raise TooManyRequests(
                f"{self._max_waiting} {self._noun} of this account are waiting already; try again later",
                headers={"Retry-After": str(RETRY_AFTER_S)},
            )
        turn = asyncio.get_running_loop().create_future()
        self._lines.setdefault(owner, line).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            self._leave(owner, turn)
            raise

    def _leave(self, owner: int, turn: asyncio.Future[None]) -> None:
        """Give up a place in a line, or the slot that was assigned at the same moment."""
        if turn.done() and not turn.cancelled():
            self.release(owner)
        elif turn in (line := self._lines.get(owner, deque())):
            line.remove(turn)
            if not line:
                del self._lines[owner]

    def _can_start(self, owner: int) -> bool:
        return self._free > 0 and (owner == NO_OWNER or self._running.get(owner, 0) < self._slots_per_owner)

    def _start(self, owner: int) -> None:
        self._free -= 1
        self._running[owner] = self._running.get(owner, 0) + 1

    def release(self, owner: int) -> None:
        """Return a slot."""
        self._free += 1
        self._running[owner] -= 1
        if not self._running[owner]:
            del self._running[owner]
        while self._lines and (turn := self._next_turn()):
            turn.set_result(None)

    def _next_turn(self) -> asyncio.Future[None] | None:
        """Start the work of the owner whose turn it is. Return its future, or None if none can start."""
        for owner in list(self._lines):
            while self._lines.get(owner) and self._can_start(owner):
                turn = self._take(owner)
                if not turn.done():  # it is done if its task was cancelled
                    self._start(owner)
                    return turn
        return None

    def _take(self, owner: int) -> asyncio.Future[None]:
        """Take the first place of a line, and move the line behind the others."""
        line = self._lines.pop(owner)
        turn = line.popleft()
        if line:
            self._lines[owner] = line
        return turn
