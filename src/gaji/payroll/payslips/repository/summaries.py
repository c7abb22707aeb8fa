"""The SQL of looking at payslips: one, those of a run, and what those of a month come to."""

from collections.abc import Sequence

import asyncpg

from gaji.db.json_lists import Page
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository.runs import OF_RUN
from gaji.payroll.payslips.repository.lookups import SHOWN

HEADING = """p.id, p.client_id, p.employee_id, p.wave_id, p.start_date, p.date, p.pay_date, p.special, p.dirty,
    p.finalised, p.ss_released, p.payment_run_id, p.nett_pay, p.attention, p.remarks, p.rules_version"""
FUNDS = "p.cdac + p.ecf + p.mbmf + p.sinda"
SUMS = f"""count(*) AS payslips, coalesce(sum(p.nett_pay), 0)::bigint AS nett_pay,
    coalesce(sum(p.cpf_employee), 0)::bigint AS cpf_employee, coalesce(sum(p.cpf_employer), 0)::bigint AS cpf_employer,
    coalesce(sum(p.sdl), 0)::bigint AS sdl, coalesce(sum({FUNDS}), 0)::bigint AS funds,
    coalesce(sum(p.levy), 0)::bigint AS levy"""
OF_PERIOD = "p.client_id = $1 AND p.wave_id = $2 AND NOT p.special AND NOT p.withdrawn"


async def heading(tx: Transaction, payslip_id: int) -> asyncpg.Record | None:
    """All about a payslip but its lines."""
    return await tx.fetchrow(f"SELECT {HEADING} FROM payslips p WHERE p.id = $1 AND {SHOWN}", payslip_id)


async def latest(tx: Transaction, client_id: int) -> int | None:
    """The payslip of a client that was made last, a finalised one where there is any."""
    found: int | None = await tx.fetchval(
        "SELECT coalesce("
        "(SELECT id FROM payslips WHERE client_id = $1 AND finalised AND NOT withdrawn ORDER BY id DESC LIMIT 1), "
        "(SELECT id FROM payslips WHERE client_id = $1 AND NOT withdrawn ORDER BY id DESC LIMIT 1))",
        client_id,
    )
    return found


async def of_run(
    tx: Transaction, client_id: int, run_id: int, attention: bool, page: Page
) -> tuple[list[asyncpg.Record], int]:
    """A page of the payslips of a run, what needs attention first or alone, then what pays nothing; and how many."""
    where = f"{OF_RUN} AND (NOT $3 OR dirty OR attention <> '{{}}')"
    total = await tx.fetchval(f"SELECT count(*) FROM payslips WHERE {where}", client_id, run_id, attention)
    rows = await tx.fetch(
        f"SELECT {HEADING} FROM payslips p WHERE {where} ORDER BY (attention <> '{{}}') DESC, (nett_pay = 0) DESC, id "
        f"LIMIT {page.size:d} OFFSET {page.offset:d}",
        client_id,
        run_id,
        attention,
    )
    return rows, total


async def nett_before(
    tx: Transaction, client_id: int, wave_id: int, offset: int, employee_ids: Sequence[int]
) -> dict[int, int]:
    """The nett pay of these employees in the period before, in cents."""
    rows = await tx.fetch(
        f"SELECT p.employee_id, p.nett_pay FROM payslips p WHERE {OF_PERIOD} AND p.period_offset = $3 - 1 "
        "AND p.employee_id = ANY ($4::bigint[])",
        client_id,
        wave_id,
        offset,
        employee_ids,
    )
    return {row[0]: row[1] for row in rows}


async def sums_of_period(tx: Transaction, client_id: int, wave_id: int, offset: int) -> asyncpg.Record:
    """What the regular payslips of a period come to."""
    return await tx.fetchrow(
        f"SELECT {SUMS} FROM payslips p WHERE {OF_PERIOD} AND p.period_offset = $3", client_id, wave_id, offset
    )


async def sums_of_runs(tx: Transaction, client_id: int, run_ids: Sequence[int]) -> list[asyncpg.Record]:
    """What the payslips of runs come to, by run."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT p.payment_run_id, {SUMS} FROM payslips p WHERE p.client_id = $1 "
        "AND p.payment_run_id = ANY ($2::bigint[]) AND NOT p.withdrawn GROUP BY 1",
        client_id,
        run_ids,
    )
    return rows


async def movers(tx: Transaction, client_id: int, wave_id: int, offset: int, most: int) -> list[asyncpg.Record]:
    """Those whose nett pay differs most from the period before: employee, payslip, before and now, in cents."""
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
        most,
    )
    return rows


async def drafts(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """The first period of each wave that has drafts: wave, offset, its end, how many, and how many need attention."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT DISTINCT ON (wave_id) wave_id, period_offset, date, count(*) AS payslips, "
        "count(*) FILTER (WHERE attention <> '{}') AS attention, min(pay_date) AS pay_date FROM payslips "
        "WHERE client_id = $1 AND NOT finalised AND NOT special AND NOT withdrawn "
        "GROUP BY wave_id, period_offset, date ORDER BY wave_id, period_offset",
        client_id,
    )
    return rows
