"""Ledger queries."""

from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.engine.ledger import Ledger
from gaji.payroll.accounting import repository


async def load_ledger(tx: Transaction, client_id: int, catalogue: Catalogue) -> Ledger:
    """Load the accounts of every item of a client's catalogue."""
    return Ledger(catalogue, await repository.load_account_overrides(tx, client_id))
