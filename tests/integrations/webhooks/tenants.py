"""Accounts with webhook endpoints in this process, without a server."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

import gaji.wiring  # noqa: F401 - subscribes the handler of events
from gaji.company.clients import service as clients
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.settings import AllowedReceivers
from gaji.db.installation import Installation
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant
from gaji.identity.repository import insert_account
from gaji.identity.service import find_user
from gaji.integrations.webhooks import repository
from gaji.integrations.webhooks.dispatcher import DeliveryPolicy, WebhookDispatcher
from gaji.integrations.webhooks.schemas import EndpointInput
from gaji.integrations.webhooks.sender import SendLimits
from gaji.integrations.webhooks.signatures import new_secret
from tests.integrations.webhooks.receiver import Receiver

LOOPBACK = AllowedReceivers(networks=(ip_network("127.0.0.0/8"),), hosts=frozenset())
QUICK = DeliveryPolicy(
    retry_delays_s=(0.02,) * 9,
    limits=SendLimits(connect_s=2, read_s=0.5, total_s=1.5),
    lease_s=20,
    poll_s=0.02,
)
"""Retries at once, and little patience with receivers."""


@dataclass(frozen=True)
class EventSource:
    """An account with one client, whose events are sent to endpoints."""

    tenant: Tenant
    client_id: int
    email: str

    @classmethod
    async def create(cls, installation: Installation, pool: Pool) -> "EventSource":
        """Create an account with a client."""
        email = f"{secrets.token_hex(6)}@example.com"
        async with installation.database.maintenance() as connection:
            await insert_account(connection, "An account", email, "no password opens this")
        return await cls.of_new_client(installation, pool, email)

    @classmethod
    async def of_new_client(cls, installation: Installation, pool: Pool, email: str) -> "EventSource":
        """Create another client in the account of a user."""
        tenant = Tenant(pool, installation.vault, await find_user(installation.database, email))
        client_id, _ = await clients.create_client(tenant, {"name": "Kopi Trading"})
        # A new client changes what the user may see.
        tenant = Tenant(pool, installation.vault, await find_user(installation.database, email))
        return cls(tenant, client_id, email)

    async def add_endpoint(
        self, url: str, secret: str = "", client_id: int | None = None, types: Sequence[str] = ()
    ) -> int:
        """Add an endpoint whose URL is not checked, for the account or for a client."""
        endpoint = EndpointInput(url=url, description=None, types=types, enabled=True)
        async with self.tenant.transaction() as tx:
            return await repository.insert_endpoint(tx, client_id, endpoint, secret or new_secret())

    async def emit(self, *employee_ids: int, event_type: EventType = EventType.EMPLOYEE_UPDATED) -> None:
        """Record events in one transaction."""
        async with self.tenant.transaction() as tx:
            tx.emit(ResourceEvent(event_type, self.client_id, employee_ids))

    async def read(self, query: str, *arguments: Any) -> Any:
        """Return a value that the account can see."""
        async with self.tenant.transaction() as tx:
            return await tx.fetchval(query, *arguments)

    async def count_deliveries(self, state: str) -> int:
        """Count the deliveries in a state."""
        count: int = await self.read("SELECT count(*) FROM webhook_deliveries WHERE state = $1", state)
        return count


@asynccontextmanager
async def dispatching(
    pool: Pool, installation: Installation, policy: DeliveryPolicy = QUICK, allowed: AllowedReceivers = LOOPBACK
) -> AsyncIterator[None]:
    """Deliver webhooks during the block."""
    dispatcher = asyncio.create_task(WebhookDispatcher(pool, installation.vault, allowed, policy).run())
    try:
        yield
        assert not dispatcher.done(), dispatcher
    finally:
        dispatcher.cancel()
        with suppress(asyncio.CancelledError):
            await dispatcher


async def wait_until(is_done: Callable[[], Any], timeout_s: float = 60) -> None:
    """Wait until a condition holds. It may be a coroutine function."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        result = is_done()
        if await result if asyncio.iscoroutine(result) else result:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the condition did not hold in time")


def accepted_ids(receiver: Receiver) -> set[str]:
    """Return the messages that a receiver accepted."""
    return {message.id for message in receiver.accepted}
