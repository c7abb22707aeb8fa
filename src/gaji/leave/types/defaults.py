"""The default leave types of a new client."""

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.statutory_minimum import statutory_policies
from gaji.leave.types import repository


async def create_default_leave_types(tx: Transaction, client_id: int) -> None:
    """Create the statutory leave types."""
    await repository.insert_system_types(tx, client_id, list(statutory_policies(current_law().leave)))
