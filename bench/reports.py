"""Every report for ten thousand employees and twelve months, compared with a bare SQL aggregate.

Ours is requested over HTTP and read completely. The baseline runs one statement in the same database, without row-level
security. It parses the same rows, sums them as the report does and counts the results, so that nothing leaves the
database. Where a report applies rules (leave accrual, the gross rate of pay), the statement contains those of this
company.
"""

import asyncio
import http.client
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

import asyncpg
import msgspec

from bench import servers
from bench.bars import PerformanceBar, Sample, Sides
from bench.company import PERIOD, populate
from bench.payslip_history import add_leave_days, add_loans, repeat_payslips
from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.company.waves.queries import load_pay_calendars
from gaji.db.database import SCHEMA
from gaji.db.installation import Installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.identity.service import find_user
from gaji.payroll.payslips.tasks import calculate_dirty

EMPLOYEES = 10_000
MONTHS = 12
END = date(2026, 12, 31)
MONTHLY = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": str(PERIOD[1])}

LINES = """LATERAL (SELECT json_array_elements(p.lines -> 'income')
    UNION ALL SELECT json_array_elements(p.lines -> 'deduction')
    UNION ALL SELECT json_array_elements(g -> 1) FROM json_array_elements(p.lines -> 'sideline') g) l(line)"""
AGGREGATES = {
    "transaction_history": f"""
        SELECT e.number, p.date, l.line ->> 0 AS item, sum((l.line ->> 1)::numeric) FROM payslips p
        JOIN employees e ON e.client_id = p.client_id AND e.id = p.employee_id, {LINES}
        WHERE p.client_id = $1 AND p.finalised AND p.date BETWEEN '2026-01-01' AND '2026-12-31' GROUP BY 1, 2, 3""",
    "variance": f"""
        SELECT e.number, l.line ->> 0 AS item, sum((l.line ->> 1)::numeric) FILTER (WHERE p.period_offset = $2),
               sum((l.line ->> 1)::numeric) FILTER (WHERE p.period_offset = $2 - 1) FROM payslips p
        JOIN employees e ON e.client_id = p.client_id AND e.id = p.employee_id, {LINES}
        WHERE p.client_id = $1 AND NOT p.special AND p.period_offset BETWEEN $2 - 1 AND $2 GROUP BY 1, 2""",
    "comparison_leave": """
        SELECT e.number, t.name, coalesce(sum(d.millidays) FILTER (WHERE d.date >= '2026-07-01'), 0),
               coalesce(sum(d.millidays), 0) FROM employees e
        JOIN service_periods s ON s.client_id = e.client_id AND s.employee_id = e.id AND s.start_date <= '2026-12-31'
        JOIN leave_types t ON t.client_id = e.client_id
        LEFT JOIN leave_days d ON d.client_id = e.client_id AND d.employee_id = e.id AND d.leave_type_id = t.id
             AND d.date BETWEEN s.start_date AND least(s.end_date, '2026-12-31')
        WHERE e.client_id = $1 GROUP BY 1, 2""",
    "leave_liability_v2": """
        SELECT e.number, g.days - coalesce(t.days, 0), round(m.amount * 12 / 260, 2),
               round((g.days - coalesce(t.days, 0)) * m.amount * 12 / 260, 2)
        FROM employees e
        JOIN service_periods s ON s.client_id = e.client_id AND s.employee_id = e.id
             AND '2026-12-31' BETWEEN s.start_date AND coalesce(s.end_date, '2026-12-31')
        JOIN wave_periods w ON w.client_id = e.client_id AND w.employee_id = e.id
             AND '2026-12-31' BETWEEN w.start_date AND coalesce(w.end_date, '2026-12-31')
        CROSS JOIN LATERAL age(date '2027-01-01', s.start_date) AS served
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(floor((least(y, 8) + 6) * least(12, o.months - 12 * (y - 1)) / 12.0 + 0.5)), 0) AS days
            FROM (SELECT extract(year FROM served)::integer * 12 + extract(month FROM served)::integer AS months) o,
                 generate_series(1, o.months / 12 + 1) y WHERE o.months >= 3) g
        LEFT JOIN (SELECT d.employee_id, sum(d.millidays) / 1000.0 AS days FROM leave_days d
                   JOIN leave_types k ON k.client_id = d.client_id AND k.id = d.leave_type_id
                        AND k.system_type = 'annual_leave'
                   WHERE d.client_id = $1 AND d.date <= '2026-12-31' GROUP BY 1) t ON t.employee_id = e.id
        LEFT JOIN (SELECT c.employee_id, sum((i.value #>> '{}')::numeric) AS amount
                   FROM calculations c, jsonb_each(c.inputs) i
                   WHERE c.client_id = $1 AND c.payslip_id IS NULL AND i.key IN ('fixed_amount', 'amount')
                     AND c.type IN ('basic_salary', 'entertainment_allowance', 'other_allowance')
                   GROUP BY 1) m ON m.employee_id = e.id
        LEFT JOIN inherited_calculations h ON h.client_id = e.client_id AND h.employee_id = e.id
        WHERE e.client_id = $1""",
    "tracked_balances": """
        SELECT e.number, sum((c.inputs ->> 'balance')::numeric), sum(m.moved) FROM employees e
        JOIN service_periods s ON s.client_id = e.client_id AND s.employee_id = e.id
        LEFT JOIN calculations c ON c.client_id = e.client_id AND c.employee_id = e.id AND c.payslip_id IS NULL
             AND c.type IN ('loan', 'savings', 'garnishee', 'salary_advance')
        LEFT JOIN (SELECT employee_id, sum((i.value #>> '{}')::bigint) AS moved FROM payslips, jsonb_each(moved) i
                   WHERE client_id = $1 AND finalised AND moved IS NOT NULL AND date <= '2026-12-31' GROUP BY 1) m
             ON m.employee_id = e.id
        WHERE e.client_id = $1 GROUP BY 1""",
}


