"""Kills with -9 of worker, server and database at random moments, while a run of 10,000 employees is opened.

A run that is complete before the next kill is deleted and opened again. However often it was struck, it ends complete:
every employee has exactly one payslip in it, calculated, with the same lines each time. In the end it is finalised,
with a last kill in the midst of that, and every loan has been taken from exactly once.
"""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

from torture.installation import Installation, installation, is_alive, wait_for
from torture.payroll import EMPLOYEES, Payroll

KILLS = 20
LONGEST_PAUSE_S = 2.0
BACK_WITHIN_S = 30

Say = Callable[[str], None]


def run(random: Random, say: Say = print) -> None:
    """One round on a fresh installation; raises AssertionError for what does not hold."""
    with installation() as place:
        place.start()
        payroll = Payroll(place)
        killed: Counter[str] = Counter()
        digests: list[str] = []
        run_id = payroll.open()
        while killed.total() < KILLS:
            time.sleep(random.uniform(0, LONGEST_PAUSE_S))
            killed[_strike(place, random)] += 1
            if payroll.read(run_id)["state"] == "ready":
                digests.append(payroll.check_complete(run_id))
                run_id = payroll.open_again(run_id)
        payroll.until_ready(run_id)
        digests.append(payroll.check_complete(run_id))
        assert len(set(digests)) == 1, "the same payslips came out differently"
        _finalise_with_a_kill(place, payroll, run_id, random)
        payroll.check_finalised(digests[0])
        told = ", ".join(f"{number} x {name}" for name, number in sorted(killed.items()))
        say(f"  killed {told}; {len(digests)} runs of {EMPLOYEES:,} employees, each complete, one finalised")
        assert place.interrupt() == 0
        assert not place.processes()


def _strike(place: Installation, random: Random) -> str:
    """Kill one process, and wait until another is in its place."""
    name = random.choice(("worker", "worker", "worker", "server", "database"))
    if name == "worker":
        wait_for("a worker", lambda: bool(place.worker_processes()), BACK_WITHIN_S)
        place.kill_processes(place.worker_processes())
        wait_for("a new worker", lambda: bool(place.worker_processes()), BACK_WITHIN_S)
    elif name == "server":
        place.wait_until_settled()
        place.kill_processes(place.server_processes())
        wait_for("a new server process", lambda: bool(place.server_processes()), BACK_WITHIN_S)
    else:
        killed = place.database
        os.kill(killed, signal.SIGKILL)
        wait_for("the database goes", lambda: not is_alive(killed), BACK_WITHIN_S)
    return name


def _finalise_with_a_kill(place: Installation, payroll: Payroll, run_id: int, random: Random) -> None:
    """Finalise, while whoever answers is killed at a random moment."""
    place.wait_until_settled()
    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(payroll.finalise, run_id)
        time.sleep(random.uniform(0, LONGEST_PAUSE_S))
        place.kill_processes(place.server_processes())
        done.result()
