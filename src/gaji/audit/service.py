"""What can be asked about changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from gaji.audit import store
from gaji.db.tenancy import Tenant
from gaji.people.employees.identity import readable_employee

MOST = 100
UNTOLD = {"id", "client_id", "employee_id", "created_at", "updated_at", "open_updated_at"}
SECRET = ("_sealed", "_lookup", "_masked")


@dataclass(frozen=True)
class Change:
    """One record changed once, by someone, in some way."""

    at: datetime
    who: str
    actor: str
    kind: str
    """The table."""
    how: str
    """insert, update or delete."""
    values: Sequence[tuple[str, Any, Any]]
    """Of each column that changed: its name, what it was, and what it is."""


async def of_employee(tenant: Tenant, employee_id: int) -> list[Change]:
    """The latest changes of an employee and of what is kept about them, newest first."""
    async with tenant.reading() as tx:
        client_id = await readable_employee(tx, employee_id)
        rows = await store.of_employee(tx, client_id, employee_id, MOST)
    return [change(*row) for row in rows]


def change(at: datetime, who: str | None, actor: str, action: str, before: str | None, after: str | None) -> Change:
    """A row of the log as it is told."""
    kind, how = action.split(".")
    old, new = (_values(one) for one in (before, after))
    values = [(name, old.get(name), new.get(name)) for name in dict.fromkeys([*old, *new]) if _is_told(name, old, new)]
    return Change(at, who or actor, actor, kind, how, values)


def _values(text: str | None) -> Mapping[str, Any]:
    return msgspec.json.decode(text) if text else {}


def _is_told(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    empty = old.get(name) in (None, "", {}) and new.get(name) in (None, "", {})
    return name not in UNTOLD and not name.endswith(SECRET[1:]) and not empty
