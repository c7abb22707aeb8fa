"""Owners take turns in a queue for expensive work."""

import asyncio

import pytest

from gaji.core.errors import TooManyRequests
from gaji.core.fair_queue import FairQueue


class Worker:
    """Runs work in a queue and records the order in which it started."""

    def __init__(self, queue: FairQueue) -> None:
        self.started: list[str] = []
        self._queue = queue
        self._ended: dict[str, asyncio.Event] = {}

    def start(self, owner: int, name: str) -> asyncio.Task[None]:
        """Begin work that ends when it is told to."""
        self._ended[name] = asyncio.Event()
        return asyncio.create_task(self._run(owner, name))

    async def end(self, name: str) -> None:
        """End work that has started."""
        self._ended[name].set()
        await settle()

    async def _run(self, owner: int, name: str) -> None:
        async with self._queue.slot(owner):
            self.started.append(name)
            await self._ended[name].wait()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_owners_take_turns() -> None:
    async def check() -> None:
        worker = Worker(FairQueue("files", slots=1, max_waiting=10))
        tasks = [worker.start(1, f"first {number}") for number in range(3)]
        await settle()
        tasks += [worker.start(2, "second"), worker.start(3, "third")]
        await settle()
        for name in ("first 0", "first 1", "second", "third", "first 2"):
            assert worker.started[-1] == name
            await worker.end(name)
        await asyncio.gather(*tasks)

    asyncio.run(check())


def test_an_owner_has_no_more_than_its_share_of_the_slots() -> None:
    async def check() -> None:
        worker = Worker(FairQueue("files", slots=2, max_waiting=10, slots_per_owner=1))
        tasks = [worker.start(1, "endless"), worker.start(1, "next")]
        await settle()
        tasks.append(worker.start(2, "other"))
        await settle()
        assert worker.started == ["endless", "other"]
        await worker.end("other")
        assert worker.started == ["endless", "other"]
        await worker.end("endless")
        await worker.end("next")
        await asyncio.gather(*tasks)

    asyncio.run(check())


def test_the_line_of_an_owner_is_limited_and_others_are_not_affected() -> None:
    async def check() -> None:
        worker = Worker(FairQueue("files", slots=1, max_waiting=1))
        tasks = [worker.start(1, "running"), worker.start(1, "waiting")]
        await settle()
        with pytest.raises(TooManyRequests, match="1 files of this account"):
            await worker.start(1, "too many")
        tasks.append(worker.start(2, "other"))
        await settle()
        for name in ("running", "waiting", "other"):
            await worker.end(name)
        await asyncio.gather(*tasks)

    asyncio.run(check())


@pytest.mark.parametrize("assigned", [False, True])
def test_work_that_is_cancelled_while_it_waits_gives_up_its_place(assigned: bool) -> None:
    async def check() -> None:
        worker = Worker(FairQueue("files", slots=1, max_waiting=10))
        tasks = [worker.start(1, "running"), worker.start(1, "cancelled"), worker.start(1, "last")]
        await settle()
        if assigned:
            worker._ended["running"].set()
            await asyncio.sleep(0)  # the slot is assigned, and its owner has not run yet
        tasks[1].cancel()
        await worker.end("running")
        assert worker.started == ["running", "last"]
        await worker.end("last")
        await asyncio.wait(tasks)
        assert tasks[1].cancelled()

    asyncio.run(check())
