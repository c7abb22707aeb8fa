"""Real servers on real databases, for the tests to talk to."""

import asyncio
import contextlib
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from gaji.accounts import service as accounts
from gaji.db.database import Database, locate
from gaji.secret import open_vault
from gaji.settings import Settings

SECRET = "a secret that is only used by tests, long enough"
START_WITHIN_S = 60


@dataclass(frozen=True)
class Cluster:
    """A PostgreSQL server with a superuser that makes databases."""

    url: str
    """Of its maintenance database; the last path segment is replaced for others."""

    def database_url(self, name: str) -> str:
        """The address of another database of this cluster."""
        return (
            re.sub(r"/[^/?]*(\?|$)", rf"/{name}\1", self.url, count=1)
            if "@/" not in self.url
            else re.sub(r"@/[^?]*", f"@/{name}", self.url)
        )

    def execute(self, statement: str) -> None:
        """Run one statement as the superuser."""

        async def run() -> None:
            connection = await asyncpg.connect(self.url)
            try:
                await connection.execute(statement)
            finally:
                await connection.close()

        asyncio.run(run())

    @contextlib.contextmanager
    def copy_of(self, template: str) -> Iterator[str]:
        """The address of a fresh database made from a template; it is dropped afterwards."""
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield self.database_url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")


@dataclass(frozen=True)
class Member:
    """A user with an API key, and an HTTP client that uses it."""

    service: "Service"
    email: str
    key: str

    @property
    def http(self) -> httpx.Client:
        """A client whose base address is /v1 of the server, authenticated."""
        return httpx.Client(base_url=f"{self.service.url}/v1", headers={"Authorization": self.key}, timeout=30)

    def another_key(self, **details: Any) -> str:
        """One more key of the same user."""
        return self.service.create_key(self.email, **details)


@dataclass(frozen=True)
class Service:
    """A running server with its own database."""

    url: str
    settings: Settings
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def database(self) -> Database:
        """Its database, for looking behind the API."""
        return locate(self.settings)

    def new_account(self) -> Member:
        """A fresh account with an administrator and a key: a tenant of its own."""
        email = f"{secrets.token_hex(6)}@example.com"
        asyncio.run(accounts.create_account(self.database, "An account", email, "correct horse battery"))
        return Member(self, email, self.create_key(email))

    def create_key(self, email: str, **details: Any) -> str:
        """A key for a user of this server."""

        async def create() -> str:
            vault = await open_vault(self.database, self.settings)
            return await accounts.create_key(self.database, vault, email, **details)

        return asyncio.run(create())

    def as_owner(self, statement: str, *arguments: Any) -> list[Any]:
        """Run one statement in maintenance, past row-level security."""

        async def run() -> list[Any]:
            async with self.database.maintenance("test") as connection:
                return [dict(row) for row in await connection.fetch(statement, *arguments)]

        return asyncio.run(run())


@contextlib.contextmanager
def running_service(
    settings: Settings, folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Service]:
    """`gaji serve` on a free port of the loopback, ready to answer."""
    port = free_port()
    log = folder / "serve.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "gaji.cli", "serve", "--port", str(port)],
            env={**os.environ, **as_environment(settings), **(environment or {})},
            stdout=output,
            stderr=output,
            cwd=folder,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_ready(url, process, log)
        yield Service(url, settings, process, log)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def as_environment(settings: Settings) -> dict[str, str]:
    """The variables that make these settings."""
    values = {
        "GAJI_DATA": str(settings.data),
        "GAJI_RATE_LIMIT": str(settings.rate_limit),
        "GAJI_REPORT_QUEUE": str(settings.report_queue),
    }
    if settings.database_url:
        values["GAJI_DATABASE_URL"] = settings.database_url
    if settings.secret_key:
        values["GAJI_SECRET_KEY"] = settings.secret_key
    return values


def wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait for /readyz, and say what the server said when it does not come."""
    deadline = time.monotonic() + START_WITHIN_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{url}/readyz").status_code == 200:
                return
        time.sleep(0.05)
    raise AssertionError(f"the server did not become ready:\n{log.read_text()[-4000:]}")


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
