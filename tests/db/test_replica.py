"""Reads from a replica: always as current as the primary, in the same tenancy, and never an error if it fails."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import Phase, given, strategies
from hypothesis import settings as hypothesis_settings

from gaji.app import OPERATIONS
from gaji.cli.doctor import check_replica
from gaji.console.routes import PAGES
from gaji.core.settings import Settings, SettingsError
from gaji.db.database import APPLICATION, locate_database
from gaji.db.pool import Pool
from gaji.db.replica import LogPosition, ReplayProgress, UnsuitableReplica
from gaji.db.tenancy import Caller, Tenant, Transaction, open_pool
from gaji.identity.service import find_user
from gaji.tasks.client_transactions import client_transaction, source_transaction
from gaji.web.operations import Operation
from tests.imports.employees.workbooks import Workbook
from tests.reports.report_client import report_rows, rows_of, start_report, wait_for_report
from tests.support.company import Company
from tests.support.replicated_postgres import PostgresServer, running_pair
from tests.support.running import METRICS_TOKEN, SECRET, WAIT_S, Member, Service, running_service
from tests.web.every_operation import TenantRecords, path, sent, tenant_with_records, title

SPAN = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
ON_REPLICA = [operation for operation in OPERATIONS if operation.allows_replica]
REPEATED = "read repeated on the primary"
"""The line of log of a read that failed on the replica."""
PRIMARY = LogPosition(system_id=1, timeline=2, lsn=100)


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[PostgresServer, PostgresServer]]:
    with running_pair(synchronous=False) as pair:
        yield pair


@pytest.fixture(scope="module")
def service(
    servers: tuple[PostgresServer, PostgresServer], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A server with a primary and a replica."""
    folder = tmp_path_factory.mktemp("replica")
    primary, standby = (server.cluster.url for server in servers)
    settings = Settings(
        folder, primary, replica_url=standby, secret_key=SECRET, rate_limit=0, metrics_token=METRICS_TOKEN
    )
    with running_service(settings, folder) as running:
        yield running


@pytest.fixture(scope="module")
def tenant(service: Service) -> TenantRecords:
    member = service.new_account()
    return TenantRecords(member, tenant_with_records(member))


@pytest.fixture(scope="module")
def standby(servers: tuple[PostgresServer, PostgresServer]) -> PostgresServer:
    return servers[1]


@contextmanager
def paused_replay(standby: PostgresServer) -> Iterator[None]:
    """Let the replica receive the log but not replay it."""
    standby.cluster.execute("SELECT pg_wal_replay_pause()")
    try:
        yield
    finally:
        standby.cluster.execute("SELECT pg_wal_replay_resume()")


def replica_reads(service: Service) -> float:
    """Return how many reads the replica has served."""
    text = service.http.get(f"{service.url}/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"}).text
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith('gaji_reads_total{target="rep'))


def metric(service: Service, name: str) -> float:
    """Return the value of a metric without labels."""
    text = service.http.get(f"{service.url}/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"}).text
    [line] = [line for line in text.splitlines() if line.startswith(f"{name} ")]
    return float(line.split()[-1])


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def wait_for_replica(service: Service, act: Callable[[], object]) -> None:
    """Repeat a request until the replica serves it."""
    before = replica_reads(service)

    def is_served() -> bool:
        act()
        return replica_reads(service) > before

    wait_until(is_served)


def exported_ids(company: Company) -> set[int]:
    """Return the employees in the workbook of a company."""
    response = company.member.get(f"{company.people}/export")
    assert response.status_code == 200, response.text
    return {int(row["id"]) for row in Workbook(response.content).rows}


def replica_state(service: Service) -> str:
    """Return what /readyz says about the replica."""
    response = service.http.get(f"{service.url}/readyz")
    assert response.status_code == 200
    return str(response.json()["replica"])


@asynccontextmanager
async def open_access(service: Service, member: Member, settings: Settings) -> AsyncIterator[tuple[Pool, Caller]]:
    """Yield a pool with a replica, and a user to read as."""
    database = locate_database(settings)
    caller = await find_user(database, member.email)
    pool = await open_pool(database.as_application("test"), replica=database.at_replica("test"))
    try:
        yield pool, caller
    finally:
        await pool.close()


async def describe_session(tx: Transaction) -> dict[str, Any]:
    """Return the server and the role of a session, and the clients that it sees."""
    row = await tx.fetchrow(
        "SELECT pg_is_in_recovery() AS is_replica, current_user::text AS role, "
        "ARRAY(SELECT id FROM clients ORDER BY id) AS client_ids"
    )
    return dict(row)


