"""The one-record read: a client over HTTP, against a bare handler that runs one statement and sends the same bytes."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from bench import ceiling, servers
from bench.bars import Bar, Sides
from bench.load import Job, Load, put_on
from gaji.installation import Installation


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.installation() as (installed, demo), servers.service(installed, "--no-worker") as port:
        ours = Job(port, f"/v1/clients/{demo.client_id}", {"authorization": demo.api_key})
        expected = put_on(ours)
        arguments = asyncio.run(_store(installed, demo.client_id, expected.body))
        with servers.bare(installed, "bench.ceiling:create", {ceiling.ARGUMENTS: arguments}) as bare_port:
            bare = Job(bare_port, f"/{demo.client_id}", {"authorization": demo.api_key})
            check_equal(expected, put_on(bare))
            yield Sides(ours=lambda: put_on(ours).sample, ceiling=lambda: put_on(bare).sample)


async def _store(installed: Installation, row_id: int, body: bytes) -> str:
    """Keep the body in a table of its own, and give the way to it."""
    async with installed.database.owner_connection() as connection:
        await connection.execute(f"CREATE TABLE {ceiling.TABLE} (id bigint PRIMARY KEY, body text NOT NULL)")
        await connection.execute(f"INSERT INTO {ceiling.TABLE} VALUES ($1, $2)", row_id, body.decode())
        await connection.execute("VACUUM ANALYZE")
    return msgspec.json.encode(installed.database.owner).decode()


def check_equal(ours: Load, bare: Load) -> None:
    """Refuse to compare two sides that do not do the same."""
    if (ours.body, ours.media_type) != (bare.body, bare.media_type):
        raise RuntimeError(f"the two sides do not answer the same:\n{ours.body!r}\n{bare.body!r}")


BAR = Bar(name="GET one client", unit="req/s", sides=_sides, at_least=0.4)
