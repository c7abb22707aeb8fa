"""Leave movements between two dates: one row for each employee and leave type."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.core.errors import Errors
from gaji.core.law_loader import current_law
from gaji.core.threads import REPORTS
from gaji.core.validation import Attribute, Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.leave.balances.period_summary import LeavePeriodSummary, load_period_summaries
from gaji.leave.types.queries import load_leave_types
from gaji.reports.employee_selection import EmployeeFilter, ReportedService, iterate_services
from gaji.reports.request_fields import (
    EMPLOYEE_IDS,
    END_DATE,
    HUMANIZE,
    START_DATE,
    WAVE_IDS,
    IdList,
    check_date_order,
    check_known,
)
from gaji.reports.rows import Chunk, RowFormat, StreamedTable, format_days

ATTRIBUTES = (
    START_DATE,
    END_DATE,
    WAVE_IDS,
    EMPLOYEE_IDS,
    Attribute("leave_types", IdList(), "Only these leave types. Default: all types with a value."),
    HUMANIZE,
)
ROW = RowFormat(("employee", "leave_type", "Date", "Accrual", "Entitlement", "Taken", "Adjustment", "Balance"))
NULL = "null"


@dataclass(frozen=True)
class LeaveComparisonQuery:
    """A resolved request."""

    first: date
    last: date
    employee_filter: EmployeeFilter
    type_ids: Sequence[int]


async def resolve_query(tx: Transaction, client_id: int, record: Record, errors: Errors) -> LeaveComparisonQuery:
    """Resolve the request fields and add any errors."""
    check_date_order(record, errors)
    type_ids = record["leave_types"] or []
    known = {leave_type.id for leave_type in await load_leave_types(tx, client_id)}
    check_known("leave_types", "leave type", [type_id for type_id in type_ids if type_id not in known], errors)
    return LeaveComparisonQuery(record["start_date"], record["end_date"], EmployeeFilter.from_record(record), type_ids)


async def build_table(tx: Transaction, client_id: int, query: LeaveComparisonQuery) -> StreamedTable:
    """Build the report."""
    return StreamedTable(ROW.keys, _iterate_chunks(tx, client_id, query))


async def _iterate_chunks(tx: Transaction, client_id: int, query: LeaveComparisonQuery) -> AsyncIterator[Chunk]:
    rules_versions = frozenset([current_law().rules_version])
    async for services in iterate_services(tx, client_id, query.employee_filter, query.first, query.last):
        terms, last_days = [service.term for service in services], [service.last for service in services]
        summaries = await load_period_summaries(tx, client_id, terms, query.first, last_days)
        rows = await REPORTS.run(_build_rows, query, services, summaries)
        yield Chunk(rows, rules_versions)


def _build_rows(
    query: LeaveComparisonQuery, services: Sequence[ReportedService], summaries: Sequence[LeavePeriodSummary]
) -> list[str]:
    selected = [summary for summary in summaries if not query.type_ids or summary.type.id in query.type_ids]
    columns = [_cells(summary, include_empty=bool(query.type_ids)) for summary in selected]
    return [
        ROW.format_row(service.number, type_name, f'"{service.last}"', *cells)
        for index, service in enumerate(services)
        for type_name, cells_by_service in columns
        if (cells := cells_by_service[index]) is not None
    ]


def _cells(summary: LeavePeriodSummary, *, include_empty: bool) -> tuple[str, list[tuple[str, ...] | None]]:
    """Return the name of a leave type and its cells for each service. Services without a value have None."""
    columns = (summary.accrual, summary.entitlement, summary.taken, summary.adjustment, summary.balance)
    rows: Iterator[tuple[int, ...]] = zip(*(column.tolist() for column in columns), strict=True)
    return json_text(summary.type.name), [
        _format_cells(millidays, entitled) if include_empty or has_value else None
        for millidays, entitled, has_value in zip(
            rows, summary.entitled.tolist(), summary.has_values.tolist(), strict=True
        )
    ]


def _format_cells(millidays: tuple[int, ...], entitled: bool) -> tuple[str, ...]:
    accrual, entitlement, *others = map(format_days, millidays)
    return accrual, entitlement if entitled else NULL, *others
