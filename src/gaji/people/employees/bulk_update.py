"""Changing many employees at once: the same checks as one by one, in a handful of queries."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from gaji.company.clients.service import has_manual_numbers
from gaji.company.custom_fields import service as custom_fields
from gaji.company.pay_points import service as pay_points
from gaji.company.waves import service as waves
from gaji.core.errors import Errors, ValidationError
from gaji.core.validation import Record
from gaji.db.tenancy import Transaction
from gaji.people.employees import repository
from gaji.people.employees.schemas import EMPLOYEE, TAKEN, WORK_PASSES, ClientContext, unique_values
from gaji.people.employees.service import PAY_ATTRIBUTES

MOVES = ("wave_id", "appointment_date", "birthdate")
"""Attributes that concern the periods of an employee: whoever changes one of these is changed alone."""


FEW = 200
"""So many changes are checked sooner than handed to a thread."""


@dataclass(frozen=True)
class EmployeeChange:
    """An employee before and after."""

    before: Record
    after: Record

    @property
    def affects_pay(self) -> bool:
        """Whether a payslip depends on what changes."""
        return any(self.before[name] != self.after[name] for name in PAY_ATTRIBUTES)


def can_update_in_bulk(body: Mapping[str, Any]) -> bool:
    """Whether a change can be made together with others."""
    return not any(name in body for name in MOVES)


async def validate_changes(
    tx: Transaction, client_id: int, bodies: Mapping[int, Mapping[str, Any]]
) -> tuple[dict[int, EmployeeChange], dict[int, Errors]]:
    """By employee, the change that is asked for, or everything that is wrong with it."""
    if not bodies:
        return {}, {}
    records = await repository.records(tx, client_id, list(bodies))
    facts = await _facts(tx, client_id)
    taken = await _taken(tx, client_id, bodies, records)
    if len(bodies) > FEW:
        changes, errors = await asyncio.to_thread(_checked, bodies, records, facts, taken)
    else:
        changes, errors = _checked(bodies, records, facts, taken)
    if not facts.manual_numbers and any(one.before["number"] != one.after["number"] for one in changes.values()):
        await repository.hold_numbers(tx, client_id)
    return changes, errors


def _checked(
    bodies: Mapping[int, Mapping[str, Any]],
    records: Mapping[int, Record],
    facts: ClientContext,
    taken: Mapping[int, Set[str]],
) -> tuple[dict[int, EmployeeChange], dict[int, Errors]]:
    changes: dict[int, EmployeeChange] = {}
    errors: dict[int, Errors] = {}
    for employee_id, body in bodies.items():
        current = records[employee_id]
        if current["work_pass"] == WORK_PASSES.get(current["legal_status"]):
            current["work_pass"] = None  # what the status stood for; another status stands for another pass
        try:
            check = replace(facts, taken=taken.get(employee_id, frozenset())).check
            record = EMPLOYEE.parse_update(body, current, check).record
        except ValidationError as error:
            errors[employee_id] = error.errors
        else:
            record["number"] = record["number"] or current["number"]
            changes[employee_id] = EmployeeChange(current, record)
    return changes, errors


async def save_changes(tx: Transaction, client_id: int, changes: Mapping[int, EmployeeChange]) -> None:
    """Save these changes; raises UniqueViolationError when somebody just took a number or identifier."""
    await repository.update_many(tx, client_id, {one: (change.after, change.before) for one, change in changes.items()})


async def _facts(tx: Transaction, client_id: int) -> ClientContext:
    return ClientContext(
        wave_ids=(await waves.load_schedules(tx, client_id)).keys(),
        pay_point_ids=await pay_points.load_pay_point_ids(tx, client_id),
        custom_fields=await custom_fields.lock_custom_fields(tx, client_id),
        manual_numbers=await has_manual_numbers(tx, client_id),
    )


async def _taken(
    tx: Transaction, client_id: int, bodies: Mapping[int, Mapping[str, Any]], records: Mapping[int, Record]
) -> dict[int, set[str]]:
    """By employee, which of number, nric and fin somebody else has, or is given in the same request."""
    wanted = {employee_id: unique_values(body) for employee_id, body in bodies.items()}
    others = await repository.taken_values(
        tx, client_id, {name: [one[name] for one in wanted.values() if name in one] for name in TAKEN}
    )
    repeated = {name: _repeated(one[name] for one in wanted.values() if name in one) for name in TAKEN}
    found: dict[int, set[str]] = {}
    for employee_id, values in wanted.items():
        for name, value in values.items():
            elsewhere = value in others[name] and records[employee_id][name] != value
            if elsewhere or value in repeated[name]:
                found.setdefault(employee_id, set()).add(name)
    return found


def _repeated(values: Iterable[str]) -> set[str]:
    return {value for value, count in Counter(values).items() if count > 1}
