"""The catalogues that payslips were calculated by."""

import msgspec

from gaji.db.tenancy import Transaction
from gaji.engine import catalogue as engine
from gaji.engine.catalogue import Catalogue, ItemDefinition
from gaji.payroll.payslips.repository import elements

MOST = 256
"""So many are remembered."""

_decode_definitions = msgspec.json.Decoder(list[ItemDefinition]).decode
_known: dict[tuple[int, str], Catalogue] = {}
"""By client and version: under one version there is only ever one and the same."""


async def catalogue_of(tx: Transaction, client_id: int, version: str) -> Catalogue:
    """The catalogue of a client with the custom items of this version."""
    if (found := _known.get((client_id, version))) is None:
        found = engine.build_catalogue(_decode_definitions(await elements.definitions(tx, client_id, version)))
        if len(_known) >= MOST:
            del _known[next(iter(_known))]
        _known[client_id, version] = found
    return found
