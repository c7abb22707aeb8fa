"""Payment run overviews: the runs of a client, and one run compared with the previous period."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.payroll.payment_runs import repository
from gaji.payroll.payment_runs.models import load_run, load_run_row, run_from_row
from gaji.payroll.payment_runs.payslips import PayslipCounts, RunKey, load_counts
from gaji.payroll.payslips import summaries
from gaji.payroll.payslips.summaries import CostSummary, PayChange, PayslipSummary


@dataclass(frozen=True)
class RunSummary:
    """A run in a list. Money is in cents."""

    id: int
    wave_id: int
    period_offset: int
    period_end_date: date
    special: bool
    corrects: int | None
    """The run that it corrects."""
    opening: bool
    finalised: bool
    released: bool
    posted: bool
    payslips: int | None
    total: int | None
    """None for a run that is not finalised."""
    finalised_at: datetime | None
    payment_date: date
    paid_at: datetime | None
    paid_by: str | None
    corrected_end: date | None
    """The end of the period that a correction run corrects."""


@dataclass(frozen=True)
class RunOverview:
    """One run with everything to check before it is finalised."""

    run: RunSummary
    client_id: int
    counts: PayslipCounts
    now: CostSummary
    before: CostSummary
    changes: Sequence[PayChange]
    payslips: Sequence[tuple[PayslipSummary, int | None]]
    """A page of the payslips, each with the nett pay of the previous period."""
    payslip_total: int


async def list_runs(tx: Transaction, client_id: int, limit: int = 500) -> list[RunSummary]:
    """List the runs of a client, newest first."""
    return [RunSummary(**row) for row in await repository.list_summaries(tx, client_id, limit)]


async def load_client_id(tenant: Tenant, run_id: int) -> int:
    """Return the client of a run. Raises NotFound."""
    async with tenant.read_only() as tx:
        return (await load_run(tx, run_id)).client_id


async def load_overview(tenant: Tenant, run_id: int, page: ListPage, *, attention: bool = False) -> RunOverview:
    """Load the overview of a run. Raises NotFound."""
    async with tenant.read_only() as tx:
        row = await load_run_row(tx, run_id)
        run = run_from_row(row)
        payslips, payslip_total = await summaries.load_run_page(tx, run.key, page, attention=attention)
        now, before = await _load_comparison(tx, run.key, row["finalised_at"])
        return RunOverview(
            run=RunSummary(
                id=run.id,
                wave_id=run.key.period.wave_id,
                period_offset=run.key.period.offset,
                period_end_date=run.period_end_date,
                special=run.key.special,
                corrects=run.key.corrects,
                opening=run.opening,
                finalised=run.finalised,
                released=run.released,
                posted=run.posted,
                payslips=row["payslip_count"],
                total=row["total"],
                finalised_at=row["finalised_at"],
                payment_date=row["shown_payment_date"],
                paid_at=row["paid_at"],
                paid_by=row["paid_by_name"],
                corrected_end=row["corrected_end"],
            ),
            client_id=run.client_id,
            counts=await load_counts(tx, run.key, opening=run.opening),
            now=now,
            before=before,
            changes=[] if run.key.special or run.finalised else await summaries.load_largest_changes(tx, run.key),
            payslips=payslips,
            payslip_total=payslip_total,
        )


async def load_costs_by_month(
    tx: Transaction, client_id: int, runs: Sequence[RunSummary], first: date
) -> dict[date, CostSummary]:
    """Return the costs of the finalised runs since a day, by the first day of the month."""
    finalised = {run.id: run for run in runs if run.finalised_at and run.period_end_date >= first}
    run_costs = await summaries.load_run_costs(tx, client_id, {run.id: run.finalised_at for run in finalised.values()})
    costs: dict[date, CostSummary] = {}
    for run_id, cost in run_costs.items():
        month = finalised[run_id].period_end_date.replace(day=1)
        costs[month] = costs.get(month, CostSummary()) + cost
    return costs


async def _load_comparison(
    tx: Transaction, run: RunKey, finalised_at: datetime | None
) -> tuple[CostSummary, CostSummary]:
    """Load the costs of a regular run and of the previous period."""
    if run.special:
        return CostSummary(), CostSummary()
    previous = await repository.run_before(tx, run.client_id, *run.period)
    finalised = {run.id: finalised_at} if finalised_at else {}
    if previous:
        finalised[previous["id"]] = previous["finalised_at"]
    costs = await summaries.load_run_costs(tx, run.client_id, finalised)
    now = costs[run.id] if run.id in costs else await summaries.load_period_costs(tx, run)
    return now, costs[previous["id"]] if previous else CostSummary()
