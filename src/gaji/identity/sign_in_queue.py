"""Places for sign-ins with a password, which takes long to check.

A flood of sign-ins is refused here, before any work is done for it: no statement is sent to the database, and no
attempt is counted. Known devices have places of their own and take turns with strangers, so a flood does not keep a
user out. The refusal comes after a moment, because programs that try passwords wait for the answer.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from gaji.core.caller_connection import run_while_connected
from gaji.core.errors import TooManyRequests
from gaji.core.fair_queue import FairQueue
from gaji.core.threads import PASSWORD_THREADS, PASSWORDS

MAX_STRANGERS = 16
"""Sign-ins from unknown devices at once, the waiting ones included."""
MAX_OF_ADDRESS = 8
"""Of these, from one network address."""
MAX_KNOWN = 100
"""Sign-ins from known devices at once."""
MAX_OF_USER = 2
"""Of these, from devices of one user."""
RETRY_AFTER_S = 2
REFUSAL_DELAY_S = 1.0
MAX_DELAYED = 500
"""Refusals that wait at once. Further ones are sent immediately."""
STRANGERS, KNOWN_DEVICES = 1, 2


class SignInPlaces:
    """A number of places, and the share of each address or user."""

    def __init__(self, total: int, share: int) -> None:
        self._total = total
        self._share = share
        self._held: Counter[str] = Counter()

    def are_taken(self, owner: str) -> bool:
        """Return whether there is no place for this owner."""
        return self._held[owner] >= self._share or self._held.total() >= self._total

    @contextmanager
    def hold(self, owner: str) -> Iterator[None]:
        """Hold a place during the block. Raises TooManyRequests if there is none."""
        if self.are_taken(owner):
            raise TooManyRequests(
                "Too many people are signing in at the moment; try again in a few seconds",
                headers={"Retry-After": str(RETRY_AFTER_S)},
            )
        self._held[owner] += 1
        try:
            yield
        finally:
            self._held[owner] -= 1
            if not self._held[owner]:
                del self._held[owner]


class SignInQueue:
    """The sign-ins of a server process. A few are in progress at once, the others wait."""

    def __init__(self) -> None:
        self._strangers = SignInPlaces(MAX_STRANGERS, MAX_OF_ADDRESS)
        self._known = SignInPlaces(MAX_KNOWN, MAX_OF_USER)
        # One more than passwords are checked at once, so that the threads need not wait for the database.
        self._turns = FairQueue("sign-ins", PASSWORD_THREADS + 1)
        self._delayed = 0

    @asynccontextmanager
    async def turn(self, address: str, user_id: int | None) -> AsyncIterator[None]:
        """Wait for a turn to sign in, and hold it. `user_id` is the user of a known device.

        Raises TooManyRequests if too many wait already, and Unavailable if passwords cannot be checked.
        """
        places, owner = (self._strangers, address) if user_id is None else (self._known, str(user_id))
        line = STRANGERS if user_id is None else KNOWN_DEVICES
        if places.are_taken(owner):
            await self._delay()
        with places.hold(owner):
            PASSWORDS.require_room()
            await run_while_connected(self._turns.acquire(line))
            try:
                yield
            finally:
                self._turns.release(line)

    async def _delay(self) -> None:
        if self._delayed >= MAX_DELAYED:
            return
        self._delayed += 1
        try:
            await asyncio.sleep(REFUSAL_DELAY_S)
        finally:
            self._delayed -= 1


SIGN_INS = SignInQueue()
