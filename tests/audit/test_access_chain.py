"""The chains of access events: what was changed is found, and those who record events do not notice them."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest

from gaji.audit import access_repository, operations, tasks
from gaji.audit.access_chain import AccessChainState, UnlinkedEvent, erasure_hash
from gaji.audit.access_verification import verify_access_chains
from gaji.audit.chain import ChangedHeads
from gaji.audit.tasks import add_access_links
from gaji.audit.verification import ChainReport
from gaji.cli import doctor
from gaji.db.installation import Installation, open_installation
from gaji.db.secret_rotation import rotate_secret
from gaji.db.tenancy import pooled_connection
from tests.audit.test_chain import NEW_SECRET, application_pool, installed
from tests.db.databases import as_owner
from tests.support.running import WAIT_S, Cluster

USERS = """INSERT INTO users (account_id, email, name, password_hash)
           VALUES (1, 'siti@example.com', 'Siti', ''), (2, 'mei@example.com', 'Mei', '')"""
RECORD = "SELECT record_access({user}, NULL, NULL, '{kind}', '{path}', '192.0.2.1', 'Firefox')"
OLD_DAY = """UPDATE access_events SET day = current_date - 5, first_at = now() - interval '5 days',
             last_at = now() - interval '5 days' WHERE id <= 2"""
OLD_EVENT = """UPDATE access_events SET day = current_date - 732, last_at = now() - interval '732 days' WHERE id = 1"""
SEVERAL_DAYS = """UPDATE access_events SET day = current_date - CASE WHEN id = 4 THEN 8 ELSE 8 - id::integer END"""
REACHED = """SELECT chained_through AS opened, current_date - closed_through AS closed_days_ago
             FROM access_chain_state"""
INSERT = """INSERT INTO access_events (id, account_id, user_id, kind, path, address, user_agent)
            VALUES ({}, 1, 1, 'sign_in', '', '', '')"""
MOVED_HEAD = """UPDATE access_heads h SET position = 1, entry_id = 1, hash = k.hash FROM access_links k
                WHERE h.account_id = 1 AND k.account_id = 1 AND k.position = 1"""
NO_LINKS = """UPDATE access_chain_state
              SET chained_through = 0, closed_through = '-infinity', heads_hash = NULL, key_number = NULL"""
PENDING = "SELECT FROM access_chain_state, access_events_id_seq WHERE chained_through < last_value AND is_called"


BLOCKED = "SELECT cardinality(pg_blocking_pids($1)) > 0"
FAILED_SIGN_ON = "SELECT record_failed_single_sign_on(1, NULL, 'unknown', '192.0.2.1', 'Firefox')"


def record(user: int, kind: str = "download", path: str = "") -> str:
    """The statement that records an event."""
    return RECORD.format(user=user, kind=kind, path=path)


def prepare(installation: Installation) -> None:
    """Events 1 and 3 of account 1, and 2 and 4 of account 2. The day of the first two is over."""
    for statement in (USERS, *(record(1 + number % 2, path=f"/files/{number}") for number in range(4)), OLD_DAY):
        as_owner(installation.database, statement)


def link_all(installation: Installation) -> None:
    """Do what the worker does until all events have links. Transactions in other databases can delay it."""
    deadline = time.monotonic() + WAIT_S

    async def link() -> None:
        async with application_pool(installation) as pool:
            await add_access_links(pool, installation.vault)

    while True:
        asyncio.run(link())
        if not as_owner(installation.database, PENDING):
            return
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.fixture(scope="module")
def chained(cluster: Cluster, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Events with links. Tests roll back what they change."""
    with installed(cluster, template, tmp_path_factory.mktemp("access")) as installation:
        prepare(installation)
        link_all(installation)
        link_all(installation)
        yield installation


@pytest.fixture
def installation(cluster: Cluster, template: str, tmp_path: Path) -> Iterator[Installation]:
    """Events that have no links yet."""
    with installed(cluster, template, tmp_path) as own:
        prepare(own)
        yield own


def verify(installation: Installation, heads: str | None = None) -> ChainReport:
    """Verify the chains."""
    _, report = asyncio.run(operations.verify(installation, heads))
    return report


def problems_after(installation: Installation, *statements: str) -> list[str]:
    """The problems after some statements, which are rolled back."""

    async def check() -> ChainReport:
        async with installation.database.owner_connection() as connection:
            transaction = connection.transaction(isolation="repeatable_read")
            await transaction.start()
            try:
                await connection.execute("SELECT set_config('gaji.maintenance', 'on', true)")
                for statement in statements:
                    await connection.execute(statement)
                return await verify_access_chains(connection, installation.vault)
            finally:
                await transaction.rollback()

    return asyncio.run(check()).problems


