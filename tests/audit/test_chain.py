"""The chains of the audit log: what was changed is found, and those who write entries do not notice them."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.audit import operations, repository, tasks
from gaji.audit.chain import ChangedHeads
from gaji.audit.exported_heads import InvalidHeadFile
from gaji.audit.tasks import add_links
from gaji.audit.verification import ChainReport, verify_chains
from gaji.cli import doctor
from gaji.core.settings import Settings
from gaji.db.installation import Installation, open_installation
from gaji.db.pool import Pool
from gaji.db.secret_rotation import rotate_secret
from gaji.db.tenancy import open_pool
from tests.db.databases import as_owner
from tests.support.running import SECRET, WAIT_S, Cluster

NEW_SECRET = "the next secret of the tests, also long enough"
WRITE = "UPDATE clients SET name = name || '.' WHERE account_id = $1"
PENDING = "SELECT FROM audit_chain_state, audit_log_id_seq WHERE chained_through < last_value AND is_called"
INDEXES = ["audit_log_account", "audit_log_client", "audit_log_pkey", "audit_log_row"]
"""The first one is for entries without a client only."""
ROLLED_BACK = 5
LAST = 12


@contextmanager
def installed(cluster: Cluster, template: str, folder: Path) -> Iterator[Installation]:
    """Open an installation with accounts 1 and 2, each with a client: entries 1 to 4, without links."""
    with cluster.copy_of(template) as url:
        configured = Settings(data=folder / "data", database_url=url, secret_key=SECRET)
        with open_installation(configured) as installation:
            as_owner(installation.database, "INSERT INTO accounts (name) VALUES ('Kopi'), ('Teh')")
            as_owner(installation.database, "INSERT INTO clients (account_id, name) VALUES (1, 'Kopi'), (2, 'Teh')")
            yield installation


@pytest.fixture(scope="module")
def chained(cluster: Cluster, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Entries with links, in turn of accounts 1 and 2. Tests roll back what they change."""
    with installed(cluster, template, tmp_path_factory.mktemp("chained")) as installation:
        for number in range(ROLLED_BACK, LAST + 1):
            if number == ROLLED_BACK:
                as_owner(installation.database, "SELECT nextval('audit_log_id_seq')")
            else:
                as_owner(installation.database, WRITE, 2 - number % 2)
        link_all(installation)
        yield installation


@pytest.fixture
def installation(cluster: Cluster, template: str, tmp_path: Path) -> Iterator[Installation]:
    """Two accounts, whose entries have no links yet."""
    with installed(cluster, template, tmp_path) as own:
        yield own


@asynccontextmanager
async def application_pool(installation: Installation) -> AsyncIterator[Pool]:
    """Open connections of the application, as the worker has them."""
    pool = await open_pool(installation.database.as_application("test"), 2)
    try:
        yield pool
    finally:
        await pool.close()


def link_all(installation: Installation) -> None:
    """Do what the worker does until all entries have links. Transactions in other databases can delay it."""
    deadline = time.monotonic() + WAIT_S

    async def link() -> None:
        async with application_pool(installation) as pool:
            await add_links(pool, installation.vault)

    asyncio.run(link())
    while as_owner(installation.database, PENDING):
        assert time.monotonic() < deadline
        time.sleep(0.02)
        asyncio.run(link())


def verify(installation: Installation, heads: str | None = None) -> ChainReport:
    """Verify the chains."""
    report, _ = asyncio.run(operations.verify(installation, heads))
    return report


def problems_after(installation: Installation, *statements: str) -> ChainReport:
    """Verify the chains after some statements, which are rolled back."""

    async def run() -> ChainReport:
        async with installation.database.owner_connection() as connection:
            transaction = connection.transaction()
            await transaction.start()
            await connection.execute("SELECT begin_maintenance()")
            for statement in statements:
                await connection.execute(statement)
            report = await verify_chains(connection, installation.vault)
            await transaction.rollback()
            return report

    return asyncio.run(run())


def test_an_untouched_log_has_no_problems(chained: Installation) -> None:
    report = verify(chained)
    assert (report.problems, report.entries, report.accounts, report.pending) == ([], LAST - 1, 3, 0)
    rows = as_owner(chained.database, "SELECT account_id, entry_id FROM audit_links ORDER BY account_id, position")
    chains = [[row["entry_id"] for row in rows if row["account_id"] == account_id] for account_id in (0, 1, 2)]
    assert chains == [[1, 2], [3, 7, 9, 11], [4, 6, 8, 10, 12]]


