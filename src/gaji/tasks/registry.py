"""The tasks that a worker can run. The composition root (`gaji.wiring`) fills the registry.

A task concerns one client. It can run again at any time, and on several workers at once.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from gaji.core.vault import Vault
from gaji.db.pool import Pool


@dataclass(frozen=True)
class Sweep:
    """Work for all clients on a schedule. It finds what a lost or failed task left undone."""

    run: Callable[[Pool, Vault], Awaitable[None]]
    schedule: str
    """A cron expression. A sweep also runs when a worker starts."""


@dataclass(frozen=True)
class TaskRegistry:
    """The tasks by the name under which they are queued, the sweeps and the services."""

    tasks: Mapping[str, Callable[[Pool, Vault, int], Awaitable[None]]]
    sweeps: Mapping[str, Sweep]
    services: Mapping[str, Callable[[Pool, Vault], Awaitable[None]]]
    """What runs as long as the worker does, with limits of its own."""
