"""Tenancy: transactions that see only the records that the caller may see.

Every transaction, reads included, begins by entering the caller's tenancy: a database function checks that the caller's
access has not changed, and sets the clients that row-level security permits. These are all clients of the caller, or
only that of the record that the request is about. A writing block is one transaction. In a read-only block every
statement is its own transaction and enters the tenancy with the statement, because most requests are a single small
read, which then takes one round trip to the database.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, NoReturn

import asyncpg

from gaji.core.errors import Unavailable
from gaji.core.fair_queue import NO_OWNER
from gaji.core.metrics import record_read
from gaji.core.traces import start_span
from gaji.core.vault import Vault
from gaji.db.connect import ConnectArguments, UnsafeRole
from gaji.db.errors import as_unavailable, database_unavailable
from gaji.db.events import handlers_of
from gaji.db.pool import Pool
from gaji.db.replica import DATABASE_ERRORS, LogPosition, Replica, read_position, replica_failure
from gaji.db.tenant_reader import RequestedRecord, TenantReader

BEGIN_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
ACCESS_CHANGED = "GJ401"
"""The SQLSTATE that the database raises if the caller's access changed since it was looked up."""


class StaleAccess(Exception):
    """The cached caller is out of date. Look the caller up again and start over."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A user, and the API key of the request, if any."""

    user_id: int
    account_id: int
    access_version: int
    administrator: bool
    key_id: int | None = None
    read_only: bool = False
    hide_identifiers: bool = False
    limited: bool = False
    """The key is limited to some of the user's clients."""
    expires_at: datetime | None = None
    roles: dict[int, str] = field(default_factory=dict, compare=False, repr=False)
    """Cached roles by client. A change of role changes the access version, so the cache cannot go stale."""

    @property
    def administers_account(self) -> bool:
        """An administrator, without a limit to some clients."""
        return self.administrator and not self.limited


