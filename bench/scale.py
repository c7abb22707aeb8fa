"""What an employee costs as an installation grows: `BENCH_FULL=1 python -m bench`, or `python -m bench.scale`.

There are three installations, with 10,000, 100,000 and 1,000,000 employees in companies of 1,000. The largest gets
another company of 200,000. The same work is done in each in turn: read one employee, list 100, search, and a pay run of
1,000. The cost is the processor time of the service and of PostgreSQL, which other load on the machine hardly changes.
"""

import asyncio
import http.client
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from random import Random
from statistics import median

from bench import servers
from bench.payment_runs import BenchPayroll, create_payroll
from gaji.core.gc_tuning import tune_gc
from gaji.db.installation import Installation
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo.account import Demo
from gaji.identity.service import find_user

SIZES = [int(size) for size in os.environ.get("BENCH_SIZES", "10000,100000,1000000").split(",")]
COMPANY = 1_000
LARGE_COMPANY = int(os.environ.get("BENCH_LARGE_COMPANY", "200000"))
DATABASE_CACHE_MIB = int(os.environ.get("BENCH_DATABASE_CACHE_MIB", "4096"))
"""Enough for the largest installation, as an operator of it would set."""
ROUNDS = 7
REQUESTS = 200
"""Requests of one kind in a round."""
PAGE = 100
MAX_RATIO = 1.1


