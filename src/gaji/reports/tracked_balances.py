"""Amounts owed and saved at the end of a day: loans and advances, savings, garnishees."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.core.errors import Errors
from gaji.core.validation import Record
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.engine.money import decimal_text, to_cents
from gaji.payroll.calculations.inheritance import InputValues
from gaji.payroll.calculations.resolve import resolve_entries
from gaji.payroll.payslips.history import load_instalment_totals
from gaji.reports.employee_selection import EmployeeFilter, iterate_employees
from gaji.reports.request_fields import DATE, EMPLOYEE_IDS, HUMANIZE, WAVE_IDS
from gaji.reports.rows import Chunk, RowFormat, StreamedTable, amount_formatter

ATTRIBUTES = (DATE, WAVE_IDS, EMPLOYEE_IDS, HUMANIZE)
COLUMNS: Mapping[str, Sequence[str]] = {
    "Loans": ("loan", "salary_advance"),
    "Savings": ("savings",),
    "Garnishees": ("garnishee",),
}
"""The items of each column."""
ITEMS = [item for items in COLUMNS.values() for item in items]
ZERO_BALANCES = [0] * len(COLUMNS)
ROW = RowFormat(("employee", *COLUMNS))


@dataclass(frozen=True)
class TrackedBalancesQuery:
    """A resolved request."""

    date: date
    employee_filter: EmployeeFilter
    humanize: bool | None


async def resolve_query(tx: Transaction, client_id: int, record: Record, errors: Errors) -> TrackedBalancesQuery:
    """Resolve the request fields."""
    return TrackedBalancesQuery(record["date"], EmployeeFilter.from_record(record), record["humanize"])


async def build_table(tx: Transaction, client_id: int, query: TrackedBalancesQuery) -> StreamedTable:
    """Build the report."""
    return StreamedTable(ROW.keys, _iterate_chunks(tx, client_id, query))


async def _iterate_chunks(tx: Transaction, client_id: int, query: TrackedBalancesQuery) -> AsyncIterator[Chunk]:
    format_amount = amount_formatter(query.humanize)
    async for employees in iterate_employees(tx, client_id, query.employee_filter, query.date):
        balances, rules_versions = await _load_balances(tx, client_id, list(employees), query.date)
        rows = [
            ROW.format_row(employee.number, *(format_amount(decimal_text(cents)) for cents in columns))
            for employee_id, employee in employees.items()
            if any(columns := balances.get(employee_id, ZERO_BALANCES)) or employee.in_service
        ]
        yield Chunk(rows, rules_versions)


async def _load_balances(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], as_of: date
) -> tuple[dict[int, list[int]], frozenset[str]]:
    """Return the cents of each column by employee, and the rules versions of the instalments in them.

    Employees without a tracked item are omitted.
    """
    payslips = [(None, employee_id, False) for employee_id in employee_ids]
    entries = await resolve_entries(tx, client_id, payslips, as_of, ITEMS)
    entries_by_employee = dict(zip(employee_ids, entries, strict=True))
    started = {
        (employee_id, item): entry.inputs
        for employee_id, employee_entries in entries_by_employee.items()
        for item, entry in employee_entries.items()
        if (_start_date(entry.inputs) or as_of) <= as_of
    }
    tracked = [(employee_id, item, _start_date(inputs)) for (employee_id, item), inputs in started.items()]
    instalments = await load_instalment_totals(tx, client_id, tracked, as_of)
    cents = {key: total.cents for key, total in instalments.items()}
    balances = {key: _balance_cents(key[1], inputs, cents.get(key, 0)) for key, inputs in started.items()}
    columns = {
        employee_id: [sum(balances.get((employee_id, item), 0) for item in items) for items in COLUMNS.values()]
        for employee_id, employee_entries in entries_by_employee.items()
        if employee_entries
    }
    return columns, frozenset(version for total in instalments.values() for version in total.rules_versions)


def _balance_cents(item: str, inputs: InputValues, instalment_cents: int) -> int:
    """Return the amount saved, or still owed, after the instalments so far."""
    opening_cents = to_cents(str(inputs.get("balance", 0)))
    if SYSTEM_TYPES[item].tracked == "saved":
        return opening_cents + instalment_cents
    return max(opening_cents - instalment_cents, 0)


def _start_date(inputs: InputValues) -> date | None:
    value = inputs.get("start_date")
    return date.fromisoformat(str(value)) if value else None