@dataclass
class ReportCompany:
    """A client with a year of payslips, and the server for its reports."""

    runner: asyncio.Runner
    connection: asyncpg.Connection
    port: int
    api_key: str
    client_id: int
    wave_id: int
    offset: int
    """The offset of the last month."""

    def measure_report(self, report: str) -> Sample:
        """Return the milliseconds for the complete report."""
        fields: dict[str, Any] = {
            "transaction_history": {"start_date": "2026-01-01", "end_date": str(END)},
            "variance": {"wave_id": self.wave_id, "period_offset": self.offset},
            "comparison_leave": {"start_date": "2026-07-01", "end_date": str(END)},
            "leave_liability_v2": {"date": str(END)},
            "tracked_balances": {"date": str(END)},
        }
        headers = {"Authorization": self.api_key, "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        started = time.perf_counter()
        path = f"/v1/clients/{self.client_id}/reports/{report}"
        connection.request("POST", path, msgspec.json.encode(fields[report]), headers)
        response = connection.getresponse()
        size = 0
        while chunk := response.read(1024 * 1024):
            size += len(chunk)
        elapsed_ms = (time.perf_counter() - started) * 1000
        connection.close()
        if response.status != 200 or size < EMPLOYEES:
            raise RuntimeError(f"{report} returned {response.status} and {size} bytes")
        return Sample(elapsed_ms, {"mib": size / 1024 / 1024})

    def measure_aggregate(self, report: str) -> Sample:
        """Return the milliseconds for the aggregate."""
        query, arguments = AGGREGATES[report], (self.client_id, self.offset)
        started = time.perf_counter()
        # Counting whole rows keeps the planner from skipping columns.
        count = f"SELECT count(result) FROM ({query}) result"
        rows = self.runner.run(self.connection.fetchval(count, *arguments[: 2 if "$2" in query else 1]))
        return Sample((time.perf_counter() - started) * 1000, {"rows": rows})


_resources = ExitStack()


@contextmanager
def shared_company() -> Iterator[None]:
    """Share one company among all bars in the block. The first bar creates it."""
    with _resources:
        yield


@cache
def company() -> ReportCompany:
    """Return the shared company."""
    installed, demo = _resources.enter_context(servers.open_demo(1))
    runner = _resources.enter_context(asyncio.Runner())
    client_id, wave_id, offset = runner.run(_create_company(installed, demo.email))
    port = _resources.enter_context(servers.run_service(installed, "--no-worker"))
    bare = runner.run(_connect_without_policies(installed))
    _resources.callback(lambda: runner.run(bare.close()))
    return ReportCompany(runner, bare, port, demo.api_key, client_id, wave_id, offset)


async def _connect_without_policies(installed: Installation) -> asyncpg.Connection:
    """Connect as a superuser, to whom row-level security does not apply."""
    if installed.server is None:
        raise RuntimeError("the bars run on an embedded database")
    login = installed.server.connection("postgres")
    return await asyncpg.connect(**login, server_settings={"search_path": SCHEMA})


async def _create_company(installed: Installation, email: str) -> tuple[int, int, int]:
    """Create a client with a year of payslips and return its id, its wave and the offset of the last month."""
    pool = await open_pool(installed.database.as_application("bench"))
    tenant = Tenant(pool, installed.vault, await find_user(installed.database, email))
    client_id, _ = await clients.create_client(tenant, {"name": f"{EMPLOYEES:,} employees"})
    wave_id, _ = await waves.create_wave(tenant, client_id, MONTHLY)
    async with tenant.transaction() as tx:
        offset = (await load_pay_calendars(tx, client_id))[wave_id].first_offset
    async with installed.database.maintenance() as connection:
        await populate(connection, client_id, wave_id, offset, EMPLOYEES)
        await add_loans(connection, client_id)
    await calculate_dirty(pool, installed.vault, client_id)
    async with installed.database.maintenance() as connection:
        await repeat_payslips(connection, client_id, MONTHS)
        await add_leave_days(connection, client_id)
    async with installed.database.owner_connection() as connection:
        await connection.execute("VACUUM ANALYZE")
    await pool.close()
    return client_id, wave_id, offset + MONTHS - 1


def _bar(report: str) -> PerformanceBar:
    @contextmanager
    def sides() -> Iterator[Sides]:
        shared = company()
        yield Sides(ours=lambda: shared.measure_report(report), baseline=lambda: shared.measure_aggregate(report))

    return PerformanceBar(name=report, unit="ms", sides=sides, max_ratio=3.0, rounds=5)


BARS = tuple(_bar(report) for report in AGGREGATES)
