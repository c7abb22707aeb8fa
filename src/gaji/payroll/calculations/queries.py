"""Calculation queries for other packages."""

from collections import defaultdict
from collections.abc import Sequence

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.history import calculation_on
from gaji.payroll.calculations.inheritance import CalculationOwner, InputValues
from gaji.payroll.calculations.regular_hours import repository as regular_hours
from gaji.payroll.calculations.regular_hours.history import inputs_on
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.scope import current_day
from gaji.periods.queries import load_open_periods

RecurringInputs = dict[str, InputValues]
"""The own inputs of an employee, by type: those of today, or of the start of the current draft if that is later.
Regular hours are those of today."""


async def load_recurring_inputs(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, RecurringInputs]:
    """Load the current own inputs of employees, by employee."""
    inputs: dict[int, dict[str, InputValues]] = defaultdict(dict)
    owners = [CalculationOwner(client_id, employee_id=employee_id) for employee_id in employee_ids]
    periods = await load_open_periods(tx, client_id, employee_ids)
    today = clock.today().isoformat()
    for stored in (await repository.load_own_calculations(tx, client_id, owners)).values():
        employee_id = stored.owner.employee_id or 0
        if calculation := calculation_on(stored, current_day(periods[employee_id]).isoformat()):
            inputs[employee_id][calculation.type] = calculation.inputs
    for employee_id, history in (await regular_hours.load_histories(tx, client_id, employee_ids)).items():
        inputs[employee_id].pop(WEEK_HOURS, None)
        if hours := inputs_on(history, today):
            inputs[employee_id][WEEK_HOURS] = hours
    return {employee_id: inputs.get(employee_id, {}) for employee_id in employee_ids}


async def load_types_in_use(tx: Transaction, client_id: int) -> set[str]:
    """Return the types of the calculations of a client's employees."""
    return await repository.load_employee_types(tx, client_id)
