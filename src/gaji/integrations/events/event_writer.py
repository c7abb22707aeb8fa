"""Store events in the transaction that causes them."""

from gaji.core.resource_events import ResourceEvent
from gaji.db.tenancy import Transaction


async def record_event(tx: Transaction, event: ResourceEvent) -> None:
    """Store an event right before the transaction commits.

    Events are numbered under a lock of the account, which must be the last one that the transaction takes.
    """
    if event.resource_ids:
        tx.run_before_commit(_statement(event))


def _statement(event: ResourceEvent) -> str:
    """Return the statement as text. Its values are numbers, UUIDs and names of types, so nothing needs quoting.

    >>> from gaji.core.resource_events import EventType
    >>> _statement(ResourceEvent(EventType.EMPLOYEE_CREATED, 1, (7, 8)))
    "SELECT record_events(1, 'employee.created', 'employee', '{7,8}')"
    """
    ids = ",".join(str(resource_id) for resource_id in event.resource_ids)
    if not ids.replace(",", "").replace("-", "").isalnum():
        raise ValueError("an ID of an event has characters that an ID cannot have")
    return f"SELECT record_events({event.client_id:d}, '{event.type}', '{event.type.resource_type}', '{{{ids}}}')"
