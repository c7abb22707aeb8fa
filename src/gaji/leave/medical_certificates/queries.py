"""Medical certificates that other packages read."""

from collections.abc import Sequence

from gaji.db.tenancy import Transaction


async def load_certificate_ids(tx: Transaction, client_id: int, request_ids: Sequence[int]) -> dict[int, list[int]]:
    """Load the IDs of the certificates of leave requests, by request."""
    rows = await tx.fetch(
        "SELECT leave_request_id, array_agg(id ORDER BY id) AS ids FROM medical_certificates "
        "WHERE client_id = $1 AND leave_request_id = ANY ($2::bigint[]) GROUP BY 1",
        client_id,
        request_ids,
    )
    return {row["leave_request_id"]: row["ids"] for row in rows}
