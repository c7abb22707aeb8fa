"""The main pages of the console over ten thousand employees, against what the API answers about the same things.

A page is asked for as a browser does that is signed in, by its cookie. Its counterpart are the calls that a program
would make for the same facts, one after the other, with a key. Both are read to their end over a connection that stays
open in a round, each some times: what counts is the middle one.
"""

import asyncio
import http.client
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from statistics import median
from urllib.parse import urlencode

from bench import servers
from bench.bars import Bar, Sample, Sides
from bench.company import PERIOD, populate
from bench.months import take_leave
from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.company.waves.facts import waves as wave_facts
from gaji.db.installation import Installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo import Demo
from gaji.identity.service import find_user
from gaji.payroll.payment_runs.finalise import finalise_run
from gaji.payroll.payment_runs.open_run import open_run
from gaji.payroll.payslips.tasks import calculate_all
from gaji.payroll.payment_runs.tasks import open_all

EMPLOYEES = 10_000
NEXT_END = "2026-02-28"
MONTHLY = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": str(PERIOD[1])}
TOKEN = re.compile(r'name="form_token" value="(\w+)"')
TIMES = 7
"""Of each side in a round."""
CLIENT, COMPANY, EMPLOYEE = "/v1/clients/{client}", "/companies/{client}", "/v1/employees/{employee}"
VARIANCE = "wave_id={wave}&period_offset={offset}"
JUNE = "start_date=2026-06-01&end_date=2026-06-30"
# By the name of the bar: the page, and the calls of the API for the same.
PAGES: Mapping[str, tuple[str, Sequence[str]]] = {
    "dashboard": (COMPANY, [CLIENT, f"{CLIENT}/waves", f"{CLIENT}/payment_runs"]),
    "employees": (f"{COMPANY}/employees", [f"{CLIENT}/employees?page=1&per_page=50", f"{CLIENT}/waves"]),
    "employee profile": ("/employees/{employee}", [EMPLOYEE, f"{EMPLOYEE}/service_periods", f"{CLIENT}/waves"]),
    "employee pay": (
        "/employees/{employee}?tab=pay",
        [EMPLOYEE, f"{EMPLOYEE}/calculations", f"{CLIENT}/calculation_types"],
    ),
    "employee leave": (
        "/employees/{employee}?tab=leave",
        [EMPLOYEE, f"{EMPLOYEE}/leave_balances", f"{EMPLOYEE}/leave_movements", f"{CLIENT}/leave_types"],
    ),
    "employee payslips": ("/employees/{employee}?tab=payslips", [EMPLOYEE, f"{EMPLOYEE}/payslips"]),
    "employee history": ("/employees/{employee}?tab=history", [EMPLOYEE, f"{EMPLOYEE}/service_periods"]),
    "pay runs": (f"{COMPANY}/payment_runs", [f"{CLIENT}/payment_runs", f"{CLIENT}/waves"]),
    "pay run of 10,000": (
        "/payment_runs/{run}",
        ["/v1/payment_runs/{run}", "/v1/payment_runs/{run}/payslips?page=1&per_page=50"],
    ),
    "payslip": (
        "/payslips/{payslip}",
        ["/v1/payslips/{payslip}", "/v1/payslips/{payslip}/explanation", "/v1/payslips/{payslip}/calculations"],
    ),
    # The only call about the leave of everyone.
    "leave": (f"{COMPANY}/leave?month=2026-06", [f"{CLIENT}/reports/comparison_leave?{JUNE}"]),
    "reports": (f"{COMPANY}/reports", [f"{CLIENT}/reports"]),
    "report table": (f"{COMPANY}/reports/variance?made=1&{VARIANCE}", [f"{CLIENT}/reports/variance?{VARIANCE}"]),
    "settings": (f"{COMPANY}/settings", [CLIENT, f"{CLIENT}/waves", f"{CLIENT}/pay_points"]),
}
# There is no search in the API: it is compared with its list.
SEARCH = (f"{COMPANY}/employees?search=employee+77", PAGES["employees"][1])


