"""The baseline of reads: an ASGI application that runs one statement and returns its result.

It runs on the same server with the same settings as the service, and on the same PostgreSQL. The pool of asyncpg does
not reset connections, so that each request is exactly one statement.
"""

import os
from typing import Any

import asyncpg
import msgspec

from gaji.web.asgi import ASGIApp, Receive, Scope, Send

TABLE = "bench_bodies"
ARGUMENTS = "BENCH_DATABASE"
"""The environment variable with the arguments of asyncpg.connect, as JSON."""


def create() -> ASGIApp:
    """Return the application: /7 returns the body with the id 7."""
    pool: Any = None

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal pool
        if scope["type"] == "lifespan":
            arguments = msgspec.json.decode(os.environ[ARGUMENTS])
            pool = await asyncpg.create_pool(min_size=1, max_size=20, reset=_no_reset, **arguments)
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await pool.close()
            await send({"type": "lifespan.shutdown.complete"})
            return
        text: str = await pool.fetchval(f"SELECT body FROM {TABLE} WHERE id = $1", int(scope["path"][1:]))
        body = text.encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    return application


async def _no_reset(connection: asyncpg.Connection) -> None:
    """Do nothing between two uses of a connection."""
