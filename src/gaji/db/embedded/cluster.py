"""Create PostgreSQL's data directory, roles and database."""

import os
import secrets
import shutil
from pathlib import Path

from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.folders import PORT, private_folder, sync_folder
from gaji.db.embedded.names import APPLICATION, DATABASE, OWNER, SUPERUSER
from gaji.db.embedded.system_user import SystemUser

MAJOR_VERSION = "18"
_UNFINISHED = ".new-"

# Every statement can be repeated, so an interrupted start is completed by the next one.
_ROLES_AND_DATABASE = "\n".join(
    f"SELECT '{statement}' WHERE NOT EXISTS (SELECT FROM {catalog} WHERE {column} = '{name}') \\gexec"
    for statement, catalog, column, name in (
        (f"CREATE ROLE {OWNER} LOGIN", "pg_roles", "rolname", OWNER),
        (f"CREATE ROLE {APPLICATION} LOGIN NOINHERIT", "pg_roles", "rolname", APPLICATION),
        (f"CREATE DATABASE {DATABASE} OWNER {OWNER}", "pg_database", "datname", DATABASE),
    )
)


def ensure_cluster(cluster: Path, programs: Path, user: SystemUser, *, durable: bool) -> None:
    """Create PostgreSQL's data directory if it is missing. Raises an error if the existing one cannot be used.

    One that is not durable is not flushed to disk.
    """
    for leftover in cluster.parent.glob(f"{cluster.name}{_UNFINISHED}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    if not os.path.lexists(cluster):
        _create(cluster, programs, user, durable=durable)
    _require_usable(cluster, user)


def ensure_roles_and_database(sockets: Path, programs: Path, user: SystemUser) -> None:
    """Create missing roles and the database on the running server."""
    options = ["-X", "-q", "-v", "ON_ERROR_STOP=1", *superuser_login(sockets)]
    result = user.run([programs / "psql", *options], stdin=_ROLES_AND_DATABASE)
    if result.returncode != 0:
        raise EmbeddedServerError(f"Could not prepare the embedded PostgreSQL: {result.stderr.strip()}")


def superuser_login(sockets: Path) -> list[str]:
    """Return the options to log in as the superuser with PostgreSQL's programs."""
    return ["-h", str(sockets), "-p", str(PORT), "-U", SUPERUSER, "-d", "dbname=postgres"]


def _create(cluster: Path, programs: Path, user: SystemUser, *, durable: bool) -> None:
    # A unique name, because the initdb of a start that was killed may still be running.
    unfinished = cluster.with_name(f"{cluster.name}{_UNFINISHED}{secrets.token_hex(4)}")
    private_folder(unfinished, user.uid, user.gid, 0o700)
    options = [
        "--username", SUPERUSER,
        # Equally restrictive if the server is started by hand without our pg_hba.conf.
        "--auth-local=peer", "--auth-host=reject",
        # The builtin collation sorts the same on every machine, and a newer libc cannot break an index.
        "--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
        "--data-checksums",
        *([] if durable else ["--no-sync"]),
    ]  # fmt: skip
    result = user.run([programs / "initdb", "-D", unfinished, *options])
    if result.returncode != 0:
        raise EmbeddedServerError(f"Could not create the database in {cluster}: {result.stderr.strip()}")
    unfinished.rename(cluster)
    sync_folder(cluster.parent)


def _require_usable(cluster: Path, user: SystemUser) -> None:
    if cluster.lstat().st_uid != user.uid:
        raise EmbeddedServerError(
            f"{cluster} belongs to user id {cluster.lstat().st_uid}, but PostgreSQL would run as {user.name} "
            f"(user id {user.uid}); start Gaji as the user who created it, or choose another GAJI_DATA"
        )
    try:
        version = (cluster / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        raise EmbeddedServerError(
            f"{cluster} exists but is not a database; move it away, or choose another GAJI_DATA"
        ) from None
    if version != MAJOR_VERSION:
        raise EmbeddedServerError(
            f"{cluster} was made by PostgreSQL {version}, but this version of Gaji uses PostgreSQL {MAJOR_VERSION}; "
            "make a backup with the version of Gaji that created it, and restore that"
        )
