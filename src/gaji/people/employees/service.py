"""Employee use cases."""

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Any, NamedTuple

import asyncpg
from msgspec.structs import replace

from gaji.approvals.models import Approval
from gaji.company.clients.service import require_client
from gaji.core.errors import ErrorCode, NotFound, invalid, note_texts
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import Rule, ValidatedInput, to_record
from gaji.db.external_references import find_external_record
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage, json_array
from gaji.db.record_changes import ChangedRecords, ChangeRequest, load_changed_records
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.periods import PaySchedule
from gaji.identity.roles import require_member, require_writer
from gaji.people.employees import repository
from gaji.people.employees.access import lock_employee, lock_employee_for_pay_change
from gaji.people.employees.account_changes import hold_account_changes
from gaji.people.employees.context import load_context
from gaji.people.employees.events import EmployeesChanged, TaxDetailsChanged
from gaji.people.employees.notes import employee_notes
from gaji.people.employees.recent_payslips import load_recent_payslips
from gaji.people.employees.rules import PAY_ATTRIBUTES, UNIQUE_ATTRIBUTES, ClientContext
from gaji.people.employees.schemas import EMPLOYEE, EmployeeInput, parse_unique_values
from gaji.people.employees.tax_identity import affects_tax_forms
from gaji.people.service_periods import service as service_periods
from gaji.people.wave_periods import service as wave_periods
from gaji.periods.guards import Warnings, require_never_paid, require_valid_appointment
from gaji.periods.locks import lock_drafts_shared

INCLUDES = ("service_periods", "recent_payslips", "recent_payslips_with_data", "wave_periods")
PAYSLIP_INCLUDES = {"recent_payslips", "recent_payslips_with_data"}

JUST_DELETED = ErrorCode("just_deleted", "was deleted from this client by another request")


class EmployeePage(NamedTuple):
    """Employees as JSON and the total number of employees."""

    elements: list[str]
    total: int
    rules_versions: Set[str]
    """The rules versions of the included payslips."""


class SavedEmployee(NamedTuple):
    """The result of an update."""

    validated: ValidatedInput[EmployeeInput]
    approval: Approval | None
    """The pending approval of a new account, which is not saved yet."""


async def list_employees(
    tenant: Tenant, client_id: int, include: Set[str], page: ListPage | None, filters: Filters = NO_FILTERS
) -> EmployeePage:
    """List the employees of a client as JSON, with the included records. Raises CalculationPending."""
    rules_versions: set[str] = set()
    async with tenant.read_only() as tx:
        await require_member(tx, client_id)
        elements, total = await repository.list_elements(tx, client_id, page, filters)
        if not include:
            return EmployeePage([element for _, element in elements], total, rules_versions)
        employee_ids = [employee_id for employee_id, _ in elements]
        included = await _load_included(tx, client_id, employee_ids, include, rules_versions)
    merged = await run_in_thread_if_many(
        len(elements),
        lambda: [_with_included(element, employee_id, included) for employee_id, element in elements],
    )
    return EmployeePage(merged, total, rules_versions)


