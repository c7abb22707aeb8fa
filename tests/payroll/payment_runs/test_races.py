"""Locks of payment runs: without each lock the race happens, and with it the race does not."""

import asyncio
import secrets
from collections.abc import Coroutine, Iterator
from typing import Any

import asyncpg
import pytest

from gaji.approvals.models import Approval
from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.core.errors import Conflict
from gaji.core.settings import Settings
from gaji.db.installation import Installation, open_installation
from gaji.db.tenancy import Tenant, Transaction, open_pool
from gaji.identity.repository import insert_account
from gaji.identity.service import find_user
from gaji.payroll.calculations import service as calculations
from gaji.payroll.payment_runs import finalise as finalising
from gaji.payroll.payment_runs import open_run, payslips, populate, repository, service
from gaji.payroll.payment_runs.finalise import FinalisedRun
from gaji.payroll.payment_runs.models import PaymentRun, run_from_row
from gaji.payroll.payment_runs.tasks import populate_all_clients, populate_client
from gaji.payroll.payslips import recalculation
from gaji.payroll.withheld_payments import service as withheld_payments
from gaji.people.employees import service as employees
from gaji.people.service_periods import service as service_periods
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY
from tests.support.company import MONTHLY, attributes

MANY = 12
BLOCKED_AFTER_S = 1.0


class Office:
    """A client with one employee in this process, so that its locks can be taken away."""

    def __init__(self, installation: Installation, runner: asyncio.Runner) -> None:
        self.installation = installation
        self.run = runner.run
        self.tenant = self.run(self._found())
        self.client_id, _ = self.run(clients.create_client(self.tenant, {"name": "Kopi Trading"}))
        self.wave_id, _ = self.run(waves.create_wave(self.tenant, self.client_id, MONTHLY))
        self.employee_id = self.run(self.hire())

    async def _found(self) -> Tenant:
        email = f"{secrets.token_hex(6)}@example.com"
        async with self.installation.database.maintenance() as connection:
            await insert_account(connection, "An account", email, "no password opens this")
        self.pool = await open_pool(self.installation.database.as_application("test"))
        # All connections at hand, so that none of the racers has to wait for one.
        for connection in [await self.pool.acquire() for _ in range(MANY)]:
            self.pool.release(connection)
        return Tenant(self.pool, self.installation.vault, await find_user(self.installation.database, email))

    async def hire(self) -> int:
        body = {"wave_id": self.wave_id, **attributes(appointment_date="2026-01-01")}
        employee_id, _ = await employees.create_employee(self.tenant, self.client_id, body)
        details = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "3000.00"}}
        await calculations.save_employee_calculation(self.tenant, employee_id, details)
        return employee_id

    async def open(self, end: str = JANUARY) -> int:
        run_id, _ = await open_run.open_run(
            self.tenant, self.client_id, {"wave_id": self.wave_id, "period_end_date": end}
        )
        return run_id

    async def change(self) -> None:
        await employees.update_employee(self.tenant, self.employee_id, {"birthdate": "1991-04-12"})

    def at_once(self, *work: Coroutine[Any, Any, Any]) -> list[BaseException]:
        """Do all of it at the same moment and give what was raised."""

        async def gather() -> list[Any]:
            return await asyncio.gather(*work, return_exceptions=True)

        return [outcome for outcome in self.run(gather()) if isinstance(outcome, BaseException)]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        async def read() -> list[asyncpg.Record]:
            async with self.installation.database.maintenance() as connection:
                found: list[asyncpg.Record] = await connection.fetch(query, self.client_id)
                return found

        return [tuple(row) for row in self.run(read())]


@pytest.fixture
def office(settings: Settings) -> Iterator[Office]:
    with open_installation(settings) as installation, asyncio.Runner() as runner:
        found = Office(installation, runner)
        yield found
        runner.run(found.pool.close())


async def nobody_holds(*_: object) -> None:
    """In place of holding the drafts of a client."""


async def before_the_end(
    patch: pytest.MonkeyPatch,
    place: Any,
    name: str,
    first: Coroutine[Any, Any, Any],
    second: Coroutine[Any, Any, Any],
) -> list[BaseException]:
    """Let the second begin when the first has done its last step before its commit; gives what was raised."""
    at_the_end, go_on = asyncio.Event(), asyncio.Event()
    step = getattr(place, name)

    async def slowly(*arguments: Any, **details: Any) -> Any:
        done = await step(*arguments, **details)
        at_the_end.set()
        await go_on.wait()
        return done

    patch.setattr(place, name, slowly)
    earlier = asyncio.ensure_future(first)
    await at_the_end.wait()
    later = asyncio.ensure_future(second)
    await asyncio.wait([later], timeout=BLOCKED_AFTER_S)
    go_on.set()
    outcomes = await asyncio.gather(earlier, later, return_exceptions=True)
    return [outcome for outcome in outcomes if isinstance(outcome, BaseException)]


