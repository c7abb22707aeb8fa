"""Leave balance use cases."""

import asyncio
from collections.abc import Sequence
from datetime import date
from itertools import accumulate
from typing import Any

from gaji.core import clock
from gaji.core.error_codes import UNKNOWN_ID
from gaji.core.errors import invalid
from gaji.db.tenancy import Tenant
from gaji.engine.leave.movements import MOVEMENT_ORDER
from gaji.leave.balances.columns import load_balances
from gaji.leave.balances.ledger import LeaveLedger, load_ledger
from gaji.leave.quantities import format_thousandths
from gaji.leave.types.queries import LeaveType
from gaji.people.employees.access import require_readable_employee
from gaji.people.self_service.access import client_view

MovementJson = dict[str, Any]


async def read_balances(tenant: Tenant, employee_id: int, as_of: date | None) -> dict[int, int | float]:
    """Return the balance of each leave type on a day, by type. Default: today."""
    async with tenant.transaction() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        async with client_view(tx, client_id):
            columns = await load_balances(tx, client_id, as_of or clock.today(), [employee_id])
    balances = columns.millidays[0].tolist() if columns.employee_ids else [0] * len(columns.types)
    return {
        leave_type.id: format_thousandths(millidays)
        for leave_type, millidays in zip(columns.types, balances, strict=True)
    }


async def list_movements(
    tenant: Tenant, employee_id: int, first: date | None, last: date | None, type_id: int | None
) -> list[MovementJson]:
    """List the movements of all leave types or one, from a first day to a last day. Default for the last: today."""
    async with tenant.transaction() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        async with client_view(tx, client_id):
            ledger = await load_ledger(tx, client_id, employee_id)
    if type_id is not None and ledger.find_type(type_id) is None:
        raise invalid("type_id", UNKNOWN_ID, resource="leave type", id=type_id)
    leave_types = [leave_type for leave_type in ledger.types if type_id in (None, leave_type.id)]
    # In a thread: a service of many years has thousands of movements.
    return await asyncio.to_thread(_list_movements_json, ledger, leave_types, first, last or clock.today())


def _list_movements_json(
    ledger: LeaveLedger, leave_types: Sequence[LeaveType], first: date | None, until: date
) -> list[MovementJson]:
    """The movements of some types from a first day, or from the beginning, in chronological order."""
    movements = [movement for leave_type in leave_types for movement in _movements_json(ledger, leave_type, until)]
    movements.sort(key=lambda movement: (movement["date"], MOVEMENT_ORDER[movement["kind"]]))
    return [movement for movement in movements if first is None or movement["date"] >= first]


def _movements_json(ledger: LeaveLedger, leave_type: LeaveType, until: date) -> list[MovementJson]:
    """The movements of a type, each with the resulting balance."""
    movements = ledger.movements(leave_type, until)
    balances = accumulate(movement.millidays for movement in movements)
    return [
        {
            "date": movement.date,
            "type_id": leave_type.id,
            "type": leave_type.name,
            "kind": movement.kind,
            "days": format_thousandths(movement.millidays),
            "balance": format_thousandths(balance),
            "reason": movement.reason,
        }
        for movement, balance in zip(movements, balances, strict=True)
    ]
