"""A demo company for tests."""

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
from gaji.db.installation import Installation, open_installation
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo.account import Demo, create_demo
from gaji.demo.progress import Progress
from gaji.identity import service as accounts
from gaji.people.employees import service as employees

T = TypeVar("T")
TODAY = date(2026, 11, 15)


@dataclass
class RecordedProgress(Progress):
    """Records the reported progress."""

    steps: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    existing: list[int] = field(default_factory=list)

    def update(self, label: str, done: int, total: int) -> None:
        self.steps.setdefault(label, []).append((done, total))

    def report_existing(self, employees: int) -> None:
        self.existing.append(employees)


@dataclass(frozen=True)
class DemoCompany:
    """The company of a demo."""

    installation: Installation
    runner: asyncio.Runner
    demo: Demo
    pool: Pool
    progress: RecordedProgress

    @property
    def tenant(self) -> Tenant:
        """The tenancy of the demo's user, with its current access: a new password changes it."""
        caller = self.run(accounts.find_user(self.installation.database, self.demo.email))
        return Tenant(self.pool, self.installation.vault, caller)

    @property
    def client_id(self) -> int:
        return self.demo.client_id

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(coroutine)

    def decode_list(self, coroutine: Any) -> list[dict[str, Any]]:
        """Return the elements of a service's list."""
        elements, *_ = self.runner.run(coroutine)
        return [msgspec.json.decode(element) for element in elements]

    def employees(self, *include: str) -> list[dict[str, Any]]:
        return self.decode_list(employees.list_employees(self.tenant, self.client_id, set(include), None))

    def waves(self) -> list[dict[str, Any]]:
        return self.decode_list(waves.list_waves(self.tenant, self.client_id, True, None))

    def fetch(self, query: str, *arguments: Any) -> list[Any]:
        """Run a query as the demo's user."""

        tenant = self.tenant

        async def fetch() -> list[Any]:
            async with tenant.transaction() as tx:
                rows: list[Any] = await tx.fetch(query, *arguments)
                return rows

        return self.run(fetch())


@contextmanager
def create_demo_company(settings: Settings, seed: int, employees: int, months: int) -> Iterator[DemoCompany]:
    """Create the demo of a seed in its own database, with a fixed date."""
    with pytest.MonkeyPatch.context() as patch, open_installation(settings) as installation, asyncio.Runner() as runner:
        patch.setenv("GAJI_TODAY", TODAY.isoformat())
        progress = RecordedProgress()
        demo = runner.run(create_demo(installation, seed, employees, months, progress))
        pool = runner.run(open_pool(installation.database.as_application("test")))
        yield DemoCompany(installation, runner, demo, pool, progress)
        runner.run(pool.close())
