"""Load what the attributes of employees are checked against."""

from collections.abc import Set

from gaji.company.clients.queries import has_manual_numbers
from gaji.company.custom_fields.queries import lock_custom_fields
from gaji.company.pay_points.queries import load_pay_point_ids
from gaji.company.waves.queries import load_schedules
from gaji.db.tenancy import Transaction
from gaji.people.employees.rules import ClientContext


async def load_context(tx: Transaction, client_id: int, taken: Set[str] = frozenset()) -> ClientContext:
    """Load the waves, pay points and custom fields of a client."""
    return ClientContext(
        schedules=await load_schedules(tx, client_id),
        pay_point_ids=await load_pay_point_ids(tx, client_id),
        custom_fields=await lock_custom_fields(tx, client_id),
        manual_numbers=await has_manual_numbers(tx, client_id),
        taken=taken,
    )
