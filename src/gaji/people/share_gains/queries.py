"""Share gain queries."""

from collections.abc import Sequence
from dataclasses import dataclass

from gaji.db.tenancy import Transaction
from gaji.people.share_gains.repository import LIST, to_input
from gaji.people.share_gains.schemas import ShareGainInput


@dataclass(frozen=True)
class RecordedShareGain:
    """A share gain of an employee."""

    id: int
    data: ShareGainInput


async def load_year(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> dict[int, list[RecordedShareGain]]:
    """Load the gains of a year by employee, of all employees or of some."""
    rows = await tx.fetch(
        f"SELECT employee_id, id, {LIST} FROM share_gains WHERE client_id = $1 "
        "AND income_date >= make_date($2, 1, 1) AND income_date < make_date($2 + 1, 1, 1) "
        "AND ($3::bigint[] IS NULL OR employee_id = ANY ($3)) ORDER BY employee_id, share_gains.income_date, id",
        client_id,
        year,
        employee_ids,
    )
    gains: dict[int, list[RecordedShareGain]] = {}
    for row in rows:
        gains.setdefault(row["employee_id"], []).append(RecordedShareGain(row["id"], to_input(row)))
    return gains
