"""SQL for the JSON and the stored calculation of payslips."""

from collections.abc import Sequence

import asyncpg

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.queries import VISIBLE


def _json_object(*columns: str) -> str:
    return f"row_to_json((SELECT e FROM (SELECT {', '.join(columns)}) e))"


STATE = "p.id, p.date, p.special, p.finalised, p.dirty"
NETT_PAY = "round(p.nett_pay / 100.0, 2) AS nett_pay"
RELEASE = "p.ss_released, p.payment_run_id"
CORRECTS = "p.corrects"
# Nett pay is a number with two decimals. It is absent while the payslip is dirty. Only corrections have `corrects`.
ELEMENT = f"""CASE
    WHEN p.corrects IS NULL AND p.dirty THEN {_json_object(STATE, RELEASE)}
    WHEN p.corrects IS NULL THEN {_json_object(STATE, NETT_PAY, RELEASE)}
    WHEN p.dirty THEN {_json_object(STATE, RELEASE, CORRECTS)}
    ELSE {_json_object(STATE, NETT_PAY, RELEASE, CORRECTS)} END::text AS element"""
CALCULATION_COLUMNS = """p.client_id, p.employee_id, p.wave_id, p.period_offset, p.special, p.corrects, p.dirty,
    p.lines, p.inputs, p.rules_version, p.catalogue_version, p.attention, p.remarks"""


CONDITIONS = {
    "ids": ids_condition("p.id"),
    "from": "p.date >= {}",
    "to": "p.date <= {}",
    "finalised": "p.finalised = {}",
    "payment_run_id": "p.payment_run_id = {}",
    "employee_id": "p.employee_id = {}",
}
"""The SQL condition of each filter."""


async def list_of_employee(
    tx: Transaction, client_id: int, employee_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[asyncpg.Record], int]:
    """List the payslips of an employee with JSON and rules version, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, employee_id)
    source = f"payslips p WHERE p.client_id = $1 AND p.employee_id = $2 AND {VISIBLE}{conditions}"
    query = f"SELECT {ELEMENT}, p.rules_version FROM {source} ORDER BY p.id"
    return await fetch_page(tx, query, source, page, *arguments)


async def list_recent(tx: Transaction, client_id: int, employee_ids: Sequence[int], limit: int) -> list[asyncpg.Record]:
    """List the last payslips of each employee, with JSON and lines."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT e.id AS employee_id, p.dirty, p.rules_version, p.catalogue_version, p.lines, {ELEMENT} "
        "FROM unnest($2::bigint[]) AS e(id) "
        f"CROSS JOIN LATERAL (SELECT * FROM payslips WHERE client_id = $1 AND employee_id = e.id AND {VISIBLE} "
        "ORDER BY date DESC, id DESC LIMIT $3) p ORDER BY e.id, p.date, p.id",
        client_id,
        employee_ids,
        limit,
    )
    return rows


async def load_calculation(tx: Transaction, payslip_id: int) -> asyncpg.Record | None:
    """Load the stored calculation of a payslip that the caller may see."""
    return await tx.fetchrow(f"SELECT {CALCULATION_COLUMNS} FROM payslips p WHERE p.id = $1 AND {VISIBLE}", payslip_id)


async def load_law_text(tx: Transaction, rules_version: str) -> str:
    """Return the stored law parameters of a version."""
    text: str = await tx.fetchval("SELECT content FROM rule_books WHERE rules_version = $1", rules_version)
    return text


async def load_definitions(tx: Transaction, client_id: int, version: str) -> str:
    """Return the stored custom items of a client and version, as JSON."""
    definitions: str = await tx.fetchval(
        "SELECT definitions FROM calculation_catalogues WHERE client_id = $1 AND version = $2", client_id, version
    )
    return definitions
