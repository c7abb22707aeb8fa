"""Leave request use cases."""

import asyncio
from collections.abc import Mapping
from datetime import date
from typing import Any

import asyncpg
import msgspec

from gaji.core.errors import Conflict, Errors, NotFound, ValidationError
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.leave.days.service import record_days
from gaji.leave.days.validate import LeaveDayChecker, load_leave_context
from gaji.leave.requests import repository
from gaji.leave.requests.schemas import DECISION, LEAVE_REQUEST, DecisionInput, LeaveRequestInput
from gaji.people.employees.access import lock_employee_for_pay_change, require_readable_employee
from gaji.people.self_service.access import client_view, require_self_or_writer
from gaji.periods.guards import require_open_dates

PENDING, APPROVED, DECLINED = "pending", "approved", "declined"


async def list_requests(tenant: Tenant, employee_id: int, page: ListPage | None) -> tuple[list[str], int]:
    """List the requests of an employee as JSON, with the total count."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return await repository.list_elements(tx, client_id, employee_id, page)


async def load_client_id(tenant: Tenant, request_id: int) -> int:
    """Return the client of a request that the caller may see."""
    async with tenant.read_only() as tx:
        row = await repository.load_request(tx, request_id)
    if row is None:
        raise _not_found(request_id)
    client_id: int = row["client_id"]
    return client_id


async def create_request(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[LeaveRequestInput]]:
    """Request leave days. They are checked as if they were recorded."""
    async with tenant.transaction() as tx:
        client_id = await require_self_or_writer(tx, employee_id)
        async with client_view(tx, client_id):
            checker = LeaveDayChecker(await load_leave_context(tx, client_id, employee_id))
            validated = await asyncio.to_thread(LEAVE_REQUEST.parse_create, body, checker.check_days)
            await require_open_dates(tx, client_id, employee_id, [day.date for day in checker.days])
        request_id = await repository.insert(tx, client_id, employee_id, validated.data.dates, validated.data.reason)
        return request_id, validated


async def approve_request(
    tenant: Tenant, request_id: int, body: Mapping[str, Any], *, late: bool = False
) -> tuple[list[int], ValidatedInput[DecisionInput]]:
    """Approve a request and record its days. Returns their ids."""
    async with tenant.transaction() as tx:
        row = await _lock_pending(tx, request_id)
        client_id, employee_id = row["client_id"], row["employee_id"]
        validated = DECISION.parse_create(body)
        checker = LeaveDayChecker(await load_leave_context(tx, client_id, employee_id))
        await asyncio.to_thread(_revalidate, checker, row["dates"])
        await repository.decide(tx, client_id, request_id, APPROVED, validated.data.answer)
        ids, warnings = await record_days(tx, client_id, employee_id, checker.days, request_id, late=late)
        validated.warnings.update(warnings)
        return ids, validated


async def decline_request(tenant: Tenant, request_id: int, body: Mapping[str, Any]) -> ValidatedInput[DecisionInput]:
    """Decline a request."""
    async with tenant.transaction() as tx:
        row = await _lock_pending(tx, request_id)
        validated = DECISION.parse_create(body)
        await repository.decide(tx, row["client_id"], request_id, DECLINED, validated.data.answer)
        return validated


def _revalidate(checker: LeaveDayChecker, dates: str) -> None:
    """Reject a request whose days can no longer be recorded."""
    errors = Errors()
    days: list[dict[str, Any]] = msgspec.json.decode(dates)
    checker.check_days({"dates": [{**day, "date": date.fromisoformat(day["date"])} for day in days]}, errors)
    if errors:
        raise ValidationError(errors)


async def _lock_pending(tx: Transaction, request_id: int) -> asyncpg.Record:
    """Lock the employee of a pending request, then load the request again."""
    row = await repository.load_request(tx, request_id)
    if row is not None:
        await lock_employee_for_pay_change(tx, row["employee_id"])
        row = await repository.load_request(tx, request_id)
    if row is None:
        raise _not_found(request_id)
    if row["status"] != PENDING:
        raise Conflict(f"Leave request {request_id} has already been {row['status']}")
    return row


def _not_found(request_id: int) -> NotFound:
    return NotFound(f"Leave request {request_id} does not exist")
