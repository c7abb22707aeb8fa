"""Why an employee has no leave of a type: it starts later, or it is for a child that is not recorded."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from gaji.db.tenancy import Tenant
from gaji.engine.leave.child_leave_types import CHILD_LEAVE_TYPES
from gaji.engine.leave.movements import LeaveService, Movement, MovementKind
from gaji.engine.leave.policies import LeavePolicy
from gaji.law.columns import date_column
from gaji.law.length_of_service import completed_months
from gaji.leave.balances.ledger import LeaveLedger, load_ledger
from gaji.leave.types.queries import LeaveType
from gaji.people.employees.access import require_readable_employee
from gaji.people.self_service.access import client_view

A_YEAR = timedelta(days=366)
GAINS = (MovementKind.TAKE_ON, MovementKind.ACCRUAL, MovementKind.GRANT, MovementKind.ADJUSTMENT)


@dataclass(frozen=True)
class LeaveStart:
    """The first day on which an employee has leave of a type."""

    date: date
    service_months: int | None
    """The months of service that the policy requires first. None if they are completed or it requires none."""


@dataclass(frozen=True)
class LeaveAvailability:
    """Which leave types an employee has, around a day."""

    starts: Mapping[int, LeaveStart]
    """When leave starts, by type, for types of which the employee has had none so far."""
    lacking_child: frozenset[int]
    """Types for children of which no recorded child gives any leave."""
    has_children: bool


async def load_availability(tenant: Tenant, employee_id: int, day: date) -> LeaveAvailability:
    """Return which leave types an employee has around a day."""
    async with tenant.transaction() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        async with client_view(tx, client_id):
            ledger = await load_ledger(tx, client_id, employee_id)
    # In a thread: a service of many years has thousands of movements.
    return await asyncio.to_thread(_availability, ledger, day)


def shortage_params(ledger: LeaveLedger, leave_type: LeaveType, day: date) -> dict[str, Any]:
    """Return why there is no leave of a type on a day, as parameters of an error. Empty if it was used up."""
    gains = _list_gains(ledger, leave_type, day)
    if _lacks_child(leave_type, gains, day):
        return {"requires": "child"}
    start = _find_start(ledger, leave_type, gains, day)
    if start is None:
        return {}
    months = {} if start.service_months is None else {"service_months": start.service_months}
    return {"available_from": start.date, **months}


def _availability(ledger: LeaveLedger, day: date) -> LeaveAvailability:
    gains = {leave_type.id: _list_gains(ledger, leave_type, day) for leave_type in ledger.types}
    starts = {
        leave_type.id: start
        for leave_type in ledger.types
        if (start := _find_start(ledger, leave_type, gains[leave_type.id], day)) is not None
    }
    lacking_child = (
        leave_type.id for leave_type in ledger.types if _lacks_child(leave_type, gains[leave_type.id], day)
    )
    return LeaveAvailability(starts, frozenset(lacking_child), ledger.parents is not None)


def _list_gains(ledger: LeaveLedger, leave_type: LeaveType, day: date) -> list[Movement]:
    """The movements that add leave, up to a year after a day."""
    until = min(day, date.max - A_YEAR) + A_YEAR
    movements = ledger.movements(leave_type, until, describe=False)
    return [movement for movement in movements if movement.kind in GAINS and movement.millidays > 0]


def _find_start(ledger: LeaveLedger, leave_type: LeaveType, gains: list[Movement], day: date) -> LeaveStart | None:
    """When leave starts, if the employee is in service on a day and had none of the type in this service until then."""
    service = next((service for service in ledger.services(leave_type) if _is_in_service(service, day)), None)
    if service is None:
        return None
    dates = [movement.date for movement in gains if movement.date >= service.first]
    if not dates or dates[0] <= day:
        return None
    return LeaveStart(dates[0], _missing_months(leave_type.policy(day), service, day))


def _is_in_service(service: LeaveService, day: date) -> bool:
    return service.first <= day and (service.last is None or day <= service.last)


def _missing_months(policy: LeavePolicy, service: LeaveService, day: date) -> int | None:
    """The months of service that a policy requires, if they are not completed on a day."""
    months = policy.min_service_months if policy.first_year is None else min(policy.first_year.thresholds, default=0)
    served = int(completed_months(date_column([service.first]), date_column([day]))[0])
    return months if served < months else None


def _lacks_child(leave_type: LeaveType, gains: list[Movement], day: date) -> bool:
    """Whether a type is for children only and gives no leave within a year before or after a day."""
    policy = leave_type.policy(day)
    if leave_type.system_type not in CHILD_LEAVE_TYPES or leave_type.accrues or policy.allows_negative:
        return False
    earliest = max(day, date.min + A_YEAR) - A_YEAR
    return not any(movement.date >= earliest for movement in gains)
