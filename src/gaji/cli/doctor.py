"""`gaji doctor`: checks an installation without changing it, and suggests remedies."""

import asyncio
import os
import pwd
import shutil
import stat
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from gaji.audit.access_verification import verify_access_chains
from gaji.audit.verification import ChainReport, verify_chains
from gaji.cli.run_as import describe_service_user
from gaji.core.settings import Settings, SettingsError
from gaji.core.system_rights import ROOT, starter_id
from gaji.core.vault import Vault
from gaji.db.connect import ConnectArguments, UnsafeRole, connect
from gaji.db.database import APPLICATION, OWNER, SCHEMA, Database
from gaji.db.disk_space import is_disk_full
from gaji.db.embedded import EmbeddedServerError
from gaji.db.embedded.wal_archive import WalArchive
from gaji.db.migrate import allows_older_servers, changed_migrations, database_version
from gaji.db.migration_files import latest_version
from gaji.db.replica import UnsuitableReplica, read_position, read_progress
from gaji.db.running_database import running_database
from gaji.db.schema_shape import expected_shape, load_shape, shape_differences
from gaji.db.secret_key import KEY_FILE, MIN_SECRET_LENGTH, NEXT_KEY_FILE, find_vault, is_sealed_by, load_marks
from gaji.db.worker_heartbeats import MAX_AGE, QUEUE_AGE, latest_heartbeat_age_s, load_workers
from gaji.documents.fonts import PACKAGES, missing_scripts
from gaji.documents.pdf_client import TemplateError
from gaji.law import registry
from gaji.law.parameters import InvalidParameterFile

LARGEST_TABLES = 5
MAX_NAMED_DIFFERENCES = 5
MAX_PENDING = timedelta(hours=1)
"""The age of an entry of the audit log that is not in a chain yet. A long transaction delays it."""
MAX_BACKUP_AGE = timedelta(days=2)
MIN_FREE_BYTES = 1024**3
MIN_POSTGRESQL_VERSION = 150_000
CONNECTION_ERRORS = (
    EmbeddedServerError,
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    UnsafeRole,
    ValueError,
    TimeoutError,
)


@dataclass(frozen=True)
class Finding:
    """The result of a check, with a remedy if it is a problem."""

    subject: str
    result: str
    remedy: str | None = None
    is_note: bool = False
    """Whether it is worth knowing, although the installation works."""

    @property
    def is_problem(self) -> bool:
        """Whether the operator has to do something."""
        return self.remedy is not None

    def __str__(self) -> str:
        if self.remedy is None:
            return f"{'note' if self.is_note else 'ok':8} {self.subject}: {self.result}"
        return f"problem  {self.subject}: {self.result}. {self.remedy}"


