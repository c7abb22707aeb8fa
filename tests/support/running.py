"""Real servers on real databases, for tests."""

import asyncio
import contextlib
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import asyncpg
import httpx

from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db.database import Database, locate_database
from gaji.db.secret_key import open_vault
from gaji.identity import key_format
from gaji.identity import service as accounts
from gaji.identity.repository import insert_account
from tests.support.preloaded import GajiProcess, start_gaji

METRICS_TOKEN = "only-used-by-tests"
SECRET = "a secret that is only used by tests, long enough"
START_WITHIN_S = 120
STOP_WITHIN_S = 60
WAIT_S = 60
"""Limits are generous: a busy machine must not fail a test."""
EVENTS_OF_AN_END = 6
"""More than the event loop takes for the last message of a server, the end of the stream, and closing it."""
SNAPSHOT = "pg_current_snapshot()::text"
"""Which transactions have ended. It changes whenever one that has written commits or rolls back."""


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
        self._run(lambda connection: connection.execute(statement))

    def fetch_value(self, query: str) -> Any:
        """Return the value of a query that the superuser runs in a new session."""
        return self._run(lambda connection: connection.fetchval(query))

    def _run(self, work: Callable[[asyncpg.Connection], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            connection = await asyncpg.connect(self.url)
            try:
                return await work(connection)
            finally:
                await connection.close()

        return asyncio.run(run())

    @contextlib.contextmanager
    def copy_of(self, template: str) -> Iterator[str]:
        """The address of a fresh database made from a template; it is dropped afterwards."""
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        try:
            yield self.database_url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")


@dataclass(frozen=True)
class Member:
    """A user with an API key, and the requests that are made with it."""

    service: "Service"
    email: str
    key: str

    @property
    def http(self) -> httpx.Client:
        """A client whose base address is /v1 of the server, authenticated."""
        return http_client(base_url=f"{self.service.url}/v1", headers={"Authorization": self.key})

    @property
    def user_id(self) -> int:
        """By which the database knows them."""
        [found] = self.service.as_owner("SELECT id FROM users WHERE email = $1", self.email)
        return int(found["id"])

    def call(self, method: str, path: str, **details: Any) -> httpx.Response:
        """One request under /v1 with this key; a header given as None is left out."""
        headers = {"Authorization": self.key, **details.pop("headers", {})}
        sent = {name: value for name, value in headers.items() if value is not None}
        return self.service.http.request(method, f"{self.service.url}/v1{path}", headers=sent, **details)

    def get(self, path: str, **details: Any) -> httpx.Response:
        """Read."""
        return self.call("GET", path, **details)

    def post(self, path: str, body: Any = None, **details: Any) -> httpx.Response:
        """Create."""
        return self.call("POST", path, json=body, **details)

    def patch(self, path: str, body: Any = None, **details: Any) -> httpx.Response:
        """Change."""
        return self.call("PATCH", path, json=body, **details)

    def delete(self, path: str, **details: Any) -> httpx.Response:
        """Remove."""
        return self.call("DELETE", path, **details)

    def new_client(self, **attributes: Any) -> int:
        """A client of this account."""
        return created(self.post("/clients", {"name": "Kopi Trading", **attributes}))

    def new_pay_point(self, client_id: int, **attributes: Any) -> int:
        """A pay point of a client."""
        return created(self.post(f"/clients/{client_id}/pay_points", {"name": "Warehouse", **attributes}))

    def another_key(self, **details: Any) -> str:
        """One more key of the same user."""
        return self.service.create_key(self.email, **details)

    def with_another_key(self, **details: Any) -> "Member":
        """The same user with one more key."""
        return replace(self, key=self.another_key(**details))

    def colleague(self, client_id: int, role: str, employee_id: int | None = None) -> "Member":
        """Another user of the same account, who has a role for one client and administrates nothing."""
        email = f"{secrets.token_hex(6)}@example.com"
        self.service.as_owner(
            "WITH one AS (INSERT INTO users (account_id, email, password_hash) "
            "SELECT account_id, $2, '' FROM users WHERE email = $1 RETURNING id) "
            "INSERT INTO memberships (client_id, user_id, role, employee_id) "
            "SELECT $3, id, $4, $5 FROM one",
            self.email,
            email,
            client_id,
            role,
            employee_id,
        )
        return Member(self.service, email, self.service.create_key(email))

    def invitation(self, client_id: int) -> int:
        """An invitation by this user that nobody has used, and whose link nobody knows."""
        [made] = self.service.as_owner(
            "INSERT INTO invitations (client_id, email, role, token_hash, invited_by, expires_at) SELECT $1, "
            "'new@example.com', 'viewer', sha256(random()::text::bytea), id, now() + interval '7 days' FROM users "
            "WHERE email = $2 RETURNING id",
            client_id,
            self.email,
        )
        return int(made["id"])


class HeldDatabase(Database):
    """A database whose owner works on one connection that stays open, which is faster than a new one each time."""

    held: ClassVar[dict[str, asyncpg.Connection]] = {}

    @contextlib.asynccontextmanager
    async def owner_connection(self) -> AsyncIterator[asyncpg.Connection]:
        """The one connection."""
        name = _database_name(self)
        if name not in self.held or not await _is_alive(self.held[name]):
            self.held[name] = await connect_without_parallel_queries(self)
        yield self.held[name]


async def connect_without_parallel_queries(database: Database) -> asyncpg.Connection:
    """Connect as the owner. PostgreSQL would start two processes for each query over all tables, however small."""
    connection = await asyncpg.connect(**database.owner)
    await connection.execute("SET max_parallel_workers_per_gather = 0")
    return connection


@dataclass(eq=False)
class Fingerprint(Mapping[str, tuple[int, int]]):
    """The row count and the sum of row versions of each table in one snapshot, which are read when they are needed."""

    snapshot: str
    read: Callable[[], dict[str, tuple[int, int]]]

    @cached_property
    def tables(self) -> dict[str, tuple[int, int]]:
        """The contents."""
        return self.read()

    def __getitem__(self, table: str) -> tuple[int, int]:
        return self.tables[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __eq__(self, other: object) -> bool:
        """Compare the tables. They are not read for the same snapshot, in which every reader sees the same rows."""
        if isinstance(other, Fingerprint) and other.snapshot == self.snapshot:
            return True
        return isinstance(other, Mapping) and dict(self) == dict(other)


@dataclass
class HeldSnapshot:
    """A transaction that sees the database as it was when the last fingerprint was taken."""

    connection: asyncpg.Connection
    snapshot: str = ""
    """Empty if no transaction is open."""
    fingerprint: Callable[[], Fingerprint | None] = field(default=lambda: None)
    """A weak reference to the fingerprint of this snapshot. When it is gone, the snapshot is no longer needed."""

    held: ClassVar[dict[str, "HeldSnapshot"]] = {}
    """By the name of the database."""

    async def begin(self) -> str:
        """Take a snapshot, and lock nothing."""
        await self.connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        row = await self.connection.fetchrow(f"SELECT {SNAPSHOT}, set_config('gaji.maintenance', 'on', true)")
        self.snapshot = row[0]
        return self.snapshot

    async def end(self) -> None:
        """End the transaction if it is open."""
        if self.snapshot:
            self.snapshot = ""
            await self.connection.execute("ROLLBACK")


def _database_name(database: Database) -> str:
    """The URL of a database, or the folder of the embedded server's socket."""
    return str(database.owner.get("dsn") or database.owner["host"])


async def _is_alive(connection: asyncpg.Connection) -> bool:
    """Return whether a connection is open. The event loop first reads what the server sent, and that it ended."""
    for _ in range(EVENTS_OF_AN_END):
        await asyncio.sleep(0)
    return not connection.is_closed()


@dataclass(frozen=True)
class Service:
    """A running server with its own database."""

    url: str
    settings: Settings
    process: GajiProcess
    log: Path
    http: httpx.Client
    """For requests without a key, or with one of its own."""
    runner: asyncio.Runner
    """Runs what a test does behind the server's back."""

    @property
    def database(self) -> Database:
        """Its database, for looking behind the API."""
        return locate_database(self.settings)

    @cached_property
    def vault(self) -> Vault:
        """Its secret."""
        return self.runner.run(open_vault(self.database, self.settings))

    @cached_property
    def _held(self) -> Database:
        return HeldDatabase(**vars(self.database))

    def new_account(self) -> Member:
        """A fresh account with an administrator and a key: a tenant of its own."""
        self._release_snapshot()
        email = f"{secrets.token_hex(6)}@example.com"

        key = key_format.generate_key()
        key_hash = self.vault.api_key_hash(key)

        async def create() -> None:
            # Past the services: hashing a password takes longer than most tests, and one transaction is enough.
            async with self._held.maintenance() as connection:
                account_id, user_id = await insert_account(connection, "An account", email, "no password opens this")
                await connection.execute(
                    "INSERT INTO api_keys (account_id, user_id, name, key_hash, hint) VALUES ($1, $2, $3, $4, $5)",
                    account_id,
                    user_id,
                    "API key",
                    key_hash,
                    key[-accounts.HINT_CHARACTERS :],
                )

        self.runner.run(create())
        return Member(self, email, key)

    def create_key(self, email: str, **details: Any) -> str:
        """A key for a user of this server."""
        return self.runner.run(accounts.create_key(self._held, self.vault, email, **details))

    def as_owner(self, statement: str, *arguments: Any) -> list[Any]:
        """Run one statement in maintenance, past row-level security."""

        async def run() -> list[Any]:
            async with self._held.maintenance("test") as connection:
                return [dict(row) for row in await connection.fetch(statement, *arguments)]

        return self.runner.run(run())

    def _fetch(self, query: str) -> list[Any]:
        """Run a query about the database itself, for which row-level security does not matter."""

        async def run() -> list[Any]:
            async with self._held.owner_connection() as connection:
                return list(await connection.fetch(query))

        return self.runner.run(run())

    def as_login(self, statement: str, *arguments: Any) -> list[Any]:
        """Run one statement as the login, a superuser: what neither of the two roles could do."""

        async def run() -> list[Any]:
            connection = await asyncpg.connect(**(self.database.login or {}))
            try:
                return [dict(row) for row in await connection.fetch(statement, *arguments)]
            finally:
                await connection.close()

        return self.runner.run(run())

    @contextlib.contextmanager
    def holding(self, statement: str, *arguments: Any) -> Iterator[None]:
        """A transaction in maintenance that has run this statement and stays open: what it locked is locked."""
        run = self.runner.run
        connection = run(asyncpg.connect(**self.database.owner))
        try:
            run(connection.execute("BEGIN; SELECT set_config('gaji.maintenance', 'on', true)"))
            run(connection.execute(statement, *arguments))
            yield
        finally:
            run(connection.close())

    def wait_until_blocked(self, sessions: int = 1) -> None:
        """Wait until so many sessions of the server wait for a lock."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            found = self.as_login(
                "SELECT count(*) AS waiting FROM pg_stat_activity "
                "WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if found[0]["waiting"] >= sessions:
                return
            time.sleep(0.02)
        raise AssertionError(f"fewer than {sessions} requests wait for a lock")

    def wait_until_idle(self) -> str:
        """Wait until the worker has finished its jobs, or cannot because of a lock that a test holds.

        Return the snapshot of that moment.
        """
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            [worker] = self._fetch(
                "SELECT NOT EXISTS (SELECT FROM pgqueuer) OR EXISTS (SELECT FROM pg_stat_activity "
                "WHERE datname = current_database() AND wait_event_type = 'Lock') AS idle, "
                f"{SNAPSHOT} AS snapshot"
            )
            if worker["idle"]:
                return str(worker["snapshot"])
            time.sleep(0.02)
        raise AssertionError("the worker did not finish its jobs")

    def _tables(self) -> list[str]:
        """Return the tables that a request may write, without those that the worker writes and the use of API keys.

        A few tests add a table for a moment.
        """
        names = self.as_owner(
            "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'gaji' "
            "AND tablename NOT LIKE 'pgqueuer%' "
            "AND tablename NOT IN "
            "('access_chain_state', 'access_events', 'access_heads', 'access_links', 'announced_law', 'api_key_uses', "
            "'audit_chain_state', 'audit_heads', 'audit_links', "
            "'webhook_progress', 'webhook_deliveries', 'worker_heartbeats') "
            "ORDER BY 1"
        )
        return [table["name"] for table in names]

    def fingerprint(self) -> Fingerprint:
        """Return the row count and the sum of row versions of each table, to compare before and after a request.

        Jobs that an earlier request or test left to the worker are waited for.

        Every insert, update and delete that is committed changes it, even an update to the same values. Most tests
        compare the same state: as long as no transaction that writes ends, the snapshot is the same, and the tables
        need not be read. A transaction keeps the state until they are, because a later snapshot may differ.
        """
        held = self._held_snapshot()
        fingerprint = held.fingerprint()
        if fingerprint is not None:
            if self.wait_until_idle() == fingerprint.snapshot:
                return fingerprint
            _ = fingerprint.tables
        fingerprint = Fingerprint(self._take_snapshot(held), lambda: self._read_tables(held))
        held.fingerprint = weakref.ref(fingerprint)
        return fingerprint

    def _held_snapshot(self) -> HeldSnapshot:
        name = _database_name(self.database)
        held = HeldSnapshot.held.get(name)
        if held is None or not self.runner.run(_is_alive(held.connection)):
            HeldSnapshot.held[name] = HeldSnapshot(self.runner.run(connect_without_parallel_queries(self.database)))
        return HeldSnapshot.held[name]

    def _take_snapshot(self, held: HeldSnapshot) -> str:
        """Begin a transaction in a moment in which the worker is idle, and return its snapshot."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            self.runner.run(held.end())
            snapshot = self.runner.run(held.begin())
            if self.wait_until_idle() == snapshot:
                return snapshot
        raise AssertionError("the database did not stop changing")

    def _read_tables(self, held: HeldSnapshot) -> dict[str, tuple[int, int]]:
        """Read all tables in a transaction, and end it."""
        query = " UNION ALL ".join(
            f"SELECT '{table}' AS name, count(*) AS rows, coalesce(sum(xmin::text::bigint), 0)::bigint AS versions "
            f"FROM {table}"
            for table in self._tables()
        )
        rows = self.runner.run(held.connection.fetch(query))
        self.runner.run(held.end())
        return {row["name"]: (row["rows"], row["versions"]) for row in rows}

    def _release_snapshot(self) -> None:
        """End the transaction of a fingerprint that no test has any more, so that PostgreSQL can remove old rows."""
        held = HeldSnapshot.held.get(_database_name(self.database))
        if held and held.snapshot and held.fingerprint() is None and self.runner.run(_is_alive(held.connection)):
            self.runner.run(held.end())

    def rows(self) -> dict[str, list[str]]:
        """Return every row of every table as text. Slow once many tests have run."""
        return self._text_of({table: f"SELECT t FROM {table} t" for table in self._tables()})

    def client_rows(self, client_id: int) -> dict[str, list[str]]:
        """Return every row of one client as text."""
        columns = self.as_owner(
            "SELECT quote_ident(table_name) AS name FROM information_schema.columns "
            "WHERE table_schema = 'gaji' AND column_name = 'client_id'"
        )
        owned = {column["name"] for column in columns}
        queries = {table: f"SELECT t FROM {table} t WHERE client_id = $1" for table in self._tables() if table in owned}
        return self._text_of({"clients": "SELECT t FROM clients t WHERE id = $1", **queries}, client_id)

    def _text_of(self, queries: Mapping[str, str], *arguments: Any) -> dict[str, list[str]]:
        """Return the rows of each query as sorted text."""
        rows = self.as_owner(
            " UNION ALL ".join(
                f"SELECT '{name}' AS name, t::text AS row FROM ({query}) q" for name, query in queries.items()
            ),
            *arguments,
        )
        text: dict[str, list[str]] = {name: [] for name in queries}
        for row in rows:
            text[row["name"]].append(row["row"])
        return {name: sorted(lines) for name, lines in text.items()}

    def log_lines(self) -> list[str]:
        """What the server has written so far."""
        return self.log.read_text().splitlines()

    def logged(self, text: str) -> list[dict[str, Any]]:
        """The lines of log that hold this text; the server writes them just after it has answered."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            if lines := [json.loads(line) for line in self.log_lines() if text in line]:
                return lines
            time.sleep(0.01)
        raise AssertionError(f"nothing was logged about {text}")


def http_client(**options: Any) -> httpx.Client:
    """Return a client for servers of the tests.

    It skips the certificate authorities, which take 50 ms to read: longer than most requests.
    """
    return httpx.Client(verify=False, timeout=WAIT_S, **options)  # noqa: S501 - only on this machine


def created(answer: httpx.Response) -> int:
    """The id in the answer of a create that went well."""
    assert answer.status_code == 200, answer.text
    record_id: int = answer.json()["id"]
    return record_id


@contextlib.contextmanager
def running_service(
    settings: Settings,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
    *,
    preloaded: bool = True,
) -> Iterator[Service]:
    """`gaji serve` on a free port of the loopback, ready to answer."""
    port = free_port()
    log = folder / "serve.log"
    command = ["serve", "--port", str(port), *arguments]
    variables = {**os.environ, **as_environment(settings), **(environment or {})}
    with log.open("wb") as output:
        process = start_gaji(command, variables, stdout=output, stderr=output, folder=folder, preloaded=preloaded)
    try:
        scheme = "https" if environment and "GAJI_TLS_CERT" in environment else "http"
        url = f"{scheme}://127.0.0.1:{port}"
        wait_until_ready(url, process, log)
        with http_client() as http, asyncio.Runner() as runner:
            yield Service(url, settings, process, log, http, runner)
            name = _database_name(locate_database(settings))
            if connection := HeldDatabase.held.pop(name, None):
                connection.terminate()
            if snapshot := HeldSnapshot.held.pop(name, None):
                snapshot.connection.terminate()
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def as_environment(settings: Settings) -> dict[str, str]:
    """The variables that make these settings."""
    values = {
        "GAJI_DATA": str(settings.data),
        "GAJI_RUN_AS": "",  # root's folders and Python may be closed to other users
        "GAJI_RATE_LIMIT": str(settings.rate_limit),
        "GAJI_REPORT_QUEUE": str(settings.report_queue),
    }
    if settings.database_url:
        values["GAJI_DATABASE_URL"] = settings.database_url
    if settings.database_cache_mib:
        values["GAJI_DATABASE_CACHE_MIB"] = str(settings.database_cache_mib)
    if settings.database_direct_url:
        values["GAJI_DATABASE_DIRECT_URL"] = settings.database_direct_url
    if settings.replica_url:
        values["GAJI_REPLICA_URL"] = settings.replica_url
    if settings.law:
        values["GAJI_LAW"] = str(settings.law)
    if settings.secret_key:
        values["GAJI_SECRET_KEY"] = settings.secret_key
    if settings.backup_recipient:
        values["GAJI_BACKUP_RECIPIENT"] = settings.backup_recipient
    if settings.metrics_token:
        values["GAJI_METRICS_TOKEN"] = settings.metrics_token
    return values


def wait_until_ready(url: str, process: GajiProcess, log: Path) -> None:
    """Wait for /readyz, and say what the server said when it does not come."""
    deadline = time.monotonic() + START_WITHIN_S
    with http_client() as http:
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(httpx.TransportError):
                if http.get(f"{url}/readyz").status_code == 200:
                    return
            time.sleep(0.05)
    raise AssertionError(f"the server did not become ready:\n{log.read_text()[-4000:]}")


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
