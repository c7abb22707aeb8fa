"""Whoever runs the payroll of a large company over HTTP, and does not give up when there is no answer."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any

import asyncpg
import httpx

from bench.company import PERIOD, populate
from gaji.core.settings import Settings
from gaji.db.database import locate
from gaji.engine.periods import Schedule
from torture.installation import Installation, wait_for
from torture.kills import EMAIL

EMPLOYEES = 10_000
LEAVERS = 167
"""Every sixtieth from the first on: they have no payslip after January."""
WITHIN_S = 120
PAUSE_S = 0.1
WAVE = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": str(PERIOD[1])}
OFFSET = Schedule("monthly", last_day=31).offset(PERIOD[1])
LOANS = """INSERT INTO calculations (client_id, employee_id, type, inputs)
    SELECT client_id, id, 'loan', '{"balance": "1000.00", "instalment": "100.00", "start_date": "2026-01-01"}'
    FROM employees WHERE client_id = $1"""
FORGET = "UPDATE payslips SET dirty = true, lines = '{}', inputs = NULL, moved = NULL WHERE client_id = $1"
STANDING = """SELECT date::text, finalised, count(*), count(DISTINCT employee_id),
    count(*) FILTER (WHERE NOT dirty AND inputs IS NOT NULL), count(payment_run_id),
    coalesce(sum((moved ->> 'loan')::bigint), 0)::bigint,
    coalesce(sum((inputs -> 'moved' ->> 'loan')::bigint), 0)::bigint,
    string_agg(lines::text, '' ORDER BY employee_id)
    FROM payslips WHERE client_id = $1 AND NOT withdrawn GROUP BY 1, 2 ORDER BY 1"""


class Payroll:
    """A company of many, each with a loan, whose drafts of January wait for calculation."""

    def __init__(self, place: Installation) -> None:
        self._place = place
        place.command("account", "create", "--name", "Torture", "--email", EMAIL)
        headers = {"Authorization": place.command("key", "create", "--email", EMAIL)}
        self._http = httpx.Client(base_url=f"{place.url}/v1", headers=headers, timeout=60, trust_env=False)
        self.client_id = self._insist("POST", "/clients", {"name": "Torture"})["id"]
        self.wave_id = self._insist("POST", f"/clients/{self.client_id}/waves", WAVE)["id"]
        self._as_owner(self._populate)

    def open(self) -> int:
        """The run of January, opened now or when the answer was lost."""
        path = f"/clients/{self.client_id}/payment_runs"
        self._insist("POST", path, {"wave_id": self.wave_id, "period_end_date": str(PERIOD[1])}, already="already")
        [found] = self._insist("GET", path)
        run_id: int = found["payment_run"]["id"]
        return run_id

    def open_again(self, run_id: int) -> int:
        """The same from the beginning."""
        self._insist("DELETE", f"/payment_runs/{run_id}", already="There is no payment run")
        self._as_owner(lambda owner: owner.execute(FORGET, self.client_id))
        return self.open()

    def read(self, run_id: int) -> Any:
        """A run as the API shows it."""
        return self._insist("GET", f"/payment_runs/{run_id}")["payment_run"]

    def until_ready(self, run_id: int) -> None:
        """Wait until all payslips of a run are calculated."""
        wait_for("the run is ready", lambda: self.read(run_id)["state"] == "ready", WITHIN_S)

    def finalise(self, run_id: int) -> None:
        """Finalise a run."""
        self._insist("POST", f"/payment_runs/{run_id}/finalise", already="finalised again")

    def check_complete(self, run_id: int) -> str:
        """That everyone is in the run exactly once; gives a digest of all lines."""
        counts = self.read(run_id)["counts"]
        assert counts == {"payslips": EMPLOYEES, "calculated": EMPLOYEES, "dirty": 0, "attention": 0}, counts
        [january] = self._standing()
        return _checked(january, str(PERIOD[1]), finalised=False, number=EMPLOYEES, in_run=EMPLOYEES)

    def check_finalised(self, lines: str) -> None:
        """That everyone was paid exactly once, what was in the run, and goes on from what was taken."""
        staying = EMPLOYEES - LEAVERS
        wait_for("the next drafts are calculated", lambda: self._standing()[-1][4] == staying, WITHIN_S)
        january, february = self._standing()
        assert _checked(january, str(PERIOD[1]), finalised=True, number=EMPLOYEES, in_run=EMPLOYEES) == lines
        _checked(february, "2026-02-28", finalised=False, number=staying, in_run=0)
        assert (january[6], february[7]) == (100_00 * EMPLOYEES, 100_00 * staying), (january[6], february[7])

    def _insist(self, method: str, path: str, body: Any = None, already: str | None = None) -> Any:
        """Ask until there is an answer: that it is done, or that it was done when an answer was lost."""
        deadline = time.monotonic() + WITHIN_S
        while time.monotonic() < deadline:
            try:
                answer = self._http.request(method, path, json=body)
            except httpx.TransportError:
                time.sleep(PAUSE_S)
                continue
            if answer.status_code == 200:
                return answer.json()
            if already is not None and already in answer.json()["message"]:
                return None
            assert answer.status_code in (409, 503), answer.text
            time.sleep(PAUSE_S)
        raise AssertionError(f"{method} {path} was not done within {WITHIN_S} s")

    def _standing(self) -> list[tuple[Any, ...]]:
        rows = self._as_owner(lambda owner: owner.fetch(STANDING, self.client_id))
        return [tuple(row) for row in rows]

    async def _populate(self, owner: asyncpg.Connection) -> None:
        await populate(owner, self.client_id, self.wave_id, OFFSET, EMPLOYEES)
        await owner.execute(LOANS, self.client_id)

    def _as_owner(self, work: Callable[[asyncpg.Connection], Awaitable[Any]]) -> Any:
        """Do something behind the service, once the database is there."""

        async def do() -> Any:
            async with locate(Settings(data=self._place.data)).maintenance("torture") as connection:
                return await work(connection)

        self.read_clients()
        return asyncio.run(do())

    def read_clients(self) -> None:
        """Wait until the service answers."""
        self._insist("GET", "/clients")


def _checked(row: tuple[Any, ...], day: str, *, finalised: bool, number: int, in_run: int) -> str:
    expected = (day, finalised, number, number, number, in_run)
    assert row[:6] == expected, f"{row[:6]} and not {expected}"
    return sha256(row[-1].encode()).hexdigest()
