"""Webhooks to flaky receivers, in far greater numbers than in the tests."""

import asyncio
from random import Random

from bench.servers import open_demo
from gaji.db.tenancy import open_pool
from tests.integrations.webhooks.flaky_receivers import check_flaky_receivers

EVENTS = 10_000


def run(random: Random) -> None:
    """Deliver events of several accounts. Raises AssertionError if one is missing or reaches another account."""
    with open_demo(employees=1) as (installation, _), asyncio.Runner() as runner:
        pool = runner.run(open_pool(installation.database.as_application("torture"), 16))
        result = runner.run(check_flaky_receivers(installation, pool, EVENTS, random.randrange(10**9)))
        runner.run(pool.close())
    print(
        f"  {EVENTS:,} events in {result.took_s:.0f} s, {result.requests:,} requests, {result.disabled} times "
        f"disabled by a 410 and enabled again, longest delay to the working receiver in the account of the dead one "
        f"{result.longest_delay_s:.1f} s",
        flush=True,
    )
