"""The heartbeats of workers: which workers are connected, and whether they respond.

A worker that hangs, or that a signal has stopped, keeps its database connection. Only a missing heartbeat tells.
"""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import asyncpg

MAX_AGE = timedelta(seconds=30)
"""A worker whose last heartbeat is older does not respond."""

RECORD_HEARTBEAT = "SELECT record_worker_heartbeat($1, $2) AS lost_workers"
DELETE_HEARTBEAT = "SELECT delete_worker_heartbeat()"

IS_WAITING = f"""
    (status = 'queued' OR status = 'picked' AND heartbeat < now() - interval '{MAX_AGE.seconds} seconds')
"""
"""Whether a row of the queue waits for a worker. Tasks of a worker that does not respond wait for another one."""
QUEUE_AGE = f"""
    SELECT coalesce(extract(epoch FROM now() - min(execute_after)), 0)::float8 AS queue_age_s FROM pgqueuer
    WHERE {IS_WAITING} AND execute_after < now()
"""
"""How long the oldest task has waited."""


@dataclass(frozen=True)
class ConnectedWorker:
    """A worker that is connected to the database."""

    name: str
    heartbeat_age_s: float | None
    """None for a worker of an older version, which has no heartbeat."""

    @property
    def responds(self) -> bool:
        """Whether it has had a heartbeat lately."""
        return self.heartbeat_age_s is None or self.heartbeat_age_s <= MAX_AGE.total_seconds()


def worker_name() -> str:
    """Return the name of this process in the heartbeats."""
    return f"{socket.gethostname()}:{os.getpid()}"


async def load_workers(connection: asyncpg.Connection) -> list[ConnectedWorker]:
    """Return the workers that are connected.

    The earlier connection of a worker that has connected again can still be listed. Workers of an older version, which
    have no name, cannot be told apart.
    """
    rows = await connection.fetch(
        "WITH connected AS (SELECT name, heartbeat_age_s FROM connected_workers()) "
        "SELECT name, min(heartbeat_age_s) AS heartbeat_age_s FROM connected WHERE name IS NOT NULL GROUP BY name "
        "UNION ALL SELECT 'unknown', NULL FROM connected WHERE name IS NULL"
    )
    return [ConnectedWorker(row["name"], row["heartbeat_age_s"]) for row in rows]


def worker_state(workers: Sequence[ConnectedWorker]) -> str:
    """Return `running` if a worker responds, `not_responding` if none does, and `missing` if none is connected."""
    if not workers:
        return "missing"
    return "running" if any(worker.responds for worker in workers) else "not_responding"


def latest_heartbeat_age_s(workers: Sequence[ConnectedWorker]) -> int | None:
    """Return the age of the latest heartbeat, or None if there is none."""
    ages = [worker.heartbeat_age_s for worker in workers if worker.heartbeat_age_s is not None]
    return round(min(ages)) if ages else None
