"""Deliveries to several accounts with receivers that fail at random."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from random import Random

from gaji.core.errors import Conflict
from gaji.db.installation import Installation
from gaji.db.pool import Pool
from gaji.integrations.webhooks import repository, service
from gaji.integrations.webhooks.signatures import new_secret
from tests.integrations.webhooks.receiver import Receiver, receiving
from tests.integrations.webhooks.tenants import QUICK, EventSource, accepted_ids, dispatching, wait_until

ACCOUNTS = 3
EVENTS_PER_RECORD = 3
EVENTS_AT_ONCE = 10
MAX_UNDELIVERED = 100
"""More events are emitted only while the reliable receiver lacks at most about this many.

Otherwise its own backlog would delay them.
"""
FLAKY = ("ok",) * 70 + ("error",) * 10 + ("close", "garbage", "slow_body", "hang") * 5
"""Three of ten answers are not simply good."""
GONE_SHARE = 0.01
"""Answers that disable the endpoint. Its owner enables it again and replays what has failed."""
OWNER_POLL_S = 0.2
MAX_DELAY_S = 20
"""How long an event may take to a receiver that always works, on a busy machine."""
PATIENT = replace(QUICK, retry_delays_s=(0.02,) * 40, limits=replace(QUICK.limits, read_s=0.3))
"""With so many attempts, only a 410 or a dead receiver disables an endpoint."""


@dataclass(frozen=True)
class FlakyResult:
    """How the deliveries went."""

    took_s: float
    requests: int
    disabled: int
    """How often an endpoint answered 410 and was enabled again."""
    longest_delay_s: float
    """The longest time from an event to the receiver that always works, in the account of the dead one."""


async def check_flaky_receivers(installation: Installation, pool: Pool, events: int, seed: int) -> FlakyResult:
    """Send events of several accounts to flaky receivers, with a dead one beside them.

    Each event must arrive at least once, at the receiver of its account and at no other. The account of the dead
    receiver has another one that always works. It must not wait.
    """
    random, records = Random(seed), events // EVENTS_PER_RECORD
    started = time.monotonic()
    async with AsyncExitStack() as stack:
        sources = [await EventSource.create(installation, pool) for _ in range(ACCOUNTS)]
        receivers, owners = [], []
        for source in sources:
            receiver = await stack.enter_async_context(receiving(Receiver(new_secret(), _choose(random))))
            endpoint_id = await source.add_endpoint(receiver.url, receiver.secret)
            receivers.append(receiver)
            owners.append(EndpointOwner(source, endpoint_id))
        dead = await stack.enter_async_context(receiving(Receiver(new_secret(), lambda _: "hang")))
        owner_of_dead = EndpointOwner(sources[0], await sources[0].add_endpoint(dead.url, dead.secret))
        reliable = await stack.enter_async_context(receiving(Receiver(new_secret())))
        await sources[0].add_endpoint(reliable.url, reliable.secret)
        await stack.enter_async_context(dispatching(pool, installation, PATIENT))
        await stack.enter_async_context(_running([*owners, owner_of_dead]))
        for number in range(events // (ACCOUNTS * EVENTS_AT_ONCE)):
            for source in sources:
                await source.emit(*random.sample(range(records), EVENTS_AT_ONCE))
            await wait_until(_has_received(reliable, number * EVENTS_AT_ONCE - MAX_UNDELIVERED))
        expected = [await _event_ids(source) for source in sources]
        for receiver, ids in zip((*receivers, reliable), (*expected, expected[0]), strict=True):
            await wait_until(_has_all(receiver, ids), timeout_s=60 + events / 10)
    for receiver, source, ids in zip(
        (*receivers, reliable), (*sources, sources[0]), (*expected, expected[0]), strict=True
    ):
        assert accepted_ids(receiver) == ids
        assert {message.content["data"]["client_id"] for message in receiver.messages} == {source.client_id}
    assert {message.content["data"]["client_id"] for message in dead.messages} == {sources[0].client_id}
    longest_delay_s = max(_first_delays(reliable).values())
    assert longest_delay_s < MAX_DELAY_S
    return FlakyResult(
        took_s=time.monotonic() - started,
        requests=sum(receiver.requests for receiver in (*receivers, dead, reliable)),
        disabled=sum(owner.enabled for owner in owners),
        longest_delay_s=longest_delay_s,
    )


class EndpointOwner:
    """Enables an endpoint again when it has been disabled, and replays the deliveries that have failed."""

    def __init__(self, source: EventSource, endpoint_id: int) -> None:
        self.source, self.endpoint_id = source, endpoint_id
        self.enabled = 0

    async def run(self) -> None:
        """Enable the endpoint whenever it is disabled, and replay what has failed, until cancelled."""
        while True:
            await self._enable()
            # Replaying is refused if the endpoint is disabled again. Then the next round replays the rest.
            with suppress(Conflict):
                await self._replay_failed()
            await asyncio.sleep(OWNER_POLL_S)

    async def _enable(self) -> None:
        async with self.source.tenant.transaction() as tx:
            # The service would refuse the loopback address of the receiver.
            status = await tx.execute(
                "UPDATE webhook_endpoints SET enabled = true WHERE id = $1 AND NOT enabled", self.endpoint_id
            )
            if status == "UPDATE 1":
                await repository.make_due(tx, self.endpoint_id)
                self.enabled += 1

    async def _replay_failed(self) -> None:
        async with self.source.tenant.transaction() as tx:
            rows = await tx.fetch(
                "SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'failed'", self.endpoint_id
            )
        for row in rows:
            await service.replay_delivery(self.source.tenant, row["id"])


@asynccontextmanager
async def _running(owners: Sequence[EndpointOwner]) -> AsyncIterator[None]:
    """Run the owners of endpoints. If one fails, its error is raised."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(owner.run()) for owner in owners]
        yield
        for task in tasks:
            task.cancel()


def _first_delays(receiver: Receiver) -> dict[str, float]:
    """Return how long each event took to arrive for the first time."""
    delays: dict[str, float] = {}
    for message in receiver.messages:
        delays.setdefault(message.id, message.delay_s)
    return delays


def _choose(random: Random) -> Callable[[int], str]:
    return lambda _: "gone" if random.random() < GONE_SHARE else random.choice(FLAKY)


def _has_received(receiver: Receiver, count: int) -> Callable[[], bool]:
    return lambda: len(receiver.messages) >= count


def _has_all(receiver: Receiver, ids: set[str]) -> Callable[[], bool]:
    return lambda: accepted_ids(receiver) >= ids


async def _event_ids(source: EventSource) -> set[str]:
    async with source.tenant.transaction() as tx:
        return {f"evt_{row['id']}" for row in await tx.fetch("SELECT id FROM events")}
