"""Update many employees at once, with the same checks as single updates and a handful of queries."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from gaji.core.errors import Errors, ValidationError
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import to_record
from gaji.db.tenancy import Transaction
from gaji.people.employees import repository
from gaji.people.employees.account_changes import HeldChange, hold_account_changes
from gaji.people.employees.context import load_context
from gaji.people.employees.events import TaxDetailsChanged
from gaji.people.employees.identifier_probes import UNIQUE_IDENTIFIERS, limit_refusals
from gaji.people.employees.rules import UNIQUE_ATTRIBUTES, ClientContext
from gaji.people.employees.schemas import EMPLOYEE, EmployeeInput, parse_unique_values
from gaji.people.employees.service import affects_pay
from gaji.people.employees.tax_identity import affects_tax_forms

Bodies = Mapping[int, Mapping[str, Any]]
"""The bodies of updates, by employee."""

PERIOD_ATTRIBUTES = ("wave_id", "appointment_date", "birthdate")
"""Attributes that concern an employee's periods. Employees whose body has one of them are updated one by one."""


@dataclass(frozen=True)
class EmployeeChange:
    """The attributes of an employee before and after an update."""

    before: EmployeeInput
    after: EmployeeInput
    warnings: Mapping[str, str]
    """Ignored attributes of the body, each with the reason."""

    @property
    def affects_pay(self) -> bool:
        """Whether payslips depend on what changes."""
        return affects_pay(self.before, self.after)


def can_update_in_bulk(body: Mapping[str, Any]) -> bool:
    """Return whether an update can be made together with others."""
    return not any(name in body for name in PERIOD_ATTRIBUTES)


async def drop_unchanged_periods(tx: Transaction, client_id: int, bodies: Bodies) -> dict[int, dict[str, Any]]:
    """Return the bodies without those attributes that concern periods and do not change.

    Callers who send back complete records would otherwise have them all updated one by one.
    """
    employee_ids = [employee_id for employee_id, body in bodies.items() if not can_update_in_bulk(body)]
    employees = await repository.load_employees(tx, client_id, employee_ids) if employee_ids else {}
    return {
        employee_id: {
            name: value
            for name, value in body.items()
            if name not in PERIOD_ATTRIBUTES or str(value) != str(getattr(employees[employee_id], name))
        }
        for employee_id, body in bodies.items()
    }


async def validate_changes(
    tx: Transaction, client_id: int, bodies: Bodies
) -> tuple[dict[int, EmployeeChange], dict[int, Errors]]:
    """Validate updates. Return the changes of valid ones and the errors of the others, by employee."""
    if not bodies:
        return {}, {}
    employees = await repository.load_employees(tx, client_id, list(bodies))
    context = await load_context(tx, client_id)
    taken = await _find_taken(tx, client_id, bodies, employees)
    changes, errors = await run_in_thread_if_many(len(bodies), lambda: _validate(bodies, employees, context, taken))
    numbers_change = any(change.before.number != change.after.number for change in changes.values())
    if numbers_change and not context.manual_numbers:
        await repository.lock_numbers(tx, client_id)
    return changes, errors


async def save_changes(
    tx: Transaction, client_id: int, changes: Mapping[int, EmployeeChange]
) -> Mapping[int, HeldChange]:
    """Save changes. Return those whose new account has to be approved first, by employee.

    Raises UniqueViolationError if a concurrent transaction just took a value.
    """
    pairs = {employee_id: (change.before, change.after) for employee_id, change in changes.items()}
    held_changes = await hold_account_changes(tx, client_id, pairs)
    pairs |= {employee_id: (pairs[employee_id][0], change.employee) for employee_id, change in held_changes.items()}
    await repository.update_many(tx, client_id, pairs)
    renamed = await run_in_thread_if_many(
        len(pairs), lambda: [employee_id for employee_id, pair in pairs.items() if affects_tax_forms(*pair)]
    )
    if renamed:
        tx.emit(TaxDetailsChanged(client_id, tuple(renamed)))
    changed = [employee_id for employee_id, (before, after) in pairs.items() if before != after]
    tx.emit(ResourceEvent(EventType.EMPLOYEE_UPDATED, client_id, tuple(changed)))
    return held_changes


def _validate(
    bodies: Bodies,
    employees: Mapping[int, EmployeeInput],
    context: ClientContext,
    taken: Mapping[int, Set[str]],
) -> tuple[dict[int, EmployeeChange], dict[int, Errors]]:
    changes: dict[int, EmployeeChange] = {}
    errors: dict[int, Errors] = {}
    for employee_id, body in bodies.items():
        current = employees[employee_id]
        record = context.prepare_stored(to_record(current))
        rule = replace(context, taken=taken.get(employee_id, frozenset())).check
        try:
            validated = EMPLOYEE.parse_update(body, record, rule)
        except ValidationError as error:
            errors[employee_id] = error.errors
        else:
            employee = validated.data
            if not employee.number:
                employee = structs.replace(employee, number=current.number)
            changes[employee_id] = EmployeeChange(current, employee, validated.warnings)
    return changes, errors


async def _find_taken(
    tx: Transaction, client_id: int, bodies: Bodies, employees: Mapping[int, EmployeeInput]
) -> dict[int, set[str]]:
    """Return, by employee, the unique attributes whose value another employee or another body has."""
    values = await run_in_thread_if_many(
        len(bodies), lambda: {employee_id: parse_unique_values(body) for employee_id, body in bodies.items()}
    )
    columns = {name: [supplied[name] for supplied in values.values() if name in supplied] for name in UNIQUE_ATTRIBUTES}
    taken_values = await repository.find_taken_values(tx, client_id, columns)
    repeated_values = {name: _repeated(column) for name, column in columns.items()}
    taken: dict[int, set[str]] = {}
    refused_values: set[str] = set()
    for employee_id, supplied in values.items():
        for name, value in supplied.items():
            by_other = value in taken_values[name] and getattr(employees[employee_id], name) != value
            if by_other or value in repeated_values[name]:
                taken.setdefault(employee_id, set()).add(name)
            if by_other and name in UNIQUE_IDENTIFIERS:
                refused_values.add(value)
    if any(columns[name] for name in UNIQUE_IDENTIFIERS):
        await limit_refusals(tx, client_id, len(refused_values))
    return taken


def _repeated(values: Iterable[str]) -> set[str]:
    return {value for value, count in Counter(values).items() if count > 1}
