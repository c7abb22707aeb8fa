"""The cost of unused annual leave on a date: the days, the gross daily rate and their product."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from gaji.core.error_codes import MONTH_NOT_COVERED
from gaji.core.errors import Errors, invalid
from gaji.core.law_loader import current_law
from gaji.core.threads import REPORTS
from gaji.core.validation import Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine.money import decimal_text
from gaji.law.parameters import MonthNotCovered
from gaji.law.quantities import MILLI
from gaji.leave.balances.columns import load_leave_balances
from gaji.leave.types.queries import ANNUAL
from gaji.payroll.payslips.daily_rates import load_daily_rates
from gaji.people.service_periods.queries import ServiceTerm
from gaji.reports.employee_selection import EmployeeFilter, iterate_in_service
from gaji.reports.request_fields import DATE, EMPLOYEE_IDS, HUMANIZE, WAVE_IDS
from gaji.reports.rows import AmountFormatter, Chunk, RowFormat, StreamedTable, amount_formatter, format_days

ATTRIBUTES = (DATE, WAVE_IDS, EMPLOYEE_IDS, HUMANIZE)
ROW = RowFormat(("employee", "Days", "Daily Rate", "Liability"))


@dataclass(frozen=True)
class LeaveLiabilityQuery:
    """A resolved request."""

    date: date
    employee_filter: EmployeeFilter
    humanize: bool | None


async def resolve_query(tx: Transaction, client_id: int, record: Record, errors: Errors) -> LeaveLiabilityQuery:
    """Resolve the request fields."""
    return LeaveLiabilityQuery(record["date"], EmployeeFilter.from_record(record), record["humanize"])


async def build_table(tx: Transaction, client_id: int, query: LeaveLiabilityQuery) -> StreamedTable:
    """Build the report."""
    return StreamedTable(ROW.keys, _iterate_chunks(tx, client_id, query))


async def _iterate_chunks(tx: Transaction, client_id: int, query: LeaveLiabilityQuery) -> AsyncIterator[Chunk]:
    format_amount = amount_formatter(query.humanize)
    rules_versions = frozenset([current_law().rules_version])
    async for employees in iterate_in_service(tx, client_id, query.employee_filter, query.date):
        balances = await _annual_leave_millidays(tx, client_id, employees.terms, query.date)
        costs = await _load_costs(tx, client_id, balances, employees.waves, query.date)
        rows = await REPORTS.run(_build_rows, employees.numbers, balances, costs, format_amount)
        yield Chunk(rows, rules_versions)


def _build_rows(
    numbers: Mapping[int, str],
    balances: Mapping[int, int],
    costs: Mapping[int, tuple[int, int]],
    format_amount: AmountFormatter,
) -> list[str]:
    rows = []
    for employee_id, millidays in balances.items():
        daily_rate, liability = (format_amount(decimal_text(cents)) for cents in costs[employee_id])
        rows.append(ROW.format_row(json_text(numbers[employee_id]), format_days(millidays), daily_rate, liability))
    return rows


async def _annual_leave_millidays(
    tx: Transaction, client_id: int, terms: Sequence[ServiceTerm], as_of: date
) -> dict[int, int]:
    """Return the balance of annual leave, by employee."""
    balances = await load_leave_balances(tx, client_id, terms, as_of, system_type=ANNUAL)
    as_of_each = np.full(len(terms), np.datetime64(as_of, "D"))
    millidays = np.zeros(len(terms), dtype=np.int64)
    for leave_type in balances.types:
        if leave_type.system_type == ANNUAL:
            millidays = await REPORTS.run(balances.balance, leave_type, as_of_each)
    return dict(zip((term.employee_id for term in terms), millidays.tolist(), strict=True))


async def _load_costs(
    tx: Transaction, client_id: int, balances: Mapping[int, int], waves: Mapping[int, int], as_of: date
) -> dict[int, tuple[int, int]]:
    """Return the cents of one day and of the whole balance, by employee. Each amount is rounded once."""
    costs: dict[int, tuple[int, int]] = {}
    wave_by_employee = {employee_id: waves[employee_id] for employee_id in balances}
    try:
        groups = await load_daily_rates(tx, client_id, wave_by_employee, as_of)
    except MonthNotCovered as error:
        raise invalid("date", MONTH_NOT_COVERED, **error.params) from None
    for group in groups:
        one_day = np.full(len(group.employee_ids), MILLI, dtype=np.int64)
        all_days = np.array([balances[employee_id] for employee_id in group.employee_ids], dtype=np.int64)
        cents = zip(group.rates.cents(one_day).tolist(), group.rates.cents(all_days).tolist(), strict=True)
        costs.update(zip(group.employee_ids, cents, strict=True))
    return costs
