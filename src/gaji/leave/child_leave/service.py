"""Use cases of leave for children."""

import asyncio
from datetime import date
from typing import Any

from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Tenant
from gaji.engine.leave.child_leave_explanations import ChildLeaveEntitlement, explain_child_leave
from gaji.law.explanation import FactExplanation
from gaji.leave.balances.ledger import LeaveLedger, load_ledger
from gaji.leave.quantities import format_thousandths
from gaji.people.employees.access import require_readable_employee
from gaji.people.self_service.access import client_view

ChildLeaveJson = dict[str, Any]


async def list_child_leave(tenant: Tenant, employee_id: int, day: date | None) -> list[ChildLeaveJson]:
    """List what the law grants an employee for children on a day, with explanations. Default: today."""
    async with tenant.transaction() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        async with client_view(tx, client_id):
            ledger = await load_ledger(tx, client_id, employee_id)
    return await asyncio.to_thread(_explain, ledger, day or clock.today())


def _explain(ledger: LeaveLedger, day: date) -> list[ChildLeaveJson]:
    if ledger.parents is None:
        return []
    names = {leave_type.system_type: (leave_type.id, leave_type.name) for leave_type in ledger.types}
    elements = []
    for term in ledger.terms:
        if term.start <= day and (term.end is None or day <= term.end):
            parent = ledger.parents.parent(term.employee_id, term.start, term.end, None)
            entitlements = explain_child_leave(current_law().leave, parent, ledger.taken_for_children(), day)
            elements += [_to_json(*names[entitlement.leave_type], entitlement) for entitlement in entitlements]
    return elements


def _to_json(type_id: int, name: str, entitlement: ChildLeaveEntitlement) -> ChildLeaveJson:
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
