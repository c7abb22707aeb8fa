"""The amounts of finalised payslips: one row for each, with the requested accounts and employee fields."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from gaji.core.errors import Errors
from gaji.core.threads import REPORTS
from gaji.core.validation import Attribute, Record
from gaji.db.tenancy import Transaction
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips import history
from gaji.payroll.payslips.history import ZERO, FinalisedPayslip, PayslipFilter
from gaji.reports.accounts import FIXED_KEYS, ReportAccount, list_accounts
from gaji.reports.choices import Choice, ChoiceIndex
from gaji.reports.employee_fields import EmployeeCells, EmployeeField, load_employee_cells, load_employee_fields
from gaji.reports.request_fields import (
    EMPLOYEE_IDS,
    END_DATE,
    HUMANIZE,
    START_DATE,
    WAVE_IDS,
    NameList,
    RawNameList,
    check_date_order,
    check_known,
)
from gaji.reports.rows import Chunk, RowFormat, StreamedTable, amount_formatter

ATTRIBUTES = (
    START_DATE,
    END_DATE,
    WAVE_IDS,
    EMPLOYEE_IDS,
    Attribute(
        "account_names",
        NameList(),
        "Payslip items, by caption or name. Default: all items that occur.",
        example=["Basic salary", "Nett pay"],
    ),
    Attribute(
        "custom_fields",
        NameList(),
        "Employee fields: first_name, last_name, pay_point_id, appointment_date, or custom fields by name or number.",
        example=["first_name", "last_name"],
    ),
    HUMANIZE,
)


@dataclass(frozen=True)
class TransactionHistoryQuery:
    """A resolved request."""

    payslip_filter: PayslipFilter
    accounts: Sequence[ReportAccount] | None
    """None for all accounts that occur."""
    fields: Sequence[EmployeeField]
    humanize: bool | None


async def resolve_query(tx: Transaction, client_id: int, record: Record, errors: Errors) -> TransactionHistoryQuery:
    """Resolve the request fields and add any errors."""
    check_date_order(record, errors)
    accounts = list_accounts(await load_catalogue(tx, client_id))
    account_index = ChoiceIndex(account.choice for account in accounts)
    selected_accounts = _select("account_names", "account", account_index, record, errors)
    account_keys = (account.choice.key for account in accounts)
    fields = await load_employee_fields(tx, client_id, (*FIXED_KEYS, *account_keys))
    field_index = ChoiceIndex(field.choice for field in fields)
    selected_fields = _select("custom_fields", "field", field_index, record, errors)
    return TransactionHistoryQuery(
        PayslipFilter(
            record["start_date"], record["end_date"], record["wave_ids"] or None, record["employee_ids"] or None
        ),
        [account for choice in selected_accounts for account in accounts if account.choice == choice] or None,
        [field for choice in selected_fields for field in fields if field.choice == choice],
        record["humanize"],
    )


async def build_table(tx: Transaction, client_id: int, query: TransactionHistoryQuery) -> StreamedTable:
    """Build the report."""
    accounts = query.accounts
    if accounts is None:
        items = await history.load_finalised_items(tx, client_id, query.payslip_filter)
        catalogue = await load_catalogue(tx, client_id)
        accounts = [account for account in list_accounts(catalogue) if account.choice.id in items]
    choices = [*(account.choice for account in accounts), *(field.choice for field in query.fields)]
    row_format = RowFormat([*FIXED_KEYS, *(choice.key for choice in choices)])
    return StreamedTable(row_format.keys, _iterate_chunks(tx, client_id, query, accounts, row_format))


async def _iterate_chunks(
    tx: Transaction,
    client_id: int,
    query: TransactionHistoryQuery,
    accounts: Sequence[ReportAccount],
    row_format: RowFormat,
) -> AsyncIterator[Chunk]:
    format_amount = amount_formatter(query.humanize)
    zero = format_amount(ZERO)
    items = [account.item for account in accounts]

    def build_rows(payslips: Sequence[FinalisedPayslip], employees: Mapping[int, EmployeeCells]) -> list[str]:
        rows = []
        for payslip in payslips:
            employee, amounts = employees[payslip.employee_id], payslip.amounts
            cells = [format_amount(amounts[item]) if item in amounts else zero for item in items]
            rows.append(row_format.format_row(employee.number, f'"{payslip.date}"', *cells, *employee.fields))
        return rows

    async for payslips in history.iterate_finalised(tx, client_id, query.payslip_filter):
        employee_ids = {payslip.employee_id for payslip in payslips}
        employees = await load_employee_cells(tx, client_id, employee_ids, query.fields)
        rows = await REPORTS.run(build_rows, payslips, employees)
        yield Chunk(rows, frozenset(payslip.rules_version for payslip in payslips if payslip.rules_version))


def _select(path: str, resource: str, index: ChoiceIndex, record: Record, errors: Errors) -> list[Choice]:
    names = record[path] or []
    if isinstance(names, RawNameList):
        names = [name for text in names for name in index.split(text)]
    selected, unknown = index.select(names)
    check_known(path, resource, unknown, errors)
    return selected