async def list_changed_employees(tenant: Tenant, client_id: int, request: ChangeRequest) -> ChangedRecords:
    """List the employees of a client that changed after a position as JSON."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)

        async def load_elements(ids: list[int]) -> list[str]:
            elements, _ = await repository.list_elements(tx, client_id, None, {"ids": ids})
            return [element for _, element in elements]

        return await load_changed_records(tx, {"client_id": client_id}, "employee", request, load_elements)


async def read_employee(tenant: Tenant, employee_id: int) -> str:
    """Return one employee as JSON."""
    async with tenant.read_only() as tx:
        element = await repository.load_element(tx, employee_id)
    if element is None:
        raise NotFound(f"Employee {employee_id} does not exist")
    return element


async def find_employees(tenant: Tenant, client_id: int, lookup: str, value: Any) -> list[str]:
    """Return the employees of a client that match one of the filters in LOOKUPS as JSON, ordered by ID."""
    async with tenant.read_only() as tx:
        await require_member(tx, client_id)
        return await repository.find_elements(tx, client_id, lookup, value)


async def find_external_employee(tenant: Tenant, client_id: int, external_id: str) -> int:
    """Return the ID of the employee with an external ID. Raises NotFound."""
    async with tenant.read_only() as tx:
        employee_id = await find_external_record(tx, "employees", client_id, external_id)
    if employee_id is None:
        raise unknown_external_id(client_id, external_id)
    return employee_id


def unknown_external_id(client_id: int, external_id: str) -> NotFound:
    """Return the error for an external ID that no employee of the client has."""
    return NotFound(f"Employee {external_id[:100]!r} does not exist in client {client_id}")


async def create_employee(
    tenant: Tenant, client_id: int, body: Mapping[str, Any], *rules: Rule
) -> tuple[int, ValidatedInput[EmployeeInput]]:
    """Create an employee, who must satisfy these rules too.

    The first service period and wave period start on the appointment date.
    """
    with _race_errors():
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            context = await _load_context(tx, client_id, body)
            validated = EMPLOYEE.parse_create(body, context.check, *rules)
            if validated.data.number is None:
                number = await repository.next_number(tx, client_id)
                validated.data = replace(validated.data, number=number)
            elif not context.manual_numbers:
                await repository.lock_numbers(tx, client_id)
            employee = validated.data
            employee_id = await repository.insert(tx, client_id, employee)
            start = employee.appointment_date
            await service_periods.create_first_period(tx, client_id, employee_id, start)
            await wave_periods.create_first_period(tx, client_id, employee_id, employee.wave_id, start)
            tx.emit(EmployeesChanged(client_id, (employee_id,)))
            tx.emit(ResourceEvent(EventType.EMPLOYEE_CREATED, client_id, (employee_id,)))
            validated.warnings.update(note_texts(employee_notes(to_record(employee))))
            return employee_id, validated


async def update_employee(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any], *rules: Rule, late: bool = False
) -> SavedEmployee:
    """Update the attributes of an employee that the body supplies. A new account may have to be approved first.

    The employee must satisfy these rules too.
    """
    with _race_errors():
        async with tenant.transaction() as tx:
            return await apply_update(tx, employee_id, body, *rules, late=late)


async def apply_update(
    tx: Transaction, employee_id: int, body: Mapping[str, Any], *rules: Rule, late: bool = False
) -> SavedEmployee:
    """Update an employee as part of a transaction. Late appointment dates may contradict finalised payslips."""
    client_id = await lock_employee(tx, employee_id)
    await tx.check_precondition()
    context = await _load_context(tx, client_id, body, employee_id)
    current = await repository.load_employee(tx, client_id, employee_id)
    record = context.prepare_stored(to_record(current))
    own_rules: list[Rule] = [context.check, await service_periods.birthdate_rule(tx, client_id, employee_id)]
    if "appointment_date" in EMPLOYEE.unwrap(body):
        own_rules.append(await service_periods.start_date_rule(tx, client_id, employee_id))
    validated = EMPLOYEE.parse_update(body, record, *own_rules, *rules)
    if not validated.data.number:
        validated.data = replace(validated.data, number=current.number)
    held_change = (await hold_account_changes(tx, client_id, {employee_id: (current, validated.data)})).get(employee_id)
    if held_change is not None:
        validated.data = held_change.employee
        validated.warnings.update(held_change.warnings)
    employee = validated.data
    if employee.number != current.number and not context.manual_numbers:
        await repository.lock_numbers(tx, client_id)
    await repository.update(tx, client_id, employee_id, before=current, after=employee)
    validated.warnings.update(
        await _update_periods(tx, client_id, employee_id, current, employee, context.schedules, late=late)
    )
    if employee != current:
        known = employee_notes(to_record(current))
        notes = [note for note in employee_notes(to_record(employee)) if note not in known]
        validated.warnings.update(note_texts(notes))
    if affects_pay(current, employee):
        tx.emit(EmployeesChanged(client_id, (employee_id,)))
    if affects_tax_forms(current, employee):
        tx.emit(TaxDetailsChanged(client_id, (employee_id,)))
    if employee != current:
        tx.emit(ResourceEvent(EventType.EMPLOYEE_UPDATED, client_id, (employee_id,)))
    return SavedEmployee(validated, held_change.approval if held_change else None)


async def delete_employee(tenant: Tenant, employee_id: int) -> None:
    """Delete an employee without finalised payslips."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        await tx.check_precondition()
        await require_never_paid(tx, client_id, employee_id)
        await repository.delete(tx, client_id, employee_id)
        tx.emit(ResourceEvent(EventType.EMPLOYEE_DELETED, client_id, (employee_id,)))


