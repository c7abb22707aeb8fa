"""Migration 97: users who were created by single sign-on have no password."""

import asyncio
from pathlib import Path

from gaji.core.settings import Settings
from gaji.db.database import Database, locate_database
from gaji.db.migrate import migrate
from gaji.identity.repository import insert_account
from tests.db.databases import as_owner, empty_database
from tests.support.running import SECRET, Cluster

BEFORE = 96
NAMES = ("created", "changed", "resetting", "invited")
ROWS = """
    INSERT INTO users (account_id, email, password_hash)
    SELECT a.id, e || '@example.com', 'random' FROM accounts a, unnest($1::text[]) e;
    """
IDENTITIES = """
    INSERT INTO single_sign_on_identities (account_id, user_id, issuer, subject, created_at)
    SELECT account_id, id, 'https://id.example.com', email,
           created_at + CASE WHEN email LIKE 'invited@%' THEN interval '1 day' ELSE '0' END
    FROM users WHERE password_hash = 'random'
    """


def test_only_passwords_that_nobody_knows_are_removed(cluster: Cluster, tmp_path: Path) -> None:
    with empty_database(cluster) as url:
        database = locate_database(Settings(data=tmp_path, database_url=url, secret_key=SECRET))
        asyncio.run(_create_rows(database))
        logged = as_owner(database, "SELECT count(*) FROM audit_log")
        asyncio.run(migrate(database))
        assert as_owner(database, "SELECT count(*) FROM audit_log") == logged
        users = as_owner(database, "SELECT email, password_hash FROM users ORDER BY id")
    passwords = {user["email"].partition("@")[0]: user["password_hash"] for user in users}
    assert passwords == {
        "owner": "known",
        "created": "",
        "changed": "random",
        "resetting": "random",
        "invited": "random",
    }


async def _create_rows(database: Database) -> None:
    await migrate(database, up_to=BEFORE)
    async with database.maintenance() as connection:
        await insert_account(connection, "Kopi", "owner@example.com", "known")
        await connection.execute(ROWS, list(NAMES))
        await connection.execute(IDENTITIES)
        await connection.execute("UPDATE users SET updated_at = now() + interval '1 hour' WHERE email LIKE 'changed@%'")
        await connection.execute(
            "INSERT INTO password_resets (account_id, user_id, origin, token_hash, expires_at) "
            "SELECT account_id, id, 'operator', 'token', now() + interval '1 hour' FROM users "
            "WHERE email LIKE 'resetting@%'"
        )
