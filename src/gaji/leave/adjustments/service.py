"""What can be asked about leave adjustments."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import asyncpg

from gaji.core.errors import NotFound
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.law.quantities import MILLI
from gaji.leave.adjustments import repository
from gaji.leave.adjustments.rules import LEAVE_ADJUSTMENT, fits
from gaji.leave.balances.ledger import ledger_of
from gaji.leave.events import LeaveRecorded
from gaji.periods.guards import require_open_dates
from gaji.people.employees.identity import payable_employee, readable_employee


async def list_adjustments(tenant: Tenant, employee_id: int, page: Page | None) -> tuple[list[str], int]:
    """The adjustments of an employee as JSON, and how many there are in all."""
    async with tenant.reading() as tx:
        client_id = await readable_employee(tx, employee_id)
        return await repository.elements(tx, client_id, employee_id, page)


async def create_adjustment(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Grant an employee days of leave, or take some back."""
    async with tenant.transaction() as tx:
        client_id = await payable_employee(tx, employee_id)
        reading = LEAVE_ADJUSTMENT.parse_create(body, fits(await ledger_of(tx, client_id, employee_id)))
        await require_open_dates(tx, client_id, employee_id, [reading.record["date"]])
        adjustment_id = await repository.insert(tx, client_id, employee_id, reading.record)
        tx.emit(LeaveRecorded(client_id, employee_id))
        return adjustment_id, reading


async def update_adjustment(tenant: Tenant, adjustment_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Change what the body names of an adjustment."""
    async with tenant.transaction() as tx:
        found = await _for_change(tx, adjustment_id)
        client_id, employee_id = found["client_id"], found["employee_id"]
        current = {
            "type_id": found["leave_type_id"],
            "date": found["date"],
            "days": Decimal(found["millidays"]) / MILLI,
            "reason": found["reason"],
        }
        ledger = await ledger_of(tx, client_id, employee_id)
        reading = LEAVE_ADJUSTMENT.parse_update(body, current, fits(ledger))
        await require_open_dates(tx, client_id, employee_id, [found["date"], reading.record["date"]])
        await repository.update(tx, client_id, adjustment_id, reading.record)
        tx.emit(LeaveRecorded(client_id, employee_id))
        return reading


async def delete_adjustment(tenant: Tenant, adjustment_id: int) -> None:
    """Take an adjustment back."""
    async with tenant.transaction() as tx:
        found = await _for_change(tx, adjustment_id)
        await require_open_dates(tx, found["client_id"], found["employee_id"], [found["date"]])
        await repository.delete(tx, found["client_id"], adjustment_id)
        tx.emit(LeaveRecorded(found["client_id"], found["employee_id"]))


async def _for_change(tx: Transaction, adjustment_id: int) -> asyncpg.Record:
    """What is kept of an adjustment, read when nobody else can change it."""
    found = await repository.kept(tx, adjustment_id)
    if found is not None:
        await payable_employee(tx, found["employee_id"])
        found = await repository.kept(tx, adjustment_id)
    if found is None:
        raise NotFound(f"There is no leave adjustment {adjustment_id}")
    return found
