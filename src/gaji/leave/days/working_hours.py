"""Working hours of employees on any day. The payroll layer provides them from its calculations."""

from collections.abc import Awaitable, Mapping, Sequence
from datetime import date
from typing import Protocol

from gaji.core.providers import Provider
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import StoredValue


class WorkingHours(Protocol):
    """The working hours of some employees."""

    def inputs(self, employee_id: int, day: date) -> Mapping[str, StoredValue]:
        """Return the `week_hours` inputs of an employee that are in force on a day."""
        ...

    def change_dates(self, employee_id: int) -> Sequence[date]:
        """Return the days on which the inputs of an employee may change, in order."""
        ...


load_working_hours: Provider[[Transaction, int, Sequence[int]], Awaitable[WorkingHours]] = Provider(
    "load_working_hours"
)
"""Takes the transaction, the client and the employees."""
