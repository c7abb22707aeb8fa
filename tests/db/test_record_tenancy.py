"""A request about one record sees only the client of that record, whoever sends it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from gaji.app import OPERATIONS
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller, StaleAccess, Tenant, Transaction, open_pool
from gaji.db.tenant_reader import RequestedRecord, TenantReader
from gaji.identity.service import authenticate, find_user
from gaji.web.operations import NOT_OF_ONE_CLIENT, Operation
from tests.support.running import Member, Service
from tests.web.every_operation import TABLE, tenant_with_records, title

TABLES_OF_CLIENTS = """SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE a.attname = 'client_id' AND c.relnamespace = 'gaji'::regnamespace AND c.relkind IN ('r', 'p')
      AND has_column_privilege(c.oid, a.attnum, 'SELECT') ORDER BY 1"""
INDEXED_BY_ID = """SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
    WHERE a.attname = 'id' AND i.indpred IS NULL AND c.relnamespace = 'gaji'::regnamespace"""
MISSING_ID = 10**17
CallerLookup = Callable[[Pool], Awaitable[Caller]]
Read = Callable[[Transaction], Awaitable[Any]]


@dataclass(frozen=True)
class Office:
    """An account with two clients, and the IDs of their records."""

    member: Member
    first: dict[str, Any]
    second: dict[str, Any]

    @property
    def service(self) -> Service:
        """The service that has the account."""
        return self.member.service

    def visible(self, caller: CallerLookup, record: RequestedRecord | None) -> dict[str, set[int]]:
        """Return the clients of the rows that each table shows in a request about a record."""
        clients: dict[str, set[int]] = self.read(caller, record, _visible_clients)
        return clients

    def read(self, lookup: CallerLookup, record: RequestedRecord | None, read: Read) -> Any:
        """Read in a request about a record, and return the result, which must be the same in a transaction."""

        async def run() -> Any:
            pool = await open_pool(self.service.database.as_application("test"), size=1)
            try:
                tenant = Tenant(pool, self.service.vault, await lookup(pool), record=record)
                async with tenant.read_only() as tx:
                    result = await read(tx)
                async with tenant.transaction() as tx:
                    assert await read(tx) == result
                return result
            finally:
                await pool.close()

        return asyncio.run(run())

    def allowed_clients(self, records: Sequence[RequestedRecord]) -> list[list[int]]:
        """Return the clients that the account's first user sees in a request about each of these records."""

        async def read() -> list[list[int]]:
            pool = await open_pool(self.service.database.as_application("test"), size=1)
            caller = await find_user(self.service.database, self.member.email)
            tenants = [Tenant(pool, self.service.vault, caller, record=record) for record in records]
            try:
                return [await _allowed_clients(tenant) for tenant in tenants]
            finally:
                await pool.close()

        return asyncio.run(read())

    def user(self, member: Member) -> CallerLookup:
        """Look a user up, as the console does."""

        async def look_up(_: Pool) -> Caller:
            return await find_user(self.service.database, member.email)

        return look_up

    def key(self, member: Member) -> CallerLookup:
        """Look the caller of an API key up."""

        async def look_up(pool: Pool) -> Caller:
            caller = await authenticate(pool, self.service.vault, member.key)
            assert caller is not None
            return caller

        return look_up


async def _allowed_clients(tenant: Tenant) -> list[int]:
    async with tenant.read_only() as tx:
        client_ids: list[int] = await tx.fetchval("SELECT allowed_clients()")
        return client_ids


async def _visible_clients(tx: Transaction) -> dict[str, set[int]]:
    tables = [row["name"] for row in await tx.fetch(TABLES_OF_CLIENTS)]
    shown = {table: await tx.fetch(f"SELECT DISTINCT client_id FROM {table}") for table in tables}
    shown["clients"] = await tx.fetch("SELECT id AS client_id FROM clients")
    clients = {table: {row["client_id"] for row in rows} - {None} for table, rows in shown.items()}
    return {table: client_ids for table, client_ids in clients.items() if client_ids}


@pytest.fixture(scope="module")
def office(service: Service) -> Office:
    """An account with two clients that have rows in every table of clients."""
    member = service.new_account()
    return Office(member, tenant_with_records(member), tenant_with_records(member))


def client(ids: dict[str, Any]) -> RequestedRecord:
    return "clients", ids["client_id"]