def test_without_the_draft_lock_two_runs_of_a_period_are_created(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_looked = asyncio.Barrier(2)
    look = repository.regular_run

    async def looking_together(*arguments: Any) -> asyncpg.Record | None:
        found = await look(*arguments)
        await both_have_looked.wait()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(open_run, "lock_drafts_exclusive", nobody_holds)
        patch.setattr(repository, "regular_run", looking_together)
        [raised] = office.at_once(office.open(), office.open())
    assert isinstance(raised, asyncpg.UniqueViolationError)
    run_id = office.rows("SELECT id FROM payment_runs WHERE client_id = $1")[0][0]
    office.run(finalising.finalise_run(office.tenant, run_id))
    refused = office.at_once(*(office.open(FEBRUARY) for _ in range(MANY)))
    assert len(refused) == MANY - 1
    assert all(isinstance(error, Conflict) for error in refused)
    assert len(office.rows("SELECT id FROM payment_runs WHERE client_id = $1")) == 2


def test_without_its_lock_two_requests_finalise_a_run(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    both_have_looked = asyncio.Barrier(2)

    async def without_lock(tx: Transaction, run_id: int, *, lock_drafts: bool) -> PaymentRun:
        run = run_from_row(await tx.fetchrow(f"SELECT {repository.RUN} FROM payment_runs WHERE id = $1", run_id))
        await both_have_looked.wait()
        return run

    def finalise(run_id: int) -> Coroutine[Any, Any, FinalisedRun | Approval]:
        return finalising.finalise_run(office.tenant, run_id)

    january = office.run(office.open())
    with monkeypatch.context() as patch:
        patch.setattr(finalising, "lock_run", without_lock)
        [raised] = office.at_once(finalise(january), finalise(january))
    assert isinstance(raised, asyncpg.UniqueViolationError)
    february = office.run(office.open(FEBRUARY))
    refused = office.at_once(*(finalise(february) for _ in range(MANY)))
    assert len(refused) == MANY - 1
    assert {str(error) for error in refused} == {
        f"Payment run {february} of {FEBRUARY} is finalised and cannot be finalised again"
    }


def test_without_the_draft_lock_a_change_creates_the_next_draft_twice(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def race(run_id: int) -> list[BaseException]:
        with monkeypatch.context() as patch:
            work = finalising.finalise_run(office.tenant, run_id), office.change()
            return office.run(before_the_end(patch, repository, "finalise", *work))

    january = office.run(office.open())
    with monkeypatch.context() as patch:
        patch.setattr(recalculation, "lock_drafts_shared", nobody_holds)
        [raised] = race(january)
    assert isinstance(raised, asyncpg.UniqueViolationError)
    february = office.run(office.open(FEBRUARY))
    assert race(february) == []
    drafts = office.rows("SELECT date::text, dirty FROM payslips WHERE client_id = $1 AND NOT finalised")
    assert drafts == [("2026-03-31", False)]


def test_without_the_draft_lock_an_employee_hired_while_a_run_is_opened_is_in_none(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out = "SELECT count(*) FROM payslips WHERE client_id = $1 AND NOT finalised AND payment_run_id IS NULL"

    def race(end: str) -> list[BaseException]:
        with monkeypatch.context() as patch:
            return office.run(before_the_end(patch, payslips, "attach_drafts", office.open(end), office.hire()))

    with monkeypatch.context() as patch:
        patch.setattr(recalculation, "lock_drafts_shared", nobody_holds)
        assert race(JANUARY) == []
    assert office.rows(left_out) == [(1,)]
    [[run_id]] = office.rows("SELECT id FROM payment_runs WHERE client_id = $1")
    office.run(recalculated(office, run_id))
    office.run(finalising.finalise_run(office.tenant, run_id))
    assert race(FEBRUARY) == []
    assert office.rows(left_out) == [(0,)]


async def recalculated(office: Office, run_id: int) -> None:
    """What mends it: calculating a run takes up what waits for it."""
    assert await service.calculate_run(office.tenant, run_id) == 2


def test_a_payment_that_is_released_while_its_run_is_unfinalised(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    termination = {"termination_date": "2026-02-14", "termination_code": 1, "ir21": True, "notice_date": "2026-01-15"}
    office.run(service_periods.end_service(office.tenant, office.employee_id, termination))
    january = office.run(office.open())
    office.run(finalising.finalise_run(office.tenant, january))
    [[payslip_id]] = office.rows("SELECT id FROM payslips WHERE client_id = $1 AND finalised")
    unfinalise = finalising.unfinalise_run(office.tenant, january)
    release = withheld_payments.release_payment(office.tenant, payslip_id, {})
    [raised] = office.run(before_the_end(monkeypatch, withheld_payments, "delete_releases", unfinalise, release))
    assert isinstance(raised, Conflict)
    assert office.rows("SELECT amount FROM payment_releases WHERE client_id = $1") == []


def test_of_two_jobs_for_one_run_the_second_finds_nothing_to_do(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        office.run(office.hire())
    monkeypatch.setattr(open_run, "SYNCHRONOUS_LIMIT", 1)
    monkeypatch.setattr(populate, "MIN_CHUNK_SIZE", 1)
    taken: list[int] = []
    take_up = payslips.attach_drafts

    async def noting(tx: Transaction, run: payslips.RunKey, drafts: Any) -> None:
        taken.extend(draft.employee_id for draft in drafts)
        await take_up(tx, run, drafts)

    monkeypatch.setattr(payslips, "attach_drafts", noting)
    office.run(office.open())
    work = [populate_client(office.pool, office.installation.vault, office.client_id) for _ in range(3)]
    assert office.at_once(*work) == []
    assert sorted(taken) == sorted(set(taken))
    assert len(taken) == 4
    states = office.rows("SELECT state FROM payment_runs WHERE client_id = $1")
    assert states == [("ready",)]


def test_a_run_whose_job_was_lost_is_still_opened(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_run, "SYNCHRONOUS_LIMIT", 0)
    office.run(office.open())
    assert office.rows("SELECT state FROM payment_runs WHERE client_id = $1") == [("opening",)]
    office.run(populate_all_clients(office.pool, office.installation.vault))
    assert office.rows("SELECT state FROM payment_runs WHERE client_id = $1") == [("ready",)]
    assert office.rows("SELECT payment_run_id IS NULL FROM payslips WHERE client_id = $1") == [(False,)]
