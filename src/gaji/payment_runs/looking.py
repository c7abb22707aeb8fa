"""Looking at payment runs: those of a client, and one with what its period comes to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Tenant, Transaction
from gaji.elements import Page
from gaji.payment_runs import store
from gaji.payment_runs.run import missing, run_of
from gaji.payslips import looking, runs
from gaji.payslips.looking import Heading, Mover, Sums
from gaji.payslips.runs import Counts, Run


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
    return [Listed(*row) for row in await store.looked_at(tx, client_id, most)]


async def client_of_run(tenant: Tenant, run_id: int) -> int:
    """The client of a run; raises NotFound."""
    async with tenant.reading() as tx:
        client_id: int = await store.client_of(tx, run_id) or missing(run_id)
    return client_id


async def look(tenant: Tenant, run_id: int, page: Page, *, attention: bool = False) -> Looked:
    """One run; raises NotFound."""
    async with tenant.reading() as tx:
        row = await store.element(tx, run_id) or missing(run_id)
        run = run_of(row)
        opening = run.opening
        payslips, in_all = await looking.of_run(tx, run.of, page, attention=attention)
        now, before = await _compared(tx, run.of)
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
            ),
            run.client_id,
            await runs.counts(tx, run.of, opening=opening),
            now,
            before,
            [] if run.of.special else await looking.movers(tx, run.of),
            payslips,
            in_all,
        )


async def _compared(tx: Transaction, run: Run) -> tuple[Sums, Sums]:
    return (Sums(), Sums()) if run.special else await looking.compared(tx, run)
