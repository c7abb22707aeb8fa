"""Kills with -9 of every process there is, while 300 clients are being created.

Afterwards every acknowledged client is there, once, under the id that was answered; the database has come back by
itself; Ctrl-C still ends everything; and no permission outside the data folder has changed.
"""

import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import httpx

from torture.creates import Creates
from torture.installation import Installation, Process, installation, is_alive, permissions, wait_for

DATABASE_BACK_WITHIN_S = 15
ORPHANS_GONE_WITHIN_S = 30
REPLACED_WITHIN_S = 15
CREATES = 300
EMAIL = "torture@example.com"

Say = Callable[[str], None]


def run(random: Random, say: Say = print) -> None:
    """One round on a fresh installation; raises AssertionError for what does not hold."""
    with installation() as place:
        watched = [place.data.parent, Path(sys.prefix), Path(tempfile.gettempdir()), Path.cwd()]
        before = permissions(watched)
        place.start()
        key = _account(place)
        second = place.refused("serve", "--port", str(place.port))
        assert str(place.port) in second, second
        assert "Traceback" not in second, second
        acknowledged: dict[str, int] = {}
        for name, hurt in (("server", _kill_server), ("database", _kill_database), ("workers", _kill_workers)):
            place.wait_until_settled()
            acknowledged |= _creates_with(place, key, name, hurt, random, say)
            _check_all_there(place, key, acknowledged)
        _check_ends_by_interrupt(place)
        place.start()
        _check_all_there(place, key, acknowledged)
        _check_ends_by_interrupt(place)
        assert permissions(watched) == before


def _account(place: Installation) -> str:
    place.command("account", "create", "--name", "Torture", "--email", EMAIL)
    return place.command("key", "create", "--email", EMAIL)


def _creates_with(
    place: Installation, key: str, name: str, hurt: Callable[[Installation, Random], str], random: Random, say: Say
) -> dict[str, int]:
    """All the creates, and the harm in their midst; gives what was acknowledged."""
    creates = Creates(place.port, key, name, CREATES)
    strike_at = random.randrange(10, CREATES - 50)

    async def strike() -> str:
        await creates.until(strike_at)
        return await asyncio.to_thread(hurt, place, random)

    async def both() -> str:
        outcome, _ = await asyncio.gather(strike(), creates.run())
        return outcome

    outcome = asyncio.run(both())
    say(f"  {name}: struck after {strike_at} creates; {outcome}; {creates}")
    assert not creates.faults, "\n".join([*creates.faults[:3], *place.failures()[-20:]])
    assert len(creates.acknowledged) == CREATES
    return creates.acknowledged


def _kill_server(place: Installation, random: Random) -> str:
    """The main process, alone or with those that answer; whoever supervises it starts it again, sooner or later."""
    answering, working = place.server_processes(), place.worker_processes()
    assert answering
    assert working
    together = random.random() < 0.5
    place.kill_server()
    place.kill_processes(answering if together else [])
    time.sleep(random.choice((0.0, random.uniform(0, 3))))
    place.start()
    orphans = [*answering, *working]
    took_s = wait_for("the killed server's processes end", lambda: not _alive(orphans), ORPHANS_GONE_WITHIN_S)
    return f"killed {'with its processes' if together else 'alone'}, restarted, orphans gone {took_s:.1f} s later"


def _kill_database(place: Installation, random: Random) -> str:
    """PostgreSQL's main process, alone or with the processes that answer; nobody helps."""
    killed = place.database
    answering = place.server_processes() if random.random() < 0.5 else []
    os.kill(killed, signal.SIGKILL)
    if answering:
        place.kill_processes(answering)
    took_s = wait_for("the database is back", lambda: not is_alive(killed) and _ready(place), DATABASE_BACK_WITHIN_S)
    return f"killed {'with the processes that answer' if answering else 'alone'}, ready after {took_s:.1f} s"


def _kill_workers(place: Installation, random: Random) -> str:
    """The processes that answer and the embedded worker; the main process replaces them."""
    answering, working = place.server_processes(), place.worker_processes()
    assert answering
    assert working
    victims = [*answering, *working]
    place.kill_processes(victims)

    def replaced() -> bool:
        numbers = len(place.server_processes()), len(place.worker_processes())
        return not _alive(victims) and numbers == (len(answering), len(working))

    took_s = wait_for("new processes", replaced, REPLACED_WITHIN_S)
    took_s += wait_for("the new process answers", lambda: _ready(place), REPLACED_WITHIN_S)
    return f"replaced and ready after {took_s:.1f} s"


def _alive(processes: list[Process]) -> bool:
    return any(is_alive(process.pid) for process in processes)


def _ready(place: Installation) -> bool:
    """Whether the server can serve; when it says no, it must say so properly."""
    try:
        answer = httpx.get(f"{place.url}/readyz", timeout=DATABASE_BACK_WITHIN_S, trust_env=False)
    except httpx.TransportError:
        return False
    assert answer.status_code in (200, 503), answer.text
    return answer.status_code == 200


def _check_all_there(place: Installation, key: str, acknowledged: dict[str, int]) -> None:
    answer = httpx.get(f"{place.url}/v1/clients", headers={"Authorization": key}, timeout=30, trust_env=False)
    assert answer.status_code == 200, answer.text
    listed = [(element["client"]["name"], element["client"]["id"]) for element in answer.json()]
    assert sorted(listed) == sorted(acknowledged.items())


def _check_ends_by_interrupt(place: Installation) -> None:
    status = place.interrupt()
    assert status == 0, f"gaji serve ended with {status}"
    left = place.processes()
    assert not left, f"still running: {left}"
