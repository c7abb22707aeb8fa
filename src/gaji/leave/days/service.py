"""Leave day use cases.

Days are checked in a thread, because the balances of a service of many years take long.
"""

import asyncio
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import asyncpg

from gaji.core.errors import NotFound
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.record_changes import CHANGES_WITH_EMPLOYEE, ChangedRecords, ChangeRequest, load_changed_records
from gaji.db.tenancy import Tenant, Transaction
from gaji.law.quantities import MILLI
from gaji.leave.days import repository
from gaji.leave.days.repository import NewLeaveDay
from gaji.leave.days.schemas import (
    LEAVE_DAY,
    LEAVE_DAY_IDS,
    LEAVE_DAYS,
    LeaveDayIdsInput,
    LeaveDayInput,
    LeaveDaysInput,
)
from gaji.leave.days.validate import LeaveDayChecker, known_days_rule, load_leave_context
from gaji.leave.events import LeaveRecorded
from gaji.people.employees.access import (
    lock_employee_for_pay_change,
    require_followable_employee,
    require_readable_employee,
)
from gaji.people.service_periods import queries as service_periods
from gaji.periods.guards import Warnings, require_open_dates
from gaji.periods.queries import load_paid_periods


async def list_days(
    tenant: Tenant, employee_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the leave days of an employee in service as JSON, with the total count."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return await _load_elements(tx, client_id, employee_id, page, filters)


async def list_changed_days(tenant: Tenant, employee_id: int, request: ChangeRequest) -> ChangedRecords:
    """List the leave days of an employee that changed after a position as JSON."""
    async with tenant.read_only() as tx:
        client_id = await require_followable_employee(tx, employee_id)
        scope = {"client_id": client_id, "employee_id": employee_id}

        async def load_elements(ids: list[int]) -> list[str]:
            return (await _load_elements(tx, client_id, employee_id, None, {"ids": ids}))[0]

        return await load_changed_records(tx, scope, "leave_day", request, load_elements, CHANGES_WITH_EMPLOYEE)


async def _load_elements(
    tx: Transaction, client_id: int, employee_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[str], int]:
    intervals = (await service_periods.load_service_intervals(tx, client_id, [employee_id]))[employee_id]
    service = [(interval.start, interval.end) for interval in intervals]
    rows, total = await repository.list_elements(tx, client_id, employee_id, service, page, filters)
    periods = await load_paid_periods(tx, client_id, employee_id, [row["date"] for row in rows])
    elements = []
    for row in rows:
        payslip_id = next((period.payslip_id for period in periods if period.contains(row["date"])), "null")
        elements.append(f'{row["element"][:-1]},"payslip_id":{payslip_id}}}')
    return elements, total


async def create_day(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any], *, late: bool = False
) -> tuple[int, ValidatedInput[LeaveDayInput]]:
    """Record a leave day, or a part of one."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        checker = LeaveDayChecker(await load_leave_context(tx, client_id, employee_id))
        validated = await asyncio.to_thread(LEAVE_DAY.parse_create, body, checker.check_day)
        [day_id], warnings = await record_days(tx, client_id, employee_id, checker.days, late=late)
        validated.warnings.update({**checker.warnings, **warnings})
        return day_id, validated


async def create_days(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any], *, late: bool = False
) -> tuple[list[int], ValidatedInput[LeaveDaysInput]]:
    """Record several leave days, all or none."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        checker = LeaveDayChecker(await load_leave_context(tx, client_id, employee_id))
        validated = await asyncio.to_thread(LEAVE_DAYS.parse_create, body, checker.check_days)
        ids, warnings = await record_days(tx, client_id, employee_id, checker.days, late=late)
        validated.warnings.update({**checker.warnings, **warnings})
        return ids, validated


