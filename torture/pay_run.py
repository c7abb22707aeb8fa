"""Worker, server and database are killed with SIGKILL at random while a run of 10,000 employees is opened.

A run that is complete before the next kill is deleted and opened again. However often processes are killed, every run
ends complete: every employee has exactly one calculated payslip, with the same lines each time. Finally it is
finalised, with a kill meanwhile, and exactly one instalment of every loan has been deducted.
"""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

from torture.installation import ServedInstallation, is_alive, served_installation, wait_for
from torture.payroll import EMPLOYEES, Payroll

KILLS = 20
MAX_PAUSE_S = 2.0
RESTART_TIMEOUT_S = 30

Report = Callable[[str], None]


def run(random: Random, report: Report = print) -> None:
    """Run one round on a new installation. Raises AssertionError if an expectation fails."""
    with served_installation() as served:
        served.start()
        payroll = Payroll(served)
        killed: Counter[str] = Counter()
        digests: list[str] = []
        run_id = payroll.open()
        while killed.total() < KILLS:
            time.sleep(random.uniform(0, MAX_PAUSE_S))
            killed[kill_process(served, random)] += 1
            if payroll.read(run_id)["state"] != "calculating":
                digests.append(payroll.check_complete(run_id))
                run_id = payroll.open_again(run_id)
        payroll.wait_until_ready(run_id)
        digests.append(payroll.check_complete(run_id))
        assert len(set(digests)) == 1, "the payslips differ between runs"
        _finalise_with_kill(served, payroll, run_id, random)
        payroll.check_finalised(digests[0])
        counts = ", ".join(f"{number} x {name}" for name, number in sorted(killed.items()))
        report(f"  killed {counts}; {len(digests)} runs of {EMPLOYEES:,} employees, each complete, one finalised")
        assert served.interrupt() == 0
        assert not served.processes()


def kill_process(served: ServedInstallation, random: Random) -> str:
    """Kill one process, and wait until it has been replaced."""
    name = random.choice(("worker", "worker", "worker", "server", "database"))
    if name == "worker":
        wait_for("a worker", lambda: bool(served.worker_processes()), RESTART_TIMEOUT_S)
        served.kill_processes(served.worker_processes())
        wait_for("a new worker", lambda: bool(served.worker_processes()), RESTART_TIMEOUT_S)
    elif name == "server":
        served.kill_processes(served.server_processes())
        wait_for("a new server process", lambda: bool(served.server_processes()), RESTART_TIMEOUT_S)
    else:
        killed = served.database
        os.kill(killed, signal.SIGKILL)
        wait_for("the database ends", lambda: not is_alive(killed), RESTART_TIMEOUT_S)
    return name


def _finalise_with_kill(served: ServedInstallation, payroll: Payroll, run_id: int, random: Random) -> None:
    """Finalise, and kill the server processes meanwhile."""
    with ThreadPoolExecutor(1) as threads:
        finalising = threads.submit(payroll.finalise, run_id)
        time.sleep(random.uniform(0, MAX_PAUSE_S))
        served.kill_processes(served.server_processes())
        finalising.result()
