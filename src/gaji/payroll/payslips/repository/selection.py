"""The SQL of payslips that are named, many at once."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction


async def named(
    tx: Transaction, client_id: int, payslip_ids: Sequence[int], employee_ids: Sequence[int], dates: Sequence[date]
) -> list[asyncpg.Record]:
    """Id, employee, date, and whether finalised and special, of payslips by id and of regular ones by date."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, employee_id, date, finalised, special FROM payslips "
        "WHERE client_id = $1 AND id = ANY ($2::bigint[]) AND NOT withdrawn UNION "
        "SELECT p.id, p.employee_id, p.date, p.finalised, p.special "
        "FROM unnest($3::bigint[], $4::date[]) AS n(employee_id, date) JOIN payslips p ON p.client_id = $1 "
        "AND p.employee_id = n.employee_id AND p.date = n.date AND NOT p.special AND NOT p.withdrawn",
        client_id,
        payslip_ids,
        employee_ids,
        dates,
    )
    return rows
