"""Retro proposal queries for other packages."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import PastDifference


async def load_accepted_differences(
    tx: Transaction, client_id: int, payslip_ids: Sequence[int]
) -> dict[int, list[PastDifference]]:
    """Load the accepted differences that payslips pay, by payslip and in order of time."""
    rows = await tx.fetch(
        "SELECT payslip_id, differences FROM retro_proposals WHERE client_id = $1 AND payslip_id = ANY ($2::bigint[]) "
        "ORDER BY id",
        client_id,
        payslip_ids,
    )
    differences: dict[int, list[PastDifference]] = defaultdict(list)
    for row in rows:
        differences[row["payslip_id"]] += decode_differences(row["differences"])
    for accepted in differences.values():
        accepted.sort(key=lambda difference: (difference.start, difference.payslip_id))
    return dict(differences)


decode_differences = msgspec.json.Decoder(list[PastDifference]).decode
