"""The payroll of a large company over HTTP. Requests are repeated until they succeed."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any

import asyncpg
import httpx

from bench.company import PERIOD, populate
from gaji.core.settings import Settings
from gaji.db.database import locate_database
from gaji.engine.periods import PaySchedule
from torture.installation import ServedInstallation, wait_for
from torture.kills import EMAIL

EMPLOYEES = 10_000
LEAVERS = 167
"""Every sixtieth employee, starting with the first. They have no payslip after January."""
TIMEOUT_S = 120
PAUSE_S = 0.1
WAVE = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": str(PERIOD[1])}
OFFSET = PaySchedule("monthly", last_day=31).offset(PERIOD[1])
LOANS = """INSERT INTO calculations (client_id, employee_id, type, inputs)
    SELECT client_id, id, 'loan', '{"balance": "1000.00", "instalment": "100.00", "start_date": "2026-01-01"}'
    FROM employees WHERE client_id = $1"""
RESET = "UPDATE payslips SET dirty = true, lines = '{}', inputs = NULL, moved = NULL WHERE client_id = $1"
PAYSLIP_TOTALS = """SELECT date::text, finalised, count(*), count(DISTINCT employee_id),
    count(*) FILTER (WHERE NOT dirty AND inputs IS NOT NULL), count(payment_run_id),
    coalesce(sum((moved ->> 'loan')::bigint), 0)::bigint,
    coalesce(sum((inputs -> 'moved' ->> 'loan')::bigint), 0)::bigint,
    string_agg(lines::text, '' ORDER BY employee_id)
    FROM payslips WHERE client_id = $1 AND NOT withdrawn GROUP BY 1, 2 ORDER BY 1"""


class Payroll:
    """A company with many employees, each with a loan, whose January drafts are not calculated yet."""

    def __init__(self, served: ServedInstallation) -> None:
        self._served = served
        served.command("account", "create", "--name", "Torture", "--email", EMAIL)
        headers = {"Authorization": served.command("key", "create", "--email", EMAIL)}
        self._http = httpx.Client(base_url=f"{served.url}/v1", headers=headers, timeout=60, trust_env=False)
        self.client_id = self._request("POST", "/clients", {"name": "Torture"})["id"]
        self.wave_id = self._request("POST", f"/clients/{self.client_id}/waves", WAVE)["id"]
        self._as_owner(self._populate)

    def open(self) -> int:
        """Open the January run. Return its ID."""
        path = f"/clients/{self.client_id}/payment_runs"
        self._request("POST", path, {"wave_id": self.wave_id, "period_end_date": str(PERIOD[1])}, already="already")
        [element] = self._request("GET", path)
        run_id: int = element["payment_run"]["id"]
        return run_id

    def open_again(self, run_id: int) -> int:
        """Delete the run, reset the payslips and open it again."""
        self._request("DELETE", f"/payment_runs/{run_id}", already="does not exist")
        self._as_owner(lambda owner: owner.execute(RESET, self.client_id))
        return self.open()

    def read(self, run_id: int) -> Any:
        """Return a run."""
        return self._request("GET", f"/payment_runs/{run_id}")["payment_run"]

    def wait_until_ready(self, run_id: int) -> None:
        """Wait until all payslips of a run are calculated."""
        wait_for("the run is ready", lambda: self.read(run_id)["state"] != "calculating", TIMEOUT_S)

    def finalise(self, run_id: int) -> None:
        """Finalise a run."""
        self._request("POST", f"/payment_runs/{run_id}/finalise", already="finalised again")

    def check_complete(self, run_id: int) -> str:
        """Check that every employee is in the run exactly once. Return a digest of all lines."""
        counts = self.read(run_id)["counts"]
        assert counts == {"payslips": EMPLOYEES, "calculated": EMPLOYEES, "dirty": 0, "attention": 0}, counts
        [january] = self._payslip_totals()
        return _check_totals(january, str(PERIOD[1]), finalised=False, number=EMPLOYEES, in_run=EMPLOYEES)

    def check_finalised(self, lines: str) -> None:
        """Check that every employee was paid exactly once, and that the next drafts follow on."""
        staying = EMPLOYEES - LEAVERS
        wait_for("the next drafts are calculated", lambda: self._payslip_totals()[-1][4] == staying, TIMEOUT_S)
        january, february = self._payslip_totals()
        assert _check_totals(january, str(PERIOD[1]), finalised=True, number=EMPLOYEES, in_run=EMPLOYEES) == lines
        _check_totals(february, "2026-02-28", finalised=False, number=staying, in_run=0)
        assert (january[6], february[7]) == (100_00 * EMPLOYEES, 100_00 * staying), (january[6], february[7])

    def _request(self, method: str, path: str, body: Any = None, already: str | None = None) -> Any:
        """Repeat a request until it succeeds, or until the message says that a lost request succeeded."""
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            try:
                response = self._http.request(method, path, json=body)
            except httpx.TransportError:
                time.sleep(PAUSE_S)
                continue
            if response.status_code == 200:
                return response.json()
            if already is not None and already in response.json()["message"]:
                return None
            assert response.status_code in (409, 503), response.text
            time.sleep(PAUSE_S)
        raise AssertionError(f"{method} {path} did not succeed within {TIMEOUT_S} s")

    def _payslip_totals(self) -> list[tuple[Any, ...]]:
        rows = self._as_owner(lambda owner: owner.fetch(PAYSLIP_TOTALS, self.client_id))
        return [tuple(row) for row in rows]

    async def _populate(self, owner: asyncpg.Connection) -> None:
        await populate(owner, self.client_id, self.wave_id, OFFSET, EMPLOYEES)
        await owner.execute(LOANS, self.client_id)

    def _as_owner(self, work: Callable[[asyncpg.Connection], Awaitable[Any]]) -> Any:
        """Run a function with an owner's connection, once the database is available."""

        async def run() -> Any:
            async with locate_database(Settings(data=self._served.data)).maintenance("torture") as connection:
                return await work(connection)

        self.read_clients()
        return asyncio.run(run())

    def read_clients(self) -> None:
        """Wait until the service responds."""
        self._request("GET", "/clients")


def _check_totals(row: tuple[Any, ...], day: str, *, finalised: bool, number: int, in_run: int) -> str:
    expected = (day, finalised, number, number, number, in_run)
    assert row[:6] == expected, f"{row[:6]} instead of {expected}"
    return sha256(row[-1].encode()).hexdigest()
