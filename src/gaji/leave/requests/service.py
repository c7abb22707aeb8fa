"""Leave request use cases."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import asyncpg
import msgspec

from gaji.company.clients.service import require_officer
from gaji.core.errors import Conflict, Errors, NotFound, ValidationError
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.record_changes import ChangedRecords, ChangeRequest, load_changed_records
from gaji.db.tenancy import Tenant, Transaction
from gaji.law.holidays import Holiday
from gaji.leave.balances.ledger import LeaveLedger
from gaji.leave.days.overdrafts import LeaveEntry
from gaji.leave.days.service import delete_request_days, has_request_days, record_days
from gaji.leave.days.validate import LeaveContext, LeaveDayChecker, RequestedDay, load_leave_context
from gaji.leave.events import LeaveDecided, LeaveRequested
from gaji.leave.quantities import format_thousandths
from gaji.leave.requests import repository
from gaji.leave.requests.clashes import (
    NEW_REQUEST,
    DayClashes,
    RequestedDate,
    clash_warnings,
    load_clashes,
    summarise_clashes,
)
from gaji.leave.requests.request_balances import UndecidedLeave
from gaji.leave.requests.schemas import DECISION, LEAVE_REQUEST, DecisionInput, LeaveRequestInput
from gaji.leave.types.queries import LeaveType
from gaji.leave.unpaid_holidays import load_requested_holidays
from gaji.people.employees import directory
from gaji.people.employees.access import (
    lock_employee_for_pay_change,
    require_followable_employee,
    require_readable_employee,
)
from gaji.people.self_service.access import client_view, require_self_or_writer
from gaji.periods.guards import require_open_dates

PENDING, APPROVED, DECLINED = "pending", "approved", "declined"
NOT_OTHERS = "Employees can read their own leave requests but not the leave of others"
CANCELLED, WITHDRAWING, WITHDRAWN = "cancelled", "withdrawing", "withdrawn"
DECIDED = (APPROVED, DECLINED, WITHDRAWN)


async def list_requests(
    tenant: Tenant, employee_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the requests of an employee as JSON, with the total count."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return await repository.list_elements(tx, client_id, employee_id, page, filters)


async def list_changed_requests(tenant: Tenant, employee_id: int, request: ChangeRequest) -> ChangedRecords:
    """List the requests of an employee that changed after a position as JSON."""
    async with tenant.read_only() as tx:
        client_id = await require_followable_employee(tx, employee_id)
        scope = {"client_id": client_id, "employee_id": employee_id}

        async def load_elements(ids: list[int]) -> list[str]:
            return (await repository.list_elements(tx, client_id, employee_id, None, {"ids": ids}))[0]

        return await load_changed_records(tx, scope, "leave_request", request, load_elements)


async def list_declined_withdrawals(tenant: Tenant, employee_id: int) -> list[int]:
    """List the IDs of approved requests whose withdrawal was declined. Their answer is that of the withdrawal."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return await repository.load_declined_withdrawals(tx, client_id, employee_id)


@dataclass(frozen=True)
class LeaveDecision:
    """The decision on a request, or on its withdrawal, and the days of leave."""

    status: str
    """What the request has been since then."""
    decided_at: datetime
    is_withdrawal_declined: bool
    first_date: date
    last_date: date


