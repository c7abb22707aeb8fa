"""Retro proposal queries for other packages."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime

import asyncpg
import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import PastDifference
from gaji.law.months import Month


async def load_accepted_differences(
    tx: Transaction, client_id: int, payslip_ids: Sequence[int]
) -> dict[int, list[PastDifference]]:
    """Load the accepted differences that payslips pay, by payslip and in order of time."""
    query = """SELECT id, payslip_id, differences FROM retro_proposals
        WHERE client_id = ids.client_id AND payslip_id = ids.id"""
    rows = await tx.fetch(f"SELECT r.* FROM {each_id('$2', query)} r ORDER BY id", client_id, payslip_ids)
    differences: dict[int, list[PastDifference]] = defaultdict(list)
    for row in rows:
        differences[row["payslip_id"]] += decode_differences(row["differences"])
    for accepted in differences.values():
        accepted.sort(key=lambda difference: (difference.start, difference.payslip_id))
    return dict(differences)


async def load_claims_since(
    tx: Transaction, client_ids: Sequence[int], first: Month
) -> dict[tuple[int, date], dict[str, int]]:
    """Load the claims of all employees from a month on: cents by figure, by client and first day of the month."""
    rows = await _load_missed(tx, client_ids, first.first_day)
    return await run_in_thread_if_many(len(rows), lambda: _add_monthly_claims(rows))


async def load_claim_times(tx: Transaction, client_ids: Sequence[int], first: date) -> dict[tuple[int, date], datetime]:
    """Load when the last claim for a month was finalised, by client and first day of the month, from a day on."""
    rows = await _load_missed(tx, client_ids, first)
    return await run_in_thread_if_many(len(rows), lambda: _find_claim_times(rows))


async def _load_missed(tx: Transaction, client_ids: Sequence[int], first: date) -> list[asyncpg.Record]:
    """Load the differences that finalised payslips from a day on treat as missed."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT r.client_id, r.differences, p.finalised_at FROM retro_proposals r "
        "JOIN payslips p ON p.client_id = r.client_id AND p.id = r.payslip_id "
        "WHERE r.client_id = ANY ($1::bigint[]) AND r.treatment = 'missed' AND p.finalised AND p.date >= $2",
        client_ids,
        first,
    )
    return rows


def _find_claim_times(rows: Sequence[asyncpg.Record]) -> dict[tuple[int, date], datetime]:
    times: dict[tuple[int, date], datetime] = {}
    for row in rows:
        for difference in decode_differences(row["differences"]):
            for month, figures in difference.months.items():
                if any(figure.claim_cents for figure in figures.values()):
                    key = (row["client_id"], date.fromisoformat(f"{month}-01"))
                    times[key] = max(row["finalised_at"], times.get(key, row["finalised_at"]))
    return times


def _add_monthly_claims(rows: Sequence[asyncpg.Record]) -> dict[tuple[int, date], dict[str, int]]:
    claims: dict[tuple[int, date], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows:
        for difference in decode_differences(row["differences"]):
            for month, figures in difference.months.items():
                of_month = claims[row["client_id"], date.fromisoformat(f"{month}-01")]
                for name, figure in figures.items():
                    of_month[name] += figure.claim_cents
    return claims


async def load_claims(tx: Transaction, client_id: int, month: Month) -> dict[int, dict[str, int]]:
    """Load the contributions of a month that finalised payslips found to be too much.

    Returns cents by employee and figure, under the names of `MonthToDate`. They are still in the totals of payslips.
    """
    rows = await tx.fetch(
        "SELECT r.employee_id, r.differences FROM retro_proposals r "
        "JOIN payslips p ON p.client_id = $1 AND p.id = r.payslip_id "
        "WHERE r.client_id = $1 AND r.treatment = 'missed' AND p.finalised AND p.date >= $2 "
        "AND position($3 IN r.differences::text) > 0",
        client_id,
        month.first_day,
        f'"{month}":',
    )
    return await run_in_thread_if_many(len(rows), lambda: _add_claims(rows, str(month)))


def _add_claims(rows: Sequence[asyncpg.Record], month: str) -> dict[int, dict[str, int]]:
    claims: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows:
        for difference in decode_differences(row["differences"]):
            for name, figure in difference.months.get(month, {}).items():
                claims[row["employee_id"]][name] += figure.claim_cents
    return claims


decode_differences = msgspec.json.Decoder(list[PastDifference]).decode
