"""What the locks are for: with each taken away the race happens, with it in place it does not."""

import asyncio
import secrets
from collections.abc import Coroutine, Iterator
from typing import Any

import asyncpg
import pytest

from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.core.errors import Conflict, ValidationError
from gaji.core.settings import Settings
from gaji.db.installation import Installation, ready
from gaji.db.tenancy import Tenant, Transaction, open_pool
from gaji.identity.service import find_user
from gaji.identity.repository import insert_account
from gaji.people.employees import service, store
from gaji.people.service_periods import service as service_periods
from gaji.people.service_periods import store as service_store
from gaji.people.service_periods.rules import ServicePeriod
from tests.support.company import MONTHLY, attributes

MANY = 12


class Office:
    """A client in this process, so that its locks can be taken away."""

    def __init__(self, installation: Installation, runner: asyncio.Runner) -> None:
        self.installation = installation
        self.run = runner.run
        self.tenant = self.run(self._found())
        self.client_id, _ = self.run(clients.create_client(self.tenant, {"name": "Kopi Trading"}))
        self.wave_id, _ = self.run(waves.create_wave(self.tenant, self.client_id, MONTHLY))

    async def _found(self) -> Tenant:
        email = f"{secrets.token_hex(6)}@example.com"
        async with self.installation.database.maintenance() as connection:
            await insert_account(connection, "An account", email, "no password opens this")
        self.pool = await open_pool(self.installation.database.as_application("test"))
        # All connections at hand, so that none of the racers has to wait for one.
        for connection in [await self.pool.acquire() for _ in range(MANY)]:
            self.pool.release(connection)
        return Tenant(self.pool, self.installation.vault, await find_user(self.installation.database, email))

    def create(self, **given: Any) -> Coroutine[Any, Any, Any]:
        body = {"wave_id": self.wave_id, **attributes(**given)}
        return service.create_employee(self.tenant, self.client_id, body)

    def reinstate(self, employee_id: int) -> Coroutine[Any, Any, Any]:
        return service_periods.reinstate(self.tenant, employee_id, {"appointment_date": "2025-09-01"})

    def at_once(self, *work: Coroutine[Any, Any, Any]) -> list[BaseException]:
        """Do all of it at the same moment and give what was raised."""

        async def gather() -> list[Any]:
            return await asyncio.gather(*work, return_exceptions=True)

        return [outcome for outcome in self.run(gather()) if isinstance(outcome, BaseException)]

    def as_owner(self, statement: str) -> None:
        async def run() -> None:
            async with self.installation.database.owner_connection() as connection:
                await connection.execute(statement)

        self.run(run())


@pytest.fixture
def office(settings: Settings) -> Iterator[Office]:
    with ready(settings) as installation, asyncio.Runner() as runner:
        found = Office(installation, runner)
        yield found
        runner.run(found.pool.close())


def test_without_the_lock_on_the_last_number_two_creates_get_the_same(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_looked = asyncio.Barrier(2)

    async def without_lock(tx: Transaction, client_id: int) -> int:
        query = "SELECT coalesce(max(last_number), 0) FROM employee_numbers WHERE client_id = $1"
        last = int(await tx.fetchval(query, client_id))
        await both_have_looked.wait()
        return last

    with monkeypatch.context() as patch:
        patch.setattr(store, "hold_numbers", without_lock)
        [raised] = office.at_once(office.create(), office.create())
    assert isinstance(raised, ValidationError)
    assert list(raised.errors) == ["number"]
    assert office.at_once(*(office.create() for _ in range(MANY))) == []


def test_without_the_unique_constraint_two_creates_with_one_nric_both_succeed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_looked = asyncio.Barrier(2)
    looking = store.taken

    async def looking_together(*arguments: Any) -> set[str]:
        found = await looking(*arguments)
        await both_have_looked.wait()
        return found

    office.as_owner("ALTER TABLE employees DROP CONSTRAINT employees_nric")
    try:
        with monkeypatch.context() as patch:
            patch.setattr(store, "taken", looking_together)
            assert office.at_once(office.create(nric="S1234567D"), office.create(nric="S1234567D")) == []
    finally:
        office.as_owner("SELECT set_config('gaji.maintenance', 'on', false); DELETE FROM employees")
        office.as_owner("ALTER TABLE employees ADD CONSTRAINT employees_nric UNIQUE (client_id, nric_lookup)")
    with monkeypatch.context() as patch:
        patch.setattr(store, "taken", looking_together)
        [raised] = office.at_once(office.create(nric="S1234567D"), office.create(nric="S1234567D"))
    assert isinstance(raised, ValidationError)
    assert list(raised.errors) == ["nric"]


def test_without_the_lock_on_the_employee_two_reinstatements_meet_in_the_table(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_looked = asyncio.Barrier(2)

    async def without_lock(tx: Transaction, employee_id: int) -> int:
        return int(await tx.fetchval("SELECT client_id FROM employees WHERE id = $1", employee_id))

    async def looking_together(tx: Transaction, client_id: int, employee_id: int) -> ServicePeriod:
        row = await tx.fetchrow(
            "SELECT id, start_date, end_date FROM service_periods WHERE employee_id = $1", employee_id
        )
        await both_have_looked.wait()
        return ServicePeriod(*row)

    def left() -> int:
        employee_id, _ = office.run(office.create())
        ended = {"termination_date": "2025-06-30", "termination_code": 1}
        office.run(service_periods.end_service(office.tenant, employee_id, ended))
        return int(employee_id)

    one, another = left(), left()
    with monkeypatch.context() as patch:
        patch.setattr(service_periods, "writable_employee", without_lock)
        patch.setattr(service_store, "latest", looking_together)
        [raised] = office.at_once(office.reinstate(one), office.reinstate(one))
    assert isinstance(raised, asyncpg.ExclusionViolationError)
    refused = office.at_once(*(office.reinstate(another) for _ in range(MANY)))
    assert len(refused) == MANY - 1
    assert all(isinstance(error, Conflict) for error in refused)
