"""Databases of earlier releases: after the migrations they have today's schema, and their data is served unchanged.

Each release has a dump in `upgrades`, made by `upgrades/create_dump.py`, and the responses that its API gave.
"""

import asyncio
import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.db.database import SCHEMA, locate_database
from gaji.db.migrate import latest_version, migrate
from tests.db.databases import as_application, as_owner, empty_database
from tests.db.schema_catalog import SchemaObjects, load_schema, schema_differences
from tests.db.upgrades.create_dump import TODAY
from tests.support.running import Cluster, Member, Service, running_service

FOLDER = Path(__file__).parent / "upgrades"
RELEASES = sorted(path.name.removesuffix(".sql.xz") for path in FOLDER.glob("*.sql.xz"))
CHANGES = [
    "ALTER TABLE clients ADD COLUMN extra text",
    "ALTER TABLE clients ALTER COLUMN name DROP NOT NULL",
    "ALTER TABLE clients ALTER COLUMN name SET DEFAULT 'x'",
    "ALTER TABLE clients ADD CONSTRAINT extra CHECK (name <> '')",
    "ALTER TABLE clients NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE clients DISABLE TRIGGER ALL",
    "ALTER TABLE pay_points ALTER COLUMN name TYPE varchar(100)",
    "CREATE INDEX extra ON clients (name)",
    "CREATE TABLE extra (id bigint PRIMARY KEY)",
    "CREATE POLICY extra ON clients TO gaji_app USING (true)",
    "ALTER POLICY maintenance ON clients USING (true)",
    "CREATE OR REPLACE FUNCTION extra() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "ALTER FUNCTION open_tenancy(bigint[]) SECURITY INVOKER",
    "ALTER SEQUENCE clients_id_seq INCREMENT BY 2",
    "GRANT UPDATE ON audit_log TO gaji_app",
    "REVOKE SELECT ON clients FROM gaji_app",
    "GRANT UPDATE (actor) ON audit_log TO gaji_app",
    "COMMENT ON TABLE clients IS 'extra'",
]


@dataclass(frozen=True)
class UpgradedDatabase:
    """A restored and migrated dump, with the accounts that its release recorded."""

    settings: Settings
    accounts: list[dict[str, Any]]


