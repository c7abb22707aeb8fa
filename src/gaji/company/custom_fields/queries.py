"""What other resources ask about custom employee fields: how their values are shown to people."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from gaji.company.custom_fields import repository
from gaji.db.tenancy import Transaction


@dataclass(frozen=True)
class ShownField:
    """A field, and what its values mean."""

    id: int
    name: str
    options: Mapping[str, str]
    """Of a dropdown: by the id of an option, its name."""
    type: str
    required: bool

    def display_value(self, values: Mapping[str, str | bool]) -> str | bool | None:
        """The value among those of an employee, as people read it."""
        value = values.get(str(self.id))
        return self.options.get(value, value) if isinstance(value, str) else value


async def load_custom_fields(tx: Transaction, client_id: int) -> list[ShownField]:
    """The fields of a client in the order of their ids."""
    return [
        ShownField(
            field_id, name, {str(one["id"]): one["name"] for one in msgspec.json.decode(options)}, kind, required
        )
        for field_id, name, options, kind, required in await repository.shown(tx, client_id)
    ]
