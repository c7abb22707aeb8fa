"""What other resources ask about a client's ledger."""

from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.engine.ledger import Ledger
from gaji.payroll.accounting import repository


async def load_ledger(tx: Transaction, client_id: int, catalogue: Catalogue) -> Ledger:
    """The accounts of every item of a client's catalogue."""
    return Ledger(catalogue, await repository.own_accounts(tx, client_id))
