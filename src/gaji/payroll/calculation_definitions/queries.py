"""Catalogue queries."""

from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue, build_catalogue
from gaji.payroll.calculation_definitions import repository

MAX_ID_DIGITS = 18


async def load_catalogue(tx: Transaction, client_id: int, *, lock_type: str | None = None) -> Catalogue:
    """Load the catalogue of a client: the system's calculation types and the client's custom items.

    If `lock_type` is a custom item, it cannot change until the transaction ends.
    """
    if lock_type is not None and lock_type.isdecimal() and len(lock_type) <= MAX_ID_DIGITS:
        await repository.lock_definition_shared(tx, client_id, int(lock_type))
    definitions = await repository.load_definitions(tx, client_id)
    return build_catalogue(list(definitions.values()))
