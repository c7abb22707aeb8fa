"""The reports that there are, by their ids."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gaji.core.errors import INVALID, Errors, NotFound, ValidationError
from gaji.core.validation import Attribute, JsonSchema, Record, object_schema
from gaji.db.tenancy import Transaction
from gaji.reports import comparison_leave, leave_liability_v2, tracked_balances, transaction_history, variance
from gaji.reports.rows import Table


@dataclass(frozen=True)
class Report:
    """One of them."""

    id: str
    about: str
    attributes: Sequence[Attribute]
    """What it is asked for with."""
    read: Callable[[Transaction, int, Record, Errors], Awaitable[Any]]
    """Finds out what is asked for, of a client, and names what is wrong with it."""
    table: Callable[[Transaction, int, Any], Awaitable[Table]]
    """Makes it, given what `read` found out."""
    beta: bool = False

    def schema(self) -> JsonSchema:
        """The JSON Schema of its request fields."""
        return {"title": self.id, **object_schema(self.attributes)}


def _report(report_id: str, about: str, module: Any, *, beta: bool = False) -> Report:
    return Report(report_id, about, module.ATTRIBUTES, module.read, module.table, beta)


REPORTS: Mapping[str, Report] = {
    one.id: one
    for one in (
        _report("transaction_history", "What finalised payslips came to, one row for each.", transaction_history),
        _report("variance", "What changed from one pay period to the next.", variance),
        _report("comparison_leave", "What leave came to from one day to another, by type.", comparison_leave),
        _report("leave_liability_v2", "What the annual leave left on a day would cost.", leave_liability_v2, beta=True),
        _report("tracked_balances", "Loans, savings and garnishees on a day.", tracked_balances, beta=True),
    )
}
RESERVED = {
    "employee_tax_incentive": "Singapore has no scheme of this name; the nearest are wage offsets that are paid to "
    "employers. The report is reserved until its parameters are settled"
}


def report_of(report_id: str) -> Report:
    """The report with this id; raises NotFound, and Invalid for one that is only reserved."""
    if report_id in RESERVED:
        raise ValidationError(Errors.single("report", INVALID, reason=RESERVED[report_id]), RESERVED[report_id])
    if report_id not in REPORTS:
        raise NotFound(f"There is no report {report_id[:60]!r}; there are {', '.join(REPORTS)}")
    return REPORTS[report_id]
