"""The catalogue versions that payslips were calculated with."""

import msgspec

from gaji.db.tenancy import Transaction
from gaji.engine import catalogue as engine
from gaji.engine.catalogue import Catalogue, ItemDefinition
from gaji.payroll.payslips.repository import elements

MAX_CACHED = 256

_decode_definitions = msgspec.json.Decoder(list[ItemDefinition]).decode
_cache: dict[tuple[int, str], Catalogue] = {}
"""By client and version. The content of a version never changes."""


async def load_catalogue_version(tx: Transaction, client_id: int, version: str) -> Catalogue:
    """Load the catalogue of a client with the custom items of a version."""
    catalogue = _cache.get((client_id, version))
    if catalogue is None:
        catalogue = engine.build_catalogue(_decode_definitions(await elements.load_definitions(tx, client_id, version)))
        if len(_cache) >= MAX_CACHED:
            del _cache[next(iter(_cache))]
        _cache[client_id, version] = catalogue
    return catalogue
