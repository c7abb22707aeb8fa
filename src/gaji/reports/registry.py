"""The available reports, by id."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gaji.core.errors import Errors, NotFound
from gaji.core.field_types import JsonSchema
from gaji.core.validation import Attribute, Record, object_schema
from gaji.db.tenancy import Transaction
from gaji.reports import (
    comparison_leave,
    employee_tax_incentive,
    government_paid_leave,
    leave_liability_v2,
    tracked_balances,
    transaction_history,
    variance,
)
from gaji.reports.rows import StreamedTable

MAX_ECHOED_ID = 60


@dataclass(frozen=True)
class Report:
    """A kind of report."""

    id: str
    description: str
    attributes: Sequence[Attribute]
    """The request fields."""
    resolve_query: Callable[[Transaction, int, Record, Errors], Awaitable[Any]]
    """Turns the parsed fields into the report's query and adds any errors."""
    build_table: Callable[[Transaction, int, Any], Awaitable[StreamedTable]]
    """Builds the report for the query that `resolve_query` returned."""
    beta: bool = False

    def json_schema(self) -> JsonSchema:
        """Return the JSON Schema of the request fields."""
        return {"title": self.id, **object_schema(self.attributes)}


def _report(report_id: str, description: str, module: Any, *, beta: bool = False) -> Report:
    return Report(report_id, description, module.ATTRIBUTES, module.resolve_query, module.build_table, beta)


REPORTS: Mapping[str, Report] = {
    report.id: report
    for report in (
        _report("transaction_history", "The amounts of finalised payslips, one row for each.", transaction_history),
        _report("variance", "Changes from one pay period to the next.", variance),
        _report("comparison_leave", "Leave accrued, taken and left between two dates, by type.", comparison_leave),
        _report("leave_liability_v2", "The cost of unused annual leave on a date.", leave_liability_v2, beta=True),
        _report("tracked_balances", "Loans, savings and garnishees on a date.", tracked_balances, beta=True),
        _report(
            "employee_tax_incentive",
            "Estimated wage offsets that the government pays to the employer, by employee, month and scheme.",
            employee_tax_incentive,
        ),
        _report(
            "government_paid_leave",
            "Leave and national service that the government reimburses, by claim and month, and the last day to claim.",
            government_paid_leave,
        ),
    )
}


def get_report(report_id: str) -> Report:
    """Return a report. Raises NotFound."""
    if report_id not in REPORTS:
        raise NotFound(f"Report {report_id[:MAX_ECHOED_ID]!r} does not exist; available reports: {', '.join(REPORTS)}")
    return REPORTS[report_id]