def employee(ids: dict[str, Any]) -> RequestedRecord:
    return "employees", ids["employee_id"]


first_records = pytest.mark.parametrize("record", [client, employee])


def test_every_path_that_starts_with_a_record_leads_to_its_client(office: Office) -> None:
    with_record = (operation for operation in OPERATIONS if "{" in operation.path)
    operations = [operation for operation in with_record if operation.path.split("/")[1] not in NOT_OF_ONE_CLIENT]
    records = sorted({_record_of(operation, office.first) for operation in operations})
    assert len({collection for collection, _ in records}) > 20
    assert office.allowed_clients(records) == [[office.first["client_id"]]] * len(records)
    missing = [(collection, MISSING_ID) for collection, _ in records]
    assert office.allowed_clients(missing) == [[]] * len(records)


def test_every_record_is_found_by_its_id_without_reading_the_table(service: Service) -> None:
    collections = {record[0] for operation in OPERATIONS if (record := operation.requested_record(_AnyIds()))}
    assert collections - {row["name"] for row in service.as_owner(INDEXED_BY_ID)} == set()


def _record_of(operation: Operation, ids: dict[str, Any]) -> RequestedRecord:
    instead = TABLE[title(operation)].instead
    record = operation.requested_record({**ids, **{name: ids[other] for name, other in instead.items()}})
    assert record is not None, operation.path
    return record


def test_paths_that_start_with_no_record_are_about_all_clients() -> None:
    paths = {operation.path for operation in OPERATIONS if operation.requested_record(_AnyIds()) is None}
    assert {"/clients", "/me", "/events", "/webhook_endpoints/{endpoint_id}"} <= paths
    assert not [path for path in paths if path.startswith(("/clients/", "/employees/", "/payslips/"))]


class _AnyIds(dict[str, int]):
    def __missing__(self, name: str) -> int:
        return 1


@first_records
def test_an_owner_of_two_clients_sees_one_of_them(
    office: Office, record: Callable[[dict[str, Any]], RequestedRecord]
) -> None:
    everything = office.visible(office.user(office.member), None)
    assert everything["employees"] == {office.first["client_id"], office.second["client_id"]}
    for lookup in (office.user(office.member), office.key(office.member)):
        for ids in (office.first, office.second):
            visible = office.visible(lookup, record(ids))
            assert set(visible) == set(everything)
            assert set().union(*visible.values()) == {ids["client_id"]}


@first_records
def test_a_limited_key_sees_the_client_only_if_it_is_one_of_its_own(
    office: Office, record: Callable[[dict[str, Any]], RequestedRecord]
) -> None:
    limited = office.key(office.member.with_another_key(client_ids=[office.first["client_id"]]))
    assert set().union(*office.visible(limited, record(office.first)).values()) == {office.first["client_id"]}
    assert office.visible(limited, record(office.second)) == {}


@first_records
@pytest.mark.parametrize("role", ["payroll", "viewer"])
def test_a_member_of_one_client_does_not_see_the_other(
    office: Office, record: Callable[[dict[str, Any]], RequestedRecord], role: str
) -> None:
    colleague = office.user(office.member.colleague(office.first["client_id"], role))
    assert set().union(*office.visible(colleague, record(office.first)).values()) == {office.first["client_id"]}
    assert office.visible(colleague, record(office.second)) == {}


@first_records
def test_an_employee_sees_their_own_record_and_nothing_of_another_client(
    office: Office, record: Callable[[dict[str, Any]], RequestedRecord]
) -> None:
    employee_id = office.first["employee_id"]
    colleague = office.user(office.member.colleague(office.first["client_id"], "employee", employee_id))
    narrow = office.visible(colleague, record(office.first))
    assert narrow == office.visible(colleague, None)
    assert not {"clients", "memberships", "waves"} & set(narrow)
    assert office.read(colleague, record(office.first), _employees) == [employee_id]
    assert office.visible(colleague, record(office.second)) == {}


async def _employees(tx: Transaction) -> list[int]:
    return [row["id"] for row in await tx.fetch("SELECT id FROM employees ORDER BY id")]


