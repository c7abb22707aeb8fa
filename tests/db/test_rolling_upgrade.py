"""Two versions on one database: older servers continue where a migration allows it, and stop before one that does not.

The newer versions are this one with further migrations.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest

import gaji as package
from gaji.core.settings import Settings
from gaji.db import migrate as migrations
from gaji.db import rolling_upgrade
from gaji.db.database import locate_database
from gaji.db.migrate import check_migrated, migrate
from gaji.db.migration_files import FIRST_MARKED, Migration, MigrationError, latest_version, load_migrations
from gaji.db.rolling_upgrade import OlderVersion, join_servers
from gaji.tasks import worker as workers
from gaji.wiring import TASKS
from tests.db.databases import gaji
from tests.reports.report_client import start_report, wait_for_report
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import SECRET, WAIT_S, Cluster, Member, Service, running_service

pytestmark = pytest.mark.slow

CONTINUE = "-- Older servers: continue\nALTER TABLE pay_points ADD COLUMN floor text;\n"
STOP = "-- Older servers: stop\nALTER TABLE client_logos RENAME COLUMN media_type TO content_type;\n"
FAILURE = "-- Older servers: stop\nSELECT 1 / 0;\n"


@pytest.fixture
def settings(cluster: Cluster, template: str, tmp_path: Path) -> Iterator[Settings]:
    """The settings of a fresh installation for each test."""
    with cluster.copy_of(template) as url:
        yield Settings(data=tmp_path / "data", database_url=url, secret_key=SECRET, rate_limit=0)


@pytest.fixture
def service(settings: Settings, tmp_path: Path) -> Iterator[Service]:
    """A server and a worker of this version, which is the older one."""
    with running_service(settings, tmp_path) as running:
        yield running


def further(*statements: str) -> list[Migration]:
    """Return migrations after the last one."""
    first = latest_version() + 1
    return [Migration(number, f"further_{number}", sql) for number, sql in enumerate(statements, first)]


def newer_source(folder: Path, *statements: str) -> dict[str, str]:
    """Create the source of a version with further migrations. Return the environment that selects it."""
    source, target = Path(package.__file__).parent, folder / "gaji"
    for path in (Path(), Path("db"), Path("db/migrations")):
        (target / path).mkdir(parents=True)
        for entry in (source / path).iterdir():
            if entry.name not in ("db", "migrations"):
                (target / path / entry.name).symlink_to(entry)
    for migration in further(*statements):
        (target / "db/migrations" / f"{migration.title}.sql").write_text(migration.sql)
    return {"PYTHONPATH": str(folder)}


@pytest.fixture
def become(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make this process one of a newer version."""

    def add(*statements: str) -> None:
        all_migrations = [*load_migrations(), *further(*statements)]
        monkeypatch.setattr(migrations, "load_migrations", lambda: all_migrations)
        for module in (migrations, workers):
            monkeypatch.setattr(module, "latest_version", lambda: len(all_migrations))

    return add


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_ready(service: Service) -> bool:
    return service.http.get(f"{service.url}/readyz").status_code == 200


def report_state(service: Service, uuid: str) -> str:
    [row] = service.as_owner("SELECT state FROM report_runs WHERE uuid = $1", UUID(uuid))
    state: str = row["state"]
    return state


async def work_until(service: Service, condition: Callable[[], bool]) -> None:
    """Run a worker in this process until a condition holds."""
    working = asyncio.create_task(workers.work(service.database, service.vault, TASKS, service.settings))
    try:
        await asyncio.to_thread(wait_until, condition)
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


@contextlib.contextmanager
def reading(member: Member, path: str) -> Iterator[set[int]]:
    """Read a path all the time. Yields the status codes so far."""
    ended, statuses = threading.Event(), set[int]()

    def read() -> None:
        while not ended.is_set():
            statuses.add(member.get(path).status_code)

    with ThreadPoolExecutor(2) as threads:
        readers = [threads.submit(read) for _ in range(2)]
        try:
            yield statuses
        finally:
            ended.set()
    for reader in readers:
        reader.result()


