"""Migration 103: keys of users who have lost their last role are revoked."""

import asyncio
from pathlib import Path

from gaji.core.settings import Settings
from gaji.db.database import Database, locate_database
from gaji.db.migrate import migrate
from gaji.identity.repository import insert_account
from tests.db.databases import as_owner, empty_database
from tests.support.running import SECRET, Cluster

BEFORE = 102
ROWS = """
    INSERT INTO users (account_id, email, password_hash)
    SELECT id, e || '@example.com', '' FROM accounts, unnest(ARRAY['member', 'former']) e;
    INSERT INTO clients (account_id, name) SELECT id, 'Kopi' FROM accounts;
    INSERT INTO memberships (client_id, user_id, role)
    SELECT c.id, u.id, 'viewer' FROM clients c, users u WHERE u.email = 'member@example.com';
    INSERT INTO api_keys (account_id, user_id, name, key_hash, hint, read_only, hide_identifiers, limited)
    SELECT account_id, id, email, sha256(email::bytea), '', false, false, false FROM users
    """


def test_only_keys_of_users_without_a_role_are_revoked(cluster: Cluster, tmp_path: Path) -> None:
    with empty_database(cluster) as url:
        database = locate_database(Settings(data=tmp_path, database_url=url, secret_key=SECRET))
        asyncio.run(_create_rows(database))
        asyncio.run(migrate(database))
        revoked = as_owner(database, "SELECT name FROM api_keys WHERE revoked_at IS NOT NULL")
        logged = as_owner(database, "SELECT FROM audit_log WHERE action = 'api_keys.update'")
    assert [key["name"] for key in revoked] == ["former@example.com"]
    assert len(logged) == 1


async def _create_rows(database: Database) -> None:
    await migrate(database, up_to=BEFORE)
    async with database.maintenance() as connection:
        await insert_account(connection, "Kopi", "administrator@example.com", "known")
        await connection.execute(ROWS)
