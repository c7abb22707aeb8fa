"""The main pages of the console for ten thousand employees, compared with the API calls for the same data.

A page is requested like a signed-in browser does, with a cookie. Its counterpart are the calls that a program would
make for the same data, one after the other, with an API key. Both are read completely over one persistent connection,
several times in a round. The median counts. The page of a pay run is also compared with the SQL of its register alone.
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
from bench.bars import PerformanceBar, Sample, Sides
from bench.company import PERIOD, populate
from bench.payslip_history import add_leave_days
from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.company.waves.queries import load_pay_calendars
from gaji.console.pay_register import PER_PAGE
from gaji.db.installation import Installation
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo.account import Demo
from gaji.identity.service import find_user
from gaji.payroll.payment_runs.finalise import finalise_run
from gaji.payroll.payment_runs.open_run import open_run
from gaji.payroll.payment_runs.tasks import populate_client
from gaji.payroll.payslips.pay_register import RegisterSelection, load_register
from gaji.payroll.payslips.tasks import calculate_dirty

EMPLOYEES = 10_000
NEXT_END = "2026-02-28"
MONTHLY = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": str(PERIOD[1])}
TOKEN = re.compile(r'name="form_token" value="(\w+)"')
REPEATS = 7
"""Measurements of each side in a round."""
CLIENT, COMPANY, EMPLOYEE = "/v1/clients/{client}", "/companies/{client}", "/v1/employees/{employee}"
VARIANCE = "wave_id={wave}&period_offset={offset}"
JUNE = "start_date=2026-06-01&end_date=2026-06-30"
# By the name of the bar: the page, and the API calls for the same data.
PAGES: Mapping[str, tuple[str, Sequence[str]]] = {
    "dashboard": (COMPANY, [CLIENT, f"{CLIENT}/waves", f"{CLIENT}/payment_runs"]),
    "employees": (f"{COMPANY}/employees", [f"{CLIENT}/employees?page=1&per_page=50", f"{CLIENT}/waves"]),
    "employee profile": ("/employees/{employee}", [EMPLOYEE, f"{EMPLOYEE}/service_periods", f"{CLIENT}/waves"]),
    "employee pay": (
        "/employees/{employee}?tab=pay",
        [
            EMPLOYEE,
            f"{EMPLOYEE}/service_periods",
            f"{EMPLOYEE}/calculations",
            f"{EMPLOYEE}/calculation_history",
            f"{EMPLOYEE}/profile_mappings",
            f"{EMPLOYEE}/payslips",
            "/v1/payslips/{payslip}/calculations",
            f"{CLIENT}/calculation_types",
        ],
    ),
    "employee leave": (
        "/employees/{employee}?tab=leave",
        [EMPLOYEE, f"{EMPLOYEE}/leave_balances", f"{EMPLOYEE}/leave_movements", f"{CLIENT}/leave_types"],
    ),
    "employee payslips": ("/employees/{employee}?tab=payslips", [EMPLOYEE, f"{EMPLOYEE}/payslips"]),
    "employee history": (
        "/employees/{employee}?tab=history",
        [EMPLOYEE, f"{EMPLOYEE}/service_periods", f"{CLIENT}/audit_log?employee_id={{employee}}"],
    ),
    "pay runs": (f"{COMPANY}/payment_runs", [f"{CLIENT}/payment_runs", f"{CLIENT}/waves"]),
    "pay run of 10,000": (
        "/payment_runs/{run}",
        ["/v1/payment_runs/{run}", "/v1/payment_runs/{run}/payslips?page=1&per_page=50"],
    ),
    "payslip": (
        "/payslips/{payslip}",
        ["/v1/payslips/{payslip}", "/v1/payslips/{payslip}/explanation", "/v1/payslips/{payslip}/calculations"],
    ),
    # The only API call about the leave of all employees.
    "leave": (f"{COMPANY}/leave?month=2026-06", [f"{CLIENT}/reports/comparison_leave?{JUNE}"]),
    "reports": (f"{COMPANY}/reports", [f"{CLIENT}/reports"]),
    "report table": (f"{COMPANY}/reports/variance?made=1&{VARIANCE}", [f"{CLIENT}/reports/variance?{VARIANCE}"]),
    "settings": (f"{COMPANY}/settings", [CLIENT, f"{CLIENT}/waves", f"{CLIENT}/pay_points"]),
}
SEARCH = (f"{COMPANY}/employees?search=employee+77", [f"{CLIENT}/employees?search=employee+77&page=1&per_page=50"])


@dataclass
class HttpReader:
    """Sends GET requests with fixed headers."""

    port: int
    headers: Mapping[str, str]

    def measure(self, paths: Sequence[str]) -> Sample:
        """Return the median milliseconds for reading all paths."""
        sizes: list[int] = []
        durations_ms: list[float] = []
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.connect()
        for _ in range(REPEATS):
            started = time.perf_counter()
            sizes.append(sum(len(self._read(connection, path)) for path in paths))
            durations_ms.append((time.perf_counter() - started) * 1000)
        connection.close()
        return Sample(median(durations_ms), {"kib": sizes[0] / 1024})

    def _read(self, connection: http.client.HTTPConnection, path: str) -> bytes:
        connection.request("GET", path, headers=dict(self.headers))
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"{path} returned {response.status}: {body[:300]!r}")
        return body


@dataclass
class RegisterReader:
    """Reads the first page of the register of a pay run, with its totals, from the database."""

    runner: asyncio.Runner
    tenant: Tenant
    selection: RegisterSelection

    def measure(self) -> Sample:
        """Return the median milliseconds."""
        return Sample(median(self.runner.run(self._load()) for _ in range(REPEATS)))

    async def _load(self) -> float:
        started = time.perf_counter()
        async with self.tenant.snapshot() as tx:
            await load_register(tx, self.selection, ListPage(1, PER_PAGE))
        return (time.perf_counter() - started) * 1000


@dataclass
class ConsoleCompany:
    """A client with ten thousand payslips in a pay run, and a browser and a program that read it."""

    browser: HttpReader
    program: HttpReader
    register: RegisterReader
    ids: Mapping[str, int]

    def sides(self, page: str, calls: Sequence[str]) -> Sides:
        """Return a page and the API calls for the same data."""
        page_path, call_paths = page.format(**self.ids), [call.format(**self.ids) for call in calls]
        return Sides(ours=lambda: self.browser.measure([page_path]), baseline=lambda: self.program.measure(call_paths))


_resources = ExitStack()


@contextmanager
def shared_company() -> Iterator[None]:
    """Share one company among all bars in the block. The first bar creates it."""
    with _resources:
        yield


@cache
def company() -> ConsoleCompany:
    """Return the shared company."""
    installed, demo = _resources.enter_context(servers.open_demo(1))
    ids = asyncio.run(_create_company(installed, demo.email))
    port = _resources.enter_context(servers.run_service(installed, "--no-worker"))
    cookie = {"Accept": "text/html", "Cookie": sign_in(port, demo)}
    key = {"Authorization": demo.api_key}
    return ConsoleCompany(
        HttpReader(port, cookie), HttpReader(port, key), _open_register(installed, demo.email, ids), ids
    )


def _open_register(installed: Installation, email: str, ids: Mapping[str, int]) -> RegisterReader:
    runner = _resources.enter_context(asyncio.Runner())
    pool = runner.run(open_pool(installed.database.as_application("bench")))
    _resources.callback(lambda: runner.run(pool.close()))
    tenant = Tenant(pool, installed.vault, runner.run(find_user(installed.database, email)))
    selection = RegisterSelection(
        client_id=ids["client"],
        run_id=ids["run"],
        wave_id=ids["wave"],
        previous_offset=ids["offset"] - 1,
        previous_nett_pay=0,
        finalised=False,
        has_pay_points=False,
    )
    return RegisterReader(runner, tenant, selection)


def sign_in(port: int, demo: Demo) -> str:
    """Sign in and return the session cookie."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/sign-in", headers={"Accept": "text/html"})
    page = connection.getresponse()
    token = TOKEN.findall(page.read().decode())[0]
    form = urlencode({"form_token": token, "email": demo.email, "password": demo.password})
    visitor_cookie = str(page.headers["set-cookie"]).partition(";")[0]
    headers = {"Cookie": visitor_cookie, "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/sign-in", form, headers)
    response = connection.getresponse()
    response.read()
    cookies = response.headers.get_all("set-cookie", [])
    return next(cookie.partition(";")[0] for cookie in cookies if "gaji_session" in cookie)


