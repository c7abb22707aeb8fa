"""What can be asked about leave requests."""

from gaji.periods.guards import require_open_dates
from collections.abc import Mapping
from datetime import date
from typing import Any

import asyncpg
import msgspec

from gaji.core.errors import Conflict, Errors, NotFound, ValidationError
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.leave.days.validate import Checked, surroundings_of
from gaji.leave.days.service import record_days
from gaji.leave.requests import repository
from gaji.leave.requests.rules import DECISION, LEAVE_REQUEST
from gaji.people.employees.identity import payable_employee, readable_employee
from gaji.people.self_service.access import asking_employee, seeing_client

PENDING, APPROVED, DECLINED = "pending", "approved", "declined"


async def list_requests(tenant: Tenant, employee_id: int, page: Page | None) -> tuple[list[str], int]:
    """The requests of an employee as JSON, and how many there are in all."""
    async with tenant.reading() as tx:
        client_id = await readable_employee(tx, employee_id)
        return await repository.elements(tx, client_id, employee_id, page)


async def client_of_request(tenant: Tenant, request_id: int) -> int:
    """The client of a request that the caller may see."""
    async with tenant.reading() as tx:
        found = await repository.kept(tx, request_id)
    if found is None:
        raise _missing(request_id)
    client_id: int = found["client_id"]
    return client_id


async def create_request(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Ask for days of leave, which are checked as if they were to be recorded."""
    async with tenant.transaction() as tx:
        client_id = await asking_employee(tx, employee_id)
        async with seeing_client(tx, client_id):
            checked = Checked(await surroundings_of(tx, client_id, employee_id))
            reading = LEAVE_REQUEST.parse_create(body, checked.several)
            await require_open_dates(tx, client_id, employee_id, [one.date for one in checked.days])
        record = reading.record
        return await repository.insert(tx, client_id, employee_id, record["dates"], record["reason"]), reading


async def approve_request(tenant: Tenant, request_id: int, body: Mapping[str, Any]) -> tuple[list[int], ValidatedInput]:
    """Record the days that were asked for, and say so."""
    async with tenant.transaction() as tx:
        found = await _undecided(tx, request_id)
        client_id, employee_id = found["client_id"], found["employee_id"]
        reading = DECISION.parse_create(body)
        checked = Checked(await surroundings_of(tx, client_id, employee_id))
        _check_again(checked, found["dates"])
        await repository.decide(tx, client_id, request_id, APPROVED, reading.record["answer"])
        ids = await record_days(tx, client_id, employee_id, checked.days, request_id)
        return ids, reading


async def decline_request(tenant: Tenant, request_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Record nothing, and say so."""
    async with tenant.transaction() as tx:
        found = await _undecided(tx, request_id)
        reading = DECISION.parse_create(body)
        await repository.decide(tx, found["client_id"], request_id, DECLINED, reading.record["answer"])
        return reading


def _check_again(checked: Checked, dates: str) -> None:
    """Refuse what can no longer be recorded."""
    errors: Errors = Errors()
    kept: list[dict[str, Any]] = msgspec.json.decode(dates)
    checked.several({"dates": [{**one, "date": date.fromisoformat(one["date"])} for one in kept]}, errors)
    if errors:
        raise ValidationError(errors)


async def _undecided(tx: Transaction, request_id: int) -> asyncpg.Record:
    """A request that waits for an answer, read when nobody else can decide about it."""
    found = await repository.kept(tx, request_id)
    if found is not None:
        await payable_employee(tx, found["employee_id"])
        found = await repository.kept(tx, request_id)
    if found is None:
        raise _missing(request_id)
    if found["status"] != PENDING:
        raise Conflict(f"Leave request {request_id} has been {found['status']} already")
    return found


def _missing(request_id: int) -> NotFound:
    return NotFound(f"There is no leave request {request_id}")
