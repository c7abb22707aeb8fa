"""Use cases of statutory leave."""

import asyncio
from collections.abc import Iterator
from datetime import date
from typing import Any

from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Tenant
from gaji.engine.leave.child_leave_explanations import StatutoryEntitlement, explain_child_leave
from gaji.engine.leave.movements import MovementKind
from gaji.engine.leave.part_time import part_time_hours
from gaji.engine.leave.statutory_explanations import (
    HOSPITALISATION,
    SICK,
    SickLeaveTaken,
    explain_service_leave,
    service_year_start,
)
from gaji.engine.regular_hours import WorkSchedule
from gaji.law.explanation import FactExplanation
from gaji.law.leave.part_time import PartTimeHours
from gaji.law.quantities import MILLI
from gaji.leave.balances.ledger import LeaveLedger, load_ledger
from gaji.leave.days.duration import load_day_lengths
from gaji.leave.quantities import format_thousandths
from gaji.leave.types.policy_schemas import DEEMED_FULL_TIME
from gaji.people.employees.access import require_readable_employee
from gaji.people.self_service.access import client_view
from gaji.people.service_periods.queries import ServiceTerm

StatutoryLeaveJson = dict[str, Any]


async def list_statutory_leave(tenant: Tenant, employee_id: int, day: date | None) -> list[StatutoryLeaveJson]:
    """List what the law grants an employee on a day, with explanations. Default: today."""
    async with tenant.transaction() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        async with client_view(tx, client_id):
            ledger = await load_ledger(tx, client_id, employee_id)
            day_lengths = await load_day_lengths(tx, client_id, [employee_id])
    schedule = day_lengths.schedule(employee_id)
    return await asyncio.to_thread(_explain, ledger, schedule, day or clock.today())


def _explain(ledger: LeaveLedger, schedule: WorkSchedule, day: date) -> list[StatutoryLeaveJson]:
    names = {leave_type.system_type: (leave_type.id, leave_type.name) for leave_type in ledger.types}
    return [
        _to_json(*names[entitlement.leave_type], entitlement)
        for term in ledger.terms
        if term.start <= day and (term.end is None or day <= term.end)
        for entitlement in _entitlements(ledger, schedule, term, day)
    ]


def _entitlements(
    ledger: LeaveLedger, schedule: WorkSchedule, term: ServiceTerm, day: date
) -> Iterator[StatutoryEntitlement]:
    law = current_law().leave
    taken = _sick_leave_taken(ledger, term.start, day)
    yield from explain_service_leave(law, term.start, day, taken, _part_time_hours(ledger, schedule, day))
    if ledger.parents is not None:
        parent = ledger.parents.parent(term.employee_id, term.start, term.end, None)
        yield from explain_child_leave(law, parent, ledger.taken_for_children(), day)


def _part_time_hours(ledger: LeaveLedger, schedule: WorkSchedule, day: date) -> dict[str, PartTimeHours | None]:
    """The hours of a part-time employee by leave type, with those of a full-time employee by the policy of the type."""
    week, limit = schedule.on(day), current_law().leave.part_time_below.nearest(day).value
    return {
        leave_type.system_type: part_time_hours(week, leave_type.policy(day).full_time or DEEMED_FULL_TIME, limit)
        for leave_type in ledger.types
        if leave_type.system_type is not None
    }


def _sick_leave_taken(ledger: LeaveLedger, first: date, day: date) -> SickLeaveTaken:
    """The sick leave taken in the year of service up to a day. Hospitalisation leave includes outpatient leave."""
    start = service_year_start(first, day)
    taken = {
        leave_type.system_type: -sum(
            movement.millidays
            for movement in ledger.recorded.get(leave_type.id, ())
            if movement.kind is MovementKind.TAKEN and start <= movement.date <= day
        )
        for leave_type in ledger.types
    }
    outpatient, total = taken[SICK], taken[HOSPITALISATION]
    return SickLeaveTaken(-(-outpatient // MILLI), -(-(total - outpatient) // MILLI))


def _to_json(type_id: int, name: str, entitlement: StatutoryEntitlement) -> StatutoryLeaveJson:
    return {
        "type_id": type_id,
        "type": name,
        "from": entitlement.first,
        "to": entitlement.last,
        "days": format_thousandths(entitlement.millidays),
        "explanations": [_explanation_json(explanation) for explanation in entitlement.explanations],
    }


def _explanation_json(explanation: FactExplanation) -> dict[str, Any]:
    return {
        "figure": explanation.figure,
        "result": explanation.result,
        "unit": explanation.unit,
        "inputs": explanation.inputs,
        "rule": explanation.rule,
        "source": explanation.source,
        "branch": explanation.branch,
        "parameters": [
            {"name": used.name, "value": used.value, "since": used.since, "source": used.source}
            for used in explanation.parameters
        ],
        "arithmetic": list(explanation.arithmetic),
    }
