"""Migrations: applied once, by one process at a time, with various logins."""

import asyncio
import re
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.db.database import locate_database
from gaji.db.installation import open_installation
from gaji.db.migrate import check_migrated, migrate
from gaji.db.migration_files import OTHER_CHECKSUMS, MigrationError, latest_version, load_migrations
from gaji.identity import service as accounts
from tests.db.databases import (
    as_application,
    as_owner,
    cluster_without_roles,
    empty_database,
    gaji,
    signed_in_as,
)
from tests.support.running import SECRET, Cluster

OBJECTS = """
    SELECT 'class' AS kind, oid, relname::text AS name FROM pg_class WHERE relnamespace = 'gaji'::regnamespace
    UNION ALL SELECT 'function', oid, proname FROM pg_proc WHERE pronamespace = 'gaji'::regnamespace
    UNION ALL SELECT 'constraint', oid, conname FROM pg_constraint WHERE connamespace = 'gaji'::regnamespace
    UNION ALL SELECT 'policy', oid, polname FROM pg_policy
    UNION ALL SELECT 'trigger', oid, tgname FROM pg_trigger
    ORDER BY 1, 2
"""


@pytest.fixture
def empty(cluster: Cluster, tmp_path: Path) -> Iterator[Settings]:
    """The settings of an empty database."""
    with empty_database(cluster) as url:
        yield Settings(data=tmp_path, database_url=url, secret_key=SECRET)


def test_migrating_twice_changes_nothing(empty: Settings) -> None:
    database = locate_database(empty)
    assert len(asyncio.run(migrate(database))) == latest_version()
    steps = as_owner(database, "SELECT * FROM schema_migrations ORDER BY number")
    objects = as_owner(database, OBJECTS)
    assert asyncio.run(migrate(database)) == []
    assert as_owner(database, "SELECT * FROM schema_migrations ORDER BY number") == steps
    assert as_owner(database, OBJECTS) == objects


def test_a_migration_that_was_applied_in_another_form_is_detected(empty: Settings) -> None:
    database = locate_database(empty)
    asyncio.run(migrate(database))
    as_owner(database, "UPDATE schema_migrations SET checksum = 'another' WHERE number = 12")
    with pytest.raises(MigrationError, match="differ from those of this one: 0012_"):
        asyncio.run(migrate(database))
    checked = gaji(empty, "migrate", "--check")
    assert (checked.returncode, "0012_" in checked.stderr) == (1, True)


def test_both_forms_of_migration_95_get_the_same_schema(empty: Settings) -> None:
    database = locate_database(empty)
    asyncio.run(migrate(database, up_to=105))
    as_owner(database, "ALTER TABLE run_step_progress ADD COLUMN updated_at timestamptz")
    as_owner(database, "UPDATE schema_migrations SET checksum = $1 WHERE number = 95", OTHER_CHECKSUMS[95])
    assert asyncio.run(migrate(database)) != []
    assert gaji(empty, "migrate", "--check").returncode == 0


def test_no_migration_that_others_may_have_applied_was_edited() -> None:
    lines = (Path(__file__).parent / "landed_migrations.txt").read_text().splitlines()
    migrations = load_migrations()[: len(lines)]
    assert [f"{migration.checksum}  {migration.title}.sql" for migration in migrations] == lines


def test_checksums_are_added_to_a_database_that_has_none(empty: Settings) -> None:
    database = locate_database(empty)
    asyncio.run(migrate(database))
    recorded = as_owner(database, "SELECT number, checksum FROM schema_migrations ORDER BY number")
    as_owner(database, "ALTER TABLE schema_migrations DROP COLUMN checksum")
    asyncio.run(migrate(database))
    assert as_owner(database, "SELECT number, checksum FROM schema_migrations ORDER BY number") == recorded


def test_checking_fails_before_the_last_migration_and_changes_nothing(empty: Settings) -> None:
    database = locate_database(empty)
    asyncio.run(migrate(database, up_to=latest_version() - 1))
    with pytest.raises(MigrationError, match=f"at version {latest_version() - 1}, this program needs"):
        asyncio.run(check_migrated(database))
    asyncio.run(migrate(database))
    assert asyncio.run(check_migrated(database)) == latest_version()