def examine(environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Run all checks, and yield their results."""
    try:
        settings = Settings.from_environment(environment)
    except SettingsError as error:
        yield Finding("settings", str(error), "Correct or unset that variable")
        return
    location = "at GAJI_DATABASE_URL" if settings.database_url else f"embedded in {settings.data}"
    yield Finding("settings", f"valid; PostgreSQL {location}")
    if starter_id() == ROOT:
        yield check_service_user(settings)
    yield check_data_folder(settings)
    yield check_free_space(settings)
    yield check_secret_file(settings)
    yield check_law(settings)
    yield check_fonts()
    yield from _check_database(settings)


def check_service_user(settings: Settings) -> Finding:
    """Check as which user the servers run that root starts."""
    name = settings.run_as
    if os.geteuid() != ROOT:
        name = pwd.getpwuid(os.geteuid()).pw_name
    elif reason := describe_service_user(settings):
        return Finding("user", f"servers and workers that root starts run as root: {reason}", is_note=True)
    return Finding("user", f"servers and workers that root starts run as {name}")


def check_data_folder(settings: Settings) -> Finding:
    """Check that the data folder belongs to this user, and that no other user can write to it."""
    subject = f"data folder {settings.data}"
    if not settings.data.is_dir():
        if settings.database_url and settings.secret_key:
            return Finding(subject, "missing, but not needed")
        return Finding(subject, "missing", "Run `gaji migrate` to create it, or set GAJI_DATA to the right one")
    status = settings.data.stat()
    if status.st_uid != os.geteuid():
        return Finding(subject, f"belongs to user ID {status.st_uid}", f"Run Gaji as that user, not as {os.geteuid()}")
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o022:
        return Finding(subject, f"other users can write to it (mode {mode:o})", f"Run: chmod go-w {settings.data}")
    return Finding(subject, f"no other user can write to it (mode {mode:o})")


def check_free_space(settings: Settings) -> Finding:
    """Check that there is free disk space."""
    existing = next(folder for folder in (settings.data, *settings.data.parents) if folder.is_dir())
    free = shutil.disk_usage(existing).free
    result = f"{free / 1024**3:.1f} GiB free"
    if free < MIN_FREE_BYTES:
        return Finding("disk", result, f"Free at least 1 GiB on the disk of {existing}")
    return Finding("disk", result)


def check_secret_file(settings: Settings) -> Finding:
    """Check that the secret exists, is long enough, and is readable only by its owner."""
    if settings.secret_key:
        if len(settings.secret_key) < MIN_SECRET_LENGTH:
            return Finding(
                "secret",
                f"GAJI_SECRET_KEY has {len(settings.secret_key)} characters",
                f"It must have at least {MIN_SECRET_LENGTH}",
            )
        return Finding("secret", "in GAJI_SECRET_KEY")
    path = settings.data / KEY_FILE
    if not path.exists():
        return Finding("secret", f"{path} is missing", "Restore it; for a new installation, run `gaji migrate`")
    status = path.stat()
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o077:
        return Finding("secret", f"other users can read {path} (mode {mode:o})", f"Run: chmod 600 {path}")
    if not os.access(path, os.R_OK):
        return Finding(
            "secret", f"{path} cannot be read", f"It belongs to user ID {status.st_uid}: run Gaji as that user"
        )
    return Finding("secret", f"in {path}, readable only by its owner")


def check_law(settings: Settings) -> Finding:
    """Check that the statutory parameters, ours and the operator's, are valid."""
    try:
        version = registry.load(settings.law).rules_version
    except InvalidParameterFile as error:
        return Finding("law", str(error), "Correct that file")
    return Finding(
        "law", f"rules version {version}" + (f", with overrides from {settings.law}" if settings.law else "")
    )


def check_fonts() -> Finding:
    """Check that names in the scripts of Singapore can be printed."""
    try:
        missing = asyncio.run(missing_scripts())
    except TemplateError as error:
        return Finding("documents", f"cannot be rendered: {error}", "Install Gaji again: `make clean`, then `make run`")
    if not missing:
        return Finding("fonts", "Latin, Chinese and Tamil names can be printed")
    result = f"no font has the characters of {' and '.join(missing)} names, which are printed as boxes"
    packages = " ".join(PACKAGES[script] for script in missing if script in PACKAGES)
    return Finding("fonts", result, f"Run: apt-get install {packages}; then restart Gaji")


def _check_database(settings: Settings) -> Iterator[Finding]:
    if not settings.database_url and not _has_cluster(settings.data):
        yield Finding("database", "not initialised yet", "Run `gaji migrate`, or `gaji restore` with a backup")
        return
    try:
        with running_database(settings) as (database, _):
            yield from asyncio.run(_check_running_database(database, settings))
    except CONNECTION_ERRORS as error:
        remedy = "Check GAJI_DATABASE_URL, and that the server is running" if settings.database_url else "See its log"
        yield Finding("database", f"cannot be used: {str(error) or type(error).__name__}", remedy)


def _has_cluster(data: Path) -> bool:
    # Checked first, because starting the embedded server would create it.
    return (data / "postgres").exists()


async def _check_running_database(database: Database, settings: Settings) -> list[Finding]:
    async with _read_only_transaction(database, as_owner=False) as connection:
        findings = [await check_version(connection), *await check_roles(connection)]
    if any(finding.is_problem for finding in findings):
        return findings
    findings.append(await check_database_disk(database))
    async with _read_only_transaction(database, as_owner=True) as connection:
        schema_finding = await check_schema(connection)
        findings.append(schema_finding)
        if not schema_finding.is_problem:
            secret_finding = await check_secret(connection, settings)
            queue_finding = await check_queue(connection)
            findings += [
                await check_schema_shape(connection),
                await check_row_level_security(connection),
                secret_finding,
                queue_finding,
                await check_mail(connection, settings),
                await check_last_backup(connection),
                await measure_tables(connection),
            ]
            if not queue_finding.is_problem:
                findings += [await check_workers(connection), await check_backlogs(connection)]
            if settings.wal_archive is not None:
                findings.append(await check_wal_archive(connection, WalArchive(settings.wal_archive)))
            if (replica := database.at_replica("gaji doctor")) is not None:
                findings.append(await check_replica(connection, replica))
            if not secret_finding.is_problem:
                findings.append(await check_audit_log(connection, settings))
                findings.append(await check_access_log(connection, settings))
    return findings


@asynccontextmanager
async def _read_only_transaction(database: Database, *, as_owner: bool) -> AsyncIterator[asyncpg.Connection]:
    """Begin a read-only transaction, as the owner or, if the roles may not exist yet, as the operator's login."""
    arguments = database.owner if as_owner or database.login is None else database.login
    connection = await connect(arguments)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            yield connection
    finally:
        await connection.close()


async def check_version(connection: asyncpg.Connection) -> Finding:
    """Check that the server is new enough."""
    number = int(await connection.fetchval("SHOW server_version_num"))
    name = f"PostgreSQL {await connection.fetchval('SHOW server_version')}"
    if number < MIN_POSTGRESQL_VERSION:
        return Finding("database", name, "Gaji needs PostgreSQL 15 or newer")
    return Finding("database", f"{name} is running")


async def check_database_disk(database: Database) -> Finding:
    """Check that the server has space for a temporary table, which is dropped again.

    A read-only database is not checked.
    """
    connection = await connect(database.owner)
    try:
        if await connection.fetchval("SELECT current_setting('transaction_read_only')::boolean"):
            return Finding("database disk", "not checked: the database is read-only", is_note=True)
        if await is_disk_full(connection):
            return Finding("database disk", "full; no changes can be saved", "Free space on the disk of the database")
    finally:
        await connection.close()
    return Finding("database disk", "has space for changes")


async def check_roles(connection: asyncpg.Connection) -> list[Finding]:
    """Check that the two roles exist and are subject to row-level security."""
    rows = await connection.fetch(
        "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname IN ($1, $2)", OWNER, APPLICATION
    )
    roles = {row["rolname"]: row for row in rows}
    findings = [_check_role(name, roles.get(name)) for name in (OWNER, APPLICATION)]
    if not any(finding.is_problem for finding in findings) and await connection.fetchval(
        "SELECT pg_has_role($1::name, $2::name, 'MEMBER')", APPLICATION, OWNER
    ):
        findings.append(Finding("roles", f"{APPLICATION} can assume {OWNER}", f"REVOKE {OWNER} FROM {APPLICATION}"))
    return findings


def _check_role(name: str, role: asyncpg.Record | None) -> Finding:
    subject = f"role {name}"
    if role is None:
        return Finding(subject, "missing", "Run `gaji migrate`")
    if role["rolsuper"]:
        return Finding(subject, "is a superuser, which bypasses row-level security", f"ALTER ROLE {name} NOSUPERUSER")
    if role["rolbypassrls"]:
        return Finding(subject, "bypasses row-level security", f"ALTER ROLE {name} NOBYPASSRLS")
    return Finding(subject, "subject to row-level security")


async def check_schema(connection: asyncpg.Connection) -> Finding:
    """Check that the database is fully migrated."""
    current = await database_version(connection)
    if current > latest_version() and await allows_older_servers(connection):
        return Finding("schema", f"version {current}, newer than this program, which can continue to run")
    if current > latest_version():
        return Finding(
            "schema", f"version {current}, but this program supports up to {latest_version()}", "Upgrade the program"
        )
    if current < latest_version():
        return Finding("schema", f"version {current}, but this program needs {latest_version()}", "Run `gaji migrate`")
    if changed := await changed_migrations(connection):
        numbers = ", ".join(str(migration.number) for migration in changed)
        return Finding(
            "schema",
            f"version {current}, but migrations {numbers} were applied in another form",
            "Install the program that migrated the database, or restore a backup",
        )
    return Finding("schema", f"version {current}")


async def check_schema_shape(connection: asyncpg.Connection) -> Finding:
    """Check that tables, indexes, functions, policies and other objects are defined as in a new installation."""
    if await database_version(connection) > latest_version():
        return Finding("schema objects", "not checked: the database is newer than this program", is_note=True)
    expected = expected_shape()
    differences = shape_differences(await load_shape(connection), expected)
    if not differences:
        return Finding("schema objects", f"all {len(expected)} are as in a new installation")
    names = ", ".join(str(difference) for difference in differences[:MAX_NAMED_DIFFERENCES])
    more = f" and {len(differences) - MAX_NAMED_DIFFERENCES} more" if len(differences) > MAX_NAMED_DIFFERENCES else ""
    result = f"not as in a new installation: {names}{more}"
    if all(difference.is_additional_index for difference in differences):
        return Finding("schema objects", result, is_note=True)
    return Finding(
        "schema objects", result, "Undo changes that were made by hand, or restore a backup into a new database"
    )


async def check_row_level_security(connection: asyncpg.Connection) -> Finding:
    """Check that row-level security protects every table with rows of tenants."""
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
            "These tables were altered: stop the servers, and restore a backup into a new database",
        )
    return Finding("row-level security", f"forced on all {len(rows)} tables of tenants")


