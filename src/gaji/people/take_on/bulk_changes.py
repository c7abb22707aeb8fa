"""Replace the take-on balances of many employees at once, with the same checks as single changes."""

from collections.abc import Mapping, Sequence
from typing import Any

from gaji.core.errors import Errors, ValidationError
from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import Rule
from gaji.db.tenancy import Transaction
from gaji.people.employees.events import TaxDetailsChanged
from gaji.people.take_on import repository
from gaji.people.take_on.leave_types import load_leave_type_ids
from gaji.people.take_on.schemas import TAKE_ON, TakeOnInput, leave_types_rule


async def validate_changes(
    tx: Transaction, client_id: int, bodies: Sequence[Mapping[str, Any]]
) -> list[TakeOnInput | Errors]:
    """Return the balances of each body, or its errors. The employees must be locked."""
    rule = leave_types_rule(await load_leave_type_ids(tx, client_id))
    return await run_in_thread_if_many(len(bodies), lambda: [_validate(body, rule) for body in bodies])


async def save_changes(tx: Transaction, client_id: int, balances: Mapping[int, TakeOnInput]) -> None:
    """Replace the balances of employees. The caller recalculates their drafts."""
    if balances:
        await repository.replace(tx, client_id, balances)
        tx.emit(TaxDetailsChanged(client_id, tuple(balances)))


def _validate(body: Mapping[str, Any], rule: Rule) -> TakeOnInput | Errors:
    try:
        return TAKE_ON.parse_create(body, rule).data
    except ValidationError as error:
        return error.errors
