"""Thread pools work in a process that was forked after they were used, such as a server process."""

import asyncio
import os
from pathlib import Path

import pytest

from gaji.core.threads import ThreadPool

CHILD_TIMEOUT_S = 20


def test_a_pool_works_after_a_fork() -> None:
    pool = ThreadPool("test", threads=1, max_waiting=1)
    parent = asyncio.run(pool.run(os.getpid))
    child = os.fork()
    if child == 0:
        os._exit(0 if _run_in_child(pool) not in (None, parent) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert asyncio.run(pool.run(os.getpid)) == parent


def _run_in_child(pool: ThreadPool) -> int | None:
    async def run() -> int:
        async with asyncio.timeout(CHILD_TIMEOUT_S):
            return await pool.run(os.getpid)

    try:
        return asyncio.run(run())
    except TimeoutError:
        return None


@pytest.mark.parametrize("unit", ["gaji.service", "gaji-worker.service"])
def test_the_units_allow_lower_priorities(unit: str) -> None:
    lines = (Path(__file__).parents[2] / "deploy" / "systemd" / unit).read_text().splitlines()
    allowed = [line.partition("=")[2].split() for line in lines if line.startswith("SystemCallFilter=")]
    assert "~@privileged" in allowed[1]
    assert "setpriority" in allowed[2]
