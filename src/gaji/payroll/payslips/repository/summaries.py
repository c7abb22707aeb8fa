"""SQL for payslip summaries and costs."""

from collections.abc import Sequence

import asyncpg

from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.queries import VISIBLE
from gaji.payroll.payslips.repository.runs import OF_RUN

SUMMARY_COLUMNS = """p.id, p.client_id, p.employee_id, p.wave_id, p.start_date, p.date AS end_date, p.pay_date,
    p.special, p.corrects, p.dirty, p.finalised, p.ss_released AS released, p.payment_run_id, p.nett_pay, p.attention,
    p.remarks, p.rules_version"""
FUNDS = "p.cdac + p.ecf + p.mbmf + p.sinda"
COSTS = f"""count(*) AS payslips, coalesce(sum(p.nett_pay), 0)::bigint AS nett_pay,
    coalesce(sum(p.cpf_employee), 0)::bigint AS cpf_employee, coalesce(sum(p.cpf_employer), 0)::bigint AS cpf_employer,
    coalesce(sum(p.sdl), 0)::bigint AS sdl, coalesce(sum({FUNDS}), 0)::bigint AS funds,
    coalesce(sum(p.levy), 0)::bigint AS levy"""
OF_PERIOD = "p.client_id = $1 AND p.wave_id = $2 AND NOT p.special AND NOT p.withdrawn"


async def load_summary(tx: Transaction, payslip_id: int) -> asyncpg.Record | None:
    """Load the summary columns of a payslip."""
    return await tx.fetchrow(f"SELECT {SUMMARY_COLUMNS} FROM payslips p WHERE p.id = $1 AND {VISIBLE}", payslip_id)


async def load_latest_id(tx: Transaction, client_id: int) -> int | None:
    """Return the id of the client's newest payslip, preferably a finalised one."""
    payslip_id: int | None = await tx.fetchval(
        "SELECT coalesce("
        "(SELECT id FROM payslips WHERE client_id = $1 AND finalised AND NOT withdrawn ORDER BY id DESC LIMIT 1), "
        "(SELECT id FROM payslips WHERE client_id = $1 AND NOT withdrawn ORDER BY id DESC LIMIT 1))",
        client_id,
    )
    return payslip_id


async def load_run_page(
    tx: Transaction, client_id: int, run_id: int, attention: bool, page: ListPage
) -> tuple[list[asyncpg.Record], int]:
    """Load a page of a run's payslips and their total number. Those that need attention or pay nothing come first."""
    where = f"{OF_RUN} AND (NOT $3 OR dirty OR attention <> '{{}}')"
    total = await tx.fetchval(f"SELECT count(*) FROM payslips WHERE {where}", client_id, run_id, attention)
    rows = await tx.fetch(
        f"SELECT {SUMMARY_COLUMNS} FROM payslips p WHERE {where} "
        f"ORDER BY (attention <> '{{}}') DESC, (nett_pay = 0) DESC, id LIMIT {page.size:d} OFFSET {page.offset:d}",
        client_id,
        run_id,
        attention,
    )
    return rows, total


async def load_previous_nett_pays(
    tx: Transaction, client_id: int, wave_id: int, offset: int, employee_ids: Sequence[int]
) -> dict[int, int]:
    """Return the nett pay of these employees in the previous period, in cents."""
    rows = await tx.fetch(
        f"SELECT p.employee_id, p.nett_pay FROM payslips p WHERE {OF_PERIOD} AND p.period_offset = $3 - 1 "
        "AND p.employee_id = ANY ($4::bigint[])",
        client_id,
        wave_id,
        offset,
        employee_ids,
    )
    return {row["employee_id"]: row["nett_pay"] for row in rows}


async def load_period_costs(tx: Transaction, client_id: int, wave_id: int, offset: int) -> asyncpg.Record:
    """Load the costs of the regular payslips of a period."""
    return await tx.fetchrow(
        f"SELECT {COSTS} FROM payslips p WHERE {OF_PERIOD} AND p.period_offset = $3", client_id, wave_id, offset
    )


async def load_run_costs(tx: Transaction, client_id: int, run_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return the costs of runs, by run."""
    rows = await tx.fetch(
        f"SELECT p.payment_run_id, {COSTS} FROM payslips p WHERE p.client_id = $1 "
        "AND p.payment_run_id = ANY ($2::bigint[]) AND NOT p.withdrawn GROUP BY 1",
        client_id,
        run_ids,
    )
    return {costs.pop("payment_run_id"): costs for costs in map(dict, rows)}


async def load_largest_changes(
    tx: Transaction, client_id: int, wave_id: int, offset: int, limit: int
) -> list[asyncpg.Record]:
    """Load the employees whose nett pay changed most since the previous period, in cents."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"""WITH now AS (SELECT * FROM payslips p WHERE {OF_PERIOD} AND p.period_offset = $3),
                 before AS (SELECT * FROM payslips p WHERE {OF_PERIOD} AND p.period_offset = $3 - 1)
            SELECT coalesce(now.employee_id, before.employee_id) AS employee_id, now.id AS payslip_id,
                   before.nett_pay AS before, now.nett_pay AS now
            FROM now FULL JOIN before ON before.employee_id = now.employee_id
            WHERE before.nett_pay IS DISTINCT FROM now.nett_pay
            ORDER BY abs(coalesce(now.nett_pay, 0) - coalesce(before.nett_pay, 0)) DESC, 1 LIMIT $4""",
        client_id,
        wave_id,
        offset,
        limit,
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
