"""Leave adjustment use cases."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import asyncpg

from gaji.core.errors import NotFound
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.record_changes import ChangedRecords, ChangeRequest, load_changed_records
from gaji.db.tenancy import Tenant, Transaction
from gaji.law.quantities import MILLI
from gaji.leave.adjustments import repository
from gaji.leave.adjustments.schemas import LEAVE_ADJUSTMENT, AdjustmentInput, adjustment_rule
from gaji.leave.balances.ledger import load_ledger
from gaji.leave.events import LeaveRecorded
from gaji.people.employees.access import (
    lock_employee_for_pay_change,
    require_followable_employee,
    require_readable_employee,
)
from gaji.periods.guards import require_open_dates


async def list_adjustments(
    tenant: Tenant, employee_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the adjustments of an employee as JSON, with the total count."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return await repository.list_elements(tx, client_id, employee_id, page, filters)


async def list_changed_adjustments(tenant: Tenant, employee_id: int, request: ChangeRequest) -> ChangedRecords:
    """List the adjustments of an employee that changed after a position as JSON."""
    async with tenant.read_only() as tx:
        client_id = await require_followable_employee(tx, employee_id)
        scope = {"client_id": client_id, "employee_id": employee_id}

        async def load_elements(ids: list[int]) -> list[str]:
            return (await repository.list_elements(tx, client_id, employee_id, None, {"ids": ids}))[0]

        return await load_changed_records(tx, scope, "leave_adjustment", request, load_elements)


async def create_adjustment(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[AdjustmentInput]]:
    """Grant days of leave to an employee, or deduct them."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        ledger = await load_ledger(tx, client_id, employee_id)
        validated = LEAVE_ADJUSTMENT.parse_create(body, adjustment_rule(ledger))
        await require_open_dates(tx, client_id, employee_id, [validated.data.date])
        adjustment_id = await repository.insert(tx, client_id, employee_id, validated.data)
        tx.emit(LeaveRecorded(client_id, employee_id))
        return adjustment_id, validated


async def update_adjustment(
    tenant: Tenant, adjustment_id: int, body: Mapping[str, Any]
) -> ValidatedInput[AdjustmentInput]:
    """Update an adjustment."""
    async with tenant.transaction() as tx:
        row = await _lock_adjustment(tx, adjustment_id)
        client_id, employee_id = row["client_id"], row["employee_id"]
        current = {
            "type_id": row["leave_type_id"],
            "date": row["date"],
            "days": Decimal(row["millidays"]) / MILLI,
            "reason": row["reason"],
        }
        ledger = await load_ledger(tx, client_id, employee_id)
        validated = LEAVE_ADJUSTMENT.parse_update(body, current, adjustment_rule(ledger, row["date"]))
        await require_open_dates(tx, client_id, employee_id, [row["date"], validated.data.date])
        await repository.update(tx, client_id, adjustment_id, validated.data)
        tx.emit(LeaveRecorded(client_id, employee_id))
        return validated


async def delete_adjustment(tenant: Tenant, adjustment_id: int) -> None:
    """Delete an adjustment."""
    async with tenant.transaction() as tx:
        row = await _lock_adjustment(tx, adjustment_id)
        await require_open_dates(tx, row["client_id"], row["employee_id"], [row["date"]])
        await repository.delete(tx, row["client_id"], adjustment_id)
        tx.emit(LeaveRecorded(row["client_id"], row["employee_id"]))


async def _lock_adjustment(tx: Transaction, adjustment_id: int) -> asyncpg.Record:
    """Lock the employee of an adjustment, then load the adjustment again."""
    row = await repository.load_adjustment(tx, adjustment_id)
    if row is not None:
        await lock_employee_for_pay_change(tx, row["employee_id"])
        row = await repository.load_adjustment(tx, adjustment_id)
    if row is None:
        raise NotFound(f"Leave adjustment {adjustment_id} does not exist")
    return row
