"""Inherited calculations: the regular hours of an employee, and from which day on they are what they are."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from gaji.company.clients.queries import load_client_features
from gaji.core import clock
from gaji.core.errors import INVALID, Conflict, Errors, NotFound
from gaji.core.validation import Record
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.payroll.calculations import inherited_store, input_parsing, scope, week_hours
from gaji.payroll.calculations.chains import load_chains
from gaji.payroll.calculations.inheritance import CalculationOwner, InputValues, effective_inputs
from gaji.payroll.calculations.inherited_store import Inherited
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.rules import check_effective_date
from gaji.payroll.calculations.schemas import INHERITED
from gaji.payroll.calculations.week_hours import INITIAL, TYPE, History
from gaji.people.employees.access import lock_employee, require_readable_employee
from gaji.periods.queries import last_finalised_end_of_employee

Done = tuple[int, str, Mapping[str, str]]
"""The id of what was changed, what was done, and warnings."""


async def list_inherited(tenant: Tenant, employee_id: int) -> list[Record]:
    """The inherited calculations of an employee."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return [_shown(one) for one in await inherited_store.of_employee(tx, client_id, employee_id)]


async def read_inherited(tenant: Tenant, inherited_id: int) -> Record:
    """One inherited calculation."""
    async with tenant.read_only() as tx:
        found = await inherited_store.inherited(tx, inherited_id)
    if found is None:
        raise NotFound(f"There is no inherited calculation {inherited_id}")
    return _shown(found)


async def change_inherited(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> Done:
    """Change an inherited calculation of an employee from a day on."""
    async with tenant.transaction() as tx:
        return await change(tx, employee_id, body)


async def change(tx: Transaction, employee_id: int, body: Mapping[str, Any]) -> Done:
    """The same in a transaction that goes on."""
    client_id = await lock_employee(tx, employee_id)
    current = {one.short_name: one for one in await inherited_store.of_employee(tx, client_id, employee_id)}
    history: History = current[TYPE].history if TYPE in current else {}
    features = await load_client_features(tx, client_id)
    last_end = await last_finalised_end_of_employee(tx, client_id, employee_id)
    farther = await _farther(tx, client_id, employee_id)
    inputs: InputValues = {}

    def check(record: Record, errors: Errors) -> None:
        _check_type(record["calc_type"], features, errors)
        check_effective_date(record, errors)
        if last_end and record["effective_date"] is None:
            errors.setdefault("effective_date", f"is required: the employee has a finalised payslip of {last_end}")
        if record["calculation_details"] is not None and "calc_type" not in errors:
            place = FieldPath("employee")
            changes = input_parsing.parse_inputs(SYSTEM_TYPES[TYPE], place, record["calculation_details"], errors)
            merged = input_parsing.apply_changes(week_hours.at(history, _since(record)), changes)
            inputs.update(input_parsing.check_regular_hours(merged, farther, changes, features, place, errors))

    reading = INHERITED.parse_create(body, check)
    since = reading.record["effective_date"]
    _check_still_open(since, last_end)
    changed = week_hours.changed(history, _since(reading.record), inputs)
    inherited_id = await inherited_store.save(tx, client_id, employee_id, TYPE, changed)
    await scope.recalculate_drafts(tx, CalculationOwner(client_id, employee_id=employee_id), TYPE)
    done = "updated" if TYPE in current else "created"
    told = f"The calculation has been {done}" + (f" with effect from {since}" if since else "")
    return inherited_id, told, reading.warnings


async def _farther(tx: Transaction, client_id: int, employee_id: int) -> InputValues:
    """The regular hours that the employee would have without inputs of their own."""
    chain = (await load_chains(tx, CalculationOwner(client_id, employee_id=employee_id), clock.today())).get(TYPE, [])
    return effective_inputs([one for one in chain if one.id is not None])


def _check_type(name: str | None, features: Mapping[str, bool], errors: Errors) -> None:
    if name is not None and name != TYPE:
        errors.add("calc_type", INVALID, reason=f"{name[:60]!r} is no inherited calculation; the only one is {TYPE}")
    elif name is not None and not features["regular_hours_v2"]:
        errors.add(
            "calc_type",
            INVALID,
            reason="is an ordinary calculation, because the client lacks the feature regular_hours_v2",
        )


def _check_still_open(since: date | None, last_end: date | None) -> None:
    if since and last_end and since <= last_end:
        raise Conflict(
            f"effective_date {since} is inside or before the finalised payslip of {last_end}; "
            "choose a later day, or unfinalise that pay run first"
        )


def _since(record: Record) -> str:
    return record["effective_date"].isoformat() if record["effective_date"] else INITIAL


def _shown(one: Inherited) -> Record:
    return {
        "id": one.id,
        "profile_id": None,
        "employee_id": one.employee_id,
        "short_name": one.short_name,
        "calculation_def_id": None,
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "inputs": week_hours.at(one.history, clock.today().isoformat()),
        "inputs_history": one.history,
    }
