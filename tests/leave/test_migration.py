"""Clients that were created before leave was supported."""

import asyncio
from pathlib import Path

from gaji.core.law_loader import current_law
from gaji.core.settings import Settings
from gaji.db.database import locate_database
from gaji.db.migrate import migrate
from gaji.engine.leave.statutory_minimum import statutory_policies
from gaji.identity.repository import insert_account
from tests.db.databases import as_owner, empty_database
from tests.support.running import SECRET, Cluster

BEFORE_LEAVE = 11


def test_they_get_the_types_that_new_clients_get(cluster: Cluster, tmp_path: Path) -> None:
    async def with_clients(settings: Settings) -> None:
        database = locate_database(settings)
        await migrate(database, up_to=BEFORE_LEAVE)
        async with database.maintenance() as connection:
            await insert_account(connection, "An account", "someone@example.com", "no password opens this")
            await connection.execute(
                "INSERT INTO clients (account_id, name) SELECT a.id, n::text FROM accounts a, generate_series(1, 2) n"
            )
        await migrate(database)

    with empty_database(cluster) as url:
        settings = Settings(data=tmp_path, database_url=url, secret_key=SECRET)
        asyncio.run(with_clients(settings))
        found = as_owner(locate_database(settings), "SELECT client_id, name, system_type FROM leave_types ORDER BY id")
    names = list(statutory_policies(current_law().leave))
    clients = sorted({row["client_id"] for row in found})
    assert len(clients) == 2
    expected = [(client_id, name, name) for client_id in clients for name in names]
    assert [(row["client_id"], row["name"], row["system_type"]) for row in found] == expected