@dataclass
class Reader:
    """Someone who asks a server for things."""

    port: int
    headers: Mapping[str, str]

    def took(self, paths: Sequence[str]) -> Sample:
        """Milliseconds for all of these, the middle of some times."""
        sizes: list[int] = []
        times: list[float] = []
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.connect()
        for _ in range(TIMES):
            started = time.perf_counter()
            sizes.append(sum(len(self._read(connection, path)) for path in paths))
            times.append((time.perf_counter() - started) * 1000)
        connection.close()
        return Sample(median(times), {"kib": sizes[0] / 1024})

    def _read(self, connection: http.client.HTTPConnection, path: str) -> bytes:
        connection.request("GET", path, headers=dict(self.headers))
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}: {body[:300]!r}")
        return body


@dataclass
class Company:
    """A client with ten thousand payslips in a pay run, and two who ask a server about it."""

    browser: Reader
    program: Reader
    ids: Mapping[str, int]

    def sides(self, page: str, calls: Sequence[str]) -> Sides:
        """A page, and its counterpart."""
        ours, theirs = page.format(**self.ids), [call.format(**self.ids) for call in calls]
        return Sides(ours=lambda: self.browser.took([ours]), ceiling=lambda: self.program.took(theirs))


_kept = ExitStack()


@contextmanager
def shared() -> Iterator[None]:
    """A block in which all pages are about one and the same company, made for the first of them."""
    with _kept:
        yield


@cache
def company() -> Company:
    """That company."""
    installed, demo = _kept.enter_context(servers.installation(1))
    ids = asyncio.run(_made(installed, demo.email))
    port = _kept.enter_context(servers.service(installed, "--no-worker"))
    cookie = {"Accept": "text/html", "Cookie": signed_in(port, demo)}
    key = {"Authorization": demo.api_key}
    return Company(Reader(port, cookie), Reader(port, key), ids)


def signed_in(port: int, demo: Demo) -> str:
    """The cookie of someone who has signed in."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/sign-in", headers={"Accept": "text/html"})
    page = connection.getresponse()
    token = TOKEN.findall(page.read().decode())[0]
    form = urlencode({"form_token": token, "email": demo.email, "password": demo.password})
    visitor = str(page.headers["set-cookie"]).partition(";")[0]
    headers = {"Cookie": visitor, "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/sign-in", form, headers)
    answer = connection.getresponse()
    answer.read()
    return next(one.partition(";")[0] for one in answer.headers.get_all("set-cookie", []) if "gaji_session" in one)


async def _made(installed: Installation, email: str) -> dict[str, int]:
    """A client whose January is paid and whose February is open, with the ids that paths name."""
    pool = await open_pool(installed.database.as_application("bench"))
    tenant = Tenant(pool, installed.vault, await find_user(installed.database, email))
    client_id, _ = await clients.create_client(tenant, {"name": f"{EMPLOYEES:,} employees"})
    wave_id, _ = await waves.create_wave(tenant, client_id, MONTHLY)
    async with tenant.transaction() as tx:
        offset = (await wave_facts(tx, client_id))[wave_id].first_offset
    async with installed.database.maintenance() as connection:
        await populate(connection, client_id, wave_id, offset, EMPLOYEES)
        await take_leave(connection, client_id)
    for end in (str(PERIOD[1]), NEXT_END):
        run_id, _ = await open_run(tenant, client_id, {"wave_id": wave_id, "period_end_date": end})
        await open_all(pool, installed.vault, client_id)
        if end != NEXT_END:
            await finalise_run(tenant, run_id)
            await calculate_all(pool, installed.vault, client_id)
    async with installed.database.owner_connection() as connection:
        await connection.execute("VACUUM ANALYZE")
    async with tenant.transaction() as tx:
        payslip = await tx.fetchrow(
            "SELECT id, employee_id FROM payslips WHERE client_id = $1 AND payment_run_id = $2 ORDER BY id LIMIT 1",
            client_id,
            run_id,
        )
    await pool.close()
    made = {"client": client_id, "wave": wave_id, "offset": offset + 1, "run": run_id}
    return {**made, "payslip": payslip["id"], "employee": payslip["employee_id"]}


def _bar(name: str, page: str, calls: Sequence[str], at_most: float, rounds: int = 5) -> Bar:
    @contextmanager
    def sides() -> Iterator[Sides]:
        yield company().sides(page, calls)

    return Bar(name=f"page: {name}", unit="ms", sides=sides, at_most=at_most, rounds=rounds)


BARS = (
    *(_bar(name, *both, at_most=3.0) for name, both in PAGES.items()),
    _bar("search", *SEARCH, at_most=2.0, rounds=11),
)
