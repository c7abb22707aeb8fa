"""What can be asked about payment runs beside opening and finalising them."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import Page, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.money import decimal_text
from gaji.payroll.payment_runs import repository
from gaji.payroll.payment_runs.rules import CHANGE
from gaji.payroll.payment_runs.models import missing, run_for_change, run_of
from gaji.payroll.payment_runs import payslips
from gaji.payroll.payment_runs.payslips import Counts


async def list_runs(tenant: Tenant, client_id: int, page: Page | None) -> tuple[list[str], int]:
    """The runs of a client as JSON, newest first, and how many there are in all."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        rows, count = await repository.elements(tx, client_id, page)
        unfinished = [row["id"] for row in rows if row["total"] is None]
        totals = await payslips.totals(tx, client_id, unfinished) if unfinished else {}
    return [_element(row, totals.get(row["id"], 0) if row["total"] is None else row["total"]) for row in rows], count


async def read_run(tenant: Tenant, run_id: int) -> str:
    """One run as JSON, with its state, how many payslips it has, and how far it is."""
    async with tenant.reading() as tx:
        row = await repository.element(tx, run_id) or missing(run_id)
        counts = await _counts(tx, row)
    more = {
        "state": "opening" if row["state"] == "opening" else "calculating" if counts.dirty else "ready",
        "finalised": row["finalised"],
        "released": row["released"],
        "counts": {name: getattr(counts, name) for name in ("payslips", "calculated", "dirty", "attention")},
        "progress": 100 * counts.calculated // counts.payslips if counts.payslips else 100,
    }
    return f"{_element(row, counts.total)[:-1]},{json_text(more)[1:]}"


async def list_payslips(tenant: Tenant, run_id: int, page: Page | None) -> tuple[tuple[list[str], int], set[str]]:
    """The payslips of a run as JSON with their items, how many there are in all, and their rules versions."""
    async with tenant.reading() as tx:
        row = await repository.element(tx, run_id) or missing(run_id)
        return await payslips.listed(tx, run_of(row).of, page)


async def change_run(tenant: Tenant, run_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Change what the body names of a run."""
    async with tenant.transaction() as tx:
        run = await run_for_change(tx, run_id, alone=False)
        reading = CHANGE.parse_update(body, {"posted_to_accounting_system": run.posted})
        await repository.post(tx, run.client_id, run_id, reading.record["posted_to_accounting_system"])
        return reading


async def calculate_run(tenant: Tenant, run_id: int) -> int:
    """Calculate all payslips of a run again, many of them in a job; says how many there are."""
    async with tenant.transaction() as tx:
        run = await run_for_change(tx, run_id, alone=True)
        run.require_open("calculated")
        return await payslips.recalculate(tx, run.of)


async def release_run(tenant: Tenant, run_id: int) -> None:
    """Let employees see the payslips of a finalised run."""
    async with tenant.transaction() as tx:
        run = await run_for_change(tx, run_id, alone=False)
        run.require_finalised("released")
        if not run.released:
            await payslips.release(tx, run.of)
            await repository.release(tx, run.client_id, run_id)


async def delete_run(tenant: Tenant, run_id: int) -> None:
    """Remove a run that is not finalised; its drafts stay, but for once-off ones."""
    async with tenant.transaction() as tx:
        run = await run_for_change(tx, run_id, alone=True)
        run.require_not_finalised("deleted")
        await payslips.give_back(tx, run.of)
        await repository.delete(tx, run.client_id, run_id)


async def _counts(tx: Transaction, row: asyncpg.Record) -> Counts:
    if row["finalised"]:
        return Counts(row["payslip_count"], row["payslip_count"], dirty=0, attention=0, total=row["total"])
    return await payslips.counts(tx, run_of(row).of, opening=row["state"] == "opening")


def _element(row: asyncpg.Record, total: int) -> str:
    """The JSON of a run with its total, a number."""
    return f'{row["element"][:-1]},"total":{decimal_text(total)}}}'