def test_processes_that_migrate_at_once_apply_each_step_once(empty: Settings) -> None:
    with ThreadPoolExecutor(3) as pool:
        ended = list(pool.map(lambda _: gaji(empty, "migrate"), range(3)))
    assert [process.returncode for process in ended] == [0, 0, 0], [process.stderr for process in ended]
    steps = as_owner(locate_database(empty), "SELECT number FROM schema_migrations ORDER BY number")
    assert [step["number"] for step in steps] == list(range(1, latest_version() + 1))
    assert len(as_owner(locate_database(empty), "SELECT FROM secret_marks")) == 2


def test_a_database_of_a_newer_program_is_rejected(empty: Settings) -> None:
    with open_installation(empty) as installation:
        as_owner(
            installation.database, f"INSERT INTO schema_migrations VALUES ({latest_version() + 1}, 'of_the_future')"
        )
    result = gaji(empty, "migrate")
    assert result.returncode == 1
    assert result.stderr.startswith(
        f"gaji: the database is at version {latest_version() + 1}, this program supports up to"
    )
    assert "Upgrade the program" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_login_that_may_not_create_roles_gets_the_statements_for_an_administrator(tmp_path: Path) -> None:
    with cluster_without_roles() as cluster:
        cluster.execute('CREATE ROLE "plain-login" LOGIN')
        with empty_database(cluster) as url:
            settings = Settings(data=tmp_path, database_url=signed_in_as("plain-login", url), secret_key=SECRET)
            with pytest.raises(MigrationError, match='the login "plain-login" cannot create the roles') as result:
                asyncio.run(migrate(locate_database(settings)))
            sentence = re.search(r"Ask an administrator to run: (.*)", str(result.value))
            assert sentence is not None
            cluster.execute(sentence[1])
            assert len(asyncio.run(migrate(locate_database(settings)))) == latest_version()


def test_a_login_that_may_create_roles_need_not_be_a_superuser(tmp_path: Path) -> None:
    with cluster_without_roles() as cluster:
        cluster.execute("CREATE ROLE hoster LOGIN CREATEROLE")
        with empty_database(cluster, owner="hoster") as url:
            settings = Settings(data=tmp_path, database_url=signed_in_as("hoster", url), secret_key=SECRET)
            with open_installation(settings) as installation:
                database = installation.database
            asyncio.run(accounts.create_account(database, "Kopi", "kopi@example.com", "correct horse battery"))
            assert as_owner(database, "SELECT current_user::text, session_user::text") == [
                {"current_user": "gaji_owner", "session_user": "hoster"}
            ]
            assert as_owner(database, "SELECT name FROM accounts") == [{"name": "Kopi"}]
            active = as_application(
                database, "SELECT current_user::text AS role, row_security_active('accounts') AS on"
            )
            assert active == [{"role": "gaji_app", "on": True}]
            assert as_application(database, "SELECT * FROM accounts") == []


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO audit_log (actor, action) VALUES ('me', 'clients.update')",
        "UPDATE audit_log SET actor = 'nobody'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log",
        "ALTER TABLE audit_log DISABLE TRIGGER ALL",
        "DROP TABLE audit_log",
    ],
)
def test_the_application_may_not_change_the_audit_log(settings: Settings, statement: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        as_application(locate_database(settings), statement)


def test_the_application_cannot_switch_auditing_off(settings: Settings) -> None:
    database = locate_database(settings)
    email = f"{secrets.token_hex(4)}@example.com"
    account = asyncio.run(accounts.create_account(database, "Kopi", email, "correct horse battery"))

    async def create_client() -> None:
        connection = await asyncpg.connect(**database.as_application("test"))
        try:
            async with connection.transaction():
                await connection.execute(f"SELECT enter({account.user_id}, 1, NULL, '', 'test')")
                client_id = await connection.fetchval("SELECT nextval(pg_get_serial_sequence('clients', 'id'))")
                await connection.execute(
                    "SELECT set_config('gaji.audit', 'off', true), set_config('gaji.clients', $1, true)",
                    f"{{{client_id}}}",
                )
                await connection.execute(
                    "INSERT INTO clients (id, account_id, name) VALUES ($1, $2, 'Unseen')",
                    client_id,
                    account.account_id,
                )
        finally:
            await connection.close()

    asyncio.run(create_client())
    seen = as_owner(database, "SELECT FROM audit_log WHERE action = 'clients.insert' AND after ->> 'name' = 'Unseen'")
    assert len(seen) == 1


def test_an_older_database_gets_only_the_missing_migrations(empty: Settings) -> None:
    asyncio.run(migrate(locate_database(empty), up_to=1))
    assert [step.number for step in asyncio.run(migrate(locate_database(empty)))] == list(
        range(2, latest_version() + 1)
    )
