"""What can be asked about leave balances."""

from datetime import date
from itertools import accumulate
from typing import Any

from gaji.core import clock
from gaji.core.errors import INVALID, invalid
from gaji.db.tenancy import Tenant
from gaji.engine.leave.movements import ORDER
from gaji.leave.balances.columns import balances_on
from gaji.leave.balances.ledger import Ledger, ledger_of
from gaji.leave.quantities import shown
from gaji.leave.types.queries import LeaveType
from gaji.people.employees.identity import readable_employee
from gaji.people.self_service.access import seeing_client

Told = dict[str, Any]


async def read_balances(tenant: Tenant, employee_id: int, on: date | None) -> dict[int, int | float]:
    """The balance of each type on a day, or today, by the id of the type."""
    async with tenant.transaction() as tx:
        client_id = await readable_employee(tx, employee_id)
        async with seeing_client(tx, client_id):
            found = await balances_on(tx, client_id, on or clock.today(), [employee_id])
    balances = found.millidays[0].tolist() if found.employee_ids else [0] * len(found.types)
    return {one.id: shown(millidays) for one, millidays in zip(found.types, balances, strict=True)}


async def list_movements(
    tenant: Tenant, employee_id: int, first: date | None, last: date | None, type_id: int | None
) -> list[Told]:
    """Every movement from a day to a day, or to today; of all types or of one."""
    async with tenant.transaction() as tx:
        client_id = await readable_employee(tx, employee_id)
        async with seeing_client(tx, client_id):
            ledger = await ledger_of(tx, client_id, employee_id)
    if type_id is not None and ledger.type_of(type_id) is None:
        raise invalid("type_id", INVALID, reason=f"there is no leave type {type_id} in this client")
    chosen = [one for one in ledger.types if type_id in (None, one.id)]
    found = [told for one in chosen for told in _told(ledger, one, last or clock.today())]
    found.sort(key=lambda told: (told["date"], ORDER[told["kind"]]))
    return [told for told in found if first is None or told["date"] >= first]


def _told(ledger: Ledger, one: LeaveType, until: date) -> list[Told]:
    """The movements of a type, each with the balance that it leaves."""
    moves = ledger.movements(one, until)
    return [
        {
            "date": move.date,
            "type_id": one.id,
            "type": one.name,
            "kind": move.kind,
            "days": shown(move.millidays),
            "balance": shown(left),
            "reason": move.reason,
        }
        for move, left in zip(moves, accumulate(move.millidays for move in moves), strict=True)
    ]
