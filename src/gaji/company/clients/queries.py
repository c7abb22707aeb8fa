"""Who an employer is, for the documents that name one."""

from collections.abc import Mapping

import msgspec

from gaji.company.clients import repository
from gaji.db.tenancy import Transaction


class Employer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A client as a document names it."""

    name: str
    uen: str | None = None
    address: list[str] = []


class _Client(msgspec.Struct):
    name: str
    uen: str | None
    physical_address: dict[str, str]


async def load_employer(tx: Transaction, client_id: int) -> Employer:
    """A client that the caller may see, as an employer."""
    found = msgspec.json.decode(await repository.element(tx, client_id) or "", type=_Client)
    return Employer(found.name, found.uen, _lines(found.physical_address))


def _lines(address: Mapping[str, str]) -> list[str]:
    building = " ".join(address[part] for part in ("unit_no", "complex") if address[part])
    postal_code = address["postal_code"] and f"Singapore {address['postal_code']}"
    return [line for line in (address["st_name"], building, postal_code) if line]