def test_versions_run_side_by_side_until_a_migration_stops_the_older_ones(
    account: Member, settings: Settings, tmp_path: Path, become: Callable[..., None]
) -> None:
    older, company = account.service, Company.of(account)
    (next_folder := tmp_path / "next").mkdir()
    next_version = newer_source(next_folder, CONTINUE)
    pay_points = f"/clients/{company.id}/pay_points"
    for name in ("First", "Second"):  # prepares the statements of the older server
        account.new_pay_point(company.id, name=name)
        assert account.get(pay_points).status_code == 200

    with running_service(settings, next_folder, next_version, ["--no-worker"], preloaded=False) as newer:
        on_newer = replace(account, service=newer)
        account.new_pay_point(company.id, name="Old")
        on_newer.new_pay_point(company.id, name="New")
        assert account.get(pay_points).json() == on_newer.get(pay_points).json()
        on_both = Company(on_newer, company.id, company.wave_id)
        assert wait_for_report(on_both, start_report(on_both, "tracked_balances", date="2026-01-31")).status_code == 200
        assert gaji(settings, "migrate").stdout == f"The database is at version {latest_version() + 1}.\n"
        checked = gaji(settings, "migrate", "--check")
        assert (checked.returncode, "can continue to run" in checked.stderr) == (1, True)

        become(CONTINUE, STOP)
        with (
            older.holding("LOCK TABLE report_progress IN ACCESS EXCLUSIVE MODE"),
            reading(account, f"/clients/{company.id}/logo") as statuses,
        ):
            uuid = start_report(on_both, "tracked_balances", date="2026-01-31")
            older.wait_until_blocked()  # the older worker has begun
            asyncio.run(migrate(locate_database(settings)))
            wait_until(lambda: 503 in statuses)
        assert statuses == {404, 503}  # never an error about the renamed column
        for stopped in (account, on_newer):
            assert "older version" in assert_problem(stopped.get(pay_points), 503)["message"]
            assert "older version" in assert_problem(stopped.post(pay_points, {"name": "Late"}), 503)["message"]
            ready = stopped.service.http.get(f"{stopped.service.url}/readyz")
            assert "older version" in assert_problem(ready, 503)["message"]
            assert stopped.service.http.get(f"{stopped.service.url}/sign-in").status_code == 503
        assert older.logged("worker stopped")

    assert gaji(settings, "migrate").stderr.startswith(f"gaji: the database is at version {latest_version() + 2}")
    assert report_state(older, uuid) == "queued"
    asyncio.run(work_until(older, lambda: report_state(older, uuid) == "complete"))


def test_older_servers_continue_if_the_migration_fails(
    account: Member, settings: Settings, become: Callable[..., None]
) -> None:
    client_id = account.new_client()
    become(FAILURE)
    with pytest.raises(asyncpg.DivisionByZeroError):
        asyncio.run(migrate(locate_database(settings)))
    assert account.service.logged("stopped serving")  # they had stopped before it began
    wait_until(lambda: is_ready(account.service))
    assert account.get(f"/clients/{client_id}").status_code == 200
    company = Company.of(account)
    assert wait_for_report(company, start_report(company, "tracked_balances", date="2026-01-31")).status_code == 200


def test_a_migration_is_not_applied_while_an_older_server_does_not_stop(
    settings: Settings, become: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rolling_upgrade, "STOP_TIMEOUT_S", 0.2)
    monkeypatch.setattr(rolling_upgrade, "JOIN_TIMEOUT_S", 0.2)
    version = latest_version()
    become(CONTINUE, STOP)
    database = locate_database(settings)

    async def run() -> None:
        async with database.owner_connection() as server:
            await join_servers(server, version)
            with pytest.raises(MigrationError, match=r"did not stop within 0\.2 seconds"):
                await migrate(database)
            await join_servers(server, version)
        assert len(await migrate(database)) == 1
        async with database.owner_connection() as server:
            with pytest.raises(OlderVersion):
                await join_servers(server, version)
            await join_servers(server, version + 2)

    asyncio.run(run())


def test_a_migration_under_running_servers_does_not_block_requests(
    account: Member, settings: Settings, become: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "TABLE_LOCK_TIMEOUT_S", 0.2)
    client_id = account.new_client()
    become(CONTINUE)
    with ThreadPoolExecutor(1) as threads:
        with account.service.holding("SELECT FROM pay_points"):
            migrating = threads.submit(asyncio.run, migrate(locate_database(settings)))
            account.service.wait_until_blocked()
            assert account.get(f"/clients/{client_id}/pay_points").status_code == 200
            assert not migrating.done()
        assert len(migrating.result(WAIT_S)) == 1
    assert is_ready(account.service)


def test_checking_tells_what_older_servers_do(settings: Settings, become: Callable[..., None]) -> None:
    database, number = locate_database(settings), latest_version() + 1
    become(CONTINUE)
    with pytest.raises(MigrationError) as checked:
        asyncio.run(check_migrated(database))
    assert str(checked.value) == (
        f"the database is at version {number - 1}, this program needs {number}. "
        f"Pending: {number:04d}_further_{number} (older servers continue). "
        "Servers and workers of the older version can continue to run"
    )
    become(CONTINUE, STOP)
    with pytest.raises(MigrationError, match=r"further_\d+ \(older servers stop\)\. .* stop working when you migrate"):
        asyncio.run(check_migrated(database))


def test_every_migration_says_what_older_servers_do() -> None:
    assert all(migration.stops_older_servers for migration in load_migrations()[: FIRST_MARKED - 1])
    assert not load_migrations()[FIRST_MARKED - 1].stops_older_servers
    for migration in load_migrations():
        assert isinstance(migration.stops_older_servers, bool)  # raises an error without the line
    with pytest.raises(MigrationError, match=r"the first line of the migration \d+_unmarked must be"):
        _ = Migration(FIRST_MARKED, "unmarked", "SELECT 1").stops_older_servers
