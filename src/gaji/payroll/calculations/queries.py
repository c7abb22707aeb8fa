"""What is entered for employees again and again: their own inputs, for those who show many of them at once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations import bulk_store, inherited_store, week_hours
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.chains import hours_are_inherited
from gaji.payroll.calculations.inheritance import CalculationOwner, InputValues


@dataclass(frozen=True)
class RecurringInputs:
    """The inputs of one employee's own."""

    inputs: dict[str, InputValues]
    """By type; regular hours as they are today."""
    hours_change: bool = False
    """Whether the regular hours change, or changed, on some day."""


async def load_recurring_inputs(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, RecurringInputs]:
    """The inputs of these employees' own, by employee."""
    inputs: dict[int, dict[str, InputValues]] = defaultdict(dict)
    owners = [CalculationOwner(client_id, employee_id=employee_id) for employee_id in employee_ids]
    for (owner, name), one in (await bulk_store.own_rows(tx, client_id, owners)).items():
        inputs[owner.employee_id or 0][name] = one.inputs
    changing: set[int] = set()
    if await hours_are_inherited(tx, client_id):
        today = clock.today().isoformat()
        histories = await inherited_store.of_employees(tx, client_id, employee_ids, week_hours.TYPE)
        for employee_id in employee_ids:
            inputs[employee_id].pop(week_hours.TYPE, None)
        for employee_id, history in histories.items():
            inputs[employee_id][week_hours.TYPE] = week_hours.at(history, today)
        changing = {one for one, history in histories.items() if any(since != week_hours.INITIAL for since in history)}
    return {one: RecurringInputs(inputs.get(one, {}), one in changing) for one in employee_ids}


async def load_types_in_use(tx: Transaction, client_id: int) -> set[str]:
    """The types of which something is entered for any employee of a client."""
    return await repository.types_of_employees(tx, client_id)
