"""Changes from one pay period to the next, based on the regular payslips of both."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gaji.company.waves.queries import PayCalendar, load_pay_calendars
from gaji.core.errors import ErrorCode, Errors, InProgress
from gaji.core.threads import REPORTS
from gaji.core.validation import Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine.dates import MAX_DATE
from gaji.engine.money import decimal_text
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips import history
from gaji.payroll.payslips.history import Amounts, PeriodComparison
from gaji.people.employees.queries import load_employee_numbers
from gaji.reports.accounts import ReportAccount, list_accounts
from gaji.reports.request_fields import EMPLOYEE_IDS, HUMANIZE, PERIOD_OFFSET, WAVE_ID
from gaji.reports.rows import AmountFormatter, Chunk, RowFormat, StreamedTable, amount_formatter

ATTRIBUTES = (WAVE_ID, PERIOD_OFFSET, EMPLOYEE_IDS, HUMANIZE)
ROW = RowFormat(("employee", "Type", "Transaction", "Previous", "Selected", "Variance"))
NO_AMOUNTS: Amounts = {}
PERIOD_OUT_OF_RANGE = ErrorCode(
    "period_out_of_range", "must be from {minimum}, the first period of this wave, to {maximum}"
)


@dataclass(frozen=True)
class VarianceQuery:
    """A resolved request."""

    wave_id: int
    offset: int
    employee_ids: Sequence[int] | None
    humanize: bool | None


async def resolve_query(tx: Transaction, client_id: int, record: Record, errors: Errors) -> VarianceQuery:
    """Resolve the request fields and add any errors."""
    calendars = await load_pay_calendars(tx, client_id)
    wave_id, offset = record["wave_id"], record["period_offset"]
    if wave_id in calendars and offset is not None:
        _check_offset(calendars[wave_id], offset, errors)
    return VarianceQuery(wave_id, offset, record["employee_ids"] or None, record["humanize"])


async def build_table(tx: Transaction, client_id: int, query: VarianceQuery) -> StreamedTable:
    """Build the report. Raises InProgress while payslips of the periods are waiting to be calculated."""
    dirty = await history.count_dirty(tx, client_id, query.wave_id, query.offset, query.employee_ids)
    if dirty:
        subject = "1 payslip of these periods is" if dirty == 1 else f"{dirty:,} payslips of these periods are"
        raise InProgress(f"{subject} waiting to be calculated; try again shortly")
    format_amount = amount_formatter(query.humanize)
    accounts = [_AccountRows(account, format_amount) for account in list_accounts(await load_catalogue(tx, client_id))]
    return StreamedTable(ROW.keys, _iterate_chunks(tx, client_id, query, accounts))


class _AccountRows:
    """Formats the rows of one account."""

    def __init__(self, account: ReportAccount, format_amount: AmountFormatter) -> None:
        self.item = account.item
        self._type = json_text(account.type)
        self._transaction = json_text(_transaction(account))
        self._format_amount = format_amount

    def format_row(self, number: str, previous_cents: int, selected_cents: int) -> str:
        """Return the row of an employee."""
        amounts = (previous_cents, selected_cents, selected_cents - previous_cents)
        cells = (self._format_amount(decimal_text(cents)) for cents in amounts)
        return ROW.format_row(number, self._type, self._transaction, *cells)


async def _iterate_chunks(
    tx: Transaction, client_id: int, query: VarianceQuery, accounts: Sequence[_AccountRows]
) -> AsyncIterator[Chunk]:
    comparisons_iterator = history.iterate_two_periods(tx, client_id, query.wave_id, query.offset, query.employee_ids)
    async for comparisons in comparisons_iterator:
        employee_ids = [comparison.employee_id for comparison in comparisons]
        numbers = await load_employee_numbers(tx, client_id, employee_ids)
        yield await REPORTS.run(_build_chunk, accounts, comparisons, numbers)


def _build_chunk(
    accounts: Sequence[_AccountRows], comparisons: Sequence[PeriodComparison], numbers: Mapping[int, str]
) -> Chunk:
    return Chunk(
        [row for comparison in comparisons for row in _rows(accounts, comparison, numbers)],
        frozenset(version for comparison in comparisons for version in comparison.rules_versions),
    )


def _rows(accounts: Sequence[_AccountRows], comparison: PeriodComparison, numbers: Mapping[int, str]) -> Iterator[str]:
    """Yield a row for every account of an employee with an amount in one of the two periods."""
    number = json_text(numbers[comparison.employee_id])
    before, selected = comparison.before or NO_AMOUNTS, comparison.selected or NO_AMOUNTS
    for account in accounts:
        previous_cents, selected_cents = _cents(before.get(account.item)), _cents(selected.get(account.item))
        if previous_cents or selected_cents:
            yield account.format_row(number, previous_cents, selected_cents)


def _transaction(account: ReportAccount) -> dict[str, str | int]:
    """Return the description of an account. Custom items include their number."""
    transaction: dict[str, str | int] = {"name": account.choice.id, "caption": account.choice.key}
    if isinstance(account.item, int):
        transaction["calculation_def_id"] = account.item
    return transaction


def _check_offset(calendar: PayCalendar, offset: int, errors: Errors) -> None:
    last = calendar.schedule.offset_containing(MAX_DATE)
    if not calendar.first_offset <= offset <= last:
        errors.add("period_offset", PERIOD_OUT_OF_RANGE, minimum=calendar.first_offset, maximum=last)


def _cents(amount: str | None) -> int:
    return 0 if amount is None else int(amount.replace(".", ""))
