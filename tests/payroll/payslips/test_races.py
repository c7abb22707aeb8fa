"""Locks on drafts: without each lock an update is lost, and with it none is."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import asyncpg
import pytest

from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.core.settings import Settings
from gaji.db.installation import Installation, open_installation
from gaji.db.tenancy import Tenant, Transaction, open_pool
from gaji.identity.repository import insert_account
from gaji.identity.service import find_user
from gaji.payroll.calculations import scope
from gaji.payroll.calculations import service as calculations
from gaji.payroll.payslips.repository import drafts as store
from gaji.payroll.payslips.repository import results
from gaji.payroll.payslips.tasks import calculate_dirty
from gaji.people.employees import service as employees
from tests.support.company import MONTHLY, attributes

BLOCKED_AFTER_S = 1.0
READ_WITHIN_S = 30.0


class Office:
    """A client with one employee in this process, so that its locks can be taken away."""

    def __init__(self, installation: Installation, runner: asyncio.Runner) -> None:
        self.installation = installation
        self.run = runner.run
        self.tenant = self.run(self._found())
        self.client_id, _ = self.run(clients.create_client(self.tenant, {"name": "Kopi Trading"}))
        wave_id, _ = self.run(waves.create_wave(self.tenant, self.client_id, MONTHLY))
        body = {"wave_id": wave_id, **attributes(appointment_date="2026-01-01", cpf_exempt=True, race="OTHER")}
        self.employee_id, _ = self.run(employees.create_employee(self.tenant, self.client_id, body))

    async def _found(self) -> Tenant:
        email = f"{secrets.token_hex(6)}@example.com"
        async with self.installation.database.maintenance() as connection:
            await insert_account(connection, "An account", email, "no password opens this")
        self.pool = await open_pool(self.installation.database.as_application("test"))
        return Tenant(self.pool, self.installation.vault, await find_user(self.installation.database, email))

    async def enter(self, name: str, **details: str) -> None:
        body = {"calc_type": name, "calculation_details": details}
        tenant = Tenant(self.pool, self.installation.vault, self.tenant.caller)
        await calculations.save_employee_calculation(tenant, self.employee_id, body)

    async def job(self) -> None:
        await calculate_dirty(self.pool, self.installation.vault, self.client_id)

    async def mark(self) -> None:
        async with self.installation.database.maintenance() as connection:
            await connection.execute("UPDATE payslips SET dirty = true WHERE NOT finalised")

    def nett_pay(self) -> int:
        async def read() -> int:
            async with self.installation.database.maintenance() as connection:
                query = "SELECT nett_pay FROM payslips WHERE client_id = $1"
                return int(await connection.fetchval(query, self.client_id))

        return self.run(read())


@pytest.fixture
def office(settings: Settings) -> Iterator[Office]:
    with open_installation(settings) as installation, asyncio.Runner() as runner:
        found = Office(installation, runner)
        yield found
        runner.run(found.pool.close())


async def while_calculating(
    patch: pytest.MonkeyPatch, first: Callable[[], Awaitable[None]], second: Callable[[], Awaitable[None]]
) -> None:
    """Let the second happen when the first has read what it calculates from, and has not saved what it comes to."""
    has_read, go_on = asyncio.Event(), asyncio.Event()
    save = results.save_results

    async def slowly(*arguments: Any) -> asyncpg.Record:
        if not has_read.is_set():
            has_read.set()
            await go_on.wait()
        return await save(*arguments)

    patch.setattr(results, "save_results", slowly)
    earlier = asyncio.ensure_future(first())
    async with asyncio.timeout(READ_WITHIN_S):
        await has_read.wait()
    later = asyncio.ensure_future(second())
    await asyncio.wait([later], timeout=BLOCKED_AFTER_S)
    go_on.set()
    await asyncio.gather(earlier, later)


def test_without_its_lock_a_job_overwrites_what_was_entered_meanwhile(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def without_lock(tx: Transaction, client_id: int, most: int) -> list[asyncpg.Record]:
        query = f"SELECT {store.DRAFT_COLUMNS} FROM payslips WHERE client_id = $1 AND dirty LIMIT $2"
        rows: list[asyncpg.Record] = await tx.fetch(query, client_id, most)
        return rows

    def race(amount: str) -> int:
        office.run(office.mark())
        with monkeypatch.context() as patch:
            enter = lambda: office.enter("meal_allowance", amount=amount)  # noqa: E731
            office.run(while_calculating(patch, office.job, enter))
        return office.nett_pay()

    with monkeypatch.context() as patch:
        patch.setattr(store, "claim_dirty", without_lock)
        assert race("100.00") == 0
    assert race("200.00") == 20_000


def test_without_their_lock_one_of_two_concurrent_inputs_is_lost(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_lock_on_the_employee(tx: Transaction, employee_id: int) -> int:
        return office.client_id

    async def no_lock_on_drafts(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
        columns = f"{store.DRAFT_COLUMNS}, dirty, inputs, catalogue_version"
        query = f"SELECT {columns} FROM payslips WHERE client_id = $1 AND employee_id = $2"
        rows: list[asyncpg.Record] = await tx.fetch(query, client_id, employee_id)
        return rows

    def race(amount: str) -> int:
        with monkeypatch.context() as patch:
            patch.setattr(scope, "lock_employee_for_pay_change", no_lock_on_the_employee)
            office.run(
                while_calculating(
                    patch,
                    lambda: office.enter("meal_allowance", amount=amount),
                    lambda: office.enter("transport_allowance", amount=amount),
                )
            )
        return office.nett_pay()

    with monkeypatch.context() as patch:
        patch.setattr(store, "lock_drafts_with_inputs", no_lock_on_drafts)
        assert race("100.00") == 10_000
    assert race("200.00") == 40_000
