"""A TCP address of the test database that can be frozen."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

from gaji.core.settings import Settings


@asynccontextmanager
async def listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    """Yield the port of a TCP server."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


class Relay:
    """Connects TCP to the database, which listens on a local socket. While it is frozen, nothing is passed on."""

    def __init__(self, settings: Settings) -> None:
        url = urlsplit(settings.database_url or "")
        options = parse_qs(url.query)
        self._socket = f"{options['host'][0]}/.s.PGSQL.{options['port'][0]}"
        self._database = url.path
        self._running = asyncio.Event()
        self._running.set()
        self.connected = asyncio.Event()
        """Set when there has been a connection."""

    def url(self, *ports: int) -> str:
        """Return the URL of the database at these ports."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        return f"postgresql://postgres@{hosts}{self._database}?sslmode=disable"

    def resume(self) -> None:
        """Pass on everything again."""
        self._running.set()

    def freeze(self) -> None:
        """Keep all connections open, and respond to none."""
        self._running.clear()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Handle one connection."""
        self.connected.set()
        await self._running.wait()
        database_reader, database_writer = await asyncio.open_unix_connection(self._socket)
        await asyncio.gather(self._copy(reader, database_writer), self._copy(database_reader, writer))

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            await self._running.wait()
            writer.write(data)
        writer.close()
