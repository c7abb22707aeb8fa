"""Payment run overviews: the runs of a client, and one run compared with the previous period."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from gaji.db.tenancy import Tenant, Transaction
from gaji.payroll.payment_runs import repository
from gaji.payroll.payment_runs.models import load_run, load_run_row, run_from_row
from gaji.payroll.payment_runs.payslips import PayslipCounts, RunKey, load_counts
from gaji.payroll.payslips import summaries
from gaji.payroll.payslips.pay_register import PayRegister, RegisterTotal
from gaji.payroll.payslips.summaries import CostSummary


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
    rules_versions: Sequence[str] | None
    """None for a run that is not finalised."""

    def is_paid_by(self, day: date) -> bool:
        """Return whether it is marked as paid on a day or earlier. It can be marked as paid on a future day."""
        return self.paid_at is not None and self.payment_date <= day


@dataclass(frozen=True)
class RunHeader:
    """One run, and the costs of the previous period."""

    run: RunSummary
    key: RunKey
    before: CostSummary

    @property
    def client_id(self) -> int:
        """The client of the run."""
        return self.key.client_id

    @property
    def previous_offset(self) -> int | None:
        """The period that the payslips are compared with. None for once-off runs, and if nothing was paid before."""
        is_compared = self.before.payslips and not self.run.special and not self.run.opening
        return self.run.period_offset - 1 if is_compared else None


@dataclass(frozen=True)
class RunOverview(RunHeader):
    """One run with everything to check before it is finalised."""

    counts: PayslipCounts
    now: CostSummary


async def list_runs(
    tx: Transaction, client_id: int, limit: int = 500, run_ids: Sequence[int] | None = None
) -> list[RunSummary]:
    """List the runs of a client, or those of some IDs, newest first."""
    return [RunSummary(**row) for row in await repository.list_summaries(tx, client_id, limit, run_ids)]


async def load_client_id(tenant: Tenant, run_id: int) -> int:
    """Return the client of a run. Raises NotFound."""
    async with tenant.read_only() as tx:
        return (await load_run(tx, run_id)).client_id


async def load_header(tx: Transaction, run_id: int) -> RunHeader:
    """Load a run without its payslips. Raises NotFound."""
    row = await load_run_row(tx, run_id)
    run = run_from_row(row)
    summary = RunSummary(
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
        rules_versions=row["rules_versions"],
    )
    return RunHeader(summary, run.key, await _load_previous_costs(tx, run.key))


async def load_overview(tenant: Tenant, run_id: int) -> RunOverview:
    """Load the overview of a run. Raises NotFound."""
    async with tenant.read_only() as tx:
        return await add_counts(tx, await load_header(tx, run_id))


async def add_counts(tx: Transaction, header: RunHeader, register: PayRegister | None = None) -> RunOverview:
    """Return the overview of a run. If its complete register is known, the payslips are not counted again."""
    run = header.run
    if run.finalised:
        costs = await summaries.load_run_costs(tx, header.client_id, {run.id: run.finalised_at})
        count = run.payslips or 0
        counts, cost = PayslipCounts(count, count, dirty=0, attention=0, total=run.total or 0), costs[run.id]
    elif register is not None and not run.opening:
        counts, cost = _from_register(register.total)
    else:
        counts, cost = await summaries.load_counts_and_costs(tx, header.key)
        counts = await load_counts(tx, header.key, opening=True) if run.opening else counts
    return RunOverview(run, header.key, header.before, counts, cost)


def _from_register(total: RegisterTotal) -> tuple[PayslipCounts, CostSummary]:
    cents, calculated = total.cents, total.payslips - total.dirty
    counts = PayslipCounts(
        total.payslips,
        calculated,
        total.dirty,
        total.attention,
        cents["nett_pay"],
        nothing=total.blank,
        without_hours=total.without_hours,
    )
    names = ("nett_pay", "cpf_employee", "cpf_employer", "sdl", "funds", "levy")
    return counts, CostSummary(payslips=total.payslips, **{name: cents[name] for name in names})


async def load_costs_by_month(
    tx: Transaction, client_id: int, runs: Sequence[RunSummary], first: date
) -> dict[date, CostSummary]:
    """Return the costs of the finalised runs since a day, by the first day of the month.

    Corrections count in the month that they correct.
    """
    finalised = {
        run.id: run for run in runs if run.finalised_at and (run.corrected_end or run.period_end_date) >= first
    }
    run_costs = await summaries.load_run_costs(tx, client_id, {run.id: run.finalised_at for run in finalised.values()})
    costs: dict[date, CostSummary] = {}
    for run_id, cost in run_costs.items():
        run = finalised[run_id]
        month = (run.corrected_end or run.period_end_date).replace(day=1)
        costs[month] = costs.get(month, CostSummary()) + cost
    return costs


async def _load_previous_costs(tx: Transaction, run: RunKey) -> CostSummary:
    """Load the costs of the previous period of a regular run."""
    previous = None if run.special else await repository.run_before(tx, run.client_id, *run.period)
    if previous is None:
        return CostSummary()
    costs = await summaries.load_run_costs(tx, run.client_id, {previous["id"]: previous["finalised_at"]})
    return costs[previous["id"]]