async def list_decisions(tenant: Tenant, employee_id: int, since: datetime, limit: int) -> list[LeaveDecision]:
    """List the last decisions on requests of an employee since a moment, latest first."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        rows = await repository.load_decisions(tx, client_id, employee_id, DECIDED, since, limit)
    return [LeaveDecision(**row) for row in rows]


@dataclass(frozen=True)
class RequestState:
    """The client and the status of a request."""

    client_id: int
    status: str


async def load_state(tenant: Tenant, request_id: int) -> RequestState:
    """Return the client and the status of a request that the caller may see."""
    async with tenant.read_only() as tx:
        row = await _load(tx, request_id)
    return RequestState(row["client_id"], row["status"])


async def load_employee_and_status(tx: Transaction, request_id: int) -> tuple[int, str]:
    """Return the employee and the status of a request that the caller may see. Raises NotFound."""
    row = await _load(tx, request_id)
    return row["employee_id"], row["status"]


async def create_request(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[LeaveRequestInput]]:
    """Request leave days. They are checked as if they and all pending requests were recorded."""
    async with tenant.transaction() as tx:
        client_id = await require_self_or_writer(tx, employee_id)
        await repository.lock_requests(tx, employee_id)
        async with client_view(tx, client_id):
            checker = LeaveDayChecker(await _load_context(tx, client_id, employee_id))
            validated = await asyncio.to_thread(LEAVE_REQUEST.parse_create, body, checker.check_days)
            await require_open_dates(tx, client_id, employee_id, [day.date for day in checker.days])
            clashes = await _load_day_clashes(tx, client_id, employee_id, checker)
        validated.warnings.update({**checker.warnings, **clash_warnings(clashes, validated.data.dates)})
        request_id = await repository.insert(tx, client_id, employee_id, validated.data)
        _emit(tx, EventType.LEAVE_REQUESTED, client_id, request_id)
        days, names = tuple(day.date for day in checker.days), checker.list_type_names()
        tx.emit(LeaveRequested(client_id, employee_id, days, names))
        return request_id, validated


@dataclass(frozen=True)
class RequestPreview:
    """What a request would leave, and what it clashes with."""

    balances: list[dict[str, Any]]
    clashes: Sequence[DayClashes]
    passes_limit: bool
    """Whether a day passes the limit of its type, where the policy allows it."""
    counts_pending: bool
    """Whether the balances count leave of other requests that wait for a decision."""
    pending_later_days: int | float
    """Days of the requested types in other requests, later than the date of the balances, which do not count them."""
    unlimited_ids: frozenset[int]
    """The types of the request that have no limit, so that a negative balance is the leave taken."""
    unpaid_holidays: Sequence[Holiday]
    """Public holidays that are not paid because of the request."""


async def preview_request(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any]
) -> tuple[RequestPreview, ValidatedInput[LeaveRequestInput]]:
    """Return the balances that a request would leave and its clashes, without saving it."""
    async with tenant.transaction() as tx:
        client_id = await require_self_or_writer(tx, employee_id)
        async with client_view(tx, client_id):
            context = await _load_context(tx, client_id, employee_id)
            checker = LeaveDayChecker(context)
            validated = await asyncio.to_thread(LEAVE_REQUEST.parse_create, body, checker.check_days)
            await require_open_dates(tx, client_id, employee_id, [day.date for day in checker.days])
            clashes = await _load_day_clashes(tx, client_id, employee_id, checker)
            days = [RequestedDay("", day.date, day.type_id, day.millihours) for day in checker.days]
            leave = UndecidedLeave(NEW_REQUEST, employee_id, days)
            holidays = await load_requested_holidays(tx, client_id, [leave])
    validated.warnings.update({**checker.warnings, **clash_warnings(clashes, validated.data.dates)})
    requested = [(day.type_id, day.date, day.millidays) for day in checker.days]
    balances = await asyncio.to_thread(_remaining_balances, context.ledger, requested)
    last, pending = max(day.date for day in checker.days), _pending_days(context, requested)
    preview = RequestPreview(
        balances,
        clashes,
        passes_limit=bool(checker.warnings),
        counts_pending=any(day <= last for day, _ in pending),
        pending_later_days=format_thousandths(sum(millidays for day, millidays in pending if day > last)),
        unlimited_ids=_unlimited_ids(context.ledger, requested),
        unpaid_holidays=holidays.get(NEW_REQUEST, []),
    )
    return preview, validated


async def list_clashes(tenant: Tenant, request_id: int) -> list[dict[str, Any]]:
    """List who of the same group is away on the days of a request or has asked for them, and own leave."""
    async with tenant.read_only() as tx:
        row = await _load(tx, request_id)
        client_id, employee_id = row["client_id"], row["employee_id"]
        await require_officer(tx, client_id, NOT_OTHERS)
        days = [date.fromisoformat(day["date"]) for day in msgspec.json.decode(row["dates"])]
        clashes = await load_clashes(tx, client_id, [RequestedDate(request_id, employee_id, day) for day in days])
        labels = await directory.load_employee_labels(tx, client_id, [clash.employee_id for clash in clashes])
    return [
        {
            "date": clash.date,
            "employee_id": clash.employee_id,
            "number": labels[clash.employee_id].number,
            "name": labels[clash.employee_id].name,
            "status": clash.status,
        }
        for clash in clashes
    ]


async def cancel_request(tenant: Tenant, request_id: int) -> None:
    """Cancel a pending request. Employees may do this for themselves."""
    async with tenant.transaction() as tx:
        client_id = await _lock_own(tx, request_id, PENDING)
        await repository.set_status(tx, client_id, request_id, CANCELLED)
        _emit(tx, EventType.LEAVE_CANCELLED, client_id, request_id)


async def withdraw_request(tenant: Tenant, request_id: int) -> None:
    """Ask to withdraw approved leave. Its days stay until the withdrawal is approved."""
    async with tenant.transaction() as tx:
        client_id = await _lock_own(tx, request_id, APPROVED)
        if not await has_request_days(tx, client_id, request_id):
            raise Conflict(f"Leave request {request_id} has no recorded days")
        await repository.set_status(tx, client_id, request_id, WITHDRAWING)
        _emit(tx, EventType.LEAVE_REQUESTED, client_id, request_id)


async def approve_request(
    tenant: Tenant, request_id: int, body: Mapping[str, Any], *, late: bool = False
) -> tuple[list[int], ValidatedInput[DecisionInput]]:
    """Approve a request and record its days, or approve its withdrawal and delete them. Returns the new ids."""
    async with tenant.transaction() as tx:
        row = await _lock_undecided(tx, request_id)
        client_id, employee_id = row["client_id"], row["employee_id"]
        validated = DECISION.parse_create(body)
        if row["status"] == WITHDRAWING:
            warnings = await delete_request_days(tx, client_id, employee_id, request_id, late=late)
            validated.warnings.update(warnings)
            await repository.decide(tx, client_id, request_id, WITHDRAWN, validated.data.answer)
            _emit(tx, EventType.LEAVE_CANCELLED, client_id, request_id)
            _emit_decision(tx, row, "withdrawal approved", validated.data.answer)
            return [], validated
        checker = LeaveDayChecker(await load_leave_context(tx, client_id, employee_id))
        await asyncio.to_thread(_revalidate, checker, row["dates"])
        await repository.decide(tx, client_id, request_id, APPROVED, validated.data.answer)
        _emit(tx, EventType.LEAVE_APPROVED, client_id, request_id)
        ids, warnings = await record_days(tx, client_id, employee_id, checker.days, request_id, late=late)
        validated.warnings.update({**checker.warnings, **warnings})
        _emit_decision(tx, row, APPROVED, validated.data.answer)
        return ids, validated


async def decline_request(
    tenant: Tenant, request_id: int, body: Mapping[str, Any]
) -> tuple[str, ValidatedInput[DecisionInput]]:
    """Decline a request, or its withdrawal: its days then stay. Returns the new status."""
    async with tenant.transaction() as tx:
        row = await _lock_undecided(tx, request_id)
        validated = DECISION.parse_create(body)
        status = APPROVED if row["status"] == WITHDRAWING else DECLINED
        await repository.decide(tx, row["client_id"], request_id, status, validated.data.answer)
        _emit(tx, EventType.LEAVE_DECLINED, row["client_id"], request_id)
        decision = DECLINED if status == DECLINED else "withdrawal declined"
        _emit_decision(tx, row, decision, validated.data.answer)
        return status, validated


def _emit(tx: Transaction, event_type: EventType, client_id: int, request_id: int) -> None:
    tx.emit(ResourceEvent(event_type, client_id, (request_id,)))


def _emit_decision(tx: Transaction, row: asyncpg.Record, decision: str, comment: str | None) -> None:
    days = tuple(date.fromisoformat(day["date"]) for day in msgspec.json.decode(row["dates"]))
    tx.emit(LeaveDecided(row["client_id"], row["employee_id"], days, decision, comment))


async def _load_context(tx: Transaction, client_id: int, employee_id: int) -> LeaveContext:
    """Load what a request is checked against. Days of pending requests count as taken."""
    context = await load_leave_context(tx, client_id, employee_id)
    rows = await repository.load_pending_dates(tx, client_id, employee_id)
    pending = [RequestedDay.from_record("", row) for row in rows]
    return await run_in_thread_if_many(len(pending), lambda: context.with_pending(pending))


def _pending_days(context: LeaveContext, requested: Sequence[LeaveEntry]) -> list[tuple[date, int]]:
    """Return date and thousandths of days of pending leave of the requested types."""
    type_ids = {type_id for type_id, _, _ in requested}
    return [(day, millidays) for type_id, day, millidays in context.pending if type_id in type_ids]


def _unlimited_ids(ledger: LeaveLedger, requested: Sequence[LeaveEntry]) -> frozenset[int]:
    leave_types = [(ledger.find_type(type_id), day) for type_id, day, _ in requested]
    return frozenset(
        leave_type.id for leave_type, day in leave_types if leave_type and leave_type.policy(day).is_unlimited
    )


async def _load_day_clashes(
    tx: Transaction, client_id: int, employee_id: int, checker: LeaveDayChecker
) -> list[DayClashes]:
    dates = [RequestedDate(NEW_REQUEST, employee_id, day.date) for day in checker.days]
    clashes = await load_clashes(tx, client_id, dates)
    return summarise_clashes(clashes, employee_id)


def _remaining_balances(ledger: LeaveLedger, entries: Sequence[LeaveEntry]) -> list[dict[str, Any]]:
    """The balance of each requested type on the last requested date, before and after the request."""
    last, requested = max(day for _, day, _ in entries), ledger.with_leave(entries)
    return [
        {
            "type_id": leave_type.id,
            "type": leave_type.name,
            "date": last,
            "before": _balance(ledger, leave_type, last),
            "after": _balance(requested, leave_type, last),
        }
        for leave_type in ledger.types
        if leave_type.id in {type_id for type_id, _, _ in entries}
    ]


def _balance(ledger: LeaveLedger, leave_type: LeaveType, day: date) -> int | float:
    movements = ledger.movements(leave_type, day, describe=False)
    return format_thousandths(sum(movement.millidays for movement in movements))


def _revalidate(checker: LeaveDayChecker, dates: str) -> None:
    """Reject a request whose days can no longer be recorded."""
    errors = Errors()
    days: list[dict[str, Any]] = msgspec.json.decode(dates)
    checker.check_days({"dates": [{**day, "date": date.fromisoformat(day["date"])} for day in days]}, errors)
    if errors:
        raise ValidationError(errors)


async def _load(tx: Transaction, request_id: int) -> asyncpg.Record:
    row = await repository.load_request(tx, request_id)
    if row is None:
        raise _not_found(request_id)
    return row


async def _lock_own(tx: Transaction, request_id: int, status: str) -> int:
    """Lock a request of the caller, or one that the caller can change, in this status. Returns the client."""
    row = await _load(tx, request_id)
    client_id = await require_self_or_writer(tx, row["employee_id"])
    locked = await repository.lock_request(tx, request_id)
    if locked is None or locked["status"] != status:
        raise Conflict(f"Leave request {request_id} is not {status}")
    return client_id


async def _lock_undecided(tx: Transaction, request_id: int) -> asyncpg.Record:
    """Lock the employee of a request that waits for a decision, then the request."""
    row = await _load(tx, request_id)
    await lock_employee_for_pay_change(tx, row["employee_id"])
    locked = await repository.lock_request(tx, request_id)
    if locked is None:
        raise _not_found(request_id)
    if locked["status"] not in (PENDING, WITHDRAWING):
        raise Conflict(f"Leave request {request_id} has already been {locked['status']}")
    return locked


def _not_found(request_id: int) -> NotFound:
    return NotFound(f"Leave request {request_id} does not exist")