async def check_secret(connection: asyncpg.Connection, settings: Settings) -> Finding:
    """Check that the secret matches the database."""
    check = await connection.fetchval("SELECT mark_sealed FROM secret_marks WHERE purpose = 'check'")
    if check is None:
        return Finding("encryption", "the database has no secret yet", "Run `gaji migrate`")
    if settings.secret_key:
        matches = is_sealed_by(Vault(settings.secret_key.encode()), check)
    else:
        matches = _matches_file(settings.data / KEY_FILE, check) or _matches_file(settings.data / NEXT_KEY_FILE, check)
    if not matches:
        return Finding(
            "encryption",
            "the secret does not match this database",
            f"Restore the right one as {settings.data / KEY_FILE} or in GAJI_SECRET_KEY",
        )
    return Finding("encryption", "the secret matches the database")


def _matches_file(path: Path, check: bytes) -> bool:
    return path.exists() and is_sealed_by(Vault(path.read_text().strip().encode()), check)


async def check_queue(connection: asyncpg.Connection) -> Finding:
    """Check that the tables of the job queue are complete, and that the application can use them."""
    pending_statements = (await Queries(AsyncpgDriver(connection)).plan_upgrade()).statements
    usable = await connection.fetchval(
        "SELECT bool_and(has_table_privilege($1, c.oid, 'UPDATE')) FROM pg_class c "
        "WHERE c.relnamespace = to_regnamespace($2) AND c.relkind = 'r' AND starts_with(c.relname, 'pgqueuer')",
        APPLICATION,
        SCHEMA,
    )
    if pending_statements or not usable:
        return Finding("job queue", "its tables are missing, incomplete or inaccessible", "Run `gaji migrate`")
    return Finding("job queue", "ready")


