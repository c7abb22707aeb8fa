"""The tenant: who is calling, and transactions that see what this caller may see and nothing else.

Every transaction, reads included, begins by entering the caller's tenancy: one function in the database checks that
the caller's access is still what it was, and sets the clients that row-level security lets through. A block that
writes is one transaction. In a block that reads, every statement is a transaction of its own, which enters with the
statement: most requests are one small read, and so one way to the database and back.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, NoReturn

import asyncpg

from gaji.core.vault import Vault
from gaji.db.database import Arguments
from gaji.db.events import handlers_of
from gaji.db.pool import Pool
from gaji.db.errors import is_unreachable, out_of_reach
from gaji.db.tenant_reader import Reader

ACCESS_CHANGED = "GJ401"
"""The SQLSTATE with which the database refuses a caller whose access changed since it was looked up."""


class AccessChanged(Exception):
    """What was remembered about the caller no longer holds: look it up again and start over."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A user, and the API key that was used, as the look-up found them."""

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
    """By client the role, of those that were asked for: a role that changes makes for another access version."""


class Transaction:
    """One transaction in the caller's tenancy: asyncpg's verbs, and what stores need beside them."""

    __slots__ = (
        "_events",
        "_savepoints",
        "caller",
        "connection",
        "execute",
        "executemany",
        "fetch",
        "fetchrow",
        "fetchval",
        "held",
        "vault",
    )

    def __init__(self, connection: asyncpg.Connection, caller: Caller, vault: Vault) -> None:
        self.connection = connection
        self.caller = caller
        self.vault = vault
        self.held: set[tuple[str, int]] = set()
        """What it holds until it ends, by name and number: whoever asks for it again has it already."""
        self._events: list[object] = []
        self._savepoints: dict[str, int] = {}
        """How many events had been emitted at each savepoint."""
        self.fetch = connection.fetch
        self.fetchrow = connection.fetchrow
        self.fetchval = connection.fetchval
        self.execute = connection.execute
        self.executemany = connection.executemany

    def end(self) -> asyncpg.Connection:
        """Let go of the connection, which goes on to serve others: using this transaction again is a mistake."""
        self.fetch = self.fetchrow = self.fetchval = self.execute = self.executemany = _ended
        connection, self.connection = self.connection, None
        return connection

    async def load(self, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Save many rows at once: through a temporary table, because COPY cannot write under row-level security."""
        names = ", ".join(columns)
        await self.execute(
            f"CREATE TEMPORARY TABLE arriving ON COMMIT DROP AS SELECT {names} FROM {table} WITH NO DATA"
        )
        await self.connection.copy_records_to_table("arriving", records=rows, columns=columns, schema_name="pg_temp")
        await self.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM arriving; DROP TABLE arriving")

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

    async def savepoint(self, name: str) -> None:
        """Set a savepoint to roll back to."""
        self._savepoints[name] = len(self._events)
        await self.execute(f"SAVEPOINT {name}")

    async def roll_back_to(self, savepoint: str) -> None:
        """Undo everything since a savepoint: changes, locks and events."""
        self.held.clear()
        del self._events[self._savepoints[savepoint] :]
        await self.execute(f"ROLLBACK TO SAVEPOINT {savepoint}")

    async def admit_client(self, client_id: int) -> None:
        """Let this transaction see a client that it is about to create."""
        await self.execute(
            "SELECT set_config('gaji.clients', array_append(allowed_clients(), $1)::text, true)", client_id
        )


def _ended(*_: object, **__: object) -> NoReturn:
    raise RuntimeError("this transaction has ended")


class Tenant:
    """The caller and the way to the database; a service opens its one transaction from here."""

    __slots__ = ("_actor", "_joined", "_pool", "_request_id", "caller", "vault")

    def __init__(self, pool: Pool, vault: Vault, caller: Caller, request_id: str = "", actor: str = "api") -> None:
        self._pool = pool
        self.vault = vault
        self.caller = caller
        self._request_id = request_id
        self._actor = actor
        self._joined: Transaction | None = None

    def transaction(self) -> "TransactionScope":
        """A transaction that commits when its block ends well, and leaves nothing when it does not."""
        return TransactionScope(self)

    def snapshot(self) -> "TransactionScope":
        """A transaction that cannot write, and whose statements all see one and the same state."""
        return TransactionScope(self, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def reading(self) -> "ReadingScope":
        """A block that cannot write; each of its statements sees what is there when it begins."""
        return ReadingScope(self)

    def entrance(self) -> str:
        """The call that opens this caller's tenancy. All its values are numbers or stripped of quotes."""
        caller = self.caller
        key = "NULL" if caller.key_id is None else str(caller.key_id)
        request_id = re.sub(r"[^A-Za-z0-9._-]", "", self._request_id)
        return f"SELECT enter({caller.user_id:d}, {caller.access_version:d}, {key}, '{request_id}', '{self._actor}')"


class ReadingScope:
    """The block of some reads. Inside a joined transaction of the same tenant it reads in that."""

    __slots__ = ("_connection", "_joining", "_reader", "_tenant", "_transaction")

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant
        self._joining = False

    async def __aenter__(self) -> Transaction:
        tenant = self._tenant
        if tenant._joined is not None:
            self._joining = True
            return tenant._joined
        caller = tenant.caller
        limiting_key = caller.key_id if caller.limited else None
        self._connection = await acquire(tenant._pool)
        self._reader = Reader(self._connection, (caller.user_id, caller.access_version, limiting_key))
        self._transaction = Transaction(self._reader, caller, tenant.vault)
        return self._transaction

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._joining:
            return
        try:
            if error is None and not self._reader.entered:
                await self._reader.execute("SELECT")  # who may not enter gets no answer, whatever it is made of
        except BaseException as refused:
            self._leave(refused)
            raise
        self._leave(error)

    def _leave(self, error: BaseException | None) -> None:
        self._transaction.end()
        if isinstance(error, TimeoutError | asyncio.CancelledError):
            self._connection.terminate()  # it is in the middle of something
        self._tenant._pool.release(self._connection)
        _raise_if_access_changed(error)


class TransactionScope:
    """The block of one transaction. Inside another block of the same tenant it joins that transaction."""

    __slots__ = ("_beginning", "_joining", "_tenant", "_transaction")

    def __init__(self, tenant: Tenant, beginning: str = "BEGIN") -> None:
        self._tenant = tenant
        self._beginning = beginning
        self._joining = False

    async def __aenter__(self) -> Transaction:
        tenant = self._tenant
        if tenant._joined is not None:
            self._joining = True
            return tenant._joined
        connection = await acquire(tenant._pool)
        try:
            await connection.execute(f"{self._beginning}; {tenant.entrance()}")
        except BaseException as error:
            await _undo(tenant._pool, connection, error)
            _raise_if_access_changed(error)
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
        if error is None:
            try:
                await self._transaction.dispatch_events()
            except BaseException as failure:
                await _undo(self._tenant._pool, self._transaction.end(), failure)
                _raise_if_access_changed(failure)
                raise
        pool, connection = self._tenant._pool, self._transaction.end()
        if error is not None:
            await _undo(pool, connection, error)
        else:
            await _leave(pool, connection, "COMMIT")


class NothingCommitted(Exception):
    """The transaction had failed before it was to commit, so the database rolled it back."""


class JoinedTransactions:
    """A block in which every transaction of the tenant is one and the same; used to save an answer with its effect."""

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant
        self._scope = tenant.transaction()

    async def __aenter__(self) -> Transaction:
        transaction = await self._scope.__aenter__()
        self._tenant._joined = transaction
        return transaction

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tenant._joined = None
        await self._scope.__aexit__(kind, error, trace)


async def open_pool(arguments: Arguments, size: int = 20) -> Pool:
    """Connections to share."""
    return Pool(arguments, size)


async def acquire(pool: Pool) -> asyncpg.Connection:
    """A connection from the pool, or the refusal that says the database is out of reach."""
    try:
        return await pool.acquire()
    except Exception as error:
        if is_unreachable(error):
            raise out_of_reach() from error
        raise


def _raise_if_access_changed(error: BaseException | None) -> None:
    if isinstance(error, asyncpg.PostgresError) and error.sqlstate == ACCESS_CHANGED:
        raise AccessChanged from None


async def _undo(pool: Pool, connection: asyncpg.Connection, error: BaseException) -> None:
    if isinstance(error, TimeoutError | asyncio.CancelledError):
        # The server is in the middle of something: to ask it to roll back would be to wait as long again.
        connection.terminate()
        pool.release(connection)
    else:
        await _leave(pool, connection, "ROLLBACK")


async def _leave(pool: Pool, connection: asyncpg.Connection, ending: str) -> None:
    try:
        if connection.is_in_transaction() and not connection.is_closed():
            outcome = await connection.execute(ending)
            if outcome != ending:
                raise NothingCommitted("a statement of this transaction failed and its error was not passed on")
        elif ending == "COMMIT":
            raise NothingCommitted("the transaction had ended before it was to commit")
    except asyncpg.InterfaceError as error:
        # The connection was lost, and the database has rolled back what it did.
        if ending == "COMMIT":
            raise out_of_reach() from error
    finally:
        pool.release(connection)
