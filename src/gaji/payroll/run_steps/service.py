"""Use cases for steps of payment runs for several clients."""

from collections.abc import Mapping, Sequence
from uuid import uuid4

from gaji.core.errors import NotFound
from gaji.db.tenancy import Tenant
from gaji.identity.roles import require_writer
from gaji.payroll.run_steps import repository
from gaji.payroll.run_steps.models import BatchSummary, ClientStep, CompanyStep, StepItem
from gaji.tasks.queue import enqueue
from gaji.tasks.queue_limit import QueueLimit, is_uuid

JOB = "run_company_steps"
"""The job that does the queued steps of a client."""
MAX_QUEUED = 5
RETRY_AFTER_S = 2
QUEUE = QueueLimit("run_steps", "run step queue", "steps", RETRY_AFTER_S)


async def start_batch(tenant: Tenant, step: CompanyStep, items: Mapping[int, Sequence[StepItem]]) -> str:
    """Queue a step for the payment runs of each client. Return the UUID of the batch."""
    batch = str(uuid4())
    async with tenant.transaction() as tx:
        for client_id in sorted(items):  # in this order, because each one takes a lock
            await require_writer(tx, client_id)
            await QUEUE.require_capacity(tx, client_id, MAX_QUEUED)
            await repository.insert_step(tx, client_id, batch, step, items[client_id])
            await enqueue(tx, JOB, client_id)
    return batch


async def list_batches(tenant: Tenant, client_ids: Sequence[int], limit: int) -> list[BatchSummary]:
    """Return the latest batches that the caller started for clients, the last one first. They expire after a day."""
    async with tenant.read_only() as tx:
        return await repository.list_batches(tx, client_ids, limit)


async def read_batch(tenant: Tenant, batch: str) -> list[ClientStep]:
    """Return the steps of a batch, by client. Raises NotFound if it has expired or is another user's."""
    async with tenant.read_only() as tx:
        steps = await repository.list_batch(tx, batch) if is_uuid(batch) else []
    if not steps:
        raise NotFound("These steps do not exist or have expired")
    return steps
