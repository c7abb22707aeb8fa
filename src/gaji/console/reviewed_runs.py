"""Pay runs as the user reviewed them, encrypted in the form that finalises them.

So they are not checked again before the question and before the start. The worker compares the fingerprints.
"""

import base64
import binascii
import time
from collections.abc import Mapping, Sequence

import msgspec

from gaji.company.clients.service import ClientMembership
from gaji.console.company_plans import PlannedStep
from gaji.console.request import PageRequest
from gaji.core.vault import DecryptionError, SealedCell
from gaji.payroll.payment_runs.queries import load_open_runs_of_clients
from gaji.payroll.run_steps.models import StepItem

LIFETIME_S = 60 * 60
CELL = SealedCell(0, "forms", 0, "reviewed_run")


class ReviewedRun(msgspec.Struct, frozen=True):
    """A pay run that could be finalised when the user reviewed it."""

    user_id: int
    client_id: int
    key: str
    item: StepItem
    cents: Mapping[str, int]
    reviewed_at: float


def field_name(key: str) -> str:
    """Return the name of the field for a pay run."""
    return f"reviewed.{key}"


def seal_runs(request: PageRequest, ready: Sequence[PlannedStep]) -> dict[str, str]:
    """Return the value of the field for each pay run, by its key."""
    now, user_id = time.time(), request.tenant.caller.user_id
    sealed = {}
    for planned in ready:
        run = ReviewedRun(user_id, planned.company.id, planned.key, planned.to_item(), planned.cents, now)
        data = request.state.vault.seal(msgspec.msgpack.encode(run), CELL)
        sealed[planned.key] = base64.urlsafe_b64encode(data).decode()
    return sealed


async def unseal_runs(request: PageRequest, companies: Sequence[ClientMembership], keys: set[str]) -> list[PlannedStep]:
    """Return the selected pay runs of these companies that the user has reviewed and that are still open."""
    by_id = {company.id: company for company in companies if company.can_write}
    unsealed = (_unseal_run(request, request.form.get(field_name(key), "")) for key in sorted(keys))
    reviewed = [run for run in unsealed if run and run.key in keys and run.client_id in by_id]
    if not reviewed:
        return []
    async with request.tenant.read_only() as tx:
        open_ids = set((await load_open_runs_of_clients(tx, list(by_id))).values())
    runs = {run.key: run for run in reviewed if run.item.run_id in open_ids}
    planned = [
        PlannedStep(
            by_id[run.client_id],
            key=run.key,
            run_id=run.item.run_id,
            wave_id=run.item.wave_id,
            end=run.item.period_end_date,
            payslips=run.item.payslips,
            cents=run.cents,
            fingerprint=run.item.fingerprint,
        )
        for run in runs.values()
    ]
    order = list(by_id)
    return sorted(planned, key=lambda item: (order.index(item.company.id), item.run_id))


def _unseal_run(request: PageRequest, text: str) -> ReviewedRun | None:
    try:
        data = request.state.vault.open_bytes(base64.urlsafe_b64decode(text), CELL)
        run = msgspec.msgpack.decode(data, type=ReviewedRun)
    except (DecryptionError, binascii.Error, ValueError):
        return None
    is_own = run.user_id == request.tenant.caller.user_id
    return run if is_own and time.time() - run.reviewed_at < LIFETIME_S else None
