"""The regular hours of employees on any day, for those who count days."""

from collections.abc import Mapping, Sequence
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import StoredValue
from gaji.payroll.calculations.resolve import LayerData, Resolver, load_layers
from gaji.payroll.calculations.week_hours import TYPE


class WeeksOfEmployees:
    """What was entered for the weeks of some employees."""

    def __init__(self, loaded: LayerData) -> None:
        self._loaded = loaded
        self._mergers: dict[date, Resolver] = {}

    def inputs(self, employee_id: int, day: date) -> Mapping[str, StoredValue]:
        """The inputs of `week_hours` of an employee as they are on a day; none where nothing was entered."""
        merger = self._mergers.setdefault(day, Resolver(self._loaded, day.isoformat()))
        entry = merger.payslip_entries(None, employee_id, False).get(TYPE)
        return entry.inputs if entry else {}


async def weeks_of(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> WeeksOfEmployees:
    """The weeks of these employees."""
    return WeeksOfEmployees(await load_layers(tx, client_id, employee_ids, [], [TYPE]))
