"""SQL for payslip summaries and costs."""

from collections.abc import Sequence

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.queries import VISIBLE
from gaji.payroll.payslips.repository.runs import COUNTS, OF_RUN

SUMMARY_COLUMNS = """p.id, p.client_id, p.employee_id, p.wave_id, p.start_date, p.date AS end_date, m.payment_date,
    m.paid, p.special, p.corrects, p.dirty, p.finalised, p.ss_released AS released, p.payment_run_id, p.nett_pay,
    p.attention, p.remarks, p.rules_version"""
FUNDS = "p.cdac + p.ecf + p.mbmf + p.sinda"
COSTS = f"""count(*) AS payslips, coalesce(sum(p.nett_pay), 0)::bigint AS nett_pay,
    coalesce(sum(p.cpf_employee), 0)::bigint AS cpf_employee, coalesce(sum(p.cpf_employer), 0)::bigint AS cpf_employer,
    coalesce(sum(p.sdl), 0)::bigint AS sdl, coalesce(sum({FUNDS}), 0)::bigint AS funds,
    coalesce(sum(p.levy), 0)::bigint AS levy"""


SERVICE_OF_DRAFTS = """payslips p
    JOIN service_periods s ON s.client_id = p.client_id AND s.employee_id = p.employee_id
    JOIN wave_periods w ON w.client_id = p.client_id AND w.employee_id = p.employee_id AND w.wave_id = p.wave_id
    WHERE p.client_id = v.client_id AND p.wave_id = v.wave_id AND p.period_offset = v.period_offset
    AND NOT p.finalised AND NOT p.special AND NOT p.withdrawn"""


async def load_summary(tx: Transaction, payslip_id: int) -> asyncpg.Record | None:
    """Load the summary columns of a payslip."""
    return await tx.fetchrow(
        f"SELECT {SUMMARY_COLUMNS} FROM payslips p JOIN payslip_payments(ARRAY[$1::bigint]) m ON m.payslip_id = p.id "
        f"WHERE p.id = $1 AND {VISIBLE}",
        payslip_id,
    )


async def load_latest_id(tx: Transaction, client_id: int) -> int | None:
    """Return the id of the client's newest payslip, preferably a finalised one."""
    payslip_id: int | None = await tx.fetchval(
        "SELECT coalesce("
        "(SELECT id FROM payslips WHERE client_id = $1 AND finalised AND NOT withdrawn ORDER BY id DESC LIMIT 1), "
        "(SELECT id FROM payslips WHERE client_id = $1 AND NOT withdrawn ORDER BY id DESC LIMIT 1))",
        client_id,
    )
    return payslip_id


async def load_counts_and_costs(tx: Transaction, client_id: int, run_id: int) -> asyncpg.Record:
    """Count the payslips of a run by state, and load their costs, in one pass."""
    return await tx.fetchrow(f"SELECT {COUNTS}, {COSTS} FROM payslips p WHERE {OF_RUN}", client_id, run_id)


async def load_run_costs(tx: Transaction, client_id: int, run_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return the costs of runs, by run."""
    rows = await tx.fetch(
        f"SELECT p.payment_run_id, {COSTS} FROM payslips p WHERE p.client_id = $1 "
        "AND p.payment_run_id = ANY ($2::bigint[]) AND NOT p.withdrawn GROUP BY 1",
        client_id,
        run_ids,
    )
    return {costs.pop("payment_run_id"): costs for costs in map(dict, rows)}


async def load_unpaid_periods(tx: Transaction, client_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Load the regular periods of clients that have drafts, by client and pay date, with counts."""
    rows: list[asyncpg.Record] = await tx.fetch(
        'SELECT c.id AS client_id, d.wave_id, d.period_offset AS "offset", d.date AS "end", d.payslips, d.attention, '
        "d.pay_date FROM unnest($1::bigint[]) AS c(id), LATERAL (SELECT wave_id, period_offset, date, "
        "count(*) AS payslips, count(*) FILTER (WHERE attention <> '{}') AS attention, min(pay_date) AS pay_date "
        "FROM payslips WHERE client_id = c.id AND NOT finalised AND NOT special AND NOT withdrawn "
        "GROUP BY wave_id, period_offset, date) d ORDER BY c.id, d.pay_date, d.wave_id",
        client_ids,
    )
    return rows


async def load_last_days(
    tx: Transaction, client_ids: Sequence[int], wave_ids: Sequence[int], offsets: Sequence[int]
) -> list[asyncpg.Record]:
    """Load the last day in service and in the wave of the employees with a regular draft, of each period."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT v.wave_id, v.period_offset, "
        f"CASE WHEN EXISTS (SELECT FROM {SERVICE_OF_DRAFTS} AND s.end_date IS NULL AND w.end_date IS NULL) "
        f"THEN 'infinity' ELSE coalesce((SELECT max(least(s.end_date, w.end_date)) FROM {SERVICE_OF_DRAFTS}), "
        "'-infinity') END AS last_day "
        "FROM unnest($1::bigint[], $2::bigint[], $3::integer[]) AS v(client_id, wave_id, period_offset)",
        client_ids,
        wave_ids,
        offsets,
    )
    return rows


async def load_next_periods(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """Load the first period of each wave that has drafts, with counts."""
    rows: list[asyncpg.Record] = await tx.fetch(
        'SELECT DISTINCT ON (wave_id) wave_id, period_offset AS "offset", date AS "end", count(*) AS payslips, '
        "count(*) FILTER (WHERE attention <> '{}') AS attention, min(pay_date) AS pay_date FROM payslips "
        "WHERE client_id = $1 AND NOT finalised AND NOT special AND NOT withdrawn "
        "GROUP BY wave_id, period_offset, date ORDER BY wave_id, period_offset",
        client_id,
    )
    return rows