@pytest.mark.parametrize(
    "change",
    [
        "before = '{}'",
        'after = after || \'{"name": "Milo"}\'',
        "at = at - interval '1 microsecond'",
        "user_id = 7",
        "key_id = 7",
        "client_id = 7",
        "row_id = 7",
        "request_id = ''",
        "actor = 'nobody'",
        "action = 'clients.insert'",
        "account_id = 2",
        "account_id = NULL",
    ],
)
def test_a_changed_entry_is_found(chained: Installation, change: str) -> None:
    report = problems_after(chained, f"UPDATE audit_log SET {change} WHERE id = 7")
    assert report.problems == ["account 1: entry 7 was changed"]


@pytest.mark.parametrize(
    ("statements", "problems"),
    [
        (["DELETE FROM audit_log WHERE id = 7"], ["account 1: entry 7 is missing"]),
        (
            ["DELETE FROM audit_log WHERE id = 7", "DELETE FROM audit_links WHERE entry_id = 7"],
            ["account 1: links 2 to 2 are missing"],
        ),
        (["DELETE FROM audit_links WHERE entry_id = 3"], ["account 1: links 1 to 1 are missing"]),
        (["UPDATE audit_log SET id = 5 WHERE id = 7"], ["account 1: entry 7 is missing"]),
    ],
)
def test_a_deleted_entry_is_found(chained: Installation, statements: list[str], problems: list[str]) -> None:
    assert problems_after(chained, *statements).problems[: len(problems)] == problems


DELETED_TAIL = ["DELETE FROM audit_log WHERE id IN (9, 11)", "DELETE FROM audit_links WHERE entry_id IN (9, 11)"]
MOVED_HEAD = (
    "UPDATE audit_heads h SET position = k.position, entry_id = k.entry_id, hash = k.hash "
    "FROM audit_links k WHERE k.entry_id = 7 AND h.account_id = 1"
)


def test_a_deleted_tail_is_found(chained: Installation) -> None:
    ended = "account 1: its chain ends at link 2, but its head is link 4"
    assert problems_after(chained, *DELETED_TAIL).problems == [ended]
    [problem] = problems_after(chained, *DELETED_TAIL, MOVED_HEAD).problems
    assert problem.startswith("the heads of the chains were changed")


def test_a_deleted_chain_is_found(chained: Installation) -> None:
    deleted = ["DELETE FROM audit_log WHERE account_id = 1", "DELETE FROM audit_links WHERE account_id = 1"]
    assert problems_after(chained, *deleted).problems == ["account 1: all 4 links of its chain are missing"]
    [problem] = problems_after(chained, *deleted, "DELETE FROM audit_heads WHERE account_id = 1").problems
    assert problem.endswith("or a chain is missing completely")


@pytest.mark.parametrize("entry_id", [ROLLED_BACK, LAST + 1000])
def test_an_entry_that_was_inserted_later_is_found(chained: Installation, entry_id: int) -> None:
    report = problems_after(
        chained,
        "INSERT INTO audit_log (id, at, account_id, actor, action) "
        f"VALUES ({entry_id}, '2026-01-01', 1, 'api', 'clients.update')",
    )
    assert report.problems == [f"account 1: entry {entry_id} was inserted later"]


def test_entries_with_swapped_accounts_are_found(chained: Installation) -> None:
    swapped = "UPDATE audit_log SET account_id = 3 - account_id WHERE id IN (7, 8)"
    assert problems_after(chained, swapped).problems == [
        "account 1: entry 7 was changed",
        "account 2: entry 8 was changed",
    ]
    links = "UPDATE audit_links SET entry_id = 1000 + entry_id WHERE entry_id IN (7, 8)"
    exchanged = "UPDATE audit_links SET entry_id = CASE entry_id WHEN 1007 THEN 8 ELSE 7 END WHERE entry_id > 1000"
    assert problems_after(chained, swapped, links, exchanged).problems == [
        "account 1: entry 8 was changed",
        "account 2: entry 7 was changed",
    ]


@pytest.mark.parametrize("change", ["hash = sha256(hash)", "key_number = 1", "key_number = -1"])
def test_a_changed_link_is_found(chained: Installation, change: str) -> None:
    assert problems_after(chained, f"UPDATE audit_links SET {change} WHERE entry_id = 7").problem_count >= 1