async def _create_company(installed: Installation, email: str) -> dict[str, int]:
    """Create a client with January paid and February open, and return the ids for the paths."""
    pool = await open_pool(installed.database.as_application("bench"))
    tenant = Tenant(pool, installed.vault, await find_user(installed.database, email))
    client_id, _ = await clients.create_client(tenant, {"name": f"{EMPLOYEES:,} employees"})
    wave_id, _ = await waves.create_wave(tenant, client_id, MONTHLY)
    async with tenant.transaction() as tx:
        offset = (await load_pay_calendars(tx, client_id))[wave_id].first_offset
    async with installed.database.maintenance() as connection:
        await populate(connection, client_id, wave_id, offset, EMPLOYEES)
        await add_leave_days(connection, client_id)
    for end in (str(PERIOD[1]), NEXT_END):
        run_id, _ = await open_run(tenant, client_id, {"wave_id": wave_id, "period_end_date": end})
        await populate_client(pool, installed.vault, client_id)
        if end != NEXT_END:
            await finalise_run(tenant, run_id)
            await calculate_dirty(pool, installed.vault, client_id)
    async with installed.database.owner_connection() as connection:
        await connection.execute("VACUUM ANALYZE")
    async with tenant.transaction() as tx:
        payslip = await tx.fetchrow(
            "SELECT id, employee_id FROM payslips WHERE client_id = $1 AND payment_run_id = $2 ORDER BY id LIMIT 1",
            client_id,
            run_id,
        )
    await pool.close()
    ids = {"client": client_id, "wave": wave_id, "offset": offset + 1, "run": run_id}
    return {**ids, "payslip": payslip["id"], "employee": payslip["employee_id"]}


def _bar(name: str, page: str, calls: Sequence[str], max_ratio: float, rounds: int = 5) -> PerformanceBar:
    @contextmanager
    def sides() -> Iterator[Sides]:
        yield company().sides(page, calls)

    return PerformanceBar(name=f"page: {name}", unit="ms", sides=sides, max_ratio=max_ratio, rounds=rounds)


@contextmanager
def _register_sides() -> Iterator[Sides]:
    shared = company()
    page = PAGES["pay run of 10,000"][0].format(**shared.ids)
    yield Sides(ours=lambda: shared.browser.measure([page]), baseline=shared.register.measure)


BARS = (
    *(_bar(name, page, calls, max_ratio=2.5) for name, (page, calls) in PAGES.items()),
    _bar("search", *SEARCH, max_ratio=1.5, rounds=11),
    PerformanceBar(name="page: register", unit="ms", sides=_register_sides, max_ratio=2.0, rounds=5),
)
