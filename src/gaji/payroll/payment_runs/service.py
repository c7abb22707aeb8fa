"""Payment run use cases other than opening and finalising."""

from collections.abc import Mapping, Sequence
from typing import Any

import asyncpg
import msgspec

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.external_references import REFERENCE_NAMES
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.external_references import external_id_race
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage, json_text
from gaji.db.record_changes import ChangedRecords, ChangeRequest, load_changed_records, with_elements
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.money import decimal_text
from gaji.payroll.payment_reissues import service as reissues
from gaji.payroll.payment_runs import payslips, repository
from gaji.payroll.payment_runs.correction_runs import compare_again
from gaji.payroll.payment_runs.models import PaymentRun, load_run, load_run_row, lock_run, run_from_row
from gaji.payroll.payment_runs.payslips import NO_TOTAL, PayslipCounts, RunTotal
from gaji.payroll.payment_runs.references import load_external_id_rule
from gaji.payroll.payment_runs.rules import made_payment_rule, payment_date_rule
from gaji.payroll.payment_runs.schemas import MADE_PAYMENT, PAYMENT_RUN_UPDATE
from gaji.payroll.snapshots import queries as snapshots


async def list_runs(
    tenant: Tenant, client_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[tuple[list[str], int], set[str]]:
    """List the runs of a client as JSON, newest first, with the total count and their rules versions."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await _load_elements(tx, client_id, page, filters)


async def list_changed_runs(tenant: Tenant, client_id: int, request: ChangeRequest) -> tuple[ChangedRecords, set[str]]:
    """List the runs of a client that changed after a position as JSON, and their rules versions.

    The last page also has every run that is not finalised, because its total changes with its payslips.
    """
    versions: set[str] = set()
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)

        async def load_elements(filters: Filters) -> list[str]:
            (elements, _), listed_versions = await _load_elements(tx, client_id, None, filters)
            versions.update(listed_versions)
            return elements

        scope = {"client_id": client_id}
        changed = await load_changed_records(tx, scope, "payment_run", request, lambda ids: load_elements({"ids": ids}))
        if not changed.has_more:
            changed = with_elements(changed, await load_elements({"finalised": False}))
    return changed, versions


async def _load_elements(
    tx: Transaction, client_id: int, page: ListPage | None, filters: Filters
) -> tuple[tuple[list[str], int], set[str]]:
    rows, count = await repository.elements(tx, client_id, page, filters)
    open_runs = [row["id"] for row in rows if not row["finalised"]]
    totals = await payslips.load_totals(tx, client_id, open_runs) if open_runs else {}
    elements, versions = [], set[str]()
    for row in rows:
        stored = RunTotal(row["total"], 0, row["rules_versions"]) if row["finalised"] else None
        total = stored or totals.get(row["id"], NO_TOTAL)
        elements.append(_element(row, total.cents, total.dirty))
        versions.update(total.rules_versions)
    return (elements, count), versions


async def read_run(tenant: Tenant, run_id: int) -> tuple[str, Sequence[str]]:
    """Return a run as JSON, with its state, counts and progress, and the rules versions of its payslips."""
    async with tenant.read_only() as tx:
        row = await load_run_row(tx, run_id)
        counts = await _load_counts(tx, row)
        differences = await snapshots.load_differences(tx, row["client_id"], run_id) if row["finalised"] else None
    extra = {
        "finalised": row["finalised"],
        "released": row["released"],
        "counts": {name: getattr(counts, name) for name in ("payslips", "calculated", "dirty", "attention")},
        "progress": 100 * counts.calculated // counts.payslips if counts.payslips else 100,
        "differences": None if differences is None else msgspec.Raw(differences.encode()),
    }
    return f"{_element(row, counts.total, counts.dirty)[:-1]},{json_text(extra)[1:]}", counts.rules_versions


async def list_payslips(
    tenant: Tenant, run_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[tuple[list[str], int], set[str]]:
    """List the payslips of a run as JSON with their items, with the total count and their rules versions."""
    async with tenant.read_only() as tx:
        run = await load_run(tx, run_id)
        return await payslips.list_payslips(tx, run.key, page, filters)


async def update_run(tenant: Tenant, run_id: int, body: Mapping[str, Any]) -> dict[str, str]:
    """Update a run. Returns warnings about the body."""
    with external_id_race():
        async with tenant.transaction() as tx:
            run = await lock_run(tx, run_id, lock_drafts=False)
            await tx.check_precondition()
            return await _apply_update(tx, run, body)


async def _apply_update(tx: Transaction, run: PaymentRun, body: Mapping[str, Any]) -> dict[str, str]:
    references = await repository.load_references(tx, run.client_id, run.id)
    current = {
        "posted_to_accounting_system": run.posted,
        "payment_date": run.payment_date,
        **dict(zip(REFERENCE_NAMES, references, strict=True)),
    }
    rule = await load_external_id_rule(tx, run.client_id, PAYMENT_RUN_UPDATE.unwrap(body), run.id)
    validated = PAYMENT_RUN_UPDATE.parse_update(body, current, payment_date_rule(run.period_end_date), rule)
    update = validated.data
    if update.posted_to_accounting_system:
        run.require_finalised("posted to the accounting system")
    if update.posted_to_accounting_system != run.posted:
        await repository.set_posted(tx, run.client_id, run.id, update.posted_to_accounting_system)
    if update.payment_date != run.payment_date:
        run.require_not_paid("paid on another date")
        await repository.set_payment_date(tx, run.client_id, run.id, update.payment_date)
    if (update.external_id, update.metadata) != references:
        await repository.set_references(tx, run.client_id, run.id, update.external_id, update.metadata)
    return validated.warnings


async def mark_paid(tenant: Tenant, run_id: int, body: Mapping[str, Any]) -> dict[str, str]:
    """Record that the payments of a finalised run were made, and on which day. Returns warnings about the body."""
    async with tenant.transaction() as tx:
        return await mark_paid_in_transaction(tx, run_id, body)


async def mark_paid_in_transaction(tx: Transaction, run_id: int, body: Mapping[str, Any]) -> dict[str, str]:
    """Like `mark_paid`, in a transaction of the caller."""
    run = await lock_run(tx, run_id, lock_drafts=False)
    run.require_finalised("marked as paid")
    validated = MADE_PAYMENT.parse_create(body, made_payment_rule(run.period_end_date, clock.today()))
    payment_date = validated.data.payment_date
    if payment_date is not None and payment_date != run.payment_date:
        run.require_not_paid("paid on another date")
        await repository.set_payment_date(tx, run.client_id, run_id, payment_date)
    if not run.paid:
        await repository.set_paid(tx, run.client_id, run_id, paid=True)
        tx.emit(ResourceEvent(EventType.PAYMENT_RUN_PAID, run.client_id, (run_id,)))
    return validated.warnings


async def mark_not_paid(tenant: Tenant, run_id: int) -> None:
    """Record that the payments of a run were not made. Its reissues are deleted."""
    async with tenant.transaction() as tx:
        run = await lock_run(tx, run_id, lock_drafts=False)
        if run.paid:
            await reissues.delete_reissues(tx, run.client_id, run_id)
            await repository.set_paid(tx, run.client_id, run_id, paid=False)
            tx.emit(ResourceEvent(EventType.PAYMENT_RUN_UNPAID, run.client_id, (run_id,)))


async def calculate_run(tenant: Tenant, run_id: int) -> int:
    """Calculate all payslips of a run again, many in a task. Returns their number.

    A correction run takes in what was recorded since it was opened.
    """
    async with tenant.transaction() as tx:
        return await calculate_in_transaction(tx, run_id)


async def calculate_in_transaction(tx: Transaction, run_id: int) -> int:
    """Like `calculate_run`, in a transaction of the caller."""
    run = await lock_run(tx, run_id, lock_drafts=True)
    run.require_open("calculated")
    if run.key.corrects is not None:
        return await compare_again(tx, run.key)
    return await payslips.recalculate(tx, run.key)


async def release_run(tenant: Tenant, run_id: int) -> None:
    """Release the payslips of a finalised run to employees."""
    async with tenant.transaction() as tx:
        await release_in_transaction(tx, run_id)


async def release_in_transaction(tx: Transaction, run_id: int) -> None:
    """Like `release_run`, in a transaction of the caller."""
    run = await lock_run(tx, run_id, lock_drafts=False)
    run.require_finalised("released")
    if not run.released:
        await payslips.release(tx, run.key)
        await repository.release(tx, run.client_id, run_id)
        tx.emit(ResourceEvent(EventType.PAYMENT_RUN_RELEASED, run.client_id, (run_id,)))


async def delete_run(tenant: Tenant, run_id: int) -> None:
    """Delete a run that is not finalised. Its regular drafts stay."""
    async with tenant.transaction() as tx:
        run = await lock_run(tx, run_id, lock_drafts=True)
        await tx.check_precondition()
        run.require_not_finalised("deleted")
        await payslips.detach_drafts(tx, run.key)
        await repository.delete(tx, run.client_id, run_id)
        tx.emit(ResourceEvent(EventType.PAYMENT_RUN_DELETED, run.client_id, (run_id,)))


async def _load_counts(tx: Transaction, row: asyncpg.Record) -> PayslipCounts:
    if row["finalised"]:
        count, total, versions = row["payslip_count"], row["total"], row["rules_versions"]
        return PayslipCounts(count, count, dirty=0, attention=0, total=total, rules_versions=versions)
    return await payslips.load_counts(tx, run_from_row(row).key, opening=row["state"] == "opening")


def _element(row: asyncpg.Record, total_cents: int, dirty: int) -> str:
    """The JSON of a run with its state, and its total as a number."""
    calculating = row["state"] == "opening" or dirty
    state = "finalised" if row["finalised"] else "calculating" if calculating else "open"
    return f'{row["element"][:-1]},"state":"{state}","total":{decimal_text(total_cents)}}}'