async def measure_tables(connection: asyncpg.Connection) -> Finding:
    """Report the size of the database, and of its largest tables with their indexes."""
    total = await connection.fetchval("SELECT pg_size_pretty(pg_database_size(current_database()))")
    rows = await connection.fetch(
        "SELECT c.relname::text AS name, pg_size_pretty(pg_total_relation_size(c.oid)) AS size FROM pg_class c "
        "WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r' "
        "ORDER BY pg_total_relation_size(c.oid) DESC, c.relname LIMIT $2",
        SCHEMA,
        LARGEST_TABLES,
    )
    return Finding("size", f"{total}; largest tables: " + ", ".join(f"{row['name']} {row['size']}" for row in rows))


async def check_mail(connection: asyncpg.Connection, settings: Settings) -> Finding:
    """Check that no mail failed in the last week, and that none waits for a server that is not set up."""
    await connection.execute("SELECT begin_maintenance()")
    row = await connection.fetchrow(
        "SELECT count(*) FILTER (WHERE state = 'failed') AS failed, "
        "count(*) FILTER (WHERE state = 'queued') AS queued, "
        "max(error) FILTER (WHERE state = 'failed') AS error FROM outgoing_mail "
        "WHERE state = 'queued' OR finished_at > now() - interval '7 days'"
    )
    if row["failed"]:
        remedy = "Correct the addresses or GAJI_SMTP_URL, and send these messages again from the console"
        return Finding("mail", f"{row['failed']} messages failed in the last week, such as: {row['error']}", remedy)
    if not settings.smtp_url:
        if row["queued"]:
            return Finding("mail", f"{row['queued']} messages wait, but mail is not set up", "Set GAJI_SMTP_URL")
        return Finding("mail", "not set up; people hand over links")
    return Finding("mail", f"set up, with {row['queued']} messages waiting")


async def check_backlogs(connection: asyncpg.Connection) -> Finding:
    """Report how long the oldest task and webhook have waited, and whether there is a worker."""
    row = await connection.fetchrow(
        f"SELECT webhooks_age_s, ({QUEUE_AGE}) AS task_age_s, EXISTS (SELECT FROM connected_workers()) AS has_worker "
        "FROM monitored_backlogs()"
    )
    task_age, webhook_age = (timedelta(seconds=round(row[name])) for name in ("task_age_s", "webhooks_age_s"))
    result = f"the oldest task has waited for {task_age}, the oldest webhook for {webhook_age}"
    if task_age > MAX_PENDING:
        remedy = "See the log of the worker" if row["has_worker"] else "Start a worker: none is connected"
        return Finding("backlogs", result, remedy)
    if webhook_age > MAX_PENDING:
        return Finding("backlogs", result, "See the deliveries of the endpoint in the console")
    return Finding("backlogs", result)


