"""Accounting queries."""

from gaji.company.pay_points import queries as pay_points
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.engine.ledger import Ledger
from gaji.payroll.accounting import repository
from gaji.payroll.accounting.rules import REST_ID


async def load_ledger(tx: Transaction, client_id: int, catalogue: Catalogue) -> Ledger:
    """Load the accounts of every item of a client's catalogue."""
    return Ledger(catalogue, await repository.load_account_overrides(tx, client_id))


async def load_split_ids(tx: Transaction, client_id: int) -> set[str]:
    """Load the IDs of all splits that journals of a client can have, in any mode."""
    pay_point_names = await pay_points.load_pay_point_names(tx, client_id)
    splits = await repository.load_splits(tx, client_id)
    return {REST_ID, *splits, *map(str, pay_point_names)}