def affects_pay(before: EmployeeInput, after: EmployeeInput) -> bool:
    """Return whether an update changes an attribute that payslips depend on."""
    return any(getattr(before, name) != getattr(after, name) for name in PAY_ATTRIBUTES)


async def _update_periods(
    tx: Transaction,
    client_id: int,
    employee_id: int,
    current: EmployeeInput,
    employee: EmployeeInput,
    schedules: Mapping[int, PaySchedule],
    *,
    late: bool,
) -> Warnings:
    """Update the employee's service and wave periods after a change of the appointment date or the wave."""
    old, new = current.appointment_date, employee.appointment_date
    warnings: Warnings = {}
    if new != old or employee.wave_id != current.wave_id:
        await lock_drafts_shared(tx, client_id)
    if new != old:
        warnings = await require_valid_appointment(tx, client_id, employee_id, old=old, new=new, late=late)
        await service_periods.move_start(tx, client_id, employee_id, new)
    if employee.wave_id != current.wave_id:
        await wave_periods.change_wave(tx, client_id, employee_id, employee.wave_id, schedules)
    return warnings


async def _load_context(
    tx: Transaction, client_id: int, body: Mapping[str, Any], employee_id: int = 0
) -> ClientContext:
    values = parse_unique_values(EMPLOYEE.unwrap(body))
    return await load_context(tx, client_id, await repository.find_taken(tx, client_id, employee_id, values))


async def _load_included(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], include: Set[str], rules_versions: set[str]
) -> dict[str, Mapping[int, list[str]]]:
    """Load the included records by name and employee. Adds the rules versions of payslips to `rules_versions`."""
    included: dict[str, Mapping[int, list[str]]] = {name: {} for name in INCLUDES if name in include}
    if "service_periods" in include:
        included["service_periods"] = await service_periods.load_json_by_employee(tx, client_id, employee_ids)
    if "wave_periods" in include:
        included["wave_periods"] = await wave_periods.load_json_by_employee(tx, client_id, employee_ids)
    for name in PAYSLIP_INCLUDES & include:
        payslips = await load_recent_payslips(tx, client_id, employee_ids, name.endswith("_with_data"))
        included[name] = payslips.by_employee
        rules_versions |= payslips.rules_versions
    return included


def _with_included(element: str, employee_id: int, included: Mapping[str, Mapping[int, list[str]]]) -> str:
    for name, by_employee in included.items():
        resource = "payslip" if name in PAYSLIP_INCLUDES else name.removesuffix("s")
        array = json_array(resource, list(by_employee.get(employee_id, ()))).decode()
        element = f'{element[:-1]},"{name}":{array}}}'
    return element


@contextmanager
def _race_errors() -> Iterator[None]:
    """Report the attribute whose value a concurrent transaction took or whose record it deleted."""
    try:
        yield
    except asyncpg.ForeignKeyViolationError as error:
        attribute = "wave_id" if error.table_name == "wave_periods" else "pay_point_id"
        raise invalid(attribute, JUST_DELETED) from None
    except asyncpg.UniqueViolationError as error:
        attribute = (error.constraint_name or "").removeprefix("employees_")
        if attribute not in UNIQUE_ATTRIBUTES:
            raise
        raise invalid(attribute, UNIQUE_ATTRIBUTES[attribute]) from None
