"""What the payslips of a run show, for those who add it up."""

from collections.abc import Sequence
from dataclasses import dataclass

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository import run_lines as store


@dataclass(frozen=True)
class RunLines:
    """The payslips of a run, one at each place."""

    employee_ids: Sequence[int]
    forms: Sequence[str]
    """Their detail forms as JSON."""
    rules_versions: frozenset[str]
    waiting: int
    """How many wait for calculation: their forms are not what they will be."""


async def run_lines(tx: Transaction, client_id: int, payment_run_id: int) -> RunLines:
    """The lines of the payslips of a run."""
    rows = await store.of_run(tx, client_id, payment_run_id)
    return RunLines(
        [row["employee_id"] for row in rows],
        [row["lines"] for row in rows],
        frozenset(row["rules_version"] for row in rows if row["rules_version"]),
        sum(row["dirty"] for row in rows),
    )


async def payslip_ids(tx: Transaction, client_id: int, payment_run_id: int) -> list[int]:
    """The ids of the payslips of a run, in their order."""
    return await store.ids_of_run(tx, client_id, payment_run_id)