@pytest.fixture(scope="module", params=RELEASES)
def upgraded(
    request: pytest.FixtureRequest, cluster: Cluster, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[UpgradedDatabase]:
    """A database of an earlier release after today's migrations. `template` has created the roles."""
    release: str = request.param
    secret = (FOLDER / "secret.key").read_text().strip()
    with empty_database(cluster) as url:
        _restore(url, lzma.decompress((FOLDER / f"{release}.sql.xz").read_bytes()).decode())
        data = tmp_path_factory.mktemp("upgraded")
        settings = Settings(data=data, database_url=url, secret_key=secret, rate_limit=0)
        asyncio.run(migrate(locate_database(settings)))
        recorded = json.loads(lzma.decompress((FOLDER / f"{release}.json.xz").read_bytes()))
        yield UpgradedDatabase(settings, recorded["accounts"])


@pytest.fixture(scope="module")
def fresh_schema(cluster: Cluster, template: str) -> SchemaObjects:
    """The schema of a new database."""
    return asyncio.run(_load_schema(cluster.database_url(template)))


@pytest.fixture(scope="module")
def service(upgraded: UpgradedDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server on the upgraded database, on the day that the dump was made."""
    with running_service(upgraded.settings, tmp_path_factory.mktemp("service"), {"GAJI_TODAY": TODAY}) as running:
        yield running


def test_every_release_has_a_dump_and_its_responses() -> None:
    assert RELEASES
    assert sorted(path.name.removesuffix(".json.xz") for path in FOLDER.glob("*.json.xz")) == RELEASES


def test_the_schema_is_that_of_a_new_database(upgraded: UpgradedDatabase, fresh_schema: SchemaObjects) -> None:
    assert len(fresh_schema) > 1000
    assert schema_differences(asyncio.run(_load_schema(upgraded.settings.database_url)), fresh_schema) == {}


def test_migrating_again_changes_nothing(upgraded: UpgradedDatabase) -> None:
    database = locate_database(upgraded.settings)
    assert asyncio.run(migrate(database)) == []
    [row] = as_owner(database, "SELECT max(number) AS version FROM schema_migrations")
    assert row["version"] == latest_version()


def test_the_application_sees_no_row_without_a_tenancy(upgraded: UpgradedDatabase) -> None:
    database = locate_database(upgraded.settings)
    for table in ("clients", "employees", "payslips", "users"):
        assert as_owner(database, f"SELECT FROM {table} LIMIT 1") == [{}]
        assert as_application(database, f"SELECT FROM {table} LIMIT 1") == []


def test_the_records_are_served_as_the_release_served_them(upgraded: UpgradedDatabase, service: Service) -> None:
    for account in upgraded.accounts:
        member = Member(service, account["email"], service.create_key(account["email"]))
        for path, recorded in account["responses"].items():
            response = member.get(path)
            assert response.status_code == 200, response.text
            expected = _without_prose(recorded) if path.endswith("/explanation") else recorded
            assert list(_missing_values(expected, response.json())) == [], path


def test_the_api_keys_of_the_release_still_work(upgraded: UpgradedDatabase, service: Service) -> None:
    for account in upgraded.accounts:
        clients = [entry["client"]["id"] for entry in account["responses"]["/clients"]]
        for key in account["api_keys"]:
            response = Member(service, account["email"], key).get("/clients")
            assert [entry["client"]["id"] for entry in response.json()] == clients


def test_the_accounts_of_the_release_stay_separate(upgraded: UpgradedDatabase, service: Service) -> None:
    paths = {
        account["email"]: [path for path in account["responses"] if path != "/clients"] for account in upgraded.accounts
    }
    for account in upgraded.accounts:
        member = Member(service, account["email"], service.create_key(account["email"]))
        for path in (path for email, others in paths.items() if email != account["email"] for path in others):
            assert member.get(path).status_code == 404, path


def test_a_record_of_the_release_can_be_changed(upgraded: UpgradedDatabase, service: Service) -> None:
    account = upgraded.accounts[0]
    member = Member(service, account["email"], service.create_key(account["email"]))
    [path] = [path for path in account["responses"] if path.startswith("/clients/1/employees")]
    employee = account["responses"][path][0]["employee"]
    assert member.patch(f"/employees/{employee['id']}", {"job_title": "Upgraded"}).status_code == 200
    changed = member.get(f"/employees/{employee['id']}").json()["employee"]
    assert (changed["job_title"], changed["nric"]) == ("Upgraded", employee["nric"])


@pytest.mark.parametrize("statement", CHANGES)
def test_a_change_of_the_schema_is_found(
    cluster: Cluster, template: str, fresh_schema: SchemaObjects, statement: str
) -> None:
    changed = asyncio.run(_load_schema(cluster.database_url(template), statement))
    assert schema_differences(changed, fresh_schema) != {}


def _restore(url: str, sql: str) -> None:
    async def restore() -> None:
        connection = await asyncpg.connect(url)
        try:
            await connection.execute(sql)
        finally:
            await connection.close()

    asyncio.run(restore())


async def _load_schema(url: str | None, change: str = "") -> SchemaObjects:
    """Return the schema, optionally after a statement that is then rolled back."""
    connection = await asyncpg.connect(url)
    transaction = connection.transaction()
    await transaction.start()
    try:
        await connection.execute(f"SET LOCAL search_path TO {SCHEMA}; {change}")
        return await load_schema(connection)
    finally:
        await transaction.rollback()
        await connection.close()


REDEFINED = {".payment_run.state"}
"""Fields whose values a later release redefined: a run is `open`, `calculating` or `finalised` since 0.2."""


def _without_prose(explanation: dict[str, Any]) -> dict[str, Any]:
    """Return items and amounts only: the wording of an explanation may change between releases."""
    lines = [{"item": line["item"], "amount": line["amount"]} for line in explanation["explanation"]]
    return {"explanation": lines}


def _missing_values(recorded: Any, response: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of recorded values that a response lacks or changed. A response may have more fields."""
    if isinstance(recorded, dict) and isinstance(response, dict):
        for name, value in recorded.items():
            yield from _missing_values(value, response.get(name, "absent"), f"{path}.{name}")
    elif isinstance(recorded, list) and isinstance(response, list) and len(recorded) == len(response):
        for index, value in enumerate(recorded):
            yield from _missing_values(value, response[index], f"{path}[{index}]")
    elif recorded != response and path not in REDEFINED:
        yield f"{path}: {recorded!r} became {response!r}"
