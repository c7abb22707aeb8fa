"""Run the pending tasks of a client.

One transaction claims a task, runs it and completes it. If a worker dies, its transaction rolls back with the claim,
and another worker finds the task unchanged. Progress and the number of attempts are recorded in separate transactions,
so that they are visible while the task runs.
"""

import contextlib
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import asyncpg

from gaji.core.errors import GajiError
from gaji.core.failpoints import failpoint
from gaji.db.errors import is_connection_error
from gaji.db.replica import ReplicaFailed
from gaji.db.tenancy import Transaction

MAX_ATTEMPTS = 3

BeginTransaction = Callable[[], AbstractAsyncContextManager[Transaction]]
"""Begins a transaction that sees one client."""
BeginSource = Callable[[Transaction], AbstractAsyncContextManager[Transaction]]
"""Begins the transaction to read from, given the one of the task."""


class ClaimedTask(Protocol):
    """A task that was claimed by the current transaction."""

    @property
    def id(self) -> int:
        """The ID of its row."""


@dataclass(frozen=True)
class TaskRun:
    """What a task works with."""

    client_id: int
    tx: Transaction
    """Has claimed the task, and completes it."""
    source: Transaction
    """To read the client's records from: `tx`, or a snapshot on a replica."""
    begin_progress: BeginTransaction


ClaimedT = TypeVar("ClaimedT", bound=ClaimedTask)


@dataclass(frozen=True)
class TaskKind(Generic[ClaimedT]):
    """The functions and messages of one kind of task."""

    name: str
    """The prefix of its failpoints."""
    failure_message: str
    """The message when a task failed because of an internal error."""
    abandoned_message: str
    """The message when the worker died in every attempt."""
    claim: Callable[[Transaction, int], Awaitable[ClaimedT | None]]
    """Claims the first task of a client that no other worker runs."""
    begin_attempt: Callable[[Transaction, int, int], Awaitable[int]]
    """Marks a task as running. Returns the number of attempts."""
    run: Callable[[TaskRun, ClaimedT], Awaitable[None]]
    """Runs a task and marks it as complete."""
    fail: Callable[[Transaction, int, int, GajiError], Awaitable[None]]
    """Marks a task as failed, with its error."""


class TaskFailed(Exception):
    """A task failed. Its transaction is rolled back."""

    def __init__(self, task_id: int, error: GajiError) -> None:
        super().__init__(error.message)
        self.task_id = task_id
        self.error = error


async def run_pending(
    kind: TaskKind[ClaimedT],
    begin_task: BeginTransaction,
    begin_source: BeginSource,
    begin_progress: BeginTransaction,
    client_id: int,
) -> None:
    """Run the tasks of a client that no other worker runs, one after the other.

    `begin_task` begins the transaction of a task, `begin_source` the one that it reads from, and `begin_progress` a
    short one whose changes are visible at once.
    """
    while True:
        try:
            if not await _run_next(kind, begin_task, begin_source, begin_progress, client_id):
                return
        except asyncpg.SerializationError:
            continue  # another worker completed the same task at this moment
        except ReplicaFailed:
            begin_source = contextlib.nullcontext  # read from the transaction of the task
        except TaskFailed as failure:
            async with begin_progress() as tx:
                await kind.fail(tx, client_id, failure.task_id, failure.error)
            if failure.__cause__ is not None:
                raise failure.__cause__ from None


async def _run_next(
    kind: TaskKind[ClaimedT],
    begin_task: BeginTransaction,
    begin_source: BeginSource,
    begin_progress: BeginTransaction,
    client_id: int,
) -> bool:
    async with begin_task() as tx:
        task = await kind.claim(tx, client_id)
        if task is None:
            return False
        async with begin_progress() as progress_tx:
            attempts = await kind.begin_attempt(progress_tx, client_id, task.id)
        if attempts > MAX_ATTEMPTS:
            raise TaskFailed(task.id, GajiError(kind.abandoned_message))
        try:
            async with begin_source(tx) as source:
                await kind.run(TaskRun(client_id, tx, source, begin_progress), task)
        except ReplicaFailed:
            raise
        except GajiError as error:
            raise TaskFailed(task.id, error) from None
        except Exception as error:
            if is_connection_error(error):
                raise
            raise TaskFailed(task.id, GajiError(kind.failure_message)) from error
        failpoint(f"{kind.name}.before_commit")
    failpoint(f"{kind.name}.after_commit")
    return True
