"""`gaji doctor`: looks at everything an installation stands on, changes nothing, and says what to do."""

import asyncio
import os
import shutil
import stat
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from gaji.core.settings import Settings, SettingsError
from gaji.core.vault import Vault
from gaji.db.database import APPLICATION, OWNER, SCHEMA, Database, running
from gaji.db.embedded import EmbeddedServerError
from gaji.db.migrate import newest, version
from gaji.db.secret_key import FILE, LEAST_CHARACTERS, NEXT_FILE, opens
from gaji.documents.fonts import PACKAGES, missing_scripts
from gaji.documents.pdf_client import TemplateError
from gaji.law import registry
from gaji.law.parameters import InvalidParameterFile

LEAST_FREE_BYTES = 1024**3
LEAST_POSTGRESQL = 150_000
UNREACHABLE = (EmbeddedServerError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError, TimeoutError)


@dataclass(frozen=True)
class Finding:
    """What was looked at and what was found; with a remedy when it is a problem."""

    subject: str
    found: str
    remedy: str | None = None

    @property
    def is_problem(self) -> bool:
        """Whether something has to be done."""
        return self.remedy is not None

    def __str__(self) -> str:
        if self.remedy is None:
            return f"ok       {self.subject}: {self.found}"
        return f"problem  {self.subject}: {self.found}. {self.remedy}"


