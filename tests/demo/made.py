"""A demo that was made, and the way to it."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar

import msgspec
import pytest

from gaji.company.waves import service as waves
from gaji.core.settings import Settings
from gaji.db.installation import Installation, ready
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo import Demo, Progress, demo
from gaji.identity import service as accounts
from gaji.people.employees import service as employees

T = TypeVar("T")
TODAY = date(2026, 11, 15)


@dataclass
class Heard(Progress):
    """What was told of a demo's making."""

    steps: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    there: list[int] = field(default_factory=list)

    def made(self, what: str, count: int, of: int) -> None:
        self.steps.setdefault(what, []).append((count, of))

    def found(self, employees: int) -> None:
        self.there.append(employees)


@dataclass(frozen=True)
class Company:
    """A demo's company."""

    installation: Installation
    runner: asyncio.Runner
    made: Demo
    tenant: Tenant
    heard: Heard

    @property
    def client_id(self) -> int:
        return self.made.client_id

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def listed(self, found: Any) -> list[dict[str, Any]]:
        """The elements that a service lists."""
        elements, *_ = self.runner.run(found)
        return [msgspec.json.decode(element) for element in elements]

    def employees(self, *include: str) -> list[dict[str, Any]]:
        return self.listed(employees.list_employees(self.tenant, self.client_id, set(include), None))

    def waves(self) -> list[dict[str, Any]]:
        return self.listed(waves.list_waves(self.tenant, self.client_id, True, None))

    def fetch(self, query: str, *arguments: Any) -> list[Any]:
        """What the demo's user finds in the database."""

        async def fetch() -> list[Any]:
            async with self.tenant.transaction() as tx:
                found: list[Any] = await tx.fetch(query, *arguments)
                return found

        return self.run(fetch())


@contextmanager
def made_company(settings: Settings, seed: int, employees: int, months: int) -> Iterator[Company]:
    """The demo of a seed in a database of its own, made on the day that tests take for today."""
    with pytest.MonkeyPatch.context() as patch, ready(settings) as installation, asyncio.Runner() as runner:
        patch.setenv("GAJI_TODAY", TODAY.isoformat())
        heard = Heard()
        made = runner.run(demo(installation, seed, employees, months, heard))
        pool = runner.run(open_pool(installation.database.as_application("test")))
        caller = runner.run(accounts.find_user(installation.database, made.email))
        yield Company(installation, runner, made, Tenant(pool, installation.vault, caller), heard)
        runner.run(pool.close())
