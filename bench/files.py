"""Bank, CPF, journal and certificate files of two thousand employees, compared with reading their rows once in SQL.

Ours is downloaded over HTTP with an API key. The baseline fetches the rows that the file is made from, all columns,
with one statement in the same database, without row-level security.
"""

import asyncio
import http.client
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache

import asyncpg

from bench import servers
from bench.bars import PerformanceBar, Sample, Sides
from gaji.db.database import SCHEMA
from gaji.db.installation import Installation

EMPLOYEES = 2000
OCBC, MAYBANK = 7339, 7302
PAYSLIPS_OF_RUN = """SELECT p.*, s.* FROM payslips p
    JOIN payslip_snapshots s ON s.client_id = p.client_id AND s.payslip_id = p.id
    WHERE p.client_id = $1 AND p.payment_run_id = $2 ORDER BY p.id"""
PAYSLIPS_OF_MONTH = """SELECT p.*, e.* FROM payslips p
    JOIN employees e ON e.client_id = p.client_id AND e.id = p.employee_id
    WHERE p.client_id = $1 AND p.finalised AND date_trunc('month', p.date) = $2 ORDER BY p.id"""

VERSIONS_OF_SET = """SELECT v.* FROM tax_certificate_versions v
    WHERE v.client_id = $1 AND v.year = $2 AND v.set_number = 1 ORDER BY v.employee_id"""


@dataclass(frozen=True)
class FileSource:
    """A file: its path, the bank that the company pays from, and the rows that it is made from."""

    path: str
    query: str
    argument: str
    bank_id: int | None = None


RUN = "/v1/payment_runs/{run}"
CERTIFICATES = "/v1/clients/{client}/tax_certificates"
FILES: Mapping[str, FileSource] = {
    "dbs_giro.csv": FileSource(f"{RUN}/files/dbs_giro.csv", PAYSLIPS_OF_RUN, "run", 7171),
    "uob_giro.txt": FileSource(f"{RUN}/files/uob_giro.txt", PAYSLIPS_OF_RUN, "run", 7375),
    "ocbc_giro.txt": FileSource(f"{RUN}/files/ocbc_giro.txt", PAYSLIPS_OF_RUN, "run", OCBC),
    "cimb_giro.csv": FileSource(f"{RUN}/files/cimb_giro.csv", PAYSLIPS_OF_RUN, "run", 7986),
    "pain001_03.xml": FileSource(f"{RUN}/files/pain001_03.xml", PAYSLIPS_OF_RUN, "run", MAYBANK),
    "pain001_09.xml": FileSource(f"{RUN}/files/pain001_09.xml", PAYSLIPS_OF_RUN, "run", MAYBANK),
    "cpf": FileSource("/v1/clients/{client}/filings/{month}/cpf", PAYSLIPS_OF_MONTH, "first_day"),
    "journal.csv": FileSource(f"{RUN}/accounting/files/journal.csv", PAYSLIPS_OF_RUN, "run"),
    "ir8a.json": FileSource(f"{CERTIFICATES}/files/ir8a_{{year}}_1.json", VERSIONS_OF_SET, "year"),
    "ir8a.xlsx": FileSource(f"{CERTIFICATES}/files/ir8a_{{year}}_1.xlsx", VERSIONS_OF_SET, "year"),
}


@dataclass
class FileCompany:
    """The demo company with a paid month, the server for its files, and a connection for the baselines."""

    runner: asyncio.Runner
    connection: asyncpg.Connection
    port: int
    api_key: str
    values: dict[str, object]
    """The values for paths and statements."""

    def send(self, method: str, path: str, body: object = None) -> bytes:
        """Send a request and return the body of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        headers = {"Authorization": self.api_key, "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if response.status != 200:
            raise RuntimeError(f"{path} returned {response.status}: {content[:300]!r}")
        return content

    def use_bank(self, bank_id: int) -> None:
        """Pay the run from an account with a bank."""
        statement = "UPDATE payment_run_snapshots SET bank_id = $1 WHERE client_id = $2 AND payment_run_id = $3"
        self.runner.run(self.connection.execute(statement, bank_id, self.values["client"], self.values["run"]))

    def measure_file(self, file: FileSource) -> Sample:
        """Return the milliseconds for the download."""
        path = file.path.format(**self.values)
        started = time.perf_counter()
        size = len(self.send("GET", path))
        return Sample((time.perf_counter() - started) * 1000, {"kib": size / 1024})

    def measure_scan(self, file: FileSource) -> Sample:
        """Return the milliseconds for fetching the rows."""
        started = time.perf_counter()
        rows = self.runner.run(self.connection.fetch(file.query, self.values["client"], self.values[file.argument]))
        return Sample((time.perf_counter() - started) * 1000, {"rows": len(rows)})


_resources = ExitStack()


@contextmanager
def shared_company() -> Iterator[None]:
    """Share one company among all bars in the block. The first bar creates it."""
    with _resources:
        yield


@cache
def company() -> FileCompany:
    """Return the shared company."""
    installed, demo = _resources.enter_context(servers.open_demo(EMPLOYEES, months=1))
    runner = _resources.enter_context(asyncio.Runner())
    port = _resources.enter_context(servers.run_service(installed, "--no-worker"))
    bare = runner.run(_connect_without_policies(installed))
    _resources.callback(lambda: runner.run(bare.close()))
    row = runner.run(_find_largest_run(bare, demo.client_id))
    values = {"client": demo.client_id, "run": row["payment_run_id"], "first_day": row["month"].date()}
    values |= {"month": f"{row['month']:%Y-%m}", "year": row["month"].year}
    shared = FileCompany(runner, bare, port, demo.api_key, values)
    for action in ("", "/release"):
        shared.send("POST", CERTIFICATES.format(**values) + action, {"year": values["year"]})
    return shared


async def _find_largest_run(connection: asyncpg.Connection, client_id: int) -> asyncpg.Record:
    return await connection.fetchrow(
        "SELECT payment_run_id, date_trunc('month', max(date)) AS month FROM payslips "
        "WHERE client_id = $1 AND finalised GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
        client_id,
    )


async def _connect_without_policies(installed: Installation) -> asyncpg.Connection:
    """Connect as a superuser, to whom row-level security does not apply."""
    if installed.server is None:
        raise RuntimeError("the bars run on an embedded database")
    login = installed.server.connection("postgres")
    return await asyncpg.connect(**login, server_settings={"search_path": SCHEMA})


def _bar(name: str, file: FileSource) -> PerformanceBar:
    @contextmanager
    def sides() -> Iterator[Sides]:
        shared = company()
        if file.bank_id is not None:
            shared.use_bank(file.bank_id)
        yield Sides(ours=lambda: shared.measure_file(file), baseline=lambda: shared.measure_scan(file))

    return PerformanceBar(name=f"file: {name}", unit="ms", sides=sides, max_ratio=3.0, rounds=5)


BARS = tuple(_bar(name, file) for name, file in FILES.items())
