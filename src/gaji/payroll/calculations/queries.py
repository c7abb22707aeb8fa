"""Calculation queries for other packages."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.chains import hours_are_inherited
from gaji.payroll.calculations.inheritance import CalculationOwner, InputValues
from gaji.payroll.calculations.regular_hours import repository as regular_hours
from gaji.payroll.calculations.regular_hours.history import INITIAL, inputs_on
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS


@dataclass(frozen=True)
class RecurringInputs:
    """The own inputs of an employee."""

    inputs: dict[str, InputValues]
    """By type. Regular hours are those of today."""
    hours_change: bool = False
    """Whether the regular hours changed, or will change, on a date."""


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
    changing_ids: set[int] = set()
    if await hours_are_inherited(tx, client_id):
        today = clock.today().isoformat()
        histories = await regular_hours.load_histories(tx, client_id, employee_ids, WEEK_HOURS)
        for employee_id in employee_ids:
            inputs[employee_id].pop(WEEK_HOURS, None)
        for employee_id, history in histories.items():
            inputs[employee_id][WEEK_HOURS] = inputs_on(history, today)
            if any(effective_date != INITIAL for effective_date in history):
                changing_ids.add(employee_id)
    return {
        employee_id: RecurringInputs(inputs.get(employee_id, {}), employee_id in changing_ids)
        for employee_id in employee_ids
    }


async def load_types_in_use(tx: Transaction, client_id: int) -> set[str]:
    """Return the types of the calculations of a client's employees."""
    return await repository.load_employee_types(tx, client_id)


async def load_item_usage(tx: Transaction, client_id: int, definition_id: int) -> ItemUsage:
    """Load where a custom item of a client is used."""
    row = await repository.load_item_usage(tx, client_id, definition_id)
    return ItemUsage(tuple(row["profile_ids"]), row["calculation_count"])