async def until_on_replica(read: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    """Repeat a read until the replica serves it."""
    deadline = time.monotonic() + WAIT_S
    while not (session := await read())["is_replica"]:
        assert time.monotonic() < deadline
    return session


@pytest.mark.parametrize("operation", ON_REPLICA, ids=title)
def test_the_replica_can_serve_every_operation_that_allows_it(tenant: TenantRecords, operation: Operation) -> None:
    service = tenant.member.service
    lines = len(service.log_lines())

    def act() -> None:
        response = tenant.member.call(operation.method, path(operation, tenant.ids), **sent(operation, tenant.ids))
        assert response.status_code in {200, 204}, response.text

    wait_for_replica(service, act)
    assert not [line for line in service.log_lines()[lines:] if REPEATED in line]


def test_only_reads_allow_the_replica() -> None:
    assert ON_REPLICA
    assert not [title(operation) for operation in ON_REPLICA if operation.writes]
    assert not [page.path for page in PAGES if page.allows_replica and page.method != "GET"]


STEPS = strategies.lists(
    strategies.sampled_from(["hire", "list", "list as colleague", "export", "pause", "resume"]), max_size=8
)


@hypothesis_settings(max_examples=4, phases=[Phase.generate])
@given(steps=STEPS.map(lambda steps: ["hire", "list", "pause", "hire", *steps, "list", "list as colleague", "export"]))
def test_every_read_sees_all_changes_before_it(service: Service, standby: PostgresServer, steps: list[str]) -> None:
    company = Company.of(service.new_account())
    colleague = company.member.colleague(company.id, "viewer")
    hired: set[int] = set()

    def listed(member: Member) -> set[int]:
        return {element["employee"]["id"] for element in member.get(company.people).json()}

    actions: dict[str, Callable[[], None]] = {
        "pause": lambda: standby.cluster.execute("SELECT pg_wal_replay_pause()"),
        "resume": lambda: standby.cluster.execute("SELECT pg_wal_replay_resume()"),
    }
    try:
        for step in steps:
            if step in actions:
                actions[step]()
            elif step == "hire":
                hired.add(company.hire())
            elif step == "export":
                assert exported_ids(company) == hired
            else:
                assert listed(colleague if step == "list as colleague" else company.member) == hired
    finally:
        actions["resume"]()


def test_a_revoked_key_reads_nothing_from_a_replica_that_is_behind(service: Service, standby: PostgresServer) -> None:
    company = Company.of(service.new_account())
    other = company.member.with_another_key()
    wait_for_replica(service, lambda: other.get(company.people))
    [key] = service.as_owner(
        "SELECT k.id FROM api_keys k JOIN users u ON u.id = k.user_id WHERE u.email = $1 ORDER BY k.id DESC LIMIT 1",
        company.member.email,
    )
    with paused_replay(standby):
        service.as_owner("UPDATE api_keys SET revoked_at = now() WHERE id = $1", key["id"])
        assert other.get(company.people).status_code == 401


def test_a_stranger_sees_nothing_on_the_replica(service: Service) -> None:
    company = Company.of(service.new_account())
    employee_id = company.hire()
    wait_for_replica(service, company.listed)
    stranger = service.new_account()
    wait_for_replica(service, lambda: stranger.get("/clients"))
    assert stranger.get(company.people).status_code == 404
    assert stranger.get("/clients").json() == []
    assert [employee["id"] for employee in company.listed()] == [employee_id]


def test_the_session_on_the_replica_has_the_same_role_and_tenancy(service: Service) -> None:
    member = service.new_account()
    client_id = member.new_client()

    async def check() -> None:
        async with open_access(service, member, service.settings) as (pool, caller):

            async def read() -> dict[str, Any]:
                async with Tenant(pool, service.vault, caller, allows_replica=True).read_only() as tx:
                    return await describe_session(tx)

            async def read_snapshot() -> dict[str, Any]:
                async with Tenant(pool, service.vault, caller, allows_replica=True).snapshot() as tx:
                    return await describe_session(tx)

            async def read_in_task() -> dict[str, Any]:
                async with (
                    client_transaction(pool, service.vault, client_id) as own,
                    source_transaction(pool, service.vault, client_id, own) as tx,
                ):
                    return await describe_session(tx)

            expected = {"is_replica": True, "role": APPLICATION, "client_ids": [client_id]}
            for begin in (read, read_snapshot, read_in_task):
                assert await until_on_replica(begin) == expected
            async with Tenant(pool, service.vault, caller, allows_replica=True).transaction() as tx:
                assert not (await describe_session(tx))["is_replica"]

    service.runner.run(check())


def test_reads_and_tasks_that_fail_on_the_replica_are_repeated_on_the_primary(service: Service) -> None:
    company = Company.of(service.new_account())
    employee_id = company.hire()
    service.as_login(
        "CREATE FUNCTION gaji.conflict_with_recovery() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN "
        "IF pg_is_in_recovery() THEN RAISE EXCEPTION 'conflict with recovery' USING ERRCODE = '40001'; END IF; "
        "RETURN true; END $$"
    )
    service.as_login(
        "CREATE POLICY conflict ON gaji.employees AS RESTRICTIVE TO gaji_app USING (gaji.conflict_with_recovery())"
    )
    try:

        def act() -> None:
            assert [employee["id"] for employee in company.listed()] == [employee_id]

        wait_for_replica(service, act)
        assert service.logged(REPEATED)[-1]["error"] == "SerializationError"
        report = rows_of(wait_for_report(company, start_report(company, "transaction_history", **SPAN)))
        assert report == report_rows(company, "transaction_history", **SPAN)
    finally:
        service.as_login("DROP POLICY conflict ON gaji.employees")
        service.as_login("DROP FUNCTION gaji.conflict_with_recovery()")


def test_the_primary_serves_everything_while_the_replica_is_down(service: Service, standby: PostgresServer) -> None:
    company = Company.of(service.new_account())
    employee_ids = {company.hire()}
    wait_for_replica(service, company.listed)
    standby.kill()
    try:
        employee_ids.add(company.hire())
        assert {employee["id"] for employee in company.listed()} == employee_ids
        report = rows_of(wait_for_report(company, start_report(company, "transaction_history", **SPAN)))
        assert report == report_rows(company, "transaction_history", **SPAN)
        assert replica_state(service) == "unavailable"
        assert metric(service, "gaji_replica_up") == 0
    finally:
        standby.start()
    wait_until(lambda: replica_state(service) == "current")
    wait_for_replica(service, company.listed)
    assert {employee["id"] for employee in company.listed()} == employee_ids


def test_the_lag_of_the_replica_is_measured(service: Service, standby: PostgresServer) -> None:
    wait_until(lambda: replica_state(service) == "current")
    with paused_replay(standby):
        service.new_account()
        wait_until(lambda: replica_state(service) == "behind")
        assert metric(service, "gaji_replica_up") == 1
        assert metric(service, "gaji_replica_lag_bytes") > 0
        assert metric(service, "gaji_replica_lag_seconds") > 0
    wait_until(lambda: metric(service, "gaji_replica_lag_bytes") == 0)


def test_a_server_that_is_no_standby_is_not_used(service: Service) -> None:
    """For example, a replica that was promoted."""
    member = service.new_account()
    member.new_client()
    promoted = replace(service.settings, replica_url=service.settings.database_url)

    async def check() -> None:
        async with (
            open_access(service, member, promoted) as (pool, caller),
            Tenant(pool, service.vault, caller, allows_replica=True).read_only() as tx,
        ):
            assert not (await describe_session(tx))["is_replica"]
        database = locate_database(promoted)
        async with database.maintenance("test") as connection:
            arguments = database.at_replica("test")
            assert arguments is not None
            finding = await check_replica(connection, arguments)
        assert finding.is_problem

    service.runner.run(check())


def test_the_doctor_reports_the_lag(service: Service) -> None:
    async def check() -> None:
        database = service.database
        arguments = database.at_replica("test")
        assert arguments is not None
        async with database.maintenance("test") as connection:
            finding = await check_replica(connection, arguments)
        assert (finding.is_problem, finding.subject) == (False, "replica")
        assert "still to be replayed" in finding.result

    service.runner.run(check())


@pytest.mark.parametrize(
    ("position", "is_standby", "reason"),
    [
        (PRIMARY, False, "is a primary"),
        (replace(PRIMARY, system_id=9), True, "another database system"),
        (replace(PRIMARY, timeline=1, lsn=500), True, "since the last failover"),
    ],
)
def test_positions_of_other_histories_are_not_compared(position: LogPosition, is_standby: bool, reason: str) -> None:
    progress = ReplayProgress(position, is_standby, age_s=None)
    with pytest.raises(UnsuitableReplica, match=reason):
        progress.lag_bytes(PRIMARY)


def test_the_lag_is_the_log_between_two_positions() -> None:
    assert ReplayProgress(replace(PRIMARY, lsn=60), True, 1.0).lag_bytes(PRIMARY) == 40
    assert ReplayProgress(replace(PRIMARY, lsn=160), True, 1.0).lag_bytes(PRIMARY) == 0


def test_a_replica_needs_a_primary() -> None:
    with pytest.raises(SettingsError, match="GAJI_REPLICA_URL needs GAJI_DATABASE_URL"):
        Settings.from_environment({"GAJI_REPLICA_URL": "postgresql://replica/gaji"})
