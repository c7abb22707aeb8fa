"""The catalogue of a client: the system's calculation types and the client's own."""

from gaji.db.tenancy import Transaction
from gaji.engine import catalogue as engine
from gaji.engine.catalogue import Catalogue
from gaji.payroll.calculation_definitions import repository


async def load_catalogue(tx: Transaction, client_id: int, *, keep: str | None = None) -> Catalogue:
    """The catalogue of a client; a custom item to `keep` stays as it is until the transaction ends."""
    if keep is not None and keep.isdecimal() and len(keep) <= 18:
        await repository.keep(tx, client_id, int(keep))
    definitions = await repository.definitions(tx, client_id)
    return engine.build_catalogue(list(definitions.values()))
