"""Databases in various states, for tests of commands."""

import asyncio
import contextlib
import os
import re
import secrets
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import asyncpg

from gaji.core.settings import Settings
from gaji.db.database import Database, locate_database
from gaji.db.embedded import EmbeddedServer
from gaji.wiring import TASKS
from tests.support.preloaded import run_gaji
from tests.support.running import WAIT_S, Cluster, as_environment


@contextlib.contextmanager
def empty_database(cluster: Cluster, owner: str | None = None) -> Iterator[str]:
    """Create an empty database. Yields its URL."""
    name = f"test_{secrets.token_hex(6)}"
    cluster.execute(f"CREATE DATABASE {name}" + (f" OWNER {owner}" if owner else ""))
    try:
        yield cluster.database_url(name)
    finally:
        cluster.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextlib.contextmanager
def cluster_without_roles() -> Iterator[Cluster]:
    """Run a server that has never been used by Gaji, as a hosting company provides it."""
    with open_folder() as folder, EmbeddedServer(folder / "data", {"fsync": "off"}) as server:
        arguments = server.connection("postgres", "postgres")
        cluster = Cluster(f"postgresql://postgres@/postgres?host={arguments['host']}&port={arguments['port']}")
        _admit_every_login(folder / "data" / "configuration" / "pg_hba.conf", cluster)
        cluster.execute("DROP DATABASE gaji")
        cluster.execute("DROP ROLE gaji_owner, gaji_app")
        yield cluster


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that the user of the embedded server can enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="gaji-tests-") as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - what is private is private inside
        yield Path(folder)


def signed_in_as(login: str, url: str) -> str:
    """Return the URL with another login."""
    return re.sub(r"//[^@]*@", f"//{login}@", url)


def as_owner(database: Database, statement: str, *arguments: Any) -> list[dict[str, Any]]:
    """Run one statement in maintenance, past row-level security."""

    async def run() -> list[dict[str, Any]]:
        async with database.maintenance("test") as connection:
            return [dict(row) for row in await connection.fetch(statement, *arguments)]

    return asyncio.run(run())


def hold_sweeps(database: Database) -> None:
    """Let the worker do nothing on the minute: what one test left to be swept would change under another one."""
    names = {name: sweep.schedule for name, sweep in TASKS.sweeps.items()}
    as_owner(
        database,
        "INSERT INTO pgqueuer_schedules (entrypoint, expression, next_run) "
        "SELECT name, times, now() + interval '1 day' FROM unnest($1::text[], $2::text[]) AS sweep (name, times)",
        list(names),
        list(names.values()),
    )


def as_application(database: Database, statement: str) -> list[dict[str, Any]]:
    """Run one statement as the application, without any tenancy."""

    async def run() -> list[dict[str, Any]]:
        connection = await asyncpg.connect(**database.as_application("test"))
        try:
            return [dict(row) for row in await connection.fetch(statement)]
        finally:
            await connection.close()

    return asyncio.run(run())


def everything(settings: Settings) -> dict[str, list[str]]:
    """Return every row of every table, and the next value of each sequence."""
    database = locate_database(settings)
    names = as_owner(
        database,
        "SELECT c.relname::text AS name, c.relkind = 'S' AS is_sequence FROM pg_class c "
        "WHERE c.relnamespace = 'gaji'::regnamespace AND c.relkind IN ('r', 'S') AND c.relname NOT LIKE 'pgqueuer%'",
    )
    queries = {
        f"next of {row['name']}" if row["is_sequence"] else row["name"]: (
            f"SELECT (CASE WHEN is_called THEN last_value + 1 ELSE last_value END)::text AS t FROM {row['name']}"
            if row["is_sequence"]
            else f"SELECT t::text AS t FROM {row['name']} t"
        )
        for row in names
    }
    contents: dict[str, list[str]] = {name: [] for name in queries}
    for row in as_owner(
        database, " UNION ALL ".join(f"SELECT '{name}' AS name, t FROM ({query}) q" for name, query in queries.items())
    ):
        contents[row["name"]].append(row["t"])
    return {name: sorted(rows) for name, rows in contents.items()}


def gaji(
    settings: Settings, *arguments: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command as an operator would."""
    variables = {**_without_settings(), **as_environment(settings), **(environment or {})}
    return run_gaji(arguments, variables)


def _admit_every_login(admission: Path, cluster: Cluster) -> None:
    admission.write_text(f"local all all trust\n{admission.read_text()}")
    loaded = "SELECT pg_conf_load_time()"
    before = cluster.fetch_value(loaded)
    cluster.execute("SELECT pg_reload_conf()")
    deadline = time.monotonic() + WAIT_S
    while cluster.fetch_value(loaded) == before:  # the server reloads a moment later
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _without_settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GAJI_")}
