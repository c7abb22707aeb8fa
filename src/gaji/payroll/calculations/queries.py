"""Calculation queries for other packages."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.inheritance import CalculationOwner, InputValues
from gaji.payroll.calculations.regular_hours import repository as regular_hours
from gaji.payroll.calculations.regular_hours.history import inputs_on
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS

RecurringInputs = dict[str, InputValues]
"""The own inputs of an employee, by type. Regular hours are those of today."""


@dataclass(frozen=True)
class ItemUsage:
    """Where a custom item is used."""

    profile_ids: tuple[int, ...]
    calculation_count: int
    """The number of calculations of the client, of employees and of payslips."""


async def load_recurring_inputs(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, RecurringInputs]:
    """Load the own inputs of employees, by employee."""
    inputs: dict[int, dict[str, InputValues]] = defaultdict(dict)
    owners = [CalculationOwner(client_id, employee_id=employee_id) for employee_id in employee_ids]
    for calculation in (await repository.load_own_calculations(tx, client_id, owners)).values():
        inputs[calculation.owner.employee_id or 0][calculation.type] = calculation.inputs
    today = clock.today().isoformat()
    for employee_id, history in (await regular_hours.load_histories(tx, client_id, employee_ids)).items():
        inputs[employee_id].pop(WEEK_HOURS, None)
        if hours := inputs_on(history, today):
            inputs[employee_id][WEEK_HOURS] = hours
    return {employee_id: inputs.get(employee_id, {}) for employee_id in employee_ids}


async def load_types_in_use(tx: Transaction, client_id: int) -> set[str]:
    """Return the types of the calculations of a client's employees."""
    return await repository.load_employee_types(tx, client_id)


async def load_item_usage(tx: Transaction, client_id: int, definition_id: int) -> ItemUsage:
    """Load where a custom item of a client is used."""
    row = await repository.load_item_usage(tx, client_id, definition_id)
    return ItemUsage(tuple(row["profile_ids"]), row["calculation_count"])
