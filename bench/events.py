"""What the event of a change costs: recalculate one payslip with the event and without.

Both sides call the same service in this process, over one connection. For the baseline, the handler of events does
nothing.
"""

import asyncio
import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from unittest.mock import patch

from bench import servers
from bench.bars import PerformanceBar, Sample, Sides
from bench.recalculation import RECURRING, find_employee
from gaji.core.resource_events import ResourceEvent
from gaji.db import events
from gaji.db.tenancy import Tenant, Transaction, open_pool
from gaji.identity.service import find_user
from gaji.payroll.calculations.service import save_employee_calculation

CHANGES = 25
ROUNDS = 45
"""Many short rounds, so that both sides of a round see the same load on the machine."""


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.open_demo() as (installed, demo), asyncio.Runner() as runner:
        pool = runner.run(open_pool(installed.database.as_application("bench"), 2))
        tenant = Tenant(pool, installed.vault, runner.run(find_user(installed.database, demo.email)))
        employee_id = runner.run(find_employee(installed))
        for name, inputs in RECURRING.items():
            body = {"calc_type": name, "calculation_details": inputs}
            runner.run(save_employee_calculation(tenant, employee_id, body))
        amounts = itertools.count(4000)

        def measure_without_events() -> Sample:
            with patch.dict(events._handlers, {ResourceEvent: [_ignore]}):
                return runner.run(_measure(tenant, employee_id, amounts))

        yield Sides(ours=lambda: runner.run(_measure(tenant, employee_id, amounts)), baseline=measure_without_events)
        runner.run(pool.close())


async def _ignore(tx: Transaction, event: ResourceEvent) -> None:
    """Do nothing with an event."""


async def _measure(tenant: Tenant, employee_id: int, amounts: Iterator[int]) -> Sample:
    """Return the median duration of some changes, in milliseconds."""
    durations_ms: list[float] = []
    for amount in itertools.islice(amounts, CHANGES):
        body = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": amount}}
        started = time.perf_counter()
        await save_employee_calculation(tenant, employee_id, body)
        durations_ms.append((time.perf_counter() - started) * 1000)
    return Sample(median(durations_ms), {"min": min(durations_ms), "max": max(durations_ms)})


BAR = PerformanceBar(name="event of a recalculation", unit="ms", sides=_sides, max_ratio=1.05, rounds=ROUNDS)