async def check_workers(connection: asyncpg.Connection) -> Finding:
    """Report the connected workers, and check that all of them respond."""
    workers = await load_workers(connection)
    if not workers:
        return Finding("workers", "none is connected", is_note=True)
    hanging = [
        f"{worker.name} (last one {worker.heartbeat_age_s:.0f} s ago)" for worker in workers if not worker.responds
    ]
    if hanging:
        result = f"no heartbeat for more than {MAX_AGE.seconds} s: {', '.join(hanging)}"
        return Finding("workers", result, "Kill and restart it; the name is its machine and process ID")
    return Finding("workers", f"{len(workers)} connected, last heartbeat {latest_heartbeat_age_s(workers) or 0} s ago")


async def check_last_backup(connection: asyncpg.Connection) -> Finding:
    """Report when `gaji backup` last completed a backup. Other tools may make backups too."""
    completed_at: datetime | None = await connection.fetchval("SELECT completed_at FROM last_backup")
    if completed_at is None:
        return Finding("backup", "`gaji backup` has not backed up this database yet", is_note=True)
    age = datetime.now(UTC) - completed_at
    result = f"last completed at {completed_at:%Y-%m-%d %H:%M} UTC"
    return Finding("backup", result, is_note=age > MAX_BACKUP_AGE)


async def check_wal_archive(connection: asyncpg.Connection, archive: WalArchive) -> Finding:
    """Check that the log is archived, and that there is a base backup from which it can be replayed."""
    row = await connection.fetchrow(
        "SELECT current_setting('archive_mode') = 'on' AS archives, last_failed_wal, "
        "last_failed_time > coalesce(last_archived_time, '-infinity') AS failed FROM pg_stat_archiver"
    )
    if not row["archives"]:
        return Finding("WAL archive", "the database was started without GAJI_WAL_ARCHIVE", "Restart all of Gaji")
    if row["failed"]:
        result = f"{row['last_failed_wal']} could not be archived in {archive.folder}"
        remedy = "Read `log not archived` in Gaji's log, and check the disk; until then the log fills the data folder"
        return Finding("WAL archive", result, remedy)
    base_backups = archive.base_backups()
    if not base_backups:
        return Finding("WAL archive", f"{archive.folder} has no base backup", "Run `gaji base-backup`")
    oldest, latest = (base_backups[index].completed_at for index in (0, -1))
    result = f"any time since {oldest:%Y-%m-%d %H:%M} UTC can be restored"
    result += f"; the latest base backup is of {latest:%Y-%m-%d %H:%M} UTC"
    if not all(base_backup.is_encrypted for base_backup in base_backups):
        return Finding("WAL archive", f"{result}; an earlier version made some without encryption", is_note=True)
    return Finding("WAL archive", result)


async def check_replica(primary: asyncpg.Connection, arguments: ConnectArguments) -> Finding:
    """Check that the server at GAJI_REPLICA_URL is a replica of this database, and how far it is behind."""
    try:
        position = await read_position(primary)
        connection = await connect(arguments)
        try:
            lag_bytes = (await read_progress(connection)).lag_bytes(position)
        finally:
            await connection.close()
    except (*CONNECTION_ERRORS, UnsuitableReplica) as error:
        result = f"cannot be used, so the primary serves all reads: {str(error) or type(error).__name__}"
        return Finding("replica", result, "Check GAJI_REPLICA_URL, and that the server is a running standby")
    return Finding("replica", f"{lag_bytes / 1024**2:.1f} MiB of the log are still to be replayed")


async def check_audit_log(connection: asyncpg.Connection, settings: Settings) -> Finding:
    """Check that no entry of the audit log was changed, and that a worker adds new ones to its chains."""
    report = await verify_chains(connection, find_vault(await load_marks(connection), settings))
    return _chain_finding("audit log", "entries", report)


async def check_access_log(connection: asyncpg.Connection, settings: Settings) -> Finding:
    """Check that no access event was changed, and that a worker adds new ones to their chains."""
    report = await verify_access_chains(connection, find_vault(await load_marks(connection), settings))
    return _chain_finding("access log", "events", report)


def _chain_finding(name: str, noun: str, report: ChainReport) -> Finding:
    if report.problem_count:
        result = f"{report.problem_count} problems, such as: {report.problems[0]}"
        return Finding(name, result, "Run `gaji audit verify` for a list, and compare with a backup")
    pending = f"{report.pending} are not in its chains yet"
    if report.pending_since and datetime.now(UTC) - report.pending_since > MAX_PENDING:
        return Finding(name, pending, f"Start a worker: it adds new {noun} every minute")
    return Finding(name, f"{report.entries} {noun} are unchanged; {pending}")