class Transaction:
    """A transaction in the caller's tenancy, with asyncpg's methods to run statements."""

    __slots__ = (
        "_events",
        "_final_statements",
        "_savepoints",
        "caller",
        "connection",
        "execute",
        "executemany",
        "fetch",
        "fetchrow",
        "fetchval",
        "held_locks",
        "precondition",
        "vault",
    )

    def __init__(self, connection: asyncpg.Connection, caller: Caller, vault: Vault) -> None:
        self.connection = connection
        self.caller = caller
        self.vault = vault
        self.held_locks: set[tuple[str, int]] = set()
        """Locks that the transaction holds until its end, by name and ID, so that they are taken only once."""
        self.precondition: Callable[[], Awaitable[None]] | None = None
        """Raises an error if the record to change is not the one that the caller read."""
        self._events: list[object] = []
        self._final_statements: list[str] = []
        self._savepoints: dict[str, int] = {}
        """The number of recorded events at each savepoint."""
        self.fetch = connection.fetch
        self.fetchrow = connection.fetchrow
        self.fetchval = connection.fetchval
        self.execute = connection.execute
        self.executemany = connection.executemany

    def end(self) -> asyncpg.Connection:
        """Return the connection, which will be reused. Any later use of this transaction raises an error."""
        self.fetch = self.fetchrow = self.fetchval = self.execute = self.executemany = _ended
        connection, self.connection = self.connection, None
        return connection

    async def insert_rows(self, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert many rows through a temporary table, because COPY does not work with row-level security."""
        names = ", ".join(columns)
        await self.execute(
            f"CREATE TEMPORARY TABLE new_rows ON COMMIT DROP AS SELECT {names} FROM {table} WITH NO DATA"
        )
        await self.connection.copy_records_to_table("new_rows", records=rows, columns=columns, schema_name="pg_temp")
        await self.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM new_rows; DROP TABLE new_rows")

    async def check_precondition(self) -> None:
        """Check the condition of the request on the record that it changes. The record must be locked."""
        if self.precondition is not None:
            await self.precondition()

    def emit(self, event: object) -> None:
        """Record an event. Its handlers run when the block of the transaction ends, before the commit."""
        if event not in self._events:
            self._events.append(event)

    async def dispatch_events(self) -> None:
        """Run the handlers of the recorded events, and of the events that these emit."""
        while self._events:
            event = self._events.pop(0)
            for handler in handlers_of(event):
                await handler(self, event)

    def run_before_commit(self, statement: str) -> None:
        """Run a statement without parameters after everything else, in one round trip with the commit."""
        self._final_statements.append(statement)

    def take_final_statements(self) -> list[str]:
        """Return the statements that are to run before the commit, for the caller to run."""
        statements, self._final_statements = self._final_statements, []
        return statements

    async def finish(self) -> None:
        """Do what must be done before a commit, for a caller that commits without `TransactionScope`."""
        await self.dispatch_events()
        if statements := self.take_final_statements():
            await self.execute("; ".join(statements))

    async def savepoint(self, name: str) -> None:
        """Set a savepoint to roll back to."""
        self._savepoints[name] = len(self._events)
        await self.execute(f"SAVEPOINT {name}")

    async def roll_back_to(self, savepoint: str) -> None:
        """Undo everything since a savepoint: changes, locks and events."""
        self.held_locks.clear()
        del self._events[self._savepoints[savepoint] :]
        await self.execute(f"ROLLBACK TO SAVEPOINT {savepoint}")

    async def admit_client(self, client_id: int) -> None:
        """Make a client that is about to be created visible to this transaction."""
        if isinstance(self.connection, TenantReader):
            raise RuntimeError("each statement of a read-only block sees only the caller's clients")
        await self.execute(
            "SELECT set_config('gaji.clients', array_append(allowed_clients(), $1)::text, true)", client_id
        )


def _ended(*_: object, **__: object) -> NoReturn:
    raise RuntimeError("this transaction has ended")


class Tenant:
    """The caller, with access to the database. Services begin their transactions here."""

    __slots__ = ("_actor", "_joined", "_pool", "_position", "_replica", "_request_id", "caller", "record", "vault")

    def __init__(
        self,
        pool: Pool,
        vault: Vault,
        caller: Caller,
        request_id: str = "",
        actor: str = "api",
        *,
        allows_replica: bool = False,
        record: RequestedRecord | None = None,
    ) -> None:
        self._pool = pool
        self._replica = pool.replica if allows_replica else None
        self._position: LogPosition | None = None
        """What a replica must have replayed for this request."""
        self.vault = vault
        self.caller = caller
        self.record = record
        """If given, transactions see only the client of this record, and not the caller's other clients."""
        self._request_id = request_id
        self._actor = actor
        self._joined: Transaction | None = None

    def transaction(self) -> "TransactionScope":
        """Begin a transaction that commits at the end of its block, and rolls back after an exception."""
        return TransactionScope(self)

    def snapshot(self) -> "TransactionScope":
        """Begin a read-only transaction whose statements all see the same state."""
        return TransactionScope(self, BEGIN_SNAPSHOT)

    def read_only(self) -> "ReadOnlyScope":
        """Begin a read-only block. Each statement sees the state at its own start."""
        return ReadOnlyScope(self)

    async def acquire_for_reading(self) -> tuple[Pool, asyncpg.Connection]:
        """Return a connection for reads with its pool: to the replica, if the caller allows that and it is current.

        Once a read had to go to the primary, the others of the request follow.
        """
        account_id = self.caller.account_id
        if (replica := self._replica) is not None:
            if self._position is None:
                self._position = await find_position(self._pool, replica, account_id)
            connection = await replica.acquire(account_id, self._position) if self._position else None
            record_read("replica" if connection else "primary")
            if connection is not None:
                return replica.pool, connection
            self._replica = None
        return self._pool, await acquire_connection(self._pool, account_id)

    def raise_if_replica_failed(self, pool: Pool, error: BaseException | None) -> None:
        """Raise ReplicaFailed if a connection of this pool is one to the replica, and the error is the database's."""
        if pool is not self._pool and isinstance(error, DATABASE_ERRORS):
            raise replica_failure(error) from error

    def enter_statement(self) -> str:
        """Return the statement that enters the tenancy. Its values are numbers, or texts without quotes."""
        caller, record = self.caller, self.record
        key = "NULL" if caller.key_id is None else str(caller.key_id)
        request_id = re.sub(r"[^A-Za-z0-9._-]", "", self._request_id)
        arguments = f"{caller.user_id:d}, {caller.access_version:d}, {key}, '{request_id}', '{self._actor}'"
        return f"SELECT enter({arguments}, '{record[0]}', {record[1]:d})" if record else f"SELECT enter({arguments})"


class ReadOnlyScope:
    """The context manager of `Tenant.read_only`. Inside `JoinedTransactions` it uses the joined transaction."""

    __slots__ = ("_connection", "_joining", "_pool", "_reader", "_span", "_tenant", "_transaction")

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant
        self._joining = False

    async def __aenter__(self) -> Transaction:
        tenant = self._tenant
        if tenant._joined is not None:
            self._joining = True
            return tenant._joined
        caller = tenant.caller
        self._span = start_span("read")
        limiting_key = caller.key_id if caller.limited else None
        self._pool = tenant._pool
        connection = self._pool.try_acquire(caller.account_id) if tenant._replica is None else None
        if connection is None:
            self._pool, connection = await tenant.acquire_for_reading()
        self._connection = connection
        caller_key = caller.user_id, caller.access_version, limiting_key
        self._reader = TenantReader(self._connection, caller_key, tenant.record)
        self._transaction = Transaction(self._reader, caller, tenant.vault)
        return self._transaction

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._joining:
            return
        try:
            if error is None and not self._reader.entered:
                await self._reader.execute("SELECT")  # check the caller's access even if nothing was read
        except BaseException as failure:
            self._release(failure)
            raise
        self._release(error)

    def _release(self, error: BaseException | None) -> None:
        self._transaction.end()
        if self._span is not None:
            self._span.end()
        if isinstance(error, TimeoutError | asyncio.CancelledError):
            self._connection.terminate()  # a statement may still be running
        self._pool.release(self._connection)
        _raise_if_access_changed(error)
        self._tenant.raise_if_replica_failed(self._pool, error)


class TransactionScope:
    """The context manager of a transaction. Inside `JoinedTransactions` it uses the joined transaction."""

    __slots__ = ("_begin_statement", "_joining", "_pool", "_span", "_tenant", "_transaction")

    def __init__(self, tenant: Tenant, begin_statement: str = "BEGIN") -> None:
        self._tenant = tenant
        self._begin_statement = begin_statement
        self._joining = False

    async def __aenter__(self) -> Transaction:
        tenant = self._tenant
        if tenant._joined is not None:
            self._joining = True
            return tenant._joined
        self._span = start_span("transaction")
        self._pool, connection = await self._acquire()
        try:
            await connection.execute(f"{self._begin_statement}; {tenant.enter_statement()}")
        except BaseException as error:
            await _roll_back(self._pool, connection, error)
            _raise_if_access_changed(error)
            tenant.raise_if_replica_failed(self._pool, error)
            raise
        self._transaction = Transaction(connection, tenant.caller, tenant.vault)
        return self._transaction

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._joining:
            if error is None and self._tenant._joined is not None:
                await self._tenant._joined.dispatch_events()
            return
        try:
            await self._end(error)
        except DATABASE_ERRORS as failure:
            self._tenant.raise_if_replica_failed(self._pool, failure)
            raise
        finally:
            if self._span is not None:
                self._span.end()
        self._tenant.raise_if_replica_failed(self._pool, error)

    async def _acquire(self) -> tuple[Pool, asyncpg.Connection]:
        tenant = self._tenant
        if self._begin_statement == BEGIN_SNAPSHOT:
            return await tenant.acquire_for_reading()
        return tenant._pool, await acquire_connection(tenant._pool, tenant.caller.account_id)

    async def _end(self, error: BaseException | None) -> None:
        if error is None:
            try:
                await self._transaction.dispatch_events()
            except BaseException as failure:
                await _roll_back(self._pool, self._transaction.end(), failure)
                _raise_if_access_changed(failure)
                raise
        pool, statements = self._pool, self._transaction.take_final_statements()
        connection = self._transaction.end()
        if error is not None:
            await _roll_back(pool, connection, error)
        else:
            await _end(pool, connection, "COMMIT", statements)


class NothingCommitted(Exception):
    """The transaction had already failed or ended before its commit."""


class JoinedTransactions:
    """A block in which all transactions of the tenant are one, to store a response together with its effect."""

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant
        self._outer = tenant._joined
        self._scope = tenant.transaction()

    async def __aenter__(self) -> Transaction:
        transaction = await self._scope.__aenter__()
        self._tenant._joined = transaction
        return transaction

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tenant._joined = self._outer
        await self._scope.__aexit__(kind, error, trace)


async def open_pool(
    arguments: ConnectArguments, size: int = 20, slow_statement_ms: int = 0, replica: ConnectArguments | None = None
) -> Pool:
    """Return a pool of connections, with another one for the replica if there is one.

    If a threshold is given, statements that take as long are logged.
    """
    pool = Pool(arguments, size, slow_statement_ms)
    if replica is not None:
        pool.replica = Replica(Pool(replica, size, slow_statement_ms, measured=False))
    return pool


async def find_position(pool: Pool, replica: Replica, account_id: int = NO_OWNER) -> LogPosition | None:
    """Return what the replica must have replayed for a read that begins now.

    None if the primary must serve the read: the replica was not current a moment ago, or the primary has no position.
    """
    if not replica.is_due():
        return None
    try:
        async with pooled_connection(pool, account_id) as connection:
            return await read_position(connection)
    except DATABASE_ERRORS:
        return None  # For example, the primary is a standby since a switchover. The read itself reports errors.


async def acquire_connection(pool: Pool, account_id: int = NO_OWNER) -> asyncpg.Connection:
    """Return a connection from the pool, when it is the account's turn.

    Raises Unavailable if the database cannot be reached or used safely.
    """
    try:
        return await pool.acquire(account_id)
    except UnsafeRole as error:
        raise Unavailable("The role of the database session is not safe to use; the operator must change it") from error
    except Exception as error:
        if unavailable := as_unavailable(error):
            raise unavailable from error
        raise


@asynccontextmanager
async def pooled_connection(pool: Pool, account_id: int = NO_OWNER) -> AsyncIterator[asyncpg.Connection]:
    """Borrow a connection that is in no tenancy."""
    connection = await acquire_connection(pool, account_id)
    try:
        yield connection
    except BaseException as error:
        await _roll_back(pool, connection, error)
        raise
    else:
        pool.release(connection)


def _raise_if_access_changed(error: BaseException | None) -> None:
    if isinstance(error, asyncpg.PostgresError) and error.sqlstate == ACCESS_CHANGED:
        raise StaleAccess from None


async def _roll_back(pool: Pool, connection: asyncpg.Connection, error: BaseException) -> None:
    if isinstance(error, TimeoutError | asyncio.CancelledError):
        # A statement may still be running, and a rollback would wait for it.
        connection.terminate()
        pool.release(connection)
        return
    if isinstance(error, asyncpg.DiskFullError):
        pool.note_full_disk()
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        pool.discard_connections()  # The server is a standby now; new connections find the primary.
    await _end(pool, connection, "ROLLBACK")


async def _end(pool: Pool, connection: asyncpg.Connection, statement: str, before: Sequence[str] = ()) -> None:
    """End the transaction and release the connection. Some statements run before, in the same round trip."""
    try:
        if connection.is_in_transaction():
            outcome = await connection.execute("; ".join((*before, statement)))
            if outcome != statement:
                raise NothingCommitted("a statement of this transaction failed and its error was not passed on")
        elif statement == "COMMIT":
            if connection.is_closed():
                raise database_unavailable()
            raise NothingCommitted("the transaction had ended before it was to commit")
    except asyncpg.PostgresError as error:
        if isinstance(error, asyncpg.DiskFullError):
            pool.note_full_disk()
        if connection.is_in_transaction():
            await connection.execute("ROLLBACK")  # a statement before the commit failed
        raise
    except asyncpg.InterfaceError as error:
        # The connection was lost, so the database has rolled back.
        if statement == "COMMIT":
            raise database_unavailable() from error
    finally:
        pool.release(connection)
