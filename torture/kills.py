"""Every process is killed with SIGKILL while 300 clients are being created.

Afterwards every acknowledged client exists exactly once, with the acknowledged ID; the database has been restarted;
Ctrl-C still ends everything; and no permission outside the data folder has changed.
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

from tests.support.running import http_client
from torture.creates import Creates
from torture.installation import Process, ServedInstallation, is_alive, permissions, served_installation, wait_for

RECOVERY_TIMEOUT_S = 90
"""On a busy machine. The report says how long each recovery took."""
REQUEST_TIMEOUT_S = 15
CREATES = 300
EMAIL = "torture@example.com"

Report = Callable[[str], None]


def run(random: Random, report: Report = print) -> None:
    """Run one round on a new installation. Raises AssertionError if an expectation fails."""
    with served_installation() as served:
        watched = [served.data.parent, Path(sys.prefix), Path(tempfile.gettempdir()), Path.cwd()]
        before = permissions(watched)
        served.start()
        key = create_key(served)
        second = served.failing_command("serve", "--port", str(served.port))
        assert str(served.port) in second, second
        assert "Traceback" not in second, second
        acknowledged: dict[str, int] = {}
        for name, kill in (("server", kill_server), ("database", kill_database), ("workers", kill_workers)):
            acknowledged |= _create_during(served, key, name, kill, random, report)
            _check_clients(served, key, acknowledged)
        _check_interrupt(served)
        served.start()
        _check_clients(served, key, acknowledged)
        _check_interrupt(served)
        assert permissions(watched) == before


def create_key(served: ServedInstallation) -> str:
    """Create an account and return an API key of its administrator."""
    served.command("account", "create", "--name", "Torture", "--email", EMAIL)
    return served.command("key", "create", "--email", EMAIL)


def _create_during(
    served: ServedInstallation,
    key: str,
    name: str,
    kill: Callable[[ServedInstallation, Random], str],
    random: Random,
    report: Report,
) -> dict[str, int]:
    """Create clients, and kill processes meanwhile. Return the acknowledged clients."""
    creates = Creates(served.port, key, name, CREATES)
    kill_after = random.randrange(10, CREATES - 50)

    async def kill_processes() -> str:
        await creates.until(kill_after)
        return await asyncio.to_thread(kill, served, random)

    async def both() -> str:
        outcome, _ = await asyncio.gather(kill_processes(), creates.run())
        return outcome

    try:
        outcome = asyncio.run(both())
    except AssertionError as error:
        error.add_note(f"exit status of the server: {served.server.poll()}; the end of its log:\n{served.log_end()}")
        raise
    report(f"  {name}: killed after {kill_after} creates; {outcome}; {creates}")
    assert not creates.problems, "\n".join([*creates.problems[:3], *served.failures()[-20:]])
    assert len(creates.acknowledged) == CREATES
    return creates.acknowledged


def kill_server(served: ServedInstallation, random: Random) -> str:
    """Kill the main process, with or without its server processes, and restart it as a supervisor does."""
    serving, working = served.wait_for_processes()
    together = random.random() < 0.5
    served.kill_server()
    served.kill_processes(serving if together else [])
    time.sleep(random.choice((0.0, random.uniform(0, 3))))
    served.start()
    orphans = [*serving, *working]
    took_s = wait_for("the killed server's processes end", lambda: not _any_alive(orphans), RECOVERY_TIMEOUT_S)
    return f"killed {'with its processes' if together else 'alone'}, restarted, orphans gone {took_s:.1f} s later"


def kill_database(served: ServedInstallation, random: Random) -> str:
    """Kill PostgreSQL's main process, with or without the server processes. Nothing is restarted by the test."""
    killed = served.database
    serving = served.server_processes() if random.random() < 0.5 else []
    os.kill(killed, signal.SIGKILL)
    if serving:
        served.kill_processes(serving)
    took_s = wait_for("the database is back", lambda: not is_alive(killed) and _ready(served), RECOVERY_TIMEOUT_S)
    return f"killed {'with the server processes' if serving else 'alone'}, ready after {took_s:.1f} s"


def kill_workers(served: ServedInstallation, random: Random) -> str:
    """Kill the server processes and the embedded worker, which the main process replaces."""
    serving, working = served.wait_for_processes()
    victims = [*serving, *working]
    served.kill_processes(victims)

    def replaced() -> bool:
        return not _any_alive(victims) and bool(served.server_processes()) and bool(served.worker_processes())

    took_s = wait_for("new processes", replaced, RECOVERY_TIMEOUT_S)
    took_s += wait_for("the new process is ready", lambda: _ready(served), RECOVERY_TIMEOUT_S)
    return f"replaced and ready after {took_s:.1f} s"


def _any_alive(processes: list[Process]) -> bool:
    return any(is_alive(process.pid) for process in processes)


def _ready(served: ServedInstallation) -> bool:
    """Return whether the server is ready. If it is not, it must respond with 503."""
    try:
        with http_client(trust_env=False) as http:
            response = http.get(f"{served.url}/readyz", timeout=REQUEST_TIMEOUT_S)
    except httpx.TransportError:
        return False
    assert response.status_code in (200, 503), response.text
    return response.status_code == 200


def _check_clients(served: ServedInstallation, key: str, acknowledged: dict[str, int]) -> None:
    with http_client(headers={"Authorization": key}, trust_env=False) as http:
        response = http.get(f"{served.url}/v1/clients")
    assert response.status_code == 200, response.text
    listed = [(element["client"]["name"], element["client"]["id"]) for element in response.json()]
    assert sorted(listed) == sorted(acknowledged.items())


def _check_interrupt(served: ServedInstallation) -> None:
    status = served.interrupt()
    assert status == 0, f"gaji serve ended with {status}"
    remaining = served.processes()
    assert not remaining, f"still running: {remaining}"
