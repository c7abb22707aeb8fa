"""Custom employee field queries."""

import asyncpg
import msgspec

from gaji.company.custom_fields.schemas import FieldOption
from gaji.company.custom_fields.values import CustomField
from gaji.db.tenancy import Transaction

SELECT = "SELECT id, name, type, required, options FROM custom_employee_fields WHERE client_id = $1 ORDER BY id"

_decode_options = msgspec.json.Decoder(list[FieldOption]).decode


async def load_custom_fields(tx: Transaction, client_id: int) -> list[CustomField]:
    """Load the custom fields of a client, ordered by ID."""
    return [_custom_field(row) for row in await tx.fetch(SELECT, client_id)]


async def lock_custom_fields(tx: Transaction, client_id: int) -> dict[int, CustomField]:
    """Load the custom fields of a client by ID and prevent changes to them until the transaction ends."""
    rows = await tx.fetch(f"{SELECT} FOR KEY SHARE", client_id)
    return {row["id"]: _custom_field(row) for row in rows}


def _custom_field(row: asyncpg.Record) -> CustomField:
    options = {str(option.id): option.name for option in _decode_options(row["options"])}
    return CustomField(row["id"], row["name"], row["type"], row["required"], options)
