"""When employees served, for those who calculate what they are paid."""

from collections import defaultdict
from collections.abc import Sequence

from gaji.db.tenancy import Transaction
from gaji.engine.cases import Stretch
from gaji.service_periods import store


async def services(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[Stretch]]:
    """The service of these employees, by employee, in the order of time."""
    found: dict[int, list[Stretch]] = defaultdict(list)
    for employee_id, start, end in await store.spans(tx, client_id, employee_ids):
        found[employee_id].append(Stretch(start, end))
    return found
