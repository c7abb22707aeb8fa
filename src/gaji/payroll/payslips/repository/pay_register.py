"""SQL for the register of a payment run: one row for each employee, with totals."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import asyncpg

from gaji.db.chunks import fetch_chunks
from gaji.db.json_lists import ListPage
from gaji.db.query_plans import each_id, planned_without
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository.runs import OF_RUN, WITHOUT_HOURS
from gaji.payroll.payslips.repository.summaries import FUNDS

AMOUNTS = (
    *("gross", "wage_deductions", "cpf_employee", "funds", "other_deductions", "nett_pay", "change"),
    *("cpf_employer", "sdl", "levy", "other_contributions", "employer_cost"),
)
"""The amounts of a row, in cents."""
CHUNK_ROWS = 1_000
ITEM_SECTIONS = ("income", "deduction")
ITEM_PREFIX = "item_"
ITEM_NAME = re.compile(r"[a-z0-9_]{1,50}")

_SLIP_COLUMNS = f"""p.id, p.employee_id, p.dirty, p.attention, p.remarks, p.gross, p.wage_deductions, p.cpf_employee,
        {FUNDS} AS funds, p.gross - p.nett_pay - p.wage_deductions - p.cpf_employee - ({FUNDS}) AS other_deductions,
        p.nett_pay, p.cpf_employer, p.sdl, p.levy,
        p.employer_contributions - p.cpf_employer - p.sdl - p.levy AS other_contributions,
        p.gross - p.wage_deductions + p.employer_contributions AS employer_cost,
        CASE WHEN p.cdac <> 0 THEN 'cdac' WHEN p.ecf <> 0 THEN 'ecf' WHEN p.mbmf <> 0 THEN 'mbmf'
             WHEN p.sinda <> 0 THEN 'sinda' END AS fund, NOT p.dirty AND {WITHOUT_HOURS} AS lacks_hours"""
_IN_PREVIOUS_PERIOD = "wave_id = $3 AND period_offset = $4 AND NOT special AND NOT withdrawn"
_IS_BLANK = "coalesce(NOT s.dirty AND s.nett_pay = 0, false) AS is_blank"
_COMPARED = f"""SELECT s.*, coalesce(s.employee_id, b.employee_id) AS person_id, b.employee_id IS NULL AS is_new,
        coalesce(s.nett_pay, 0) - coalesce(b.nett_pay, 0) AS change, {_IS_BLANK}
    FROM slips s FULL JOIN previous b ON b.employee_id = s.employee_id"""
# Once-off runs are not compared. The parameters are used all the same, because every query passes them.
_NOT_COMPARED = f"""SELECT s.*, s.employee_id AS person_id, false AS is_new, 0::bigint AS change, {_IS_BLANK}
    FROM slips s WHERE $3::bigint IS NOT NULL AND $4::integer IS NOT NULL"""
# The pay points of finalised payslips are those of the time. Snapshots are selected by ID (snapshots/queries.py).
_FROZEN = """SELECT s.employee_id, s.pay_point FROM payslip_snapshots s
    WHERE s.client_id = $1 AND s.payslip_id = ANY (ARRAY(SELECT p.id FROM {}))"""
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
class _Tables:
    """The rows that a statement about the register reads, as items of FROM."""

    slips: str
    previous: str
    employees: str


_ALL_ROWS = _Tables(
    slips=f"(SELECT * FROM payslips WHERE {OF_RUN}) p",
    previous=f"(SELECT * FROM payslips WHERE client_id = $1 AND {_IN_PREVIOUS_PERIOD}) p",
    employees="(SELECT * FROM employees WHERE client_id = $1) e",
)
# $5 has the payslips of a page, and $6 its employees. Client and run of a payslip are compared in a form for which
# PostgreSQL uses no index.
_PAGE_ROWS = _Tables(
    slips=each_id(
        "$5",
        "SELECT * FROM payslips WHERE id = ids.id "
        "AND (client_id, payment_run_id) IS NOT DISTINCT FROM (ids.client_id, $2) AND NOT withdrawn",
    )
    + " p",
    previous=f"""(SELECT * FROM payslips
        WHERE client_id = $1 AND {_IN_PREVIOUS_PERIOD} AND employee_id = ANY ($6::bigint[])) p""",
    employees=each_id("$6", "SELECT * FROM employees WHERE client_id = ids.client_id AND id = ids.id") + " e",
)


@dataclass(frozen=True, slots=True)
class RegisterItem:
    """A pay item with a column of its own. Its amounts are read from the lines of each payslip."""

    section: str
    """The section of its line on new payslips: `income` or `deduction`. Earlier ones can have it in the other one."""
    name: str

    def __post_init__(self) -> None:
        if self.section not in ITEM_SECTIONS or not ITEM_NAME.fullmatch(self.name):
            raise ValueError(f"{self.section} {self.name} is not a pay item")

    @property
    def column(self) -> str:
        """The name of the column."""
        return f"{ITEM_PREFIX}{self.name}"

    @property
    def sql(self) -> str:
        """The expression for the cents of a payslip. Lines that do not name the item are not parsed."""
        mention = self.name if self.name.isdecimal() else f'"{self.name}"'
        sections = ", ".join(f"p.lines -> '{section}'" for section in ITEM_SECTIONS)
        return f"""(SELECT coalesce(sum((line ->> 1)::numeric * 100), 0)::bigint FROM unnest(
            CASE WHEN position('{mention}' IN p.lines::text) > 0 THEN ARRAY[{sections}] END) section
            CROSS JOIN LATERAL json_array_elements(section) line WHERE line ->> 0 = '{self.name}')"""


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
    items: Sequence[RegisterItem] = ()
    """Pay items whose amounts are read too."""

    @property
    def amounts(self) -> Sequence[str]:
        """The amounts of a row: `AMOUNTS`, then those of the items."""
        return (*AMOUNTS, *(item.column for item in self.items))

    @property
    def compares_page_only(self) -> bool:
        """Whether it is enough to compare the rows of the page, because the total is that of the whole period."""
        is_filtered = self.patterns or self.pay_point is not None or self.row_filter
        return not (is_filtered or self.has_pay_points or self.sort == "change")

    @property
    def is_chosen_by_comparison(self) -> bool:
        """Whether the previous period decides which rows a page has."""
        return self.row_filter in ("changed", "new", "gone") or self.sort == "change"

    @property
    def lists_former(self) -> bool:
        """Whether employees are listed who were paid in the previous period only."""
        return self.row_filter in ("changed", "gone") or self.sort == "change"


ROW_FILTERS = tuple(_ROW_FILTERS)
SORT_KEYS = ("name", "number", *AMOUNTS)


async def load_totals(tx: Transaction, selection: RegisterSelection) -> list[asyncpg.Record]:
    """Load the sums of the register by pay point, of calculated and other payslips.

    Needs a transaction, like `load_page`.
    """
    sums = ", ".join(f"sum({name})::bigint AS {name}" for name in selection.amounts)
    if selection.compares_page_only:
        selection = replace(selection, previous_offset=None)
    is_joined = bool(selection.patterns) or selection.has_pay_points
    query = f"""{_register(selection, joins_employees=is_joined)}
        SELECT pay_point, dirty, count(*) AS rows_count, count(id) AS payslips_count,
            count(id) FILTER (WHERE dirty) AS dirty_count,
            count(*) FILTER (WHERE NOT dirty AND cardinality(attention) > 0) AS attention_count,
            count(*) FILTER (WHERE is_blank) AS blank_count, count(*) FILTER (WHERE lacks_hours) AS without_hours_count,
            {sums} FROM register GROUP BY pay_point, dirty ORDER BY pay_point NULLS LAST"""
    async with planned_without(tx, "enable_nestloop"):
        rows: list[asyncpg.Record] = await tx.fetch(query, *_arguments(selection))
    return rows


async def load_page(tx: Transaction, selection: RegisterSelection, page: ListPage) -> list[asyncpg.Record]:
    """Load a page of the register.

    All rows are sorted by ID and sort key alone, and only those of the page are read completely.

    Needs a transaction, in which nested loops are disabled while all rows are read: PostgreSQL can expect few rows and
    then reads all employees again for each of them.
    """
    choice = selection if selection.is_chosen_by_comparison else replace(selection, previous_offset=None)
    query = f"""{_register(choice)} SELECT id, employee_id FROM register WHERE {_listed(choice)}
        ORDER BY {_order(choice)} LIMIT {page.size:d} OFFSET {page.offset:d}"""
    async with planned_without(tx, "enable_nestloop"):
        chosen = [tuple(row) for row in await tx.fetch(query, *_arguments(choice))]
    if not chosen:
        return []
    complete = replace(selection, patterns=(), pay_point=None, row_filter="")
    rows = await tx.fetch(
        f"{_register(complete, _PAGE_ROWS)} SELECT {_columns(complete)} FROM register",
        *_arguments(complete),
        [payslip_id for payslip_id, _ in chosen if payslip_id is not None],
        [employee_id for _, employee_id in chosen],
    )
    by_id = {(row["id"], row["employee_id"]): row for row in rows}
    return [by_id[ids] for ids in chosen if ids in by_id]  # others were withdrawn in the meantime


async def iterate_rows(tx: Transaction, selection: RegisterSelection) -> AsyncIterator[list[asyncpg.Record]]:
    """Yield all rows of the register in chunks."""
    query = (
        f"{_register(selection)} SELECT {_columns(selection)} FROM register WHERE {_listed(selection)} "
        f"ORDER BY {_order(selection)}"
    )
    async with planned_without(tx, "enable_nestloop"):
        async for rows in fetch_chunks(tx, CHUNK_ROWS, query, *_arguments(selection)):
            yield rows


async def load_item_names(tx: Transaction, client_id: int, run_id: int) -> list[str]:
    """Load the names of the items on the payslips of a run, without totals. Reads all lines."""
    sections = " UNION ALL ".join(f"SELECT json_array_elements(p.lines -> '{name}')" for name in ITEM_SECTIONS)
    rows = await tx.fetch(
        "SELECT DISTINCT line ->> 0 AS name FROM payslips p CROSS JOIN LATERAL "
        f"({sections}) AS listed(line) WHERE {OF_RUN} AND NOT p.dirty",
        client_id,
        run_id,
    )
    return [row["name"] for row in rows]


def _columns(selection: RegisterSelection) -> str:
    return (
        "id, employee_id, number, first_name, last_name, name_format, pay_point, dirty, attention, remarks, is_new, "
        f"is_blank, lacks_hours, fund, {', '.join(selection.amounts)}"
    )


def _listed(selection: RegisterSelection) -> str:
    return "true" if selection.lists_former else "id IS NOT NULL"


def _register(selection: RegisterSelection, tables: _Tables = _ALL_ROWS, *, joins_employees: bool = True) -> str:
    """The common table expressions up to `register`, which has the selected rows.

    Each is used once, so that PostgreSQL only computes the columns that the statement needs.
    """
    # Joins that add nothing are left out, because each takes as long as a tenth of the rest.
    frozen, previous, pay_point, joins, names = "", "", "NULL::text", "", ""
    compared = _NOT_COMPARED
    if selection.previous_offset is not None:
        previous = f"previous AS (SELECT p.employee_id, p.nett_pay FROM {tables.previous}),"
        compared = _COMPARED
    if joins_employees:
        names = "e.number, e.first_name, e.last_name, e.name_format, e.searched,"
        joins = f"JOIN {tables.employees} ON e.id = c.person_id"
    if selection.has_pay_points:
        pay_point = "o.name"
        joins += f" {_CURRENT_PAY_POINTS}"
    if selection.has_pay_points and selection.finalised:
        frozen = f"frozen AS MATERIALIZED ({_FROZEN.format(tables.slips)}),"
        pay_point = "CASE WHEN f.employee_id IS NULL THEN o.name ELSE f.pay_point END"
        joins += " LEFT JOIN frozen f ON f.employee_id = e.id"
    conditions = [_ROW_FILTERS[selection.row_filter]]
    if selection.patterns:
        conditions.append("searched LIKE ALL ($5::text[])")
    if selection.pay_point is not None:
        conditions.append(f"coalesce(pay_point, '') = ${6 if selection.patterns else 5}")
    slip_columns = ", ".join((_SLIP_COLUMNS, *(f"{item.sql} AS {item.column}" for item in selection.items)))
    return f"""WITH slips AS (SELECT {slip_columns} FROM {tables.slips}), {previous} {frozen}
        compared AS ({compared}), named AS (
            SELECT c.id, c.person_id AS employee_id, {names} {pay_point} AS pay_point,
                coalesce(c.dirty, false) AS dirty, c.attention, c.remarks, c.is_new, c.is_blank,
                coalesce(c.lacks_hours, false) AS lacks_hours, c.fund,
                {", ".join(f"coalesce(c.{name}, 0) AS {name}" for name in selection.amounts)}
            FROM compared c {joins}
        ), register AS (SELECT * FROM named WHERE {" AND ".join(f"({item})" for item in conditions)})"""


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
