"""The catalogue versions that payslips were calculated with."""

from collections.abc import Iterable, Mapping

import msgspec

from gaji.db.tenancy import Transaction
from gaji.engine import catalogue as engine
from gaji.engine.catalogue import Catalogue, ItemDefinition
from gaji.payroll.payslips.rendering import captions_by_item
from gaji.payroll.payslips.repository import elements, results

MAX_CACHED = 256

CaptionsByVersion = Mapping[str | None, Mapping[str, str]]

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


async def save_catalogue_version(tx: Transaction, client_id: int, catalogue: Catalogue) -> None:
    """Store the custom items of a catalogue under its version, if they are not stored yet."""
    await results.save_catalogue(tx, client_id, catalogue.version, catalogue.definitions_json.decode())


async def load_captions(tx: Transaction, client_id: int, versions: Iterable[str | None]) -> CaptionsByVersion:
    """Load the display captions of items, by catalogue version and item. Payslips without lines have no version."""
    return {
        version: captions_by_item(await load_catalogue_version(tx, client_id, version)) if version else {}
        for version in set(versions)
    }
