"""SQL for the register of a payment run: one row for each employee, with totals."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg

from gaji.db.chunks import fetch_chunks
from gaji.db.json_lists import ListPage
from gaji.db.query_plans import planned_without
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository.runs import OF_RUN, WITHOUT_HOURS
from gaji.payroll.payslips.repository.summaries import FUNDS

AMOUNTS = (
    *("gross", "wage_deductions", "cpf_employee", "funds", "other_deductions", "nett_pay", "change"),
    *("cpf_employer", "sdl", "levy", "other_contributions", "employer_cost"),
)
"""The amounts of a row, in cents."""
CHUNK_ROWS = 1_000

_SLIPS = f"""SELECT p.id, p.employee_id, p.dirty, p.attention, p.remarks, p.gross, p.wage_deductions, p.cpf_employee,
        {FUNDS} AS funds, p.gross - p.nett_pay - p.wage_deductions - p.cpf_employee - ({FUNDS}) AS other_deductions,
        p.nett_pay, p.cpf_employer, p.sdl, p.levy,
        p.employer_contributions - p.cpf_employer - p.sdl - p.levy AS other_contributions,
        p.gross - p.wage_deductions + p.employer_contributions AS employer_cost,
        CASE WHEN p.cdac <> 0 THEN 'cdac' WHEN p.ecf <> 0 THEN 'ecf' WHEN p.mbmf <> 0 THEN 'mbmf'
             WHEN p.sinda <> 0 THEN 'sinda' END AS fund, NOT p.dirty AND {WITHOUT_HOURS} AS lacks_hours
    FROM payslips p WHERE {OF_RUN}"""
_PREVIOUS = """SELECT p.employee_id, p.nett_pay FROM payslips p WHERE p.client_id = $1 AND p.wave_id = $3
    AND p.period_offset = $4 AND NOT p.special AND NOT p.withdrawn"""
_IS_BLANK = "coalesce(NOT s.dirty AND s.nett_pay = 0, false) AS is_blank"
_COMPARED = f"""SELECT s.*, coalesce(s.employee_id, b.employee_id) AS person_id, b.employee_id IS NULL AS is_new,
        coalesce(s.nett_pay, 0) - coalesce(b.nett_pay, 0) AS change, {_IS_BLANK}
    FROM slips s FULL JOIN ({_PREVIOUS}) b ON b.employee_id = s.employee_id"""
# Once-off runs are not compared. The parameters are used all the same, because every query passes them.
_NOT_COMPARED = f"""SELECT s.*, s.employee_id AS person_id, false AS is_new, 0::bigint AS change, {_IS_BLANK}
    FROM slips s WHERE $3::bigint IS NOT NULL AND $4::integer IS NOT NULL"""
# The pay points of finalised payslips are those of the time. Snapshots are selected by ID (snapshots/queries.py).
_FROZEN = """SELECT s.employee_id, s.pay_point FROM payslip_snapshots s
    WHERE s.client_id = $1 AND s.payslip_id = ANY (ARRAY(SELECT id FROM slips))"""
_CURRENT_PAY_POINTS = "LEFT JOIN pay_points o ON o.client_id = $1 AND o.id = e.pay_point_id"
_ROW_FILTERS = {
    "": "true",
    "attention": "dirty OR attention <> '{}' OR is_blank OR lacks_hours",
    "changed": "change <> 0 OR is_new",
    "new": "is_new",
    "gone": "id IS NULL",
}
# One number instead of three conditions makes sorting much faster.
_FIRST = """CASE WHEN cardinality(attention) > 0 THEN 0 ELSE 4 END + CASE WHEN is_blank THEN 0 ELSE 2 END
    + CASE WHEN lacks_hours THEN 0 ELSE 1 END, """
# `searched` begins with the first name. Names are sorted by code point, which is much faster than by language.
_NAME = """CASE name_format WHEN 2 THEN lower((last_name || ' ' || first_name) COLLATE "C") ELSE searched END"""


@dataclass(frozen=True, slots=True)
class RegisterSelection:
    """Which payslips of a run the register shows, and in which order."""

    client_id: int
    run_id: int
    wave_id: int
    previous_offset: int | None
    """The period that it is compared with."""
    previous_nett_pay: int
    """The nett pay of that period, in cents."""
    finalised: bool
    has_pay_points: bool
    patterns: Sequence[str] = ()
    """Patterns that name, number, job title or email must match."""
    pay_point: str | None = None
    """The name of a pay point, or an empty text for employees without one."""
    row_filter: str = ""
    """A key of `ROW_FILTERS`."""
    sort: str = ""
    """`name`, `number` or an amount. Default: rows that need attention first, then by name."""
    descending: bool = False

    @property
    def compares_page_only(self) -> bool:
        """Whether it is enough to compare the rows of the page, because the total is that of the whole period."""
        is_filtered = self.patterns or self.pay_point is not None or self.row_filter
        return not (is_filtered or self.has_pay_points or self.sort == "change")

    @property
    def lists_former(self) -> bool:
        """Whether employees are listed who were paid in the previous period only."""
        return self.row_filter in ("changed", "gone") or self.sort == "change"


ROW_FILTERS = tuple(_ROW_FILTERS)
SORT_KEYS = ("name", "number", *AMOUNTS)


async def load_page(tx: Transaction, selection: RegisterSelection, page: ListPage) -> list[asyncpg.Record]:
    """Load a page of the register (level 0), and sums by pay point, of calculated and other payslips (level 1).

    Needs a transaction, in which nested loops are disabled: PostgreSQL can expect few rows and then reads all employees
    again for each of them.
    """
    numbers = ", ".join(f"sum({name})::bigint" for name in AMOUNTS)
    query = f"""{_register(selection)}, page AS (
            SELECT * FROM register WHERE {_listed(selection)}
            ORDER BY {_order(selection)} LIMIT {page.size:d} OFFSET {page.offset:d})
        SELECT 0 AS level, row_number() OVER (ORDER BY {_order(selection)}) AS position, 1 AS rows_count,
            1 AS payslips_count, 0 AS dirty_count, 0 AS attention_count, 0 AS blank_count,
            0 AS without_hours_count, {_COLUMNS} FROM page
        UNION ALL
        SELECT 1, NULL, count(*), count(id), count(id) FILTER (WHERE dirty),
            count(*) FILTER (WHERE NOT dirty AND cardinality(attention) > 0), count(*) FILTER (WHERE is_blank),
            count(*) FILTER (WHERE lacks_hours), NULL, NULL, NULL, NULL, NULL, NULL, pay_point, dirty,
            NULL, NULL, NULL, NULL, NULL, NULL, {numbers} FROM register GROUP BY pay_point, dirty
        ORDER BY level, position, pay_point NULLS LAST"""
    async with planned_without(tx, "enable_nestloop"):
        rows: list[asyncpg.Record] = await tx.fetch(query, *_arguments(selection))
    return rows


async def iterate_rows(tx: Transaction, selection: RegisterSelection) -> AsyncIterator[list[asyncpg.Record]]:
    """Yield all rows of the register in chunks."""
    query = (
        f"{_register(selection)} SELECT {_COLUMNS} FROM register WHERE {_listed(selection)} "
        f"ORDER BY {_order(selection)}"
    )
    async with planned_without(tx, "enable_nestloop"):
        async for rows in fetch_chunks(tx, CHUNK_ROWS, query, *_arguments(selection)):
            yield rows


_COLUMNS = (
    "id, employee_id, number, first_name, last_name, name_format, pay_point, dirty, attention, remarks, is_new, "
    f"is_blank, lacks_hours, fund, {', '.join(AMOUNTS)}"
)


async def load_previous_nett_pays(
    tx: Transaction, selection: RegisterSelection, employee_ids: Sequence[int]
) -> dict[int, int]:
    """Return the nett pay of these employees in the previous period, in cents."""
    rows = await tx.fetch(
        "SELECT p.employee_id, p.nett_pay FROM payslips p WHERE p.client_id = $1 AND p.wave_id = $2 "
        "AND p.period_offset = $3 AND NOT p.special AND NOT p.withdrawn AND p.employee_id = ANY ($4::bigint[])",
        selection.client_id,
        selection.wave_id,
        selection.previous_offset,
        employee_ids,
    )
    return {row["employee_id"]: row["nett_pay"] for row in rows}


def _listed(selection: RegisterSelection) -> str:
    return "true" if selection.lists_former else "id IS NOT NULL"


def _register(selection: RegisterSelection) -> str:
    """The common table expressions up to `register`, which has the selected rows."""
    # Joins that add nothing are left out, because each takes as long as a tenth of the rest.
    compared = _NOT_COMPARED if selection.previous_offset is None else _COMPARED
    frozen, pay_point, joins = "", "NULL::text", ""
    if selection.has_pay_points:
        pay_point, joins = "o.name", _CURRENT_PAY_POINTS
    if selection.has_pay_points and selection.finalised:
        frozen = f"frozen AS MATERIALIZED ({_FROZEN}),"
        pay_point = "CASE WHEN f.employee_id IS NULL THEN o.name ELSE f.pay_point END"
        joins += " LEFT JOIN frozen f ON f.employee_id = e.id"
    conditions = [_ROW_FILTERS[selection.row_filter]]
    if selection.patterns:
        conditions.append("searched LIKE ALL ($5::text[])")
    if selection.pay_point is not None:
        conditions.append(f"coalesce(pay_point, '') = ${6 if selection.patterns else 5}")
    return f"""WITH slips AS ({_SLIPS}), {frozen} compared AS ({compared}), named AS (
            SELECT c.id, e.id AS employee_id, e.number, e.first_name, e.last_name, e.name_format, e.searched,
                {pay_point} AS pay_point,
                coalesce(c.dirty, false) AS dirty, c.attention, c.remarks, c.is_new, c.is_blank,
                coalesce(c.lacks_hours, false) AS lacks_hours, c.fund,
                {", ".join(f"coalesce(c.{name}, 0) AS {name}" for name in AMOUNTS)}
            FROM compared c JOIN employees e ON e.client_id = $1 AND e.id = c.person_id {joins}
        ), register AS MATERIALIZED (SELECT * FROM named WHERE {" AND ".join(f"({item})" for item in conditions)})"""


def _arguments(selection: RegisterSelection) -> list[Any]:
    offset = -1 if selection.previous_offset is None else selection.previous_offset
    arguments: list[Any] = [selection.client_id, selection.run_id, selection.wave_id, offset]
    if selection.patterns:
        arguments.append(list(selection.patterns))
    if selection.pay_point is not None:
        arguments.append(selection.pay_point)
    return arguments


def _order(selection: RegisterSelection) -> str:
    direction = "DESC" if selection.descending else "ASC"
    if selection.sort == "number":
        # Numbers sort as numbers: shorter texts first.
        return f"length(number) {direction}, number {direction}"
    first = "" if selection.sort else _FIRST
    key = _NAME if selection.sort in ("", "name") else selection.sort
    return f"{first}{key} {direction}, {_NAME}, employee_id"