def test_events_have_one_link_and_a_second_one_when_their_day_is_over(chained: Installation) -> None:
    rows = as_owner(
        chained.database, "SELECT account_id, event_id, closed FROM access_links ORDER BY account_id, position"
    )
    assert [tuple(row.values()) for row in rows] == [
        *((1, 1, False), (1, 3, False), (1, 1, True)),
        *((2, 2, False), (2, 4, False), (2, 2, True)),
    ]
    report = verify(chained)
    assert (report.problems, report.entries, report.accounts, report.pending) == ([], 6, 2, 0)


@pytest.mark.parametrize(
    "change",
    [
        *("address = '192.0.2.9'", "user_id = 2", "kind = 'sign_in'", "path = '/files/9'", "user_agent = 'curl'"),
        *("first_at = first_at + interval '1 second'", "account_id = 2", "key_id = 5"),
    ],
)
def test_a_changed_event_is_found(chained: Installation, change: str) -> None:
    assert problems_after(chained, f"UPDATE access_events SET {change} WHERE id = 3") == [
        "account 1: access event 3 was changed"
    ]


@pytest.mark.parametrize("change", ["count = count - 1", "last_at = last_at + interval '1 second'"])
def test_the_count_of_an_event_is_covered_when_its_day_is_over(chained: Installation, change: str) -> None:
    assert problems_after(chained, f"UPDATE access_events SET {change} WHERE id = 3") == []
    [problem] = problems_after(chained, f"UPDATE access_events SET {change} WHERE id = 1")
    assert problem == "account 1: access event 1 was changed"


def test_a_deleted_event_is_found(chained: Installation) -> None:
    missing = "account 1: access event 3 is missing"
    assert problems_after(chained, "DELETE FROM access_events WHERE id = 3") == [missing]
    without_link = ("DELETE FROM access_events WHERE id = 3", "DELETE FROM access_links WHERE event_id = 3")
    assert problems_after(chained, *without_link) == ["account 1: links 2 to 2 are missing"]


def test_a_deleted_tail_and_a_deleted_chain_are_found(chained: Installation) -> None:
    tail = "DELETE FROM access_links WHERE account_id = 1 AND position > 1"
    assert "account 1: its chain ends at link 1, but its head is link 3" in problems_after(chained, tail)
    assert any("heads of the chains of access events" in text for text in problems_after(chained, tail, MOVED_HEAD))
    chain = [f"DELETE FROM {table} WHERE account_id = 1" for table in ("access_events", "access_links", "access_heads")]
    [problem] = problems_after(chained, *chain)
    assert problem.endswith("or a chain is missing completely")


@pytest.mark.parametrize("event_id", [0, 99])
def test_an_inserted_event_is_found(chained: Installation, event_id: int) -> None:
    assert problems_after(chained, INSERT.format(event_id)) == [
        f"account 1: access event {event_id} was inserted later"
    ]


def test_a_changed_link_is_found(chained: Installation) -> None:
    for change in ("day = day - 800", "digest = sha256('x')", "closed = true", "hash = sha256('x')", "key_number = 4"):
        statement = f"UPDATE access_links SET {change} WHERE event_id = 3"
        deleted = "DELETE FROM access_events WHERE id = 3"
        assert problems_after(chained, statement), change
        assert problems_after(chained, statement, deleted), change


def test_an_event_may_be_deleted_after_two_years(installation: Installation) -> None:
    as_owner(installation.database, OLD_EVENT)
    link_all(installation)
    as_owner(installation.database, record(1, "sign_in"))
    link_all(installation)
    assert as_owner(installation.database, "SELECT FROM access_events WHERE id = 1") == []
    assert verify(installation).problems == []


def test_an_erasure_that_gaji_did_not_sign_is_a_problem(installation: Installation) -> None:
    link_all(installation)
    as_owner(installation.database, "DELETE FROM access_events WHERE id = 1")
    as_owner(
        installation.database,
        "INSERT INTO access_erasures (event_id, account_id, key_number, hash) VALUES (1, 1, 0, sha256('made up'))",
    )
    assert "account 1: access event 1 is missing" in verify(installation).problems
    signed = erasure_hash(installation.vault, 0, 1)
    as_owner(installation.database, "SELECT sign_access_erasures(ARRAY[1], ARRAY[$1::bytea], 0)", signed)
    assert verify(installation).problems == []


