"""Looking at payment runs: those of a client, and one with what its period comes to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.payroll.payment_runs import repository
from gaji.payroll.payment_runs.models import missing, run_of
from gaji.payroll.payslips import summaries
from gaji.payroll.payment_runs import payslips as runs
from gaji.payroll.payslips.summaries import Heading, Mover, Sums
from gaji.payroll.payment_runs.payslips import Counts, Run


@dataclass(frozen=True)
class Listed:
    """A run in a list; money in cents."""

    id: int
    wave_id: int
    period_offset: int
    period_end_date: date
    special: bool
    opening: bool
    finalised: bool
    released: bool
    posted: bool
    payslips: int | None
    total: int | None
    """Of a run that is not finalised, not known without adding up."""
    finalised_at: datetime | None


@dataclass(frozen=True)
class Looked:
    """One run with all that is to be checked before it is finalised."""

    run: Listed
    client_id: int
    counts: Counts
    now: Sums
    before: Sums
    movers: Sequence[Mover]
    payslips: Sequence[tuple[Heading, int | None]]
    """A page of them, each with the nett pay of the period before."""
    payslips_in_all: int


async def list_runs(tx: Transaction, client_id: int, most: int = 500) -> list[Listed]:
    """The runs of a client, newest first."""
    return [Listed(*row) for row in await repository.looked_at(tx, client_id, most)]


async def client_of_run(tenant: Tenant, run_id: int) -> int:
    """The client of a run; raises NotFound."""
    async with tenant.reading() as tx:
        client_id: int = await repository.client_of(tx, run_id) or missing(run_id)
    return client_id


async def look(tenant: Tenant, run_id: int, page: Page, *, attention: bool = False) -> Looked:
    """One run; raises NotFound."""
    async with tenant.reading() as tx:
        row = await repository.element(tx, run_id) or missing(run_id)
        run = run_of(row)
        opening = run.opening
        payslips, in_all = await summaries.of_run(tx, run.of, page, attention=attention)
        now, before = await _compared(tx, run.of, row["finalised_at"])
        return Looked(
            Listed(
                run.id,
                run.of.place.wave_id,
                run.of.place.offset,
                run.period_end_date,
                run.of.special,
                opening,
                run.finalised,
                run.released,
                run.posted,
                row["payslip_count"],
                row["total"],
                row["finalised_at"],
            ),
            run.client_id,
            await runs.counts(tx, run.of, opening=opening),
            now,
            before,
            [] if run.of.special or run.finalised else await summaries.movers(tx, run.of),
            payslips,
            in_all,
        )


async def sums_by_month(tx: Transaction, client_id: int, listed: Sequence[Listed], first: date) -> dict[date, Sums]:
    """What the finalised ones of these runs come to, by the first day of each month from one on."""
    wanted = {run.id: run for run in listed if run.finalised_at and run.period_end_date >= first}
    known = await summaries.sums_of_runs(tx, client_id, {run.id: run.finalised_at for run in wanted.values()})
    found: dict[date, Sums] = {}
    for run_id, sums in known.items():
        month = wanted[run_id].period_end_date.replace(day=1)
        found[month] = found.get(month, Sums()) + sums
    return found


async def _compared(tx: Transaction, run: Run, finalised_at: datetime | None) -> tuple[Sums, Sums]:
    """What a regular run comes to, and the one of the period before."""
    if run.special:
        return Sums(), Sums()
    before = await repository.run_before(tx, run.client_id, *run.place)
    finalised = {run.id: finalised_at} if finalised_at else {}
    if before:
        finalised[before["id"]] = before["finalised_at"]
    known = await summaries.sums_of_runs(tx, run.client_id, finalised)
    now = known[run.id] if run.id in known else await summaries.sums_of_period(tx, run)
    return now, known[before["id"]] if before else Sums()
