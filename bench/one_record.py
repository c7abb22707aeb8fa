"""Reading one record over HTTP, against a bare handler that runs one statement and sends the same bytes."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import msgspec

from bench import ceiling, servers
from bench.bars import Bar, Sides
from bench.load import Job, Load, put_on
from gaji.db.installation import Installation
from gaji.demo import Demo

ROUNDS = 31
"""Many short ones: the two sides of each are close together, whatever else the machine is doing."""
ROW = 1
"""The id of the row that holds the bytes for the bare handler."""


def _client(installed: Installation, demo: Demo) -> str:
    return f"/v1/clients/{demo.client_id}"


def _employee(installed: Installation, demo: Demo) -> str:
    async def first() -> int:
        async with installed.database.maintenance() as connection:
            found: int = await connection.fetchval(
                "SELECT min(id) FROM employees WHERE client_id = $1 AND nric_sealed IS NOT NULL", demo.client_id
            )
            return found

    return f"/v1/employees/{asyncio.run(first())}"


def _reading(path_of: Callable[[Installation, Demo], str]) -> Callable[[], AbstractContextManager[Sides]]:
    """What makes both sides ready to read the record at this path."""

    @contextmanager
    def sides() -> Iterator[Sides]:
        with servers.installation() as (installed, demo), servers.service(installed, "--no-worker") as port:
            ours = Job(port, path_of(installed, demo), {"authorization": demo.api_key})
            expected = put_on(ours)
            arguments = asyncio.run(_store(installed, expected.body))
            with servers.bare(installed, "bench.ceiling:create", {ceiling.ARGUMENTS: arguments}) as bare_port:
                bare = Job(bare_port, f"/{ROW}", {"authorization": demo.api_key})
                check_equal(expected, put_on(bare))
                yield Sides(ours=lambda: put_on(ours).sample, ceiling=lambda: put_on(bare).sample)

    return sides


async def _store(installed: Installation, body: bytes) -> str:
    """Keep the body in a table of its own, and give the way to it."""
    async with installed.database.owner_connection() as connection:
        await connection.execute(f"CREATE TABLE {ceiling.TABLE} (id bigint PRIMARY KEY, body text NOT NULL)")
        await connection.execute(f"INSERT INTO {ceiling.TABLE} VALUES ($1, $2)", ROW, body.decode())
        await connection.execute("VACUUM ANALYZE")
    return msgspec.json.encode(installed.database.owner).decode()


def check_equal(ours: Load, bare: Load) -> None:
    """Refuse to compare two sides that do not do the same."""
    if (ours.body, ours.media_type) != (bare.body, bare.media_type):
        raise RuntimeError(f"the two sides do not answer the same:\n{ours.body!r}\n{bare.body!r}")


CLIENT = Bar(name="GET one client", unit="req/s", sides=_reading(_client), at_least=0.4, rounds=ROUNDS)
EMPLOYEE = Bar(name="GET one employee", unit="req/s", sides=_reading(_employee), at_least=0.4, rounds=ROUNDS)
