"""The types that come with a client, for whoever creates one."""

from gaji.core.law_loader import law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.statutory_minimum import statutory_policies
from gaji.leave.types import repository


async def found_types(tx: Transaction, client_id: int) -> None:
    """Give a new client its types."""
    await repository.insert_system_types(tx, client_id, list(statutory_policies(law().leave)))
