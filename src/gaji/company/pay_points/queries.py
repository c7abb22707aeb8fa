"""Pay point queries."""

from gaji.db.tenancy import Transaction


async def load_pay_point_ids(tx: Transaction, client_id: int) -> set[int]:
    """Load the IDs of a client's pay points."""
    return {row["id"] for row in await tx.fetch("SELECT id FROM pay_points WHERE client_id = $1", client_id)}


async def load_pay_point_names(tx: Transaction, client_id: int) -> dict[int, str]:
    """Load the names of a client's pay points by ID, ordered by ID."""
    rows = await tx.fetch("SELECT id, name FROM pay_points WHERE client_id = $1 ORDER BY id", client_id)
    return {row["id"]: row["name"] for row in rows}
