"""Benefit in kind queries."""

from collections.abc import Sequence
from dataclasses import dataclass

from gaji.db.tenancy import Transaction
from gaji.people.benefits_in_kind.repository import LIST, to_input
from gaji.people.benefits_in_kind.schemas import BenefitInput


@dataclass(frozen=True)
class RecordedBenefit:
    """A benefit in kind of an employee."""

    id: int
    data: BenefitInput


async def load_year(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> dict[int, list[RecordedBenefit]]:
    """Load the benefits of a year by employee, of all employees or of some."""
    rows = await tx.fetch(
        f"SELECT employee_id, id, {LIST} FROM benefits_in_kind WHERE client_id = $1 "
        "AND provided_to >= make_date($2, 1, 1) AND provided_to < make_date($2 + 1, 1, 1) "
        "AND ($3::bigint[] IS NULL OR employee_id = ANY ($3)) ORDER BY employee_id, provided_from, id",
        client_id,
        year,
        employee_ids,
    )
    benefits: dict[int, list[RecordedBenefit]] = {}
    for row in rows:
        benefits.setdefault(row["employee_id"], []).append(RecordedBenefit(row["id"], to_input(row)))
    return benefits
