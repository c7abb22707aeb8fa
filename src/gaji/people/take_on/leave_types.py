"""The leave types that take-on balances can name. The leave layer provides them."""

from collections.abc import Awaitable, Set

from gaji.core.providers import Provider
from gaji.db.tenancy import Transaction

load_leave_type_ids: Provider[[Transaction, int], Awaitable[Set[int]]] = Provider("load_leave_type_ids")
"""Takes the transaction and the client."""
