"""What other resources ask about payment runs."""

from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs import repository


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Whose a payment run is, and what has happened to it."""

    client_id: int
    wave_id: int
    finalised: bool
    posted_to_accounting_system: bool
    opening: bool
    """Whether it still takes up its payslips."""


async def run_facts(tx: Transaction, payment_run_id: int) -> RunFacts | None:
    """The facts about a payment run that the caller may see."""
    row = await repository.facts(tx, payment_run_id)
    return RunFacts(*row) if row else None


async def open_runs(tx: Transaction, client_id: int) -> dict[tuple[int, int], int]:
    """The regular runs that are not finalised, by wave and period offset: drafts that come to stand there join them."""
    return {(row["wave_id"], row["period_offset"]): row["id"] for row in await repository.open_runs(tx, client_id)}


async def open_between(tx: Transaction, client_id: int, first: date, last: date) -> dict[int, date]:
    """By id the period ends of the runs, special ones too, that end on these days and are not finalised."""
    return {row["id"]: row["period_end_date"] for row in await repository.open_between(tx, client_id, first, last)}