def test_an_employee_of_one_client_who_works_for_another_has_one_role_at_a_time(office: Office) -> None:
    employee_id = office.first["employee_id"]
    colleague = office.member.colleague(office.first["client_id"], "employee", employee_id)
    office.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role) VALUES ($1, $2, 'payroll')",
        office.second["client_id"],
        colleague.user_id,
    )
    caller = office.user(colleague)
    assert office.read(caller, employee(office.first), _employees) == [employee_id]
    about_second = office.visible(caller, employee(office.second))
    assert set().union(*about_second.values()) == {office.second["client_id"]}
    assert "waves" in about_second


@first_records
def test_a_user_of_another_account_sees_nothing(
    office: Office, record: Callable[[dict[str, Any]], RequestedRecord]
) -> None:
    stranger = office.service.new_account()
    stranger.new_client()
    for lookup in (office.user(stranger), office.key(stranger)):
        assert office.visible(lookup, record(office.first)) == {}


@pytest.mark.parametrize("record", [("clients", MISSING_ID), ("employees", MISSING_ID)])
def test_a_record_that_does_not_exist_shows_nothing(office: Office, record: RequestedRecord) -> None:
    assert office.visible(office.user(office.member), record) == {}


def test_a_collection_that_the_database_does_not_know_is_an_error(office: Office) -> None:
    with pytest.raises(asyncpg.CaseNotFoundError):
        office.visible(office.user(office.member), ("secrets", 1))


@first_records
def test_access_that_was_taken_away_ends_at_once(
    office: Office, record: Callable[[dict[str, Any]], RequestedRecord]
) -> None:
    colleague = office.member.colleague(office.first["client_id"], "payroll")

    async def read_after_change(tx: Transaction) -> None:
        assert await tx.fetchval("SELECT count(*) FROM clients") == 1
        async with office.service.database.maintenance() as connection:
            await connection.execute("UPDATE users SET disabled_at = now() WHERE email = $1", colleague.email)
        await tx.fetchval("SELECT count(*) FROM clients")

    with pytest.raises(StaleAccess):
        office.read(office.user(colleague), record(office.first), read_after_change)


def test_a_request_about_one_client_cannot_write_to_another_of_the_same_user(office: Office) -> None:
    statement = "INSERT INTO pay_points (client_id, name) VALUES ($1, 'Misplaced')"

    async def write() -> None:
        pool = await open_pool(office.service.database.as_application("test"), size=1)
        caller = await find_user(office.service.database, office.member.email)
        tenant = Tenant(pool, office.service.vault, caller, record=client(office.first))
        try:
            async with tenant.transaction() as tx:
                await tx.execute(statement, office.second["client_id"])
        finally:
            await pool.close()

    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        asyncio.run(write())


def test_a_read_about_one_client_cannot_write(office: Office) -> None:
    async def write(tx: Transaction) -> None:
        await tx.execute("UPDATE clients SET name = 'x'")

    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        office.read(office.user(office.member), client(office.first), write)


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("record", [None, client, employee])
def test_no_query_is_planned_again_for_each_request(
    office: Office, record: Callable[[dict[str, Any]], RequestedRecord] | None, limited: bool
) -> None:
    member = office.member.with_another_key(client_ids=[office.first["client_id"]]) if limited else office.member
    requested = record(office.first) if record else None
    assert asyncio.run(_count_plans(office, office.key(member), requested)) == 0


async def _count_plans(office: Office, lookup: CallerLookup, record: RequestedRecord | None) -> int:
    """Return how many queries PostgreSQL plans while the same read is repeated."""
    pool = await open_pool(office.service.database.as_application("test"), size=1)
    caller = await lookup(pool)
    await pool.close()
    connection = await asyncpg.connect(office.service.settings.database_url)
    try:
        await connection.execute("SET search_path = gaji; SET client_min_messages = log; SET log_planner_stats = on")
        await connection.execute("SET ROLE gaji_app")
        limiting_key = caller.key_id if caller.limited else None
        reader = TenantReader(connection, (caller.user_id, caller.access_version, limiting_key), record)
        planned: list[str] = []
        await _repeat(reader)  # PostgreSQL decides after five executions whether it reuses a plan
        connection.add_log_listener(lambda _, message: planned.append(message.message))
        await connection.execute("SELECT")
        assert planned == ["PLANNER STATISTICS"], "planning is not observed"
        planned.clear()
        await _repeat(reader)
        return len(planned)
    finally:
        await connection.close()


async def _repeat(reader: TenantReader) -> None:
    for _ in range(10):
        await reader.fetchval("SELECT count(*) FROM employees")
