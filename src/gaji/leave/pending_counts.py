"""The number of leave requests without a decision, of many clients."""

from collections.abc import Sequence

from gaji.db.tenancy import Transaction


async def count_pending_requests(tx: Transaction, client_ids: Sequence[int]) -> dict[int, int]:
    """Count the pending requests and withdrawals by client. Clients without any are left out."""
    rows = await tx.fetch(
        "SELECT client_id, count(*) AS requests FROM leave_requests WHERE client_id = ANY ($1::bigint[]) "
        "AND status IN ('pending', 'withdrawing') GROUP BY client_id",
        client_ids,
    )
    return {row["client_id"]: row["requests"] for row in rows}
