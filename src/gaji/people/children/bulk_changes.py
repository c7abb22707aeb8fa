"""Create and update many children at once, with the same checks as single changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.core.errors import Errors, ValidationError
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.people.children import repository
from gaji.people.children.adjustments import find_child_leave_adjustments
from gaji.people.children.queries import StoredChild
from gaji.people.children.schemas import CHILD, ChildInput, child_rule


@dataclass(frozen=True)
class ChildChange:
    """The body of a create or an update."""

    employee_id: int | None
    """None for an employee who has not been created yet."""
    stored: StoredChild | None
    """None for a new child."""
    body: Mapping[str, Any]


async def validate_changes(
    tx: Transaction, client_id: int, changes: Sequence[ChildChange]
) -> list[ChildInput | Errors]:
    """Return the attributes of each child after its change, or the errors. The employees must be locked."""
    employee_ids = [change.employee_id for change in changes if change.employee_id is not None]
    adjusted_on = await find_child_leave_adjustments(tx, client_id, employee_ids) if employee_ids else {}
    return await run_in_thread_if_many(len(changes), lambda: [_validate(change, adjusted_on) for change in changes])


async def insert_children(tx: Transaction, client_id: int, children: Sequence[tuple[int, ChildInput]]) -> list[int]:
    """Insert valid children, each with its employee, and return their IDs in the same order."""
    return await repository.insert_many(tx, client_id, children) if children else []


async def update_children(tx: Transaction, client_id: int, children: Sequence[tuple[int, ChildInput]]) -> None:
    """Update children with valid attributes, each with its ID."""
    if children:
        await repository.update_many(tx, client_id, children)


def _validate(change: ChildChange, adjusted_on: Mapping[int, date]) -> ChildInput | Errors:
    try:
        if change.stored is not None:
            return CHILD.parse_update(change.body, change.stored.record, child_rule(None)).data
        return CHILD.parse_create(change.body, child_rule(adjusted_on.get(change.employee_id or 0))).data
    except ValidationError as error:
        return error.errors