@dataclass
class Site:
    """An installation of one size, with its service."""

    installed: Installation
    demo: Demo
    port: int
    runner: asyncio.Runner
    pool: Pool
    tenant: Tenant
    companies: list[BenchPayroll] = field(default_factory=list)
    random: Random = field(default_factory=lambda: Random(1))

    def processor_s(self) -> float:
        """Return the processor time of the service and of PostgreSQL."""
        return servers.processor_s(self.port, self.installed.settings.data)

    def get(self, paths: Sequence[str]) -> float:
        """Send requests one after the other and return the microseconds of each."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        started_s = self.processor_s()
        for path in paths:
            connection.request("GET", f"/v1{path}", headers={"Authorization": self.demo.api_key})
            response = connection.getresponse()
            body = response.read()
            if response.status != http.HTTPStatus.OK or body == b"[]":
                raise RuntimeError(f"{path}: {response.status} {body[:200]!r}")
        connection.close()
        return (self.processor_s() - started_s) * 1e6 / len(paths)

    def any_company(self) -> BenchPayroll:
        """Return a company of the usual size."""
        return self.random.choice(self.companies)

    def create_company(self, employees: int) -> BenchPayroll:
        """Create a company whose drafts are waiting to be calculated."""
        return self.runner.run(create_payroll(self.installed, self.pool, self.tenant, employees))

    def fetch_value(self, query: str, *arguments: object) -> int:
        """Return a number from the database."""

        async def fetch() -> int:
            async with self.installed.database.maintenance() as connection:
                number: int = await connection.fetchval(query, *arguments)
                return number

        return self.runner.run(fetch())


def read_employees(site: Site) -> float:
    """Read employees of any company by ID."""
    query = "SELECT id FROM employees WHERE client_id = $1 AND number = $2"
    picks = [(site.any_company().client_id, str(site.random.randint(1, COMPANY))) for _ in range(REQUESTS)]
    return site.get([f"/employees/{site.fetch_value(query, *pick)}" for pick in picks])


def list_employees(site: Site) -> float:
    """List pages of employees. The cost is that of one employee."""
    query = f"per_page={PAGE}&page=3"
    paths = [f"/clients/{site.any_company().client_id}/employees?{query}" for _ in range(REQUESTS // 4)]
    return site.get(paths) / PAGE


def search_employees(site: Site) -> float:
    """Search companies for a number."""
    numbers = [site.random.randint(1, COMPANY) for _ in range(REQUESTS)]
    return site.get([f"/clients/{site.any_company().client_id}/employees?search={number}" for number in numbers])


def pay_any_company(site: Site) -> float:
    """Open and calculate a run. The cost is that of one employee."""
    return pay_company(site, site.any_company())


def pay_company(site: Site, company: BenchPayroll) -> float:
    """Open and calculate a run of a company in this process, and return the microseconds of each employee."""
    site.runner.run(company.reset())
    started_s = site.processor_s() + time.process_time()
    site.runner.run(company.pay())
    return (site.processor_s() + time.process_time() - started_s) * 1e6 / company.employees


MEASURES: dict[str, Callable[[Site], float]] = {
    "read one employee": read_employees,
    "list 100, each": list_employees,
    "search a company": search_employees,
    f"pay run of {COMPANY:,}, each": pay_any_company,
}


def print_scale() -> bool:
    """Measure and print the costs, and return whether each size costs about the same."""
    with ExitStack() as stack:
        sites = [stack.enter_context(_create_site(size)) for size in SIZES]
        for measure in MEASURES.values():
            for site in sites:
                measure(site)  # prepares statements and reads pages into memory
        print(f"{'microseconds':<28}" + "".join(f"{size:>12,}" for size in SIZES) + f"{'ratio':>8}", flush=True)
        results = [_print_row(name, measure, sites) for name, measure in MEASURES.items()]
        _print_large_company(sites[-1])
        _print_disk(sites[-1])
    return all(results)


def _print_row(name: str, measure: Callable[[Site], float], sites: Sequence[Site]) -> bool:
    """Measure the sizes in turn. The ratio is that of the largest cost to the smallest."""
    rounds = [[measure(site) for site in sites] for _ in range(ROUNDS)]
    costs = [median(column) for column in zip(*rounds, strict=True)]
    ratio = max(costs) / min(costs)
    holds: bool = ratio <= MAX_RATIO
    numbers = "".join(f"{cost:>12,.1f}" for cost in costs)
    print(f"{name:<28}{numbers}{ratio:>8.2f}  {'holds' if holds else 'FAILS'}", flush=True)
    return holds


def _print_large_company(site: Site) -> None:
    cost = pay_company(site, site.create_company(LARGE_COMPANY))
    print(f"{f'pay run of {LARGE_COMPANY:,}, each':<28}{cost:>36,.1f}", flush=True)


def _print_disk(site: Site) -> None:
    """Print the size of the largest installation, and of a calculated payslip in it."""
    mib = site.fetch_value("SELECT pg_database_size(current_database()) >> 20")
    payslip = site.fetch_value("SELECT avg(pg_column_size(p))::bigint FROM payslips p WHERE NOT dirty")
    print(f"The largest database has {mib:,} MiB. A calculated payslip has {payslip:,} bytes.", flush=True)


@contextmanager
def _create_site(size: int) -> Iterator[Site]:
    with servers.open_demo(1, database_cache_mib=DATABASE_CACHE_MIB) as (installed, demo), asyncio.Runner() as runner:
        tune_gc()  # as a worker does
        pool = runner.run(open_pool(installed.database.as_application("bench")))
        tenant = Tenant(pool, installed.vault, runner.run(find_user(installed.database, demo.email)))
        with servers.run_service(installed, "--no-worker") as port:
            site = Site(installed, demo, port, runner, pool, tenant)
            started = time.monotonic()
            _create_companies(site, size // COMPANY)
            print(f"{size:,} employees created in {time.monotonic() - started:,.0f} s", file=sys.stderr, flush=True)
            yield site
        runner.run(pool.close())


def _create_companies(site: Site, number: int) -> None:
    """Create companies. Without statistics of the first one, every check of a foreign key would take 80 us."""
    for _ in range(number):
        site.companies.append(site.create_company(COMPANY))
        if len(site.companies) in (1, number):
            site.runner.run(site.companies[0].vacuum_all())


if __name__ == "__main__":
    sys.exit(0 if print_scale() else 1)
