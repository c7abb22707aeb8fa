"""SQL for steps of payment runs for several clients."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from gaji.db.tenancy import Transaction
from gaji.payroll.run_steps.models import BatchSummary, ClientStep, CompanyStep, StepFailure, StepItem, StepResult

_decode_items = msgspec.json.Decoder(list[StepItem]).decode
_decode_results = msgspec.json.Decoder(list[StepResult]).decode


@dataclass(frozen=True, slots=True)
class ClaimedStep:
    """A step that is locked by this transaction."""

    id: int
    user_id: int
    step: CompanyStep
    items: Sequence[StepItem]


async def insert_step(
    tx: Transaction, client_id: int, batch: str, step: CompanyStep, items: Sequence[StepItem]
) -> None:
    """Insert a queued step of the caller."""
    await tx.execute(
        "INSERT INTO run_steps (client_id, batch, step, items, user_id) "
        "VALUES ($1, $2, $3, $4::text::jsonb, current_user_id())",
        client_id,
        batch,
        step,
        msgspec.json.encode(items).decode(),
    )


async def list_batch(tx: Transaction, batch: str) -> list[ClientStep]:
    """Load the steps of a batch of the caller, by client."""
    rows = await tx.fetch(
        "SELECT s.client_id, s.step, s.items::text AS items, s.state, s.results::text AS results, s.reason, "
        "p.step_id IS NOT NULL AS is_running FROM run_steps s "
        "LEFT JOIN run_step_progress p ON p.client_id = s.client_id AND p.step_id = s.id "
        "WHERE s.batch = $1 AND s.user_id = current_user_id() ORDER BY s.client_id",
        batch,
    )
    return [
        ClientStep(
            client_id=row["client_id"],
            step=CompanyStep(row["step"]),
            items=_decode_items(row["items"]),
            state=row["state"],
            is_running=row["is_running"] and row["state"] == "queued",
            results=_decode_results(row["results"] or "[]"),
            reason=StepFailure(row["reason"]) if row["reason"] else None,
        )
        for row in rows
    ]


async def list_batches(tx: Transaction, client_ids: Sequence[int], limit: int) -> list[BatchSummary]:
    """Load the latest batches of the caller, the last one first."""
    rows = await tx.fetch(
        "SELECT batch::text AS batch, min(step) AS step, min(created_at) AS started_at, count(*) AS clients, "
        "count(*) FILTER (WHERE state <> 'queued') AS finished, count(*) FILTER (WHERE state = 'complete') AS done "
        "FROM run_steps WHERE client_id = ANY($1) AND user_id = current_user_id() "
        "GROUP BY batch ORDER BY min(created_at) DESC, batch LIMIT $2",
        client_ids,
        limit,
    )
    return [BatchSummary(**{**row, "step": CompanyStep(row["step"])}) for row in rows]


async def claim(tx: Transaction, client_id: int) -> ClaimedStep | None:
    """Lock the first queued step of a client that no other transaction has locked."""
    row = await tx.fetchrow(
        "SELECT id, user_id, step, items::text AS items FROM run_steps WHERE client_id = $1 AND state = 'queued' "
        "ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
        client_id,
    )
    if row is None:
        return None
    return ClaimedStep(row["id"], row["user_id"], CompanyStep(row["step"]), _decode_items(row["items"]))


async def begin_attempt(tx: Transaction, client_id: int, step_id: int) -> int:
    """Record that a step is running and return the number of attempts so far."""
    attempts: int = await tx.fetchval(
        "INSERT INTO run_step_progress AS p (client_id, step_id) VALUES ($1, $2) ON CONFLICT (client_id, step_id) "
        "DO UPDATE SET attempts = p.attempts + 1 RETURNING attempts",
        client_id,
        step_id,
    )
    return attempts


async def set_audit_user(tx: Transaction, user_id: int) -> None:
    """Attribute the following changes to a user of the console in the audit log."""
    await tx.execute(
        "SELECT set_config('gaji.user', $1, true), set_config('gaji.actor', 'console', true)", str(user_id)
    )


async def complete(tx: Transaction, client_id: int, step_id: int, results: Sequence[StepResult]) -> None:
    """Record what a step did."""
    await tx.execute(
        "UPDATE run_steps SET state = 'complete', finished_at = now(), results = $3::text::jsonb "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued'",
        client_id,
        step_id,
        msgspec.json.encode(results).decode(),
    )


async def fail(tx: Transaction, client_id: int, step_id: int, reason: StepFailure) -> None:
    """Record why a step did nothing."""
    await tx.execute(
        "UPDATE run_steps SET state = 'failed', finished_at = now(), reason = $3 "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued'",
        client_id,
        step_id,
        reason,
    )