def examine(environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Everything worth a look, one finding after the other."""
    try:
        settings = Settings.from_environment(environment)
    except SettingsError as error:
        yield Finding("settings", str(error), "Correct or unset that variable")
        return
    where = "at the address in GAJI_DATABASE_URL" if settings.database_url else f"embedded in {settings.data}"
    yield Finding("settings", f"valid; PostgreSQL {where}")
    yield data_folder(settings)
    yield free_space(settings)
    yield secret_file(settings)
    yield figures_of_the_law(settings)
    yield fonts()
    yield from _database(settings)


def data_folder(settings: Settings) -> Finding:
    """The folder is ours, and nobody else can change what is in it."""
    subject = f"data folder {settings.data}"
    if not settings.data.is_dir():
        if settings.database_url and settings.secret_key:
            return Finding(subject, "not there, and not needed")
        return Finding(subject, "not there", "`gaji migrate` makes it; or set GAJI_DATA to the right one")
    found = settings.data.stat()
    if found.st_uid != os.geteuid():
        return Finding(subject, f"belongs to user id {found.st_uid}", f"Run Gaji as that user, not as {os.geteuid()}")
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o022:
        return Finding(subject, f"others may write in it (mode {mode:o})", f"Run: chmod go-w {settings.data}")
    return Finding(subject, f"private enough (mode {mode:o})")


def free_space(settings: Settings) -> Finding:
    """There is room to write."""
    existing = next(folder for folder in (settings.data, *settings.data.parents) if folder.is_dir())
    free = shutil.disk_usage(existing).free
    found = f"{free / 1024**3:.1f} GiB free"
    if free < LEAST_FREE_BYTES:
        return Finding("disk", found, f"Make room on the disk of {existing}: 1 GiB is the least")
    return Finding("disk", found)


def secret_file(settings: Settings) -> Finding:
    """The secret is there, long enough, and readable by its owner only."""
    if settings.secret_key:
        if len(settings.secret_key) < LEAST_CHARACTERS:
            return Finding(
                "secret",
                f"GAJI_SECRET_KEY has {len(settings.secret_key)} characters",
                f"It must have at least {LEAST_CHARACTERS}",
            )
        return Finding("secret", "in GAJI_SECRET_KEY")
    path = settings.data / FILE
    if not path.exists():
        return Finding("secret", f"{path} is not there", "Put it back; a new installation gets one by `gaji migrate`")
    found = path.stat()
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077:
        return Finding("secret", f"others may read {path} (mode {mode:o})", f"Run: chmod 600 {path}")
    if not os.access(path, os.R_OK):
        return Finding(
            "secret", f"{path} cannot be read", f"It belongs to user id {found.st_uid}: run Gaji as that user"
        )
    return Finding("secret", f"in {path}, for its owner only")


def figures_of_the_law(settings: Settings) -> Finding:
    """The figures of the law, ours and the operator's, can be computed with."""
    try:
        version = registry.load(settings.law).rules_version
    except InvalidParameterFile as error:
        return Finding("law", str(error), "Correct that file")
    return Finding(
        "law", f"rules version {version}" + (f", with {settings.law} laid over ours" if settings.law else "")
    )


def fonts() -> Finding:
    """Names in the scripts of Singapore can be printed."""
    try:
        missing = asyncio.run(missing_scripts())
    except TemplateError as error:
        return Finding("documents", f"cannot be set: {error}", "Install Gaji again: `make clean`, then `make run`")
    if not missing:
        return Finding("fonts", "Latin, Chinese and Tamil names can be printed")
    found = f"none has the letters of {' and '.join(missing)} names, which are printed as boxes"
    packages = " ".join(PACKAGES[script] for script in missing if script in PACKAGES)
    return Finding("fonts", found, f"Run: apt-get install {packages}; then start Gaji again")


def _database(settings: Settings) -> Iterator[Finding]:
    if not settings.database_url and not _has_cluster(settings.data):
        yield Finding("database", "not set up yet", "Run `gaji migrate`, or `gaji restore` with a backup")
        return
    try:
        with running(settings) as (database, _):
            yield from asyncio.run(_examine_database(database, settings))
    except UNREACHABLE as error:
        remedy = "Check GAJI_DATABASE_URL and that the server runs" if settings.database_url else "See its log"
        yield Finding("database", f"cannot be used: {str(error) or type(error).__name__}", remedy)


def _has_cluster(data: Path) -> bool:
    # Asked first, because starting the embedded server would create what is missing.
    return (data / "postgres").exists()


async def _examine_database(database: Database, settings: Settings) -> list[Finding]:
    async with _reading(database, as_owner=False) as connection:
        findings = [await postgresql(connection), *await roles(connection)]
    if any(finding.is_problem for finding in findings):
        return findings
    async with _reading(database, as_owner=True) as connection:
        found = await schema(connection)
        findings.append(found)
        if not found.is_problem:
            findings += [
                await row_level_security(connection),
                await fitting_secret(connection, settings),
                await queue(connection),
            ]
    return findings


@asynccontextmanager
async def _reading(database: Database, *, as_owner: bool) -> AsyncIterator[asyncpg.Connection]:
    """A transaction that cannot write; the owner's role may not be there yet, the operator's login is."""
    arguments = database.owner if as_owner or database.login is None else database.login
    connection = await asyncpg.connect(**arguments)
    try:
        async with connection.transaction(readonly=True):
            yield connection
    finally:
        await connection.close()


async def postgresql(connection: asyncpg.Connection) -> Finding:
    """The server is new enough."""
    number = int(await connection.fetchval("SHOW server_version_num"))
    name = f"PostgreSQL {await connection.fetchval('SHOW server_version')}"
    if number < LEAST_POSTGRESQL:
        return Finding("database", name, "Gaji needs PostgreSQL 15 or newer")
    return Finding("database", f"{name} answers")


async def roles(connection: asyncpg.Connection) -> list[Finding]:
    """The two roles are there, and row-level security holds for both."""
    rows = await connection.fetch(
        "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname IN ($1, $2)", OWNER, APPLICATION
    )
    found = {row["rolname"]: row for row in rows}
    findings = [_role(name, found.get(name)) for name in (OWNER, APPLICATION)]
    if not any(finding.is_problem for finding in findings) and await connection.fetchval(
        "SELECT pg_has_role($1::name, $2::name, 'MEMBER')", APPLICATION, OWNER
    ):
        findings.append(Finding("roles", f"{APPLICATION} may act as {OWNER}", f"REVOKE {OWNER} FROM {APPLICATION}"))
    return findings


def _role(name: str, role: asyncpg.Record | None) -> Finding:
    subject = f"role {name}"
    if role is None:
        return Finding(subject, "not there", "Run `gaji migrate`")
    if role["rolsuper"]:
        return Finding(subject, "is a superuser, whom no policy holds", f"ALTER ROLE {name} NOSUPERUSER")
    if role["rolbypassrls"]:
        return Finding(subject, "bypasses row-level security", f"ALTER ROLE {name} NOBYPASSRLS")
    return Finding(subject, "held by row-level security")


async def schema(connection: asyncpg.Connection) -> Finding:
    """The tables have the shape that this program needs."""
    current = await version(connection)
    if current > newest():
        return Finding("schema", f"version {current}, and this program knows {newest()}", "Upgrade the program")
    if current < newest():
        return Finding("schema", f"version {current}, and this program needs {newest()}", "Run `gaji migrate`")
    return Finding("schema", f"version {current}")


async def row_level_security(connection: asyncpg.Connection) -> Finding:
    """Every table whose rows belong to someone is closed to everyone else."""
    rows = await connection.fetch(
        """
        SELECT c.relname::text AS name, c.relrowsecurity AND c.relforcerowsecurity
               AND ARRAY(SELECT p.polname::text FROM pg_policy p WHERE p.polrelid = c.oid) @> '{tenancy,maintenance}'
               AS closed
        FROM pg_class c
        WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND (c.relname = 'accounts' OR EXISTS (
                SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND NOT a.attisdropped
                AND a.attname IN ('client_id', 'account_id', 'user_id')))
        ORDER BY 1
        """,
        SCHEMA,
    )
    open_tables = [row["name"] for row in rows if not row["closed"]]
    if open_tables:
        return Finding(
            "row-level security",
            f"not forced, or without its policies, on {', '.join(open_tables)}",
            "Someone changed these tables: stop the servers, and restore a backup into a new database",
        )
    return Finding("row-level security", f"forced on all {len(rows)} tables of tenants")


async def fitting_secret(connection: asyncpg.Connection, settings: Settings) -> Finding:
    """The secret at hand opens what is encrypted."""
    check = await connection.fetchval("SELECT mark_sealed FROM secret_marks WHERE purpose = 'check'")
    if check is None:
        return Finding("encryption", "the database has no secret yet", "Run `gaji migrate`")
    if settings.secret_key:
        fits = opens(Vault(settings.secret_key.encode()), check)
    else:
        fits = _opens(settings.data / FILE, check) or _opens(settings.data / NEXT_FILE, check)
    if not fits:
        return Finding(
            "encryption",
            "the secret at hand is not the one this database was made with",
            f"Put the right one back as {settings.data / FILE} or in GAJI_SECRET_KEY",
        )
    return Finding("encryption", "the secret fits the database")


def _opens(path: Path, check: bytes) -> bool:
    return path.exists() and opens(Vault(path.read_text().strip().encode()), check)


async def queue(connection: asyncpg.Connection) -> Finding:
    """The job queue is as its library wants it, and the application may use it."""
    missing = (await Queries(AsyncpgDriver(connection)).plan_upgrade()).statements
    usable = await connection.fetchval(
        "SELECT bool_and(has_table_privilege($1, c.oid, 'UPDATE')) FROM pg_class c "
        "WHERE c.relnamespace = to_regnamespace($2) AND c.relkind = 'r' AND starts_with(c.relname, 'pgqueuer')",
        APPLICATION,
        SCHEMA,
    )
    if missing or not usable:
        return Finding("job queue", "its tables are missing, incomplete or closed", "Run `gaji migrate`")
    return Finding("job queue", "there")
