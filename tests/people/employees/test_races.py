"""Races: without the lock each race happens, and with it the race does not."""

import asyncio
import secrets
from collections.abc import Coroutine, Iterator
from typing import Any

import asyncpg
import pytest

from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.core.errors import Conflict, NotFound, ValidationError
from gaji.core.settings import Settings
from gaji.db.installation import Installation, open_installation
from gaji.db.tenancy import Tenant, Transaction, open_pool
from gaji.identity.repository import insert_account
from gaji.identity.service import find_user
from gaji.people.employees import repository, service
from gaji.people.employees.access import require_followable_employee
from gaji.people.service_periods import repository as period_repository
from gaji.people.service_periods import service as service_periods
from gaji.people.service_periods.rules import ServicePeriod
from tests.support.company import MONTHLY, attributes

MANY = 12


class Office:
    """A client in this process, so that its locks can be removed."""

    def __init__(self, installation: Installation, runner: asyncio.Runner) -> None:
        self.installation = installation
        self.run = runner.run
        self.tenant = self.run(self._create_account())
        self.client_id, _ = self.run(clients.create_client(self.tenant, {"name": "Kopi Trading"}))
        self.wave_id, _ = self.run(waves.create_wave(self.tenant, self.client_id, MONTHLY))

    async def _create_account(self) -> Tenant:
        email = f"{secrets.token_hex(6)}@example.com"
        async with self.installation.database.maintenance() as connection:
            await insert_account(connection, "An account", email, "no password opens this")
        self.pool = await open_pool(self.installation.database.as_application("test"))
        # Open all connections, so that no racer waits for one.
        for connection in [await self.pool.acquire() for _ in range(MANY)]:
            self.pool.release(connection)
        return Tenant(self.pool, self.installation.vault, await find_user(self.installation.database, email))

    def create(self, **values: Any) -> Coroutine[Any, Any, Any]:
        body = {"wave_id": self.wave_id, **attributes(**values)}
        return service.create_employee(self.tenant, self.client_id, body)

    def reinstate(self, employee_id: int) -> Coroutine[Any, Any, Any]:
        return service_periods.reinstate(self.tenant, employee_id, {"appointment_date": "2025-09-01"})

    def at_once(self, *work: Coroutine[Any, Any, Any]) -> list[BaseException]:
        """Run everything at the same moment and return what was raised."""

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
    with open_installation(settings) as installation, asyncio.Runner() as runner:
        office = Office(installation, runner)
        yield office
        runner.run(office.pool.close())


def test_without_the_lock_on_the_last_number_two_creates_get_the_same(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_read = asyncio.Barrier(2)

    async def without_lock(tx: Transaction, client_id: int) -> int:
        query = "SELECT coalesce(max(last_number), 0) FROM employee_numbers WHERE client_id = $1"
        last = int(await tx.fetchval(query, client_id))
        await both_have_read.wait()
        return last

    with monkeypatch.context() as patch:
        patch.setattr(repository, "lock_numbers", without_lock)
        [raised] = office.at_once(office.create(), office.create())
    assert isinstance(raised, ValidationError)
    assert list(raised.errors) == ["number"]
    assert office.at_once(*(office.create() for _ in range(MANY))) == []


def test_without_the_unique_index_two_creates_with_one_nric_both_succeed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_read = asyncio.Barrier(2)
    find_taken = repository.find_taken

    async def find_together(*arguments: Any) -> set[str]:
        taken = await find_taken(*arguments)
        await both_have_read.wait()
        return taken

    office.as_owner("DROP INDEX employees_nric")
    try:
        with monkeypatch.context() as patch:
            patch.setattr(repository, "find_taken", find_together)
            assert office.at_once(office.create(nric="S1234567D"), office.create(nric="S1234567D")) == []
    finally:
        office.as_owner("SELECT set_config('gaji.maintenance', 'on', false); DELETE FROM employees")
        office.as_owner(
            "CREATE UNIQUE INDEX employees_nric ON employees (client_id, nric_lookup) WHERE nric_lookup IS NOT NULL"
        )
    with monkeypatch.context() as patch:
        patch.setattr(repository, "find_taken", find_together)
        [raised] = office.at_once(office.create(nric="S1234567D"), office.create(nric="S1234567D"))
    assert isinstance(raised, ValidationError)
    assert list(raised.errors) == ["nric"]


def test_without_the_lock_on_the_employee_two_reinstatements_meet_in_the_table(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_read = asyncio.Barrier(2)

    async def without_lock(tx: Transaction, employee_id: int) -> int:
        return int(await tx.fetchval("SELECT client_id FROM employees WHERE id = $1", employee_id))

    async def lock_together(tx: Transaction, client_id: int, employee_id: int) -> ServicePeriod:
        row = await tx.fetchrow(
            "SELECT id, start_date, end_date, termination_code, ir21, notice_date, ir21_filed_on "
            "FROM service_periods WHERE employee_id = $1",
            employee_id,
        )
        await both_have_read.wait()
        return ServicePeriod(**row)

    def hire_and_terminate() -> int:
        employee_id, _ = office.run(office.create())
        termination = {"termination_date": "2025-06-30", "termination_code": 1}
        office.run(service_periods.end_service(office.tenant, employee_id, termination))
        return int(employee_id)

    first, second = hire_and_terminate(), hire_and_terminate()
    with monkeypatch.context() as patch:
        patch.setattr(service_periods, "lock_employee_for_pay_change", without_lock)
        patch.setattr(period_repository, "lock_latest_period", lock_together)
        [raised] = office.at_once(office.reinstate(first), office.reinstate(first))
    assert isinstance(raised, asyncpg.ExclusionViolationError)
    errors = office.at_once(*(office.reinstate(second) for _ in range(MANY)))
    assert len(errors) == MANY - 1
    assert all(isinstance(error, Conflict) for error in errors)


def test_an_employee_who_is_deleted_while_changes_are_read_is_not_found(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    employee_id, _ = office.run(office.create())
    find_client_id = repository.find_client_id

    async def find_and_delete(tx: Transaction, employee_id: int) -> int | None:
        client_id = await find_client_id(tx, employee_id)
        await service.delete_employee(office.tenant, employee_id)
        return client_id

    async def follow() -> None:
        caller, vault = office.tenant.caller, office.installation.vault
        tenant = Tenant(office.pool, vault, caller, record=("employees", employee_id))
        with monkeypatch.context() as patch:
            patch.setattr(repository, "find_client_id", find_and_delete)
            async with tenant.read_only() as tx:
                await require_followable_employee(tx, employee_id)

    with pytest.raises(NotFound):
        office.run(follow())
