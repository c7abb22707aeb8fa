"""Deliveries to several accounts with receivers that fail at random."""

import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from random import Random

from gaji.db.installation import Installation
from gaji.db.pool import Pool
from gaji.integrations.webhooks.signatures import new_secret
from tests.integrations.webhooks.receiver import Receiver, receiving
from tests.integrations.webhooks.tenants import QUICK, EventSource, accepted_ids, dispatching, wait_until

ACCOUNTS = 3
EVENTS_PER_RECORD = 3
EVENTS_AT_ONCE = 10
FLAKY = ("ok",) * 14 + ("error", "error", "close", "garbage", "slow_body", "hang")
"""Three of ten answers are not simply good."""
PATIENT = replace(QUICK, retry_delays_s=(0.02,) * 40, limits=replace(QUICK.limits, read_s=0.3))
"""With so many attempts, no endpoint is ever disabled."""


async def check_flaky_receivers(installation: Installation, pool: Pool, events: int, seed: int) -> float:
    """Send events of several accounts to flaky receivers, with a dead one beside them. Returns the seconds it took.

    Each event must arrive at least once, at the receiver of its account and at no other.
    """
    random, records = Random(seed), events // EVENTS_PER_RECORD
    started = time.monotonic()
    async with AsyncExitStack() as stack:
        sources = [await EventSource.create(installation, pool) for _ in range(ACCOUNTS)]
        receivers = []
        for source in sources:
            receiver = await stack.enter_async_context(receiving(Receiver(new_secret(), _choose(random))))
            await source.add_endpoint(receiver.url, receiver.secret)
            receivers.append(receiver)
        dead = await stack.enter_async_context(receiving(Receiver(new_secret(), lambda _: "hang")))
        await sources[0].add_endpoint(dead.url, dead.secret)
        await stack.enter_async_context(dispatching(pool, installation, PATIENT))
        for _ in range(events // (ACCOUNTS * EVENTS_AT_ONCE)):
            for source in sources:
                await source.emit(*random.sample(range(records), EVENTS_AT_ONCE))
        expected = [await _event_ids(source) for source in sources]
        for receiver, ids in zip(receivers, expected, strict=True):
            await wait_until(_has_all(receiver, ids), timeout_s=60 + events / 10)
    for receiver, source, ids in zip(receivers, sources, expected, strict=True):
        assert accepted_ids(receiver) == ids
        assert {message.content["data"]["client_id"] for message in receiver.messages} == {source.client_id}
    return time.monotonic() - started


def _choose(random: Random) -> Callable[[int], str]:
    return lambda _: random.choice(FLAKY)


def _has_all(receiver: Receiver, ids: set[str]) -> Callable[[], bool]:
    return lambda: accepted_ids(receiver) >= ids


async def _event_ids(source: EventSource) -> set[str]:
    async with source.tenant.transaction() as tx:
        return {f"evt_{row['id']}" for row in await tx.fetch("SELECT id FROM events")}
