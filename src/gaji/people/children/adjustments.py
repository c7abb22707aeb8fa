"""Leave for children that was granted by adjustment. The leave layer provides it."""

from collections.abc import Awaitable
from datetime import date

from gaji.core.providers import Provider
from gaji.db.tenancy import Transaction

find_child_leave_adjustment: Provider[[Transaction, int, int], Awaitable[date | None]] = Provider(
    "find_child_leave_adjustment"
)
"""Takes the transaction, the client and the employee. Returns the date of the last adjustment that granted days."""