async def update_day(
    tenant: Tenant, day_id: int, body: Mapping[str, Any], *, late: bool = False
) -> ValidatedInput[LeaveDayInput]:
    """Update a leave day."""
    async with tenant.transaction() as tx:
        row = await _lock_day(tx, day_id)
        client_id, employee_id = row["client_id"], row["employee_id"]
        hours = row["millihours"] and Decimal(row["millihours"]) / MILLI
        current = {"date": row["date"], "type_id": row["leave_type_id"], "hours": hours}
        checker = LeaveDayChecker(await load_leave_context(tx, client_id, employee_id, exclude_day_id=day_id))
        validated = await asyncio.to_thread(LEAVE_DAY.parse_update, body, current, checker.check_day)
        [day] = checker.days
        warnings = await require_open_dates(tx, client_id, employee_id, [row["date"], day.date], late=late)
        validated.warnings.update({**checker.warnings, **warnings})
        await repository.update(tx, client_id, day_id, day)
        tx.emit(LeaveRecorded(client_id, employee_id))
        return validated


async def delete_day(tenant: Tenant, day_id: int, *, late: bool = False) -> Warnings:
    """Delete a leave day. Returns warnings."""
    async with tenant.transaction() as tx:
        row = await _lock_day(tx, day_id)
        client_id, employee_id = row["client_id"], row["employee_id"]
        warnings = await require_open_dates(tx, client_id, employee_id, [row["date"]], late=late)
        await repository.delete(tx, client_id, [day_id])
        tx.emit(LeaveRecorded(client_id, employee_id))
        return warnings


async def delete_days(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any], *, late: bool = False
) -> ValidatedInput[LeaveDayIdsInput]:
    """Delete several leave days of an employee, all or none."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        dates = {row["id"]: row["date"] for row in await repository.load_hours(tx, client_id, employee_id)}
        validated = LEAVE_DAY_IDS.parse_create(body, known_days_rule(dates))
        day_ids = validated.data.ids
        days = [dates[day_id] for day_id in day_ids]
        validated.warnings.update(await require_open_dates(tx, client_id, employee_id, days, late=late))
        await repository.delete(tx, client_id, day_ids)
        tx.emit(LeaveRecorded(client_id, employee_id))
        return validated


async def record_days(
    tx: Transaction,
    client_id: int,
    employee_id: int,
    days: Sequence[NewLeaveDay],
    request_id: int | None = None,
    *,
    late: bool = False,
) -> tuple[list[int], Warnings]:
    """Save checked days. Return their ids in order, and warnings.

    Days inside a finalised period are rejected, unless they are late.
    """
    warnings = await require_open_dates(tx, client_id, employee_id, [day.date for day in days], late=late)
    ids = await repository.insert(tx, client_id, employee_id, days, request_id)
    tx.emit(LeaveRecorded(client_id, employee_id))
    return ids, warnings


async def load_employee_of_day(tx: Transaction, day_id: int) -> int:
    """Return the employee of a leave day that the caller may see. Raises NotFound."""
    row = await repository.load_day(tx, day_id)
    if row is None:
        raise _not_found(day_id)
    employee_id: int = row["employee_id"]
    return employee_id


async def has_request_days(tx: Transaction, client_id: int, request_id: int) -> bool:
    """Return whether any leave day of a request is recorded."""
    return bool(await repository.load_request_days(tx, client_id, request_id))


async def delete_request_days(
    tx: Transaction, client_id: int, employee_id: int, request_id: int, *, late: bool = False
) -> Warnings:
    """Delete the leave days of a request. Returns warnings.

    Days inside a finalised period are rejected, unless they are late.
    """
    dates = await repository.load_request_days(tx, client_id, request_id)
    warnings = await require_open_dates(tx, client_id, employee_id, list(dates.values()), late=late)
    await repository.delete(tx, client_id, list(dates))
    tx.emit(LeaveRecorded(client_id, employee_id))
    return warnings


async def _lock_day(tx: Transaction, day_id: int) -> asyncpg.Record:
    """Lock the employee of a leave day, then load the day again."""
    row = await repository.load_day(tx, day_id)
    if row is not None:
        await lock_employee_for_pay_change(tx, row["employee_id"])
        row = await repository.load_day(tx, day_id)
    if row is None:
        raise _not_found(day_id)
    return row


def _not_found(day_id: int) -> NotFound:
    return NotFound(f"Leave day {day_id} does not exist")
