"""The lines of all payslips of a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from gaji.db.tenancy import Transaction


@dataclass(frozen=True)
class RunLines:
    """The payslips of a run, as parallel columns."""

    employee_ids: Sequence[int]
    lines: Sequence[str]
    """Their lines as JSON."""
    rules_versions: frozenset[str]
    dirty_count: int
    """How many wait for calculation. Their lines will change."""


async def load_run_lines(tx: Transaction, client_id: int, payment_run_id: int) -> RunLines:
    """Load the lines of the payslips of a run."""
    rows = await tx.fetch(
        "SELECT employee_id, dirty, rules_version, lines FROM payslips "
        "WHERE client_id = $1 AND payment_run_id = $2 AND NOT withdrawn ORDER BY id",
        client_id,
        payment_run_id,
    )
    return RunLines(
        [row["employee_id"] for row in rows],
        [row["lines"] for row in rows],
        frozenset(row["rules_version"] for row in rows if row["rules_version"]),
        sum(row["dirty"] for row in rows),
    )


async def load_employee_ids(tx: Transaction, client_id: int, payment_run_id: int) -> list[int]:
    """Return the IDs of the employees with a payslip in a run, in order."""
    rows = await tx.fetch(
        "SELECT DISTINCT employee_id FROM payslips WHERE client_id = $1 AND payment_run_id = $2 AND NOT withdrawn "
        "ORDER BY employee_id",
        client_id,
        payment_run_id,
    )
    return [row["employee_id"] for row in rows]


async def load_payslip_ids(tx: Transaction, client_id: int, payment_run_id: int) -> list[int]:
    """Return the ids of the payslips of a run, in order."""
    rows = await tx.fetch(
        "SELECT id FROM payslips WHERE client_id = $1 AND payment_run_id = $2 AND NOT withdrawn ORDER BY id",
        client_id,
        payment_run_id,
    )
    return [row["id"] for row in rows]


async def count_additional_wages(
    tx: Transaction, client_id: int, payment_run_id: int, employee_ids: Sequence[int]
) -> tuple[int, int]:
    """Count those of these employees who have a payslip in a run, and those whose payslip has additional wages."""
    row = await tx.fetchrow(
        "SELECT count(DISTINCT employee_id) AS employees, "
        "count(DISTINCT employee_id) FILTER (WHERE additional > 0) AS with_additional FROM payslips "
        "WHERE client_id = $1 AND payment_run_id = $2 AND NOT withdrawn AND employee_id = ANY ($3::bigint[])",
        client_id,
        payment_run_id,
        employee_ids,
    )
    return row["employees"], row["with_additional"]
