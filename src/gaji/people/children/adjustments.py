"""Leave for children that was granted by adjustment. The leave layer provides it."""

from collections.abc import Awaitable, Mapping, Sequence
from datetime import date

from gaji.core.providers import Provider
from gaji.db.tenancy import Transaction

find_child_leave_adjustments: Provider[[Transaction, int, Sequence[int]], Awaitable[Mapping[int, date]]] = Provider(
    "find_child_leave_adjustments"
)
"""Takes the transaction, the client and employees. Returns the date of the last adjustment that granted days, by
employee. Employees without one are left out."""
