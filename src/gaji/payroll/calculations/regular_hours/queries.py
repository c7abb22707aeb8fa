"""Regular hours of employees on any day."""

from collections.abc import Mapping, Sequence
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import StoredValue
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.resolve import LayerData, Resolver, list_change_dates, load_layers


class RegularHoursByEmployee:
    """The regular hours of some employees, resolved for each day when they are needed."""

    def __init__(self, layers: LayerData) -> None:
        self._layers = layers
        self._resolvers: dict[date, Resolver] = {}

    def inputs(self, employee_id: int, day: date) -> Mapping[str, StoredValue]:
        """Return the `week_hours` inputs of an employee on a day. Empty if there are none."""
        if day not in self._resolvers:
            self._resolvers[day] = Resolver(self._layers, day.isoformat())
        entry = self._resolvers[day].payslip_entries(None, employee_id, False).get(WEEK_HOURS)
        return entry.inputs if entry else {}

    def change_dates(self, employee_id: int) -> Sequence[date]:
        """Return the days on which the inputs of an employee may change, in order."""
        return sorted(
            {day for calc_type, day in list_change_dates(self._layers, employee_id) if calc_type == WEEK_HOURS}
        )


async def load_regular_hours(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> RegularHoursByEmployee:
    """Load the regular hours of employees."""
    return RegularHoursByEmployee(await load_layers(tx, client_id, employee_ids, [], [WEEK_HOURS]))
