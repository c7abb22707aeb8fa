"""Row-level security: what the application role sees with and without a tenancy."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from gaji.core.errors import Unavailable
from gaji.db.database import APPLICATION, OWNER
from gaji.db.tenancy import Caller, StaleAccess, Tenant, open_pool
from gaji.identity.service import find_user
from tests.support.running import Member, Service
from tests.web.every_operation import tenant_with_records

# The tables that belong to no tenant, and why none of their rows is anybody's secret.
SHARED = {
    "access_chain_state": "IDs and a hash, which the application cannot read",
    "announced_law": "a version of the law, which is public",
    "audit_chain_state": "IDs and a hash, which the application cannot read",
    "last_backup": "a time, which the application cannot read",
    "rate_limit_windows": "numbers of requests, which the application cannot read",
    "rule_books": "figures of the law, which are public",
    "schema_migrations": "which steps were applied",
    "secret_marks": "sealed proof that the secret fits",
    "worker_heartbeats": "names of processes and times, which the application cannot read",
}

Check = Callable[[asyncpg.Connection], Coroutine[Any, Any, Any]]


async def unprotected(connection: asyncpg.Connection) -> list[str]:
    """Return the gaps in the protection of tables, such as a missing policy."""
    rows = await connection.fetch(
        """
        SELECT c.relname AS name, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
               ARRAY(SELECT p.polname::text FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive
                     AND p.polcmd = '*' AND p.polqual IS NOT NULL AND p.polwithcheck IS NOT NULL
                     AND pg_get_expr(p.polqual, c.oid) = pg_get_expr(p.polwithcheck, c.oid)
                     AND (p.polname <> 'tenancy' OR NOT EXISTS (
                             SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'client_id')
                          OR pg_get_expr(p.polqual, c.oid) LIKE '%client_id = ANY (( SELECT allowed_clients()%')
                     AND p.polroles = ARRAY[CASE p.polname WHEN 'tenancy' THEN $1::regrole::oid
                                                           ELSE $2::regrole::oid END]) AS policies
        FROM pg_class c
        WHERE c.relnamespace = 'gaji'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname NOT LIKE 'pgqueuer%'
        ORDER BY 1
        """,
        APPLICATION,
        OWNER,
    )
    errors = []
    for row in rows:
        if row["name"] in SHARED:
            continue
        missing = {"tenancy", "maintenance"} - set(row["policies"])
        errors += [f"{row['name']} has no policy {policy}" for policy in sorted(missing)]
        errors += [f"{row['name']} is not {word}" for word in ("enabled", "forced") if not row[word]]
    return errors


def as_owner(service: Service, check: Check) -> Any:
    """Run a check in a transaction of the owner that is rolled back."""

    async def run() -> Any:
        async with service.database.owner_connection() as connection:
            transaction = connection.transaction()
            await transaction.start()
            try:
                return await check(connection)
            finally:
                await transaction.rollback()

    return asyncio.run(run())


def as_application(service: Service, check: Check) -> Any:
    """Run a check in a transaction of the application without a tenancy."""

    async def run() -> Any:
        connection = await asyncpg.connect(**service.database.as_application("test"))
        try:
            transaction = connection.transaction()
            await transaction.start()
            try:
                return await check(connection)
            finally:
                await transaction.rollback()
        finally:
            await connection.close()

    return asyncio.run(run())


async def protected_tables(connection: asyncpg.Connection) -> list[str]:
    rows = await connection.fetch(
        "SELECT relname FROM pg_class WHERE relnamespace = 'gaji'::regnamespace AND relrowsecurity ORDER BY 1"
    )
    return [row["relname"] for row in rows]


async def visible(connection: asyncpg.Connection) -> dict[str, int]:
    """Return the number of visible rows of each protected table."""
    counts = {}
    for table in await protected_tables(connection):
        if await connection.fetchval("SELECT has_any_column_privilege(current_user, $1, 'SELECT')", f"gaji.{table}"):
            counts[table] = await connection.fetchval(f"SELECT count(*) FROM {table}")
    return counts


@pytest.fixture(scope="module")
def tenants(service: Service) -> tuple[Member, Member]:
    """Two accounts that have rows in every table that the application may read."""
    both = service.new_account(), service.new_account()
    for member in both:
        client_id = tenant_with_records(member)["client_id"]
        limited = member.with_another_key(client_ids=[client_id])
        limited.patch(f"/clients/{client_id}", {"name": "Changed"}, headers={"Idempotency-Key": "x"})
    return both


def test_every_table_that_has_a_client_id_is_protected(service: Service) -> None:
    rows = service.as_owner(
        "SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity AS forced "
        "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'client_id' AND NOT a.attisdropped "
        "WHERE c.relnamespace = 'gaji'::regnamespace AND c.relkind IN ('r', 'p')"
    )
    assert {"pay_points", "memberships", "api_key_clients", "audit_log"} <= {row["relname"] for row in rows}
    assert [row["relname"] for row in rows if not row["forced"]] == []


def test_every_table_that_is_not_shared_has_both_policies_and_forces_them(service: Service) -> None:
    assert as_owner(service, unprotected) == []


@pytest.mark.parametrize("table", ["clients", "pay_points", "memberships", "audit_log", "idempotent_answers"])
@pytest.mark.parametrize("policy", ["tenancy", "maintenance"])
def test_a_policy_taken_away_by_hand_is_noticed(service: Service, table: str, policy: str) -> None:
    async def taken_away(connection: asyncpg.Connection) -> list[str]:
        await connection.execute(f"DROP POLICY {policy} ON {table}")
        return await unprotected(connection)

    assert as_owner(service, taken_away) == [f"{table} has no policy {policy}"]
    assert as_owner(service, unprotected) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("ALTER TABLE clients DISABLE ROW LEVEL SECURITY", "clients is not enabled"),
        ("ALTER TABLE clients NO FORCE ROW LEVEL SECURITY", "clients is not forced"),
        ("ALTER POLICY tenancy ON clients TO PUBLIC", "clients has no policy tenancy"),
        ("ALTER POLICY tenancy ON pay_points USING (true)", "pay_points has no policy tenancy"),
        ("ALTER POLICY tenancy ON pay_points WITH CHECK (true)", "pay_points has no policy tenancy"),
        ("CREATE TABLE forgotten (client_id bigint)", "forgotten has no policy maintenance"),
    ],
)
def test_any_other_gap_is_detected(service: Service, change: str, problem: str) -> None:
    async def changed(connection: asyncpg.Connection) -> list[str]:
        await connection.execute(change)
        return await unprotected(connection)

    assert problem in as_owner(service, changed)


def test_with_nothing_set_the_application_sees_no_row_of_any_protected_table(
    service: Service, tenants: tuple[Member, Member]
) -> None:
    counts = as_application(service, visible)
    assert {"clients", "pay_points", "memberships", "api_keys", "audit_log", "idempotent_answers"} <= set(counts)
    assert set(counts.values()) == {0}
    everything = as_owner(service, _in_maintenance)
    empty = [table for table in counts if everything[table] == 0]
    assert empty == [], "a table without rows proves nothing: let tenant_with_records make some"


def test_the_owner_sees_no_row_either_unless_it_is_in_maintenance(
    service: Service, tenants: tuple[Member, Member]
) -> None:
    assert set(as_owner(service, visible).values()) == {0}


def test_with_a_tenants_settings_only_that_tenants_rows_are_seen(
    service: Service, tenants: tuple[Member, Member]
) -> None:
    seen = [asyncio.run(_rows_of(service, member)) for member in tenants]
    tables = set(seen[0])
    assert {"clients", "pay_points", "memberships", "api_keys", "audit_log", "idempotent_answers"} <= tables
    for table in tables:
        assert seen[0][table], f"{table} shows its tenant nothing"
        assert not seen[0][table] & seen[1][table], f"{table} shows both tenants the same rows"


def test_the_application_cannot_give_a_row_to_another_tenant(service: Service, tenants: tuple[Member, Member]) -> None:
    mine, theirs = (member.get("/clients").json()[0]["client"]["id"] for member in tenants)

    async def give(statement: str) -> None:
        async with _tenant(service, tenants[0].email) as tenant, tenant.transaction() as tx:
            await tx.execute(statement, theirs)

    for statement in (
        "INSERT INTO pay_points (client_id, name) VALUES ($1, 'Smuggled')",
        f"UPDATE pay_points SET client_id = $1 WHERE client_id = {mine}",
        "INSERT INTO clients (id, account_id, name) SELECT $1 + 1000000, account_id + 1, 'Smuggled' FROM clients",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            asyncio.run(give(statement))


def test_the_application_cannot_change_the_clients_of_another_users_key(
    service: Service, tenants: tuple[Member, Member]
) -> None:
    mine = tenants[0].get("/clients").json()[0]["client"]["id"]
    [key] = service.as_owner(
        "SELECT max(k.id) AS id FROM api_keys k JOIN users u ON u.id = k.user_id WHERE u.email = $1", tenants[1].email
    )

    async def limit() -> None:
        async with _tenant(service, tenants[0].email) as tenant, tenant.transaction() as tx:
            await tx.execute("INSERT INTO api_key_clients (client_id, key_id) VALUES ($1, $2)", mine, key["id"])

    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        asyncio.run(limit())


@pytest.mark.parametrize(
    "statement", ["UPDATE clients SET name = 'Taken' WHERE id = $1", "DELETE FROM pay_points WHERE client_id = $1"]
)
def test_the_application_cannot_change_a_row_of_another_tenant(
    service: Service, tenants: tuple[Member, Member], statement: str
) -> None:
    theirs = tenants[1].get("/clients").json()[0]["client"]["id"]
    before = service.fingerprint()

    async def change() -> str:
        async with _tenant(service, tenants[0].email) as tenant, tenant.transaction() as tx:
            outcome: str = await tx.execute(statement, theirs)
            return outcome

    assert asyncio.run(change()).endswith(" 0")
    assert service.fingerprint() == before


def test_settings_end_with_their_transaction_reads_included(service: Service, tenants: tuple[Member, Member]) -> None:
    async def after() -> list[Any]:
        async with _tenant(service, tenants[0].email) as tenant:
            async with tenant.read_only() as tx:
                assert await tx.fetchval("SELECT count(*) FROM clients") == 1
                connection = tx.connection
                pid = await tx.fetchval("SELECT pg_backend_pid()")
            del connection
            again = await tenant._pool.acquire()
            try:
                assert await again.fetchval("SELECT pg_backend_pid()") == pid
                return [
                    await again.fetchval("SELECT count(*) FROM clients"),
                    *(await again.fetchrow("SELECT setting('clients'), setting('account'), setting('maintenance')")),
                ]
            finally:
                tenant._pool.release(again)

    assert asyncio.run(after()) == [0, None, None, None]


def test_every_statement_of_a_read_enters_the_tenancy(service: Service, tenants: tuple[Member, Member]) -> None:
    async def read() -> list[list[str]]:
        async with _tenant(service, tenants[0].email) as tenant, tenant.read_only() as tx:
            # More often than the five times after which PostgreSQL may plan once for all values.
            text = [await tx.fetch("SELECT id::text FROM clients WHERE id > $1", 0) for _ in range(12)]
            text.append(await tx.fetch("WITH named AS (SELECT id::text FROM clients) SELECT * FROM named"))
            text.append(
                await tx.fetch(
                    "SELECT n.id::text FROM pay_points p CROSS JOIN LATERAL "
                    "(SELECT c.id FROM clients c WHERE c.id = p.client_id) n"
                )
            )
            return [sorted({row[0] for row in rows}) for rows in text]

    mine = [str(element["client"]["id"]) for element in tenants[0].get("/clients").json()]
    assert asyncio.run(read()) == [mine] * 14


def test_only_an_owner_sets_roles_and_only_for_users_of_the_account(
    service: Service, tenants: tuple[Member, Member]
) -> None:
    member, foreign = tenants
    client_id = member.get("/clients").json()[0]["client"]["id"]
    payroll = member.colleague(client_id, "payroll")

    async def give(email: str, user_id: int, role: str | None) -> None:
        async with _tenant(service, email) as tenant, tenant.transaction() as tx:
            await tx.execute("SELECT set_membership($1, $2, $3, NULL)", client_id, user_id, role)

    for email, user_id, role in (
        (payroll.email, payroll.user_id, "owner"),
        (foreign.email, foreign.user_id, "owner"),
        (member.email, foreign.user_id, "viewer"),
        (member.email, member.user_id, None),
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            asyncio.run(give(email, user_id, role))


def test_a_read_only_block_cannot_admit_a_client(service: Service, tenants: tuple[Member, Member]) -> None:
    """Its next statement would enter the tenancy again, and not see the client."""

    async def admit() -> None:
        async with _tenant(service, tenants[0].email) as tenant, tenant.read_only() as tx:
            await tx.admit_client(tenants[1].new_client())

    with pytest.raises(RuntimeError, match="read-only block"):
        asyncio.run(admit())


def test_access_that_changes_between_two_statements_of_a_read_is_noticed(
    service: Service, tenants: tuple[Member, Member]
) -> None:
    async def read() -> None:
        async with _tenant(service, tenants[0].email) as tenant, tenant.read_only() as tx:
            assert await tx.fetchval("SELECT count(*) FROM clients") == 1
            async with service.database.maintenance() as connection:
                await connection.execute("UPDATE users SET name = 'Renamed' WHERE email = $1", tenants[0].email)
            await tx.fetchval("SELECT count(*) FROM clients")

    with pytest.raises(StaleAccess):
        asyncio.run(read())


def test_a_write_can_follow_a_read_on_the_same_connection(service: Service, tenants: tuple[Member, Member]) -> None:
    async def write() -> tuple[int, str]:
        async with _tenant(service, tenants[0].email) as tenant:
            async with tenant.read_only() as tx:
                count = await tx.fetchval("SELECT count(*) FROM clients")
            async with tenant.transaction() as tx:
                return count, await tx.execute("UPDATE clients SET name = 'Changed again'")

    assert asyncio.run(write()) == (1, "UPDATE 1")


def test_a_read_cannot_be_used_after_its_block(service: Service, account: Member) -> None:
    async def use() -> None:
        async with _tenant(service, account.email) as tenant:
            async with tenant.read_only() as tx:
                await tx.fetchval("SELECT 1")
            await tx.fetchval("SELECT 1")

    with pytest.raises(RuntimeError, match="has ended"):
        asyncio.run(use())


def test_a_reading_transaction_cannot_write(service: Service, tenants: tuple[Member, Member]) -> None:
    async def write() -> None:
        async with _tenant(service, tenants[0].email) as tenant, tenant.read_only() as tx:
            await tx.execute("UPDATE clients SET name = 'x'")

    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        asyncio.run(write())


def test_a_key_is_looked_up_by_one_security_definer_function(service: Service, account: Member) -> None:
    functions = service.as_owner(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'gaji'::regnamespace AND prosecdef "
        "AND has_function_privilege('gaji_app', oid, 'EXECUTE') AND prorettype <> 'trigger'::regtype ORDER BY 1"
    )
    for_callers = {
        "authenticate",
        "cancel_email_change",
        "count_webhook_endpoints",
        "create_email_change_code",
        "create_password_reset",
        "reset_second_factor",
        "pending_email_change",
        "request_email_change",
        "enter",
        "erase_account_records",
        "users_to_erase",
        "home_successor",
        "transfer_home",
        "queue_invitation_mail",
        "queue_mail_to_employee",
        "queue_mail_about_employee",
        "queue_mail_to_members",
        "queue_payslip_mail",
        "queue_security_mail",
        "record_access",
        "open_client_tenancy",
        "open_tenancy",
        "payslip_design",
        "payslip_papers",
        "payslip_payments",
        "personal_records",
        "record_erasure",
        "record_events",
        "redact_audit_entries",
        "refused_invitations",
        "restrict_user",
        "erase_access_events",
        "leave_account",
        "set_membership",
        "sign_access_erasures",
        "sign_audit_redactions",
    }
    for_the_worker = {
        "access_events_without_link",
        "add_access_links",
        "add_audit_links",
        "entries_without_link",
        "load_access_heads",
        "lock_access_chains",
        "note_access_events",
        "load_audit_heads",
        "lock_audit_chains",
        "monitored_backlogs",
        "reserve_requests",
        "delete_ended_rate_limit_windows",
        "note_audit_entries",
        "announce_law",
        "claim_webhook_deliveries",
        "connected_workers",
        "delete_worker_heartbeat",
        "record_worker_heartbeat",
        "clients_opening_runs",
        "clients_to_recalculate",
        "clients_with_employee_imports",
        "clients_with_payslip_bundles",
        "clients_with_reports",
        "clients_with_retention",
        "clients_with_run_steps",
        "delete_old_run_steps",
        "claim_mail",
        "lease_mail",
        "postpone_mail",
        "claim_leased_mail",
        "lease_mail_with_attachments",
        "finish_mail",
        "create_webhook_deliveries",
        "finish_webhook_delivery",
        "forget_old_answers",
        "forget_old_mail",
        "forget_old_employee_imports",
        "forget_old_events",
        "forget_old_payslip_bundles",
        "forget_old_reports",
        "forget_old_webhook_deliveries",
        "queue_webhook_mail",
        "work_for",
    }
    for_the_console = {
        "create_single_sign_on",
        "identify_single_sign_on",
        "mail_sign_in_address",
        "begin_single_sign_on_session",
        "record_failed_single_sign_on",
        "record_refused_identifiers",
        "require_single_sign_on",
        "require_two_step",
        "keep_challenge",
        "take_challenge",
        "passkeys_of",
        "passkey_of",
        "use_passkey",
        "add_passkey",
        "rename_passkey",
        "remove_passkey",
        "is_session_confirmed",
        "confirm_session",
        "must_use_single_sign_on",
        "offers_single_sign_on",
        "password_hash_of",
        "switch_account",
        "accept_invitation_as",
        "own_email_change",
        "save_single_sign_on",
        "single_sign_on_of",
        "single_sign_on_settings",
        "use_sign_in_state",
        "accept_invitation",
        "begin_session",
        "begin_sign_in",
        "change_password",
        "describe_session",
        "end_other_sessions",
        "end_session",
        "half_session_of",
        "invitation_of",
        "mail_password_reset",
        "password_of",
        "email_change_of",
        "password_reset_of",
        "second_factor_of",
        "session_of",
        "sessions_like",
        "turn_off_second_factor",
        "turn_on_second_factor",
        "use_code",
        "use_email_change",
        "use_password_reset",
        "use_recovery_code",
    }
    assert {row["proname"] for row in functions} == for_callers | for_the_worker | for_the_console
    key_hash = service.vault.api_key_hash(account.key)

    async def look_up(connection: asyncpg.Connection) -> tuple[int, int, int]:
        right = len(await connection.fetch("SELECT * FROM authenticate($1)", key_hash))
        wrong = len(await connection.fetch("SELECT * FROM authenticate($1)", key_hash[:-1] + b"?"))
        return right, wrong, await connection.fetchval("SELECT count(*) FROM api_keys")

    assert as_application(service, look_up) == (1, 0, 0)


def test_every_security_definer_function_fixes_its_search_path(service: Service) -> None:
    rows = service.as_owner(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'gaji'::regnamespace AND prosecdef "
        "AND NOT coalesce(proconfig, '{}') @> ARRAY['search_path=gaji, pg_temp']"
    )
    assert rows == []


def test_an_old_access_version_is_rejected_before_anything_is_seen(service: Service, account: Member) -> None:
    async def enter() -> None:
        caller = await find_user(service.database, account.email)
        old = Caller(caller.user_id, caller.account_id, caller.access_version - 1, caller.administrator)
        async with _tenant_of(service, old) as tenant, tenant.read_only():
            pass

    with pytest.raises(StaleAccess):
        asyncio.run(enter())


def test_the_application_can_neither_change_its_tables_nor_pass_by_their_policies(service: Service) -> None:
    [role] = service.as_login(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, "
        "pg_has_role('gaji_app', 'gaji_owner', 'MEMBER') AS owner FROM pg_roles WHERE rolname = 'gaji_app'"
    )
    assert not any(role.values())
    owned = service.as_owner("SELECT tablename FROM pg_tables WHERE schemaname = 'gaji' AND tableowner <> 'gaji_owner'")
    assert owned == []
    for statement in (
        "ALTER TABLE clients DISABLE ROW LEVEL SECURITY",
        "DROP POLICY tenancy ON clients",
        "CREATE TABLE mine (id int)",
        "SELECT password_hash FROM users",
        "UPDATE memberships SET role = 'owner'",
        "INSERT INTO api_keys (account_id, user_id, name, key_hash, hint) VALUES (1, 1, 'x', 'x', 'x')",
        "UPDATE user_access SET version = 0",
        "TRUNCATE clients CASCADE",
    ):

        async def run(connection: asyncpg.Connection, statement: str = statement) -> None:
            await connection.execute(statement)

        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            as_application(service, run)


def test_the_role_employee_sees_only_their_own_record_and_changes_nothing(account: Member) -> None:
    service = account.service
    ids = tenant_with_records(account)
    colleague = account.colleague(ids["client_id"], "employee", ids["employee_id"])

    async def seen() -> tuple[dict[str, int], list[int], str]:
        async with _tenant(service, colleague.email) as tenant:
            async with tenant.read_only() as tx:
                counts = await visible(tx.connection)
                people = [row["id"] for row in await tx.fetch("SELECT id FROM employees")]
            async with tenant.transaction() as tx:
                return counts, people, await tx.execute("UPDATE employees SET first_name = 'Boss'")

    counts, people, changed = asyncio.run(seen())
    assert people == [ids["employee_id"]]
    assert changed == "UPDATE 0"
    assert {table for table in ("clients", "pay_points", "waves", "memberships") if counts[table]} == set()


def test_maintenance_opens_nothing_to_the_application(service: Service, tenants: tuple[Member, Member]) -> None:
    async def in_maintenance(connection: asyncpg.Connection) -> dict[str, int]:
        await connection.execute("SELECT set_config('gaji.maintenance', 'on', true)")
        return await visible(connection)

    assert set(as_application(service, in_maintenance).values()) == {0}


async def _in_maintenance(connection: asyncpg.Connection) -> dict[str, int]:
    await connection.execute("SELECT set_config('gaji.maintenance', 'on', true)")
    return await visible(connection)


async def _rows_of(service: Service, member: Member) -> dict[str, set[str]]:
    async with _tenant(service, member.email) as tenant, tenant.read_only() as tx:
        tables = await visible(tx.connection)
        columns = {"users": "id"}
        return {
            table: {str(row[0]) for row in await tx.fetch(f"SELECT ({columns.get(table, 't')})::text FROM {table} t")}
            for table in tables
        }


def test_a_connection_that_ends_before_the_commit_is_an_unavailable_database(service: Service) -> None:
    member = service.new_account()

    async def write() -> None:
        async with _tenant(service, member.email) as tenant, tenant.transaction() as tx:
            tx.connection.terminate()

    with pytest.raises(Unavailable):
        asyncio.run(write())


@asynccontextmanager
async def _tenant(service: Service, email: str) -> AsyncIterator[Tenant]:
    async with _tenant_of(service, await find_user(service.database, email)) as tenant:
        yield tenant


@asynccontextmanager
async def _tenant_of(service: Service, caller: Caller) -> AsyncIterator[Tenant]:
    pool = await open_pool(service.database.as_application("test"), size=1)
    try:
        yield Tenant(pool, service.vault, caller)
    finally:
        await pool.close()