def test_recording_continues_while_the_chains_are_extended(installation: Installation) -> None:
    async def record_meanwhile() -> None:
        async with application_pool(installation) as pool, installation.database.maintenance("test") as connection:
            await connection.execute("SELECT FROM access_chain_state FOR UPDATE")
            async with asyncio.timeout(10), pooled_connection(pool) as other:
                await other.execute(record(1, "sign_in"))

    asyncio.run(record_meanwhile())
    link_all(installation)
    assert verify(installation).problems == []


@pytest.mark.parametrize("statement", [record(1, "sign_in"), FAILED_SIGN_ON])
def test_an_event_whose_transaction_began_before_the_note_gets_its_link(
    installation: Installation, statement: str
) -> None:
    link_all(installation)
    asyncio.run(_note_between_id_and_insert(installation, statement))
    link_all(installation)
    report = verify(installation)
    assert (report.problems, report.pending) == ([], 0)


async def _note_between_id_and_insert(installation: Installation, statement: str) -> None:
    """Let the worker run when an event has an ID, but its row waits for another transaction with the same event."""
    owner_connection = installation.database.owner_connection
    async with (
        application_pool(installation) as pool,
        owner_connection() as first,
        owner_connection() as second,
        owner_connection() as observer,
    ):
        for connection in (first, second):
            await connection.execute("BEGIN")
        await first.execute(statement)
        waiting = asyncio.create_task(second.execute(statement))
        await _wait_until_blocked(observer, second)
        async with pooled_connection(pool) as connection:
            await access_repository.note_events(connection)
        await first.execute("ROLLBACK")
        await waiting
        await add_access_links(pool, installation.vault)
        await second.execute("COMMIT")


async def _wait_until_blocked(observer: asyncpg.Connection, connection: asyncpg.Connection) -> None:
    async with asyncio.timeout(WAIT_S):
        while not await observer.fetchval(BLOCKED, connection.get_server_pid()):  # noqa: ASYNC110 - only the database knows
            await asyncio.sleep(0.01)


def test_second_links_continue_with_the_day_that_they_reached(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, batches = access_repository.load_events, 0

    async def load_some(connection: asyncpg.Connection, limit: int, state: AccessChainState) -> list[UnlinkedEvent]:
        nonlocal batches
        events = await load(connection, limit, state)
        batches += any(event.closed for event in events)
        if batches > 3:
            raise InterruptedError
        return events

    as_owner(installation.database, SEVERAL_DAYS)
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "MAX_ENTRIES", 1)
        patch.setattr(access_repository, "load_events", load_some)
        with pytest.raises(InterruptedError):
            link_all(installation)
    assert as_owner(installation.database, REACHED) == [{"opened": 4, "closed_days_ago": 7}]
    assert "inserted later" not in str(verify(installation).problems)
    link_all(installation)
    assert as_owner(installation.database, REACHED) == [{"opened": 4, "closed_days_ago": 2}]
    report = verify(installation)
    assert (report.problems, report.entries) == ([], 8)


def test_changed_heads_are_not_confirmed(installation: Installation) -> None:
    link_all(installation)
    as_owner(installation.database, "UPDATE access_heads SET hash = sha256('x') WHERE account_id = 1")
    as_owner(installation.database, record(1, "sign_in"))
    with pytest.raises(ChangedHeads):
        link_all(installation)


def test_a_new_secret_comes_with_a_new_key_and_keeps_the_chains(installation: Installation) -> None:
    link_all(installation)
    asyncio.run(rotate_secret(installation, NEW_SECRET))
    with open_installation(replace(installation.settings, secret_key=NEW_SECRET)) as rotated:
        link_all(rotated)
        assert as_owner(rotated.database, "SELECT key_number FROM access_chain_state") == [{"key_number": 1}]
        assert verify(rotated).problems == []


def test_the_doctor_reports_changed_events(installation: Installation) -> None:
    async def find() -> doctor.Finding:
        async with installation.database.owner_connection() as connection, connection.transaction():
            return await doctor.check_access_log(connection, installation.settings)

    link_all(installation)
    assert "events are unchanged" in asyncio.run(find()).result
    as_owner(installation.database, "DELETE FROM access_events WHERE id = 3")
    assert str(asyncio.run(find())).startswith(
        "problem  access log: 1 problems, such as: account 1: access event 3 is missing"
    )


def test_exported_heads_show_an_earlier_state(installation: Installation) -> None:
    link_all(installation)
    heads = asyncio.run(operations.export(installation))
    assert verify(installation, heads).problems == []
    for statement in (
        "DELETE FROM access_links",
        "DELETE FROM access_heads",
        NO_LINKS,
        "DELETE FROM access_events WHERE id = 3",
    ):
        as_owner(installation.database, statement)
    link_all(installation)
    assert verify(installation).problems == []
    assert verify(installation, heads).problems
