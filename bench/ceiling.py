"""The ceiling of reads: an ASGI application that runs one statement and sends what it finds, and does nothing else.

It is served exactly as the service is, by the same server with the same settings, from the same PostgreSQL. Its pool
is asyncpg's, told to leave out the reset that it would send for each connection it takes back: one statement is one.
"""

import os
from typing import Any

import asyncpg
import msgspec

from gaji.web.asgi import ASGIApp, Receive, Scope, Send

TABLE = "bench_bodies"
ARGUMENTS = "BENCH_DATABASE"
"""The variable with the arguments of asyncpg.connect, as JSON."""


def create() -> ASGIApp:
    """The application: /7 answers the body with the id 7."""
    pool: Any = None

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal pool
        if scope["type"] == "lifespan":
            arguments = msgspec.json.decode(os.environ[ARGUMENTS])
            pool = await asyncpg.create_pool(min_size=1, max_size=20, reset=_as_it_is, **arguments)
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await pool.close()
            await send({"type": "lifespan.shutdown.complete"})
            return
        found: str = await pool.fetchval(f"SELECT body FROM {TABLE} WHERE id = $1", int(scope["path"][1:]))
        body = found.encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    return application


async def _as_it_is(connection: asyncpg.Connection) -> None:
    """What is done to a connection between two uses: nothing."""
