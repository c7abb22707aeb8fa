"""The table of a report: rows with the names of employees, and totals."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from gaji.console.formats import format_day, format_money, format_month
from gaji.console.glossary import label
from gaji.console.pagination import Pager
from gaji.console.request import PageRequest
from gaji.console.table_sort import TableSort
from gaji.console.tables import Table, build_table, sort_key
from gaji.core.errors import Errors
from gaji.core.field_types import DateType

VARIANCE = "variance"
LEAVE_COMPARISON = "comparison_leave"
TRANSACTION_HISTORY = "transaction_history"
LEAVE_LIABILITY = "leave_liability_v2"
TRACKED_BALANCES = "tracked_balances"
WAGE_OFFSETS = "employee_tax_incentive"
LEAVE_CLAIMS = "government_paid_leave"
EXPLAINED = (WAGE_OFFSETS, LEAVE_CLAIMS)
"""Reports whose rows have an explanation."""
PER_PAGE = 100
CERTAINTY = {"A": "Official source", "B": "Two sources agree", "C": "One source only", "D": "Not known"}
EXPLANATION_KEYS = ("Reason", "Calculation", "Rule", "Effective From", "Source", "Certainty")
"""Columns that the page shows as the explanation of a row."""
NOT_ESTIMATED = "Not estimated"
NOT_CALCULATED = "Not calculated"
ZERO = "$0.00"
EMPLOYEE = "employee"
"""The column with employee numbers, which the page shows with the names."""
TOTAL_TYPES = ("Total", "Summary")
"""Types of rows of a variance report that are sums of other rows. The last one is nett pay."""
SUMMED: Mapping[str, Sequence[str]] = {
    VARIANCE: ("Previous", "Selected", "Variance"),
    LEAVE_COMPARISON: ("Accrual", "Entitlement", "Taken", "Adjustment", "Balance"),
    LEAVE_LIABILITY: ("Days", "Liability"),
    TRACKED_BALANCES: ("Loans", "Savings", "Garnishees"),
    WAGE_OFFSETS: ("Estimate",),
    LEAVE_CLAIMS: ("Days", "Claim"),
}
"""The columns with totals. A transaction history has totals of all its accounts."""
SIGNS = str.maketrans("", "", "$,.")
AMOUNT = re.compile(r"-?\$[0-9,]+\.[0-9]{2}")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ColumnHeading:
    """The heading of a column, and whether its cells are aligned like numbers."""

    key: str
    text: str
    is_number: bool


@dataclass(frozen=True)
class ReportRow:
    """A row. Each cell has its text, and whether it is aligned like a number."""

    name: str
    number: str
    cells: Sequence[tuple[str, bool]]
    explanation: Mapping[str, str]
    """Texts by label. Empty if the report has no explanations."""


@dataclass(frozen=True)
class TotalRow:
    """A total of the rows. Cells of columns without a total are empty."""

    name: str
    cells: Sequence[str]


@dataclass(frozen=True)
class ReportPage:
    """A page of a report."""

    headings: Sequence[ColumnHeading]
    rows: Sequence[ReportRow]
    totals: Sequence[TotalRow]
    """Those of all pages."""
    sort: TableSort
    pager: Pager
    unchanged_count: int


@dataclass(frozen=True)
class ReportRows:
    """The rows of a report that changed, its columns that are not zero throughout, and its totals."""

    report_id: str
    changed: Sequence[Row]
    keys: Sequence[str]
    totals: Sequence[TotalRow]
    unchanged_count: int

    @property
    def sort_columns(self) -> Sequence[str]:
        """The columns that the rows can be sorted by."""
        return (EMPLOYEE, *self.keys)

    def select_page(self, request: PageRequest, names: Mapping[str, str]) -> Table[Row]:
        """Return the rows of the page that is asked for. Sorting by employee needs the names of all of them."""
        keys = {key: partial(_sort_value, key, names) for key in self.sort_columns}
        return build_table(request, self.changed, keys, anchor="#rows", size=PER_PAGE)

    def build_table(self, page: Table[Row], names: Mapping[str, str]) -> ReportPage:
        """Return the table of a page, given the names of its employees by number."""
        rows = [self._build_row(row, names) for row in page.rows]
        headings = [
            ColumnHeading(key, heading_text(key), bool(rows) and rows[0].cells[index][1])
            for index, key in enumerate(self.keys)
        ]
        return ReportPage(headings, rows, self.totals, page.sort, page.pager, self.unchanged_count)

    def _build_row(self, row: Row, names: Mapping[str, str]) -> ReportRow:
        number = row[EMPLOYEE]
        cells = [_format_value(self.report_id, row, key) for key in self.keys]
        explanation = _explanation(row) if self.report_id in EXPLAINED else {}
        return ReportRow(names.get(number, ""), number, cells, explanation)


def heading_text(key: str) -> str:
    """Return the heading of a column.

    >>> heading_text("employee"), heading_text("leave_type"), heading_text("Nett pay")
    ('Employee', 'Leave type', 'Nett pay')
    """
    return label(key) if "_" in key or key.islower() else key


def employee_numbers(rows: Iterable[Row]) -> set[str]:
    """Return the numbers of the employees of rows."""
    return {row[EMPLOYEE] for row in rows}


def _sort_value(key: str, names: Mapping[str, str], row: Row) -> tuple[int, Any] | None:
    """Return what a row is sorted by. Employees are sorted by name, and amounts as numbers, before text."""
    value = row[key]
    if key == EMPLOYEE:
        value = f"{names.get(value, '')} {value}"
    elif isinstance(value, dict):
        value = _format_cell(value)[0]
    elif isinstance(value, str) and AMOUNT.fullmatch(value):
        value = amount_cents(value)
    if value is None:
        return None
    return (1, sort_key(value)) if isinstance(value, str) else (0, value)


def amount_cents(text: str) -> int:
    """Return the cents of an amount in a report.

    >>> amount_cents("$1,234.50"), amount_cents("-$0.05")
    (123450, -5)
    """
    return int(text.translate(SIGNS))


def select_rows(report_id: str, rows: Sequence[Row], account_names: Set[str]) -> ReportRows:
    """Return what the page shows of the rows.

    A custom field can have the name of any column, so a report is recognised by its ID, not by its columns.
    """
    changed = [row for row in rows if row["Variance"] != ZERO] if report_id == VARIANCE else rows
    omitted = (EMPLOYEE, *(EXPLANATION_KEYS if report_id in EXPLAINED else ()))
    keys = [key for key in (rows[0] if rows else ()) if key not in omitted]
    visible = [key for key in keys if any(row[key] != ZERO for row in changed)]
    summed = summed_keys(report_id, visible, account_names)
    return ReportRows(report_id, changed, visible, _totals(report_id, rows, visible, summed), len(rows) - len(changed))


def summed_keys(report_id: str, keys: Iterable[str], account_names: Set[str]) -> list[str]:
    """Return the columns that have a total."""
    return [key for key in keys if key in (account_names if report_id == TRANSACTION_HISTORY else SUMMED[report_id])]


def _totals(report_id: str, rows: Sequence[Row], keys: Sequence[str], summed: Sequence[str]) -> list[TotalRow]:
    """Return the totals: of variances, those of the payslips; of leave, those of each type; otherwise of all rows."""
    if not rows or not summed:
        return []
    if report_id == VARIANCE:
        of_payslips = (row for kind in TOTAL_TYPES for row in rows if row["Type"] == kind)
        groups = _group(of_payslips, lambda row: str(row["Transaction"]["caption"]))
    elif report_id == LEAVE_COMPARISON:
        groups = _group(rows, lambda row: label(row["leave_type"]))
    else:
        groups = {"Total": rows}
    return [
        TotalRow(name, [_sum_text(group, key) if key in summed else "" for key in keys])
        for name, group in groups.items()
    ]


def _group(rows: Iterable[Row], name: Callable[[Row], str]) -> dict[str, Sequence[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[name(row)].append(row)
    return {**groups}


def _sum_text(rows: Sequence[Row], key: str) -> str:
    """Return the sum of a column. It has amounts as text, or numbers of days."""
    values = [row[key] for row in rows if row[key] is not None]
    if values and isinstance(values[0], str):
        return format_money(sum(map(amount_cents, values)))
    return f"{sum(values, Decimal()).normalize():,f}" if values else ""


def _format_value(report_id: str, row: Row, key: str) -> tuple[str, bool]:
    if report_id in EXPLAINED and key == "Month":
        return format_month(row[key]), False
    if report_id == WAGE_OFFSETS and key == "Estimate" and row[key] is None:
        return NOT_ESTIMATED, True
    if report_id == LEAVE_CLAIMS and key == "Claim" and row[key] is None:
        return NOT_CALCULATED, True
    return _format_cell(row[key])


def _format_cell(value: Any) -> tuple[str, bool]:
    if isinstance(value, dict):
        return str(value.get("caption") or value.get("name") or ""), False
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return f"{value:,}", True
    text = "–" if value is None else str(value)
    if day := DateType().parse(text, "", Errors()):
        return format_day(day), True
    return (text, True) if text.startswith(("$", "-$")) else (label(text) if "_" in text else text, False)


def _explanation(row: Row) -> dict[str, str]:
    """Return the explanation of a row, by label. Parts without a value are left out."""
    reason = str(row["Reason"])
    parts = {
        "Reason": f"{reason[:1].upper()}{reason[1:]}.",
        "Calculation": row["Calculation"],
        "Rule": row.get("Rule"),
        "Applies from": format_day(row["Effective From"]) if "Effective From" in row else None,
        "Source": row["Source"],
        "Certainty": CERTAINTY.get(row["Certainty"]),
    }
    return {name: text for name, text in parts.items() if text}
