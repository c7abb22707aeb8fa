"""Doing the errands of a client that wait, as a job.

One transaction claims an errand, does it and completes it. A worker that dies takes all of it back with it, the claim
included: another one finds the errand as it was. How far it is, and how often it was begun, is noted beside that
transaction, for others to see.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import asyncpg

from gaji.core.errors import GajiError
from gaji.core.failpoints import failpoint
from gaji.db.errors import is_unreachable
from gaji.db.tenancy import Transaction

MOST_ATTEMPTS = 3

Begin = Callable[[], AbstractAsyncContextManager[Transaction]]
"""Begins a transaction that sees one client."""


class Claimed(Protocol):
    """An errand that one transaction is the only one to do."""

    @property
    def id(self) -> int:
        """The id of its row."""


ClaimedOne = TypeVar("ClaimedOne", bound=Claimed)


@dataclass(frozen=True)
class Errand(Generic[ClaimedOne]):
    """How errands of one kind are done."""

    name: str
    """In the names of failpoints."""
    not_done: str
    """What is said of one that failed by a fault of ours."""
    given_up: str
    """What is said of one that ended its worker each time."""
    claim: Callable[[Transaction, int], Awaitable[ClaimedOne | None]]
    """Claims the first one of a client that nobody does."""
    begin: Callable[[Transaction, int, int], Awaitable[int]]
    """Notes that one is being done, and gives how often that was begun."""
    do: Callable[[Transaction, Begin, int, ClaimedOne], Awaitable[None]]
    """Does one, and notes that it is complete."""
    fail: Callable[[Transaction, int, int, GajiError], Awaitable[None]]
    """Notes that one cannot be done, and why."""


class NotDone(Exception):
    """An errand cannot be done; what was done of it is not to be kept."""

    def __init__(self, errand_id: int, refusal: GajiError) -> None:
        super().__init__(refusal.message)
        self.errand_id = errand_id
        self.refusal = refusal


async def do_waiting(errand: Errand[ClaimedOne], alone: Begin, beside: Begin, client_id: int) -> None:
    """Do the errands of a client that nobody does, one after the other, until there are none.

    `alone` begins the transaction of an errand, `beside` a short one whose outcome others see at once.
    """
    while True:
        try:
            if not await _do_one(errand, alone, beside, client_id):
                return
        except asyncpg.SerializationError:
            continue  # someone else completed the same one in this very moment
        except NotDone as error:
            async with beside() as tx:
                await errand.fail(tx, client_id, error.errand_id, error.refusal)
            if error.__cause__ is not None:
                raise error.__cause__ from None


async def _do_one(errand: Errand[ClaimedOne], alone: Begin, beside: Begin, client_id: int) -> bool:
    async with alone() as tx:
        claimed = await errand.claim(tx, client_id)
        if claimed is None:
            return False
        async with beside() as other:
            attempts = await errand.begin(other, client_id, claimed.id)
        if attempts > MOST_ATTEMPTS:
            raise NotDone(claimed.id, GajiError(errand.given_up))
        try:
            await errand.do(tx, beside, client_id, claimed)
        except GajiError as error:
            raise NotDone(claimed.id, error) from None
        except Exception as error:
            if is_unreachable(error):
                raise
            raise NotDone(claimed.id, GajiError(errand.not_done)) from error
        failpoint(f"{errand.name}.before_commit")
    failpoint(f"{errand.name}.after_commit")
    return True
