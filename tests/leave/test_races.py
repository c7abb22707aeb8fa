"""Concurrent recording of leave."""

import asyncio
from typing import Any

import pytest

from gaji.core.errors import ValidationError
from gaji.db.tenancy import Tenant, Transaction, open_pool
from gaji.identity.service import find_user
from gaji.leave.days import service as days
from gaji.people.employees import repository as employees
from tests.leave.people import OnLeave
from tests.support.company import Company
from tests.support.races import at_once

# Two days of leave are there, from 1 April on.
DATES = ("2026-04-06", "2026-04-07", "2026-04-08", "2026-04-09")


@pytest.fixture
def newcomer(company: Company) -> OnLeave:
    """An employee since 2 January 2026."""
    return OnLeave.hired(company, appointment_date="2026-01-02")


def test_concurrent_requests_cannot_exceed_the_balance(newcomer: OnLeave) -> None:
    answers = at_once([lambda date=date: newcomer.post(date) for date in DATES])  # type: ignore[misc]
    assert sorted(answer.status_code for answer in answers) == [200, 200, 422, 422]
    assert newcomer.balance("2026-04-09") == 0


def test_concurrent_leave_requests_cannot_exceed_the_balance(newcomer: OnLeave) -> None:
    bodies = [{"dates": [{"date": date, "type_id": newcomer.types["annual_leave"]}]} for date in DATES]
    path = newcomer.path("leave_requests")
    answers = at_once([lambda body=body: newcomer.member.post(path, body) for body in bodies])  # type: ignore[misc]
    assert sorted(answer.status_code for answer in answers) == [200, 200, 422, 422]


def test_a_request_is_approved_once(newcomer: OnLeave) -> None:
    asked = {"dates": [{"date": DATES[0], "type_id": newcomer.types["annual_leave"]}]}
    request_id = newcomer.member.post(newcomer.path("leave_requests"), asked).json()["id"]
    approve = f"/leave_requests/{request_id}/approve"
    answers = at_once([lambda: newcomer.member.post(approve, {})] * 4)
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert len(newcomer.listed()) == 1


def test_without_the_lock_on_the_employee_more_would_be(newcomer: OnLeave, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unlocked(tx: Transaction, employee_id: int, expression: str = "NULL") -> int | None:
        return await employees.find_client_id(tx, employee_id)

    async def everyone() -> list[Any]:
        service = newcomer.member.service
        pool = await open_pool(service.database.as_application("test"))
        tenants = [Tenant(pool, service.vault, await find_user(service.database, newcomer.member.email)) for _ in DATES]
        bodies = [{"date": date, "type_id": newcomer.types["annual_leave"]} for date in DATES]
        recorded = [days.create_day(tenant, newcomer.id, body) for tenant, body in zip(tenants, bodies, strict=True)]
        try:
            return await asyncio.gather(*recorded, return_exceptions=True)
        finally:
            await pool.close()

    def refusals() -> int:
        return sum(isinstance(one, ValidationError) for one in newcomer.member.service.runner.run(everyone()))

    with monkeypatch.context() as patched:
        patched.setattr(employees, "lock", unlocked)
        assert refusals() < 2
    for day in newcomer.listed():
        newcomer.member.delete(f"/leave_days/{day['id']}")
    assert refusals() == 2
