"""Charts of reports: costs by month, and rankings of the largest amounts."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date

from gaji.console.chart import BarChart, Ranking, build_chart, build_ranking, largest_sums
from gaji.console.formats import format_money
from gaji.console.glossary import label
from gaji.console.report_table import (
    EMPLOYEE,
    LEAVE_CLAIMS,
    LEAVE_COMPARISON,
    LEAVE_LIABILITY,
    TOTAL_TYPES,
    TRACKED_BALANCES,
    TRANSACTION_HISTORY,
    VARIANCE,
    WAGE_OFFSETS,
    Row,
    amount_cents,
    summed_keys,
)
from gaji.law.quantities import MILLI, format_millis
from gaji.reports.accounts import SUMMARIES, TOTALS

MAX_MONTHS = 12
"""With more months, a chart shows years."""
NETT_PAY = "Nett pay"
MONTH_PARTS = (NETT_PAY, "Total deduction")
"""The accounts of the chart by month, from the bottom."""
EMPLOYEE_RANKINGS = {
    LEAVE_LIABILITY: ("Largest liabilities", "Liability"),
    TRACKED_BALANCES: ("Largest loans", "Loans"),
}
"""Rankings of employees: title and column, by report."""


@dataclass(frozen=True)
class MonthlyChart:
    """A chart by month or year, and what its colours mean."""

    title: str
    chart: BarChart
    legend: Sequence[str]


@dataclass(frozen=True)
class RankedAmounts:
    """The largest amounts of a report, by name or by employee number."""

    title: str
    amounts: Sequence[tuple[str, int]]
    are_employees: bool = False
    format_amount: Callable[[int], str] = format_money

    def draw(self, names: Mapping[str, str]) -> Ranking | None:
        """Return the ranking, given the names of employees by number."""
        labels = names if self.are_employees else {}
        named = [(labels.get(name, name), amount) for name, amount in self.amounts]
        return build_ranking(self.title, named, self.format_amount)


def summarise_rows(report_id: str, rows: Sequence[Row], account_names: Set[str]) -> MonthlyChart | RankedAmounts:
    """Return what the chart of a report shows."""
    if report_id == TRANSACTION_HISTORY:
        return _monthly_chart(rows) or _rank("Largest items", _account_amounts(rows, account_names))
    if report_id == VARIANCE:
        items = [row for row in rows if row["Type"] not in TOTAL_TYPES]
        return _rank("Change by item, all employees", _amounts(items, _caption, "Variance"))
    if report_id == WAGE_OFFSETS:
        return _rank("Estimate by scheme", _amounts(rows, lambda row: row["Scheme"], "Estimate"))
    if report_id == LEAVE_CLAIMS:
        return _rank("Claim by type of leave", _amounts(rows, lambda row: label(row["Leave"]), "Claim"))
    if report_id == LEAVE_COMPARISON:
        days = ((label(row["leave_type"]), int(row["Taken"] * MILLI)) for row in rows)
        return RankedAmounts("Days taken by type of leave", largest_sums(days), format_amount=format_millis)
    title, key = EMPLOYEE_RANKINGS[report_id]
    return RankedAmounts(title, largest_sums(_amounts(rows, lambda row: row[EMPLOYEE], key)), are_employees=True)


def _rank(title: str, amounts: Iterable[tuple[str, int]]) -> RankedAmounts:
    return RankedAmounts(title, largest_sums(amounts))


def _caption(row: Row) -> str:
    return str(row["Transaction"]["caption"])


def _amounts(rows: Iterable[Row], name: Callable[[Row], str], key: str) -> Iterable[tuple[str, int]]:
    return ((name(row), amount_cents(row[key])) for row in rows if row[key] is not None)


def _account_amounts(rows: Sequence[Row], account_names: Set[str]) -> Iterable[tuple[str, int]]:
    """Return the amounts of all accounts that are not totals of others."""
    keys = summed_keys(TRANSACTION_HISTORY, rows[0] if rows else (), account_names)
    items = [key for key in keys if key not in (*TOTALS.values(), *SUMMARIES.values())]
    return ((key, amount_cents(row[key])) for row in rows for key in items)


def _monthly_chart(rows: Sequence[Row]) -> MonthlyChart | None:
    """Return nett pay and deductions by month, or None if there is only one month or no nett pay."""
    parts = [key for key in MONTH_PARTS if rows and key in rows[0]]
    months = sorted({row["Date"][:7] for row in rows})
    if NETT_PAY not in parts or len(months) < 2:
        return None
    by_year = len(months) > MAX_MONTHS
    sums: dict[date, list[int]] = defaultdict(lambda: [0] * len(parts))
    for row in rows:
        amounts = sums[_first_day(row["Date"], by_year=by_year)]
        for index, key in enumerate(parts):
            amounts[index] += amount_cents(row[key])
    # A bar has no length below zero.
    positive = {day: [max(amount, 0) for amount in sums[day]] for day in sorted(sums)}
    chart = build_chart(positive, by_year=by_year)
    return MonthlyChart(f"Pay by {'year' if by_year else 'month'}", chart, parts) if chart else None


def _first_day(text: str, *, by_year: bool) -> date:
    return date(int(text[:4]), 1 if by_year else int(text[5:7]), 1)
