"""Read one record over HTTP.

The read of one record is compared with a bare handler that runs one statement and sends the same bytes. A 304 and
lists with a filter that matches only the same employee are compared with the read by ID, by the processor time of the
service and its database, because they differ by a few microseconds. A service of two server processes is compared with
one of a single process. On a machine with two cores, the database and the load need a part of the second one.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import msgspec

from bench import baseline, servers
from bench.bars import PerformanceBar, Sample, Sides
from bench.load import NOT_MODIFIED, Load, LoadTarget, run_load
from gaji.db.installation import Installation
from gaji.demo.account import Demo
from gaji.web.conditional_requests import entity_tag

ROUNDS = 31
"""Many short rounds, so that both sides of a round see the same load on the machine."""
RATE_LIMIT = "200000"
"""A limit that the load does not reach within a minute."""
AS_FAST = 1.05
"""The limit of reads that are to be as fast as the read by ID. On a shared machine, one run differs from the next by up
to 3%. The check letter and the keyed hash of an NRIC take 3 of about 600 microseconds."""
ROW = 1
"""The id of the row with the response of the bare handler."""


def _client_path(installed: Installation, demo: Demo) -> str:
    return f"/v1/clients/{demo.client_id}"


def _employee_path(installed: Installation, demo: Demo) -> str:
    async def first_employee_id() -> int:
        async with installed.database.maintenance() as connection:
            employee_id: int = await connection.fetchval(
                "SELECT min(id) FROM employees WHERE client_id = $1 AND nric_sealed IS NOT NULL", demo.client_id
            )
            return employee_id

    return f"/v1/employees/{asyncio.run(first_employee_id())}"


def _compare_reads(find_path: Callable[[Installation, Demo], str]) -> Callable[[], AbstractContextManager[Sides]]:
    """Return the function that sets up both sides for the record at a path."""

    @contextmanager
    def sides() -> Iterator[Sides]:
        with servers.open_demo() as (installed, demo), servers.run_service(installed, "--no-worker") as port:
            ours = LoadTarget(port, find_path(installed, demo), {"authorization": demo.api_key})
            expected = run_load(ours)
            arguments = asyncio.run(_store_body(installed, expected.body))
            with servers.run_bare(installed, "bench.baseline:create", {baseline.ARGUMENTS: arguments}) as bare_port:
                bare = LoadTarget(bare_port, f"/{ROW}", {"authorization": demo.api_key})
                require_equal(expected, run_load(bare))
                yield Sides(ours=lambda: run_load(ours).sample, baseline=lambda: run_load(bare).sample)

    return sides


@contextmanager
def _not_modified() -> Iterator[Sides]:
    with _read_by_id() as (data, _, by_id):
        body = run_load(by_id).body
        headers = {**by_id.headers, "if-none-match": entity_tag(body)}
        ours = LoadTarget(by_id.port, by_id.path, headers, NOT_MODIFIED)
        yield Sides(ours=lambda: _processor_cost(ours, data), baseline=lambda: _processor_cost(by_id, data))


def _filtered(name: str, attribute: str) -> Callable[[], AbstractContextManager[Sides]]:
    """Return the function that sets up the list with a filter, whose value is an attribute of the employee."""

    @contextmanager
    def sides() -> Iterator[Sides]:
        with _read_by_id() as (data, demo, by_id):
            body = run_load(by_id).body
            query = urlencode({name: msgspec.json.decode(body)["employee"][attribute]}, safe="@")
            ours = LoadTarget(by_id.port, f"/v1/clients/{demo.client_id}/employees?{query}", by_id.headers)
            if run_load(ours).body != b"[" + body + b"]":
                raise RuntimeError("the filtered list is not the employee")
            yield Sides(ours=lambda: _processor_cost(ours, data), baseline=lambda: _processor_cost(by_id, data))

    return sides


@contextmanager
def _two_processes() -> Iterator[Sides]:
    with (
        servers.open_demo() as (installed, demo),
        servers.run_service(installed, "--no-worker", "--workers", "2") as two,
        servers.run_service(installed, "--no-worker", "--workers", "1") as single,
    ):
        path, headers = _employee_path(installed, demo), {"authorization": demo.api_key}
        ours, baseline_side = LoadTarget(two, path, headers), LoadTarget(single, path, headers)
        yield Sides(ours=lambda: run_load(ours).sample, baseline=lambda: run_load(baseline_side).sample)


@contextmanager
def _rate_limited() -> Iterator[Sides]:
    with (
        servers.open_demo() as (installed, demo),
        servers.run_service(installed, "--no-worker", GAJI_RATE_LIMIT=RATE_LIMIT) as limited,
        servers.run_service(installed, "--no-worker") as unlimited,
    ):
        path, headers = _employee_path(installed, demo), {"authorization": demo.api_key}
        ours, baseline_side = LoadTarget(limited, path, headers), LoadTarget(unlimited, path, headers)
        yield Sides(ours=lambda: run_load(ours).sample, baseline=lambda: run_load(baseline_side).sample)


@contextmanager
def _read_by_id() -> Iterator[tuple[Path, Demo, LoadTarget]]:
    """Run a service and yield its data folder, the demo, and the read of one employee by ID."""
    with servers.open_demo() as (installed, demo), servers.run_service(installed, "--no-worker") as port:
        target = LoadTarget(port, _employee_path(installed, demo), {"authorization": demo.api_key})
        yield installed.settings.data, demo, target


def _processor_cost(target: LoadTarget, data: Path) -> Sample:
    """Return the processor time of the service and its database for a request, in microseconds."""
    started_s = servers.processor_s(target.port, data)
    load = run_load(target)
    used_s = servers.processor_s(target.port, data) - started_s
    return Sample(used_s * 1e6 / load.responses, {"req_per_s": load.requests_per_s})


async def _store_body(installed: Installation, body: bytes) -> str:
    """Store the body in a table and return the connection arguments for it."""
    async with installed.database.owner_connection() as connection:
        await connection.execute(f"CREATE TABLE {baseline.TABLE} (id bigint PRIMARY KEY, body text NOT NULL)")
        await connection.execute(f"INSERT INTO {baseline.TABLE} VALUES ($1, $2)", ROW, body.decode())
        await connection.execute("VACUUM ANALYZE")
    return msgspec.json.encode(installed.database.owner).decode()


def require_equal(ours: Load, bare: Load) -> None:
    """Raise an error if the two sides return different responses."""
    if (ours.body, ours.media_type) != (bare.body, bare.media_type):
        start = _first_difference(ours.body, bare.body)
        excerpts = [body[start : start + 120] for body in (ours.body, bare.body)]
        raise RuntimeError(f"the two sides return different responses from byte {start} on: {excerpts}")


def _first_difference(ours: bytes, bare: bytes) -> int:
    pairs = enumerate(zip(ours, bare, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(ours), len(bare)))


CLIENT = PerformanceBar(
    name="GET one client", unit="req/s", sides=_compare_reads(_client_path), min_ratio=0.4, rounds=ROUNDS
)
EMPLOYEE = PerformanceBar(
    name="GET one employee", unit="req/s", sides=_compare_reads(_employee_path), min_ratio=0.4, rounds=ROUNDS
)
EMPLOYEE_NOT_MODIFIED = PerformanceBar(
    name="304 of one employee", unit="µs CPU", sides=_not_modified, max_ratio=AS_FAST, rounds=ROUNDS
)
EMPLOYEE_BY_NUMBER = PerformanceBar(
    name="GET employees?number", unit="µs CPU", sides=_filtered("number", "number"), max_ratio=AS_FAST, rounds=ROUNDS
)
EMPLOYEE_BY_EMAIL = PerformanceBar(
    name="GET employees?email", unit="µs CPU", sides=_filtered("email", "email"), max_ratio=AS_FAST, rounds=ROUNDS
)
EMPLOYEE_BY_IDS = PerformanceBar(
    name="GET employees?ids", unit="µs CPU", sides=_filtered("ids", "id"), max_ratio=AS_FAST, rounds=ROUNDS
)
EMPLOYEE_BY_NRIC = PerformanceBar(
    name="GET employees?nric", unit="µs CPU", sides=_filtered("nric", "nric"), max_ratio=AS_FAST, rounds=ROUNDS
)
TWO_PROCESSES = PerformanceBar(
    name="GET, two processes", unit="req/s", sides=_two_processes, min_ratio=1.6, rounds=ROUNDS
)
RATE_LIMITED = PerformanceBar(
    name="GET with a rate limit", unit="req/s", sides=_rate_limited, min_ratio=0.95, rounds=ROUNDS
)
