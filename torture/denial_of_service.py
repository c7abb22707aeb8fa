"""One tenant or a stranger attacks, while another tenant reads one record.

The reads are measured in turns, quiet and during the attack, so that other load on the machine affects both. The p99
during an attack is at most three times the quiet one, or what the attack says, and no process takes more than 600 MiB.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

from gaji.core.settings import Settings
from tests.support.company import Company
from tests.support.running import Member, Service, http_client
from torture.attacks import ATTACKS, Attack, Attacker
from torture.installation import ServedInstallation, served_installation
from torture.read_probe import ProbeTarget, run_probe

ROUNDS = 5
QUIET_S = 3.0
ATTACK_S = 5.0
BEFORE_S = 1.5
"""From the start of an attack to its first measured read."""
SETTLE_S = 3.0
"""After an attack, for what the server had accepted."""
POLL_S = 0.1
MAX_MIB = 600
DEMO = ("demo", "--employees", "100", "--months", "3")
DEMO_EMAIL = "demo1@gaji.example"

Report = Callable[[str], None]


@dataclass
class AttackResult:
    """The latencies of each round, and the largest process."""

    name: str
    quiet_ms: list[list[float]] = field(default_factory=list)
    attacked_ms: list[list[float]] = field(default_factory=list)
    largest_mib: float = 0
    largest: str = ""
    max_ratio: float = Attack.max_ratio
    requests: str = ""

    @property
    def ratio(self) -> float:
        """The p99 during the attack divided by the quiet one. Both are medians of the rounds."""
        return percentile(self.attacked_ms, 99) / percentile(self.quiet_ms, 99)

    @property
    def holds(self) -> bool:
        """Whether both limits are kept."""
        return self.ratio <= self.max_ratio and self.largest_mib <= MAX_MIB

    def __str__(self) -> str:
        quiet = [percentile(self.quiet_ms, share) for share in (50, 99)]
        attacked = [percentile(self.attacked_ms, share) for share in (50, 99)]
        figures = "".join(f"{before:>11.1f}{during:>9.1f}" for before, during in zip(quiet, attacked, strict=True))
        verdict = "holds" if self.holds else "FAILS"
        memory = f"{self.largest_mib:>6.0f} {self.largest:<16}"
        return f"{self.name:<32}{figures}{self.ratio:>8.2f}{memory}{verdict}  {self.requests}"


HEADING = f"{'attack':<32}{'quiet p50':>11}{'p50':>9}{'quiet p99':>11}{'p99 ms':>9}{'ratio':>8}{'MiB':>6} of"


def percentile(rounds: list[list[float]], share: int) -> float:
    """Return the median of the percentiles of all rounds."""
    return median(sorted(latencies)[len(latencies) * share // 100] for latencies in rounds)


def run(_random: Random, report: Report = print) -> None:
    """Run all attacks on a new installation. Raises AssertionError if a limit is exceeded."""
    with served_installation() as served, _two_tenants(served) as (attacker, target):
        report(f"  {HEADING}")
        results = []
        for attack in ATTACKS:
            results.append(measure_attack(served, attack, attacker, target))
            report(f"  {results[-1]}")
        failures = [line for line in served.failures() if line.startswith("{")]
        assert not failures, failures[:5]  # a PDF process that runs out of memory writes other lines
        assert served.interrupt() == 0
    failed = [result.name for result in results if not result.holds]
    assert not failed, ", ".join(failed)


def measure_attack(served: ServedInstallation, attack: Attack, attacker: Attacker, target: ProbeTarget) -> AttackResult:
    """Measure reads in turns, quiet and during the attack."""
    result = AttackResult(attack.name, max_ratio=attack.max_ratio)
    attacker.reset()
    with _watched_memory(served, result):
        for _ in range(ROUNDS):
            result.quiet_ms.append(run_probe(_for(target, QUIET_S)))
            with attack.run(attacker):
                time.sleep(BEFORE_S)
                result.attacked_ms.append(run_probe(_for(target, ATTACK_S)))
            time.sleep(SETTLE_S)
    counts = [f"{number} x {status}" for status, number in sorted(attacker.statuses.items())]
    result.requests = ", ".join([f"{attacker.sent} sent", *counts])
    assert attacker.sent, f"{attack.name}: no request of the attack was sent"
    return result


def _for(target: ProbeTarget, duration_s: float) -> ProbeTarget:
    return ProbeTarget(target.port, target.path, target.key, duration_s)


@contextmanager
def _two_tenants(served: ServedInstallation) -> Iterator[tuple[Attacker, ProbeTarget]]:
    """Start the server with an attacker that has payslips, and a tenant with one record."""
    served.start()
    served.command(*DEMO)
    key = served.command("key", "create", "--email", DEMO_EMAIL).splitlines()[-1]
    with http_client() as http, asyncio.Runner() as runner:
        service = Service(served.url, Settings(data=served.data), served.server, served.log, http, runner)
        demo = Member(service, DEMO_EMAIL, key)
        client_id = demo.get("/clients").json()[0]["client"]["id"]
        employee_id = demo.get(f"/clients/{client_id}/employees").json()[0]["employee"]["id"]
        victim = service.new_account()
        path = f"/v1/employees/{Company.of(victim).hire()}"
        yield Attacker(demo, served.port, client_id, employee_id), ProbeTarget(served.port, path, victim.key, QUIET_S)


@contextmanager
def _watched_memory(served: ServedInstallation, result: AttackResult) -> Iterator[None]:
    """Record the largest process of the server, its workers and the database during the block."""
    stopping = threading.Event()
    for pid in _process_tree(served):
        _reset_peak(pid)

    def watch() -> None:
        while not stopping.wait(POLL_S):
            for pid in _process_tree(served):
                mib = _peak_mib(pid)
                if mib > result.largest_mib:
                    result.largest_mib, result.largest = mib, _short_name(pid)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def _process_tree(served: ServedInstallation) -> set[int]:
    """Return the processes of the server and of the database."""
    parents = {int(folder.name): _read_field(folder, "PPid") for folder in Path("/proc").glob("[0-9]*")}
    pids = {served.server.pid, served.database}
    while children := {pid for pid, parent in parents.items() if parent in pids} - pids:
        pids |= children
    return pids


def _peak_mib(pid: int) -> float:
    return _read_field(Path(f"/proc/{pid}"), "VmHWM") / 1024


def _reset_peak(pid: int) -> None:
    """Forget the peak before the attack."""
    with suppress(OSError):
        Path(f"/proc/{pid}/clear_refs").write_text("5")


def _short_name(pid: int) -> str:
    """Return what a process does: serve, worker, pdf_worker, workbook_worker or postgres."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").split()
        names = ("pdf_worker", "workbook_worker", "worker", "serve", "postgres")
        return next((name for name in names if any(word.endswith(name) for word in words)), "other")
    return "ended"


def _read_field(folder: Path, name: str) -> int:
    """Return a number from the status of a process, or 0 if the process has ended."""
    with suppress(OSError):
        for line in (folder / "status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    return 0