def test_only_some_of_many_problems_are_described(chained: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gaji.audit.verification.MAX_PROBLEMS", 2)
    report = problems_after(chained, "UPDATE audit_log SET user_id = 7")
    assert (report.problem_count, len(report.problems)) == (LAST - 1, 2)


def test_an_entry_that_is_new_is_pending_and_no_problem(chained: Installation) -> None:
    report = problems_after(chained, "UPDATE clients SET name = 'Milo' WHERE account_id = 1")
    assert (report.problems, report.pending) == ([], 1)
    assert report.pending_since is not None


def test_heads_that_were_changed_are_not_confirmed_by_the_next_links(installation: Installation) -> None:
    link_all(installation)
    as_owner(installation.database, "UPDATE audit_heads SET position = 7 WHERE account_id = 1")
    as_owner(installation.database, WRITE, 1)
    with pytest.raises(ChangedHeads):
        link_all(installation)
    assert "the heads of the chains were changed, or a chain is missing completely" in verify(installation).problems


def test_exported_heads_show_that_everything_was_replaced(installation: Installation) -> None:
    link_all(installation)
    heads = asyncio.run(operations.export(installation))
    assert verify(installation, heads).problems == []
    as_owner(installation.database, WRITE, 1)
    link_all(installation)
    assert verify(installation, heads).problems == []
    for statement in (
        "DELETE FROM audit_log WHERE id = 3",
        "TRUNCATE audit_links, audit_heads",
        "UPDATE audit_chain_state SET chained_through = 0, heads_hash = NULL, key_number = NULL",
    ):
        as_owner(installation.database, statement)
    link_all(installation)
    assert verify(installation).problems == []
    assert verify(installation, heads).problems == ["account 1: entry 5: its link is not the one that was exported"]
    as_owner(installation.database, "DELETE FROM audit_links WHERE account_id = 2")
    assert "account 2: link 1, which was exported, is missing" in verify(installation, heads).problems


def test_exported_heads_that_were_changed_are_rejected(installation: Installation) -> None:
    link_all(installation)
    heads = asyncio.run(operations.export(installation))
    for text in (heads.replace('"position": 1', '"position": 2'), heads.replace('"key_number": 0', '"key_number": 9')):
        assert text != heads
        with pytest.raises(InvalidHeadFile, match="was changed"):
            verify(installation, text)
    with pytest.raises(InvalidHeadFile, match="not written by"):
        verify(installation, "{}")


def test_a_new_secret_comes_with_a_new_key_and_keeps_the_chains(installation: Installation) -> None:
    link_all(installation)
    heads = asyncio.run(operations.export(installation))
    asyncio.run(rotate_secret(installation, NEW_SECRET))
    with open_installation(replace(installation.settings, secret_key=NEW_SECRET)) as rotated:
        link_all(rotated)
        assert as_owner(rotated.database, "SELECT key_number FROM audit_chain_state") == [{"key_number": 1}]
        as_owner(rotated.database, WRITE, 1)
        link_all(rotated)
        report = verify(rotated, heads)
        assert (report.problems, report.entries, report.pending) == ([], 5, 0)
        keys = as_owner(rotated.database, "SELECT key_number FROM audit_links WHERE account_id = 1 ORDER BY position")
        assert [row["key_number"] for row in keys] == [0, 1]
        as_owner(rotated.database, "UPDATE audit_log SET user_id = 7 WHERE id = 3")
        assert verify(rotated).problems == ["account 1: entry 3 was changed"]


def test_a_note_from_the_server_of_a_backup_does_not_stop_the_chains(installation: Installation) -> None:
    as_owner(installation.database, "UPDATE audit_chain_state SET next_through = 2, next_transaction = 2 ^ 60")
    link_all(installation)
    assert verify(installation).pending == 0


def test_many_entries_get_links_in_several_transactions(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "MAX_ENTRIES", 2)
    for _ in range(3):
        as_owner(installation.database, WRITE, 1)
    link_all(installation)
    report = verify(installation)
    assert (report.problems, report.entries, report.pending) == ([], 7, 0)


async def _write(connection: asyncpg.Connection, account_id: int) -> None:
    await connection.execute("SELECT begin_maintenance()")
    await connection.execute(WRITE, account_id)


def test_entries_wait_for_earlier_ones_that_are_not_committed(installation: Installation) -> None:
    link_all(installation)

    async def run() -> None:
        async with (
            application_pool(installation) as pool,
            installation.database.owner_connection() as early,
            installation.database.maintenance("test") as late,
        ):
            transaction = early.transaction()
            await transaction.start()
            await _write(early, 1)
            await _write(late, 2)
            await late.execute("COMMIT; BEGIN")
            await add_links(pool, installation.vault)
            assert await early.fetchval("SELECT max(entry_id) FROM audit_links") == 4
            await transaction.commit()

    asyncio.run(run())
    link_all(installation)
    report = verify(installation)
    assert (report.problems, report.entries, report.pending) == ([], 6, 0)


STEPS = st.lists(
    st.one_of(
        st.just("link"),
        st.tuples(st.sampled_from(["write", "commit", "rollback"]), st.integers(0, 2)),
    ),
    max_size=16,
)


@pytest.fixture(scope="module")
def shared(cluster: Cluster, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation whose log grows with each example."""
    with installed(cluster, template, tmp_path_factory.mktemp("shared")) as own:
        as_owner(own.database, "INSERT INTO clients (account_id, name) SELECT 1, 'Milo' FROM generate_series(1, 2)")
        yield own


@given(steps=STEPS)
@settings(max_examples=12)
def test_whatever_the_order_of_commits_each_entry_gets_one_link_in_order(
    shared: Installation, steps: list[str | tuple[str, int]]
) -> None:
    asyncio.run(_interleave(shared, steps))
    link_all(shared)
    report = verify(shared)
    assert (report.problems, report.pending) == ([], 0)
    [row] = as_owner(
        shared.database,
        "SELECT (SELECT count(*) FROM audit_log) AS entries, (SELECT count(*) FROM audit_links) AS links, "
        "(SELECT bool_and(ordered) FROM (SELECT entry_id > lag(entry_id, 1, 0::bigint) "
        "OVER (PARTITION BY account_id ORDER BY position) AS ordered FROM audit_links) o) AS ordered",
    )
    assert (row["links"], row["ordered"]) == (row["entries"], True)


async def _interleave(shared: Installation, steps: list[str | tuple[str, int]]) -> None:
    """Let three writers, each with a client of its own, write and commit in some order, while links are added."""
    client_ids = [1, 2, 3]
    async with (
        application_pool(shared) as pool,
        shared.database.owner_connection() as first,
        shared.database.owner_connection() as second,
        shared.database.owner_connection() as third,
    ):
        writers = (first, second, third)
        for step in steps:
            if isinstance(step, str):
                await add_links(pool, shared.vault)
                continue
            action, number = step
            writer = writers[number]
            if action != "write":
                await writer.execute(action)
                continue
            if not writer.is_in_transaction():
                await writer.execute("BEGIN; SELECT begin_maintenance()")
            await writer.execute("UPDATE clients SET name = name || '.' WHERE id = $1", client_ids[number])
        for writer in writers:
            await writer.execute("COMMIT")


def test_writers_of_the_same_account_do_not_wait_for_links(installation: Installation) -> None:
    async def run() -> None:
        async with application_pool(installation) as pool, installation.database.owner_connection() as writer:
            connection = await pool.acquire()
            transaction = connection.transaction()
            await repository.note_entries(connection)
            await transaction.start()
            assert await repository.lock_chains(connection) is not None
            await add_links(pool, installation.vault)  # another worker leaves at once
            async with writer.transaction():
                await writer.execute("SET LOCAL lock_timeout = '1ms'")
                await _write(writer, 1)
            await transaction.rollback()
            pool.release(connection)

    asyncio.run(run())
    assert verify(installation).pending == 5


def test_writing_an_entry_does_what_it_did_before_there_were_chains(installation: Installation) -> None:
    query = (
        "SELECT (SELECT count(*) FROM pg_trigger WHERE tgrelid = t.oid) AS triggers, "
        "(SELECT array_agg(c.relname::text ORDER BY c.relname) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE i.indrelid = t.oid) AS indexes, "
        "t.relnatts AS columns FROM pg_class t WHERE t.oid = 'audit_log'::regclass"
    )
    [row] = as_owner(installation.database, query)
    assert row == {"triggers": 0, "indexes": INDEXES, "columns": 12}


def _finding(installation: Installation) -> doctor.Finding:
    async def run() -> doctor.Finding:
        async with installation.database.owner_connection() as connection, connection.transaction():
            return await doctor.check_audit_log(connection, installation.settings)

    return asyncio.run(run())


def test_the_doctor_reports_changed_entries_and_entries_that_wait_too_long(installation: Installation) -> None:
    assert _finding(installation).result == "0 entries are unchanged; 4 are not in its chains yet"
    as_owner(installation.database, "UPDATE audit_log SET at = at - interval '2 hours'")
    assert "Start a worker" in str(_finding(installation))
    link_all(installation)
    assert _finding(installation).result == "4 entries are unchanged; 0 are not in its chains yet"
    as_owner(installation.database, "DELETE FROM audit_log WHERE id = 3")
    assert str(_finding(installation)).startswith(
        "problem  audit log: 1 problems, such as: account 1: entry 3 is missing"
    )
