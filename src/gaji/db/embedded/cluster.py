"""PostgreSQL's own folder, and the roles and database inside: made once, whole or not at all."""

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

# Every statement may be repeated: a command killed half-way leaves the rest to the next one.
_ROLES_AND_DATABASE = "\n".join(
    f"SELECT '{statement}' WHERE NOT EXISTS (SELECT FROM {catalogue} WHERE {column} = '{name}') \\gexec"
    for statement, catalogue, column, name in (
        (f"CREATE ROLE {OWNER} LOGIN", "pg_roles", "rolname", OWNER),
        (f"CREATE ROLE {APPLICATION} LOGIN NOINHERIT", "pg_roles", "rolname", APPLICATION),
        (f"CREATE DATABASE {DATABASE} OWNER {OWNER}", "pg_database", "datname", DATABASE),
    )
)


def ensure_cluster(cluster: Path, programs: Path, user: SystemUser) -> None:
    """Create PostgreSQL's folder if there is none; refuse one that PostgreSQL could not run on."""
    for leftover in cluster.parent.glob(f"{cluster.name}{_UNFINISHED}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    if not os.path.lexists(cluster):
        _create(cluster, programs, user)
    _refuse_foreign(cluster, user)


def ensure_roles_and_database(sockets: Path, programs: Path, user: SystemUser) -> None:
    """Create the roles and the database that are missing on the running server."""
    options = ["-X", "-q", "-v", "ON_ERROR_STOP=1", *superuser_login(sockets)]
    result = user.run([programs / "psql", *options], stdin=_ROLES_AND_DATABASE)
    if result.returncode != 0:
        raise EmbeddedServerError(f"Could not prepare the embedded PostgreSQL: {result.stderr.strip()}")


def superuser_login(sockets: Path) -> list[str]:
    """Return the options with which PostgreSQL's programs log in as the superuser."""
    return ["-h", str(sockets), "-p", str(PORT), "-U", SUPERUSER, "-d", "postgres"]


def _create(cluster: Path, programs: Path, user: SystemUser) -> None:
    # A name of its own: the initdb of a start that was killed may still be at work on another.
    unfinished = cluster.with_name(f"{cluster.name}{_UNFINISHED}{secrets.token_hex(4)}")
    private_folder(unfinished, user.uid, user.gid, 0o700)
    options = [
        "--username", SUPERUSER,
        # Without our pg_hba.conf, as when someone starts the folder by hand, it is as closed.
        "--auth-local=peer", "--auth-host=reject",
        # PostgreSQL's own collation: text sorts alike on every machine, and a newer libc breaks no index.
        "--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
        "--data-checksums",
    ]  # fmt: skip
    result = user.run([programs / "initdb", "-D", unfinished, *options])
    if result.returncode != 0:
        raise EmbeddedServerError(f"Could not create the database in {cluster}: {result.stderr.strip()}")
    unfinished.rename(cluster)
    sync_folder(cluster.parent)


def _refuse_foreign(cluster: Path, user: SystemUser) -> None:
    if cluster.lstat().st_uid != user.uid:
        raise EmbeddedServerError(
            f"{cluster} belongs to user id {cluster.lstat().st_uid}, and PostgreSQL would run as {user.name} "
            f"(user id {user.uid}); start Gaji as the user who created it, or choose another GAJI_DATA"
        )
    try:
        version = (cluster / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        raise EmbeddedServerError(
            f"{cluster} exists but holds no database; move it away, or choose another GAJI_DATA"
        ) from None
    if version != MAJOR_VERSION:
        raise EmbeddedServerError(
            f"{cluster} was made by PostgreSQL {version}, and this Gaji brings PostgreSQL {MAJOR_VERSION}; "
            "make a backup with the Gaji that created it and restore that"
        )
