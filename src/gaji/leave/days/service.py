"""What can be asked about days of leave."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import asyncpg

from gaji.core.errors import NotFound
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.law.quantities import MILLI
from gaji.leave.days import repository
from gaji.leave.days.validate import Checked, surroundings_of
from gaji.leave.days.rules import LEAVE_DAY, LEAVE_DAYS
from gaji.leave.days.repository import NewDay
from gaji.leave.events import LeaveRecorded
from gaji.periods.guards import require_open_dates
from gaji.periods.queries import load_paid_periods
from gaji.people.employees.identity import payable_employee, readable_employee
from gaji.people.service_periods import facts as service_periods


async def list_days(
    tenant: Tenant, employee_id: int, first: date | None, last: date | None, page: Page | None
) -> tuple[list[str], int]:
    """The days of leave of an employee in service as JSON, and how many there are in all."""
    async with tenant.reading() as tx:
        client_id = await readable_employee(tx, employee_id)
        service = [
            (one.start, one.end) for one in (await service_periods.services(tx, client_id, [employee_id]))[employee_id]
        ]
        rows, total = await repository.elements(tx, client_id, employee_id, service, first, last, page)
        periods = await load_paid_periods(tx, client_id, employee_id, [row["date"] for row in rows])
    found = [
        (row["element"], next((one.payslip_id for one in periods if one.holds(row["date"])), "null")) for row in rows
    ]
    return [f'{element[:-1]},"payslip_id":{payslip_id}}}' for element, payslip_id in found], total


async def create_day(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Record a day of leave, or a part of one."""
    async with tenant.transaction() as tx:
        client_id = await payable_employee(tx, employee_id)
        checked = Checked(await surroundings_of(tx, client_id, employee_id))
        reading = LEAVE_DAY.parse_create(body, checked.one)
        [day_id] = await record_days(tx, client_id, employee_id, checked.days)
        return day_id, reading


async def create_days(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> tuple[list[int], ValidatedInput]:
    """Record several days of leave, all or none."""
    async with tenant.transaction() as tx:
        client_id = await payable_employee(tx, employee_id)
        checked = Checked(await surroundings_of(tx, client_id, employee_id))
        reading = LEAVE_DAYS.parse_create(body, checked.several)
        return await record_days(tx, client_id, employee_id, checked.days), reading


async def update_day(tenant: Tenant, day_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Change what the body names of a day of leave."""
    async with tenant.transaction() as tx:
        client_id, employee_id, current = await _for_change(tx, day_id)
        hours = current["millihours"] and Decimal(current["millihours"]) / MILLI
        before = {"date": current["date"], "type_id": current["leave_type_id"], "hours": hours}
        checked = Checked(await surroundings_of(tx, client_id, employee_id, replaced=day_id))
        reading = LEAVE_DAY.parse_update(body, before, checked.one)
        [day] = checked.days
        await require_open_dates(tx, client_id, employee_id, [current["date"], day.date])
        await repository.update(tx, client_id, day_id, day)
        tx.emit(LeaveRecorded(client_id, employee_id))
        return reading


async def delete_day(tenant: Tenant, day_id: int) -> None:
    """Take a day of leave back."""
    async with tenant.transaction() as tx:
        client_id, employee_id, current = await _for_change(tx, day_id)
        await require_open_dates(tx, client_id, employee_id, [current["date"]])
        await repository.delete(tx, client_id, day_id)
        tx.emit(LeaveRecorded(client_id, employee_id))


async def record_days(
    tx: Transaction, client_id: int, employee_id: int, days: Sequence[NewDay], request_id: int | None = None
) -> list[int]:
    """Keep days that were checked, unless one is in a finalised period; gives their ids in order."""
    await require_open_dates(tx, client_id, employee_id, [one.date for one in days])
    ids = await repository.insert(tx, client_id, employee_id, days, request_id)
    tx.emit(LeaveRecorded(client_id, employee_id))
    return ids


async def _for_change(tx: Transaction, day_id: int) -> tuple[int, int, asyncpg.Record]:
    """The client and the employee of a day of leave, and what is kept of it; read when nobody else can change it."""
    found = await repository.kept(tx, day_id)
    if found is not None:
        await payable_employee(tx, found["employee_id"])
        found = await repository.kept(tx, day_id)
    if found is None:
        raise NotFound(f"There is no leave day {day_id}")
    return found["client_id"], found["employee_id"], found
