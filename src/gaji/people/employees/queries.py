"""Employee queries.

Identifiers are decrypted even if they are hidden from the caller. Mask them before they are shown, or write them only
to files for authorities.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date

import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import Record, to_record
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import EmployeeDetails
from gaji.people.employees import repository
from gaji.people.employees.display_name import NAME_COLUMNS, EmployeeLabel, employee_label
from gaji.people.employees.notes import LEVY_PASSES

DETAIL_COLUMNS = EmployeeDetails.__struct_fields__
"""The columns that payslips depend on. They have the names of the engine's fields."""
INFO_COLUMNS = ("number", "first_name", "last_name", "pay_point_id", "custom_fields")
IDENTITY_COLUMNS = ("nric_sealed", "fin_sealed")
PAYMENT_COLUMNS = ("payment_method", "bank_id", "branch_code")
SEALED_PAYMENT_COLUMNS = ("account_number_sealed", "paynow_sealed")

_decode_days = msgspec.json.Decoder(dict[str, int]).decode
_decode_custom_fields = msgspec.json.Decoder(dict[str, str | bool]).decode


@dataclass(frozen=True, slots=True)
class EmployeeInfo:
    """An employee as reports show them."""

    number: str
    first_name: str
    last_name: str
    pay_point_id: int | None
    custom_fields: Mapping[str, str | bool]


@dataclass(frozen=True, slots=True)
class WageOffsetMarks:
    """What decides on wage offsets beyond pay, named as in the API."""

    business_owner: bool
    enabling_employment_credit_from: date | None
    enabling_new_hire: bool
    uplifting_employment_credit_from: date | None


@dataclass(frozen=True, slots=True)
class IdentityNumbers:
    """The identity numbers of an employee."""

    employee: EmployeeLabel
    nric: str | None
    fin: str | None


@dataclass(frozen=True, slots=True)
class PaymentDetails:
    """How an employee is paid."""

    employee: EmployeeLabel
    payment_method: str
    bank_id: int | None
    branch_code: str | None
    account_number: str | None
    paynow: str | None


async def list_employee_ids(tx: Transaction, client_id: int) -> list[int]:
    """List the IDs of a client's employees, in order."""
    return [row["id"] for row in await tx.fetch("SELECT id FROM employees WHERE client_id = $1 ORDER BY id", client_id)]


async def load_employee_details(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, EmployeeDetails]:
    """Load what payslips depend on, by employee."""
    details: dict[int, EmployeeDetails] = {}
    for row in await repository.load_columns(tx, client_id, employee_ids, DETAIL_COLUMNS):
        columns = dict(row)
        employee_id = columns.pop("id")
        columns["days_in_singapore"] = _decode_days(columns["days_in_singapore"])
        details[employee_id] = EmployeeDetails(**columns)
    return details


async def load_wage_offset_marks(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, WageOffsetMarks]:
    """Load what decides on wage offsets beyond pay, by employee."""
    names = [field.name for field in fields(WageOffsetMarks)]
    rows = await repository.load_columns(tx, client_id, employee_ids, names)
    return {row["id"]: WageOffsetMarks(**{name: row[name] for name in names}) for row in rows}


async def load_pay_point_ids(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, int | None]:
    """Load the pay points of employees, by employee."""
    rows = await repository.load_columns(tx, client_id, employee_ids, ["pay_point_id"])
    return {row["id"]: row["pay_point_id"] for row in rows}


async def load_employee_numbers(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, str]:
    """Load the payroll numbers of employees, by employee. Unknown IDs are left out."""
    rows = await repository.load_columns(tx, client_id, employee_ids, ["number"])
    return {row["id"]: row["number"] for row in rows}


async def load_employee_info(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, EmployeeInfo]:
    """Load employees as reports show them, by employee."""
    rows = await repository.load_columns(tx, client_id, employee_ids, INFO_COLUMNS)
    return {
        row["id"]: EmployeeInfo(
            row["number"],
            row["first_name"],
            row["last_name"],
            row["pay_point_id"],
            _decode_custom_fields(row["custom_fields"]),
        )
        for row in rows
    }


async def load_employee_records(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, Record]:
    """Load the writable attributes of employees as nested dictionaries, by employee."""
    employees = await repository.load_employees(tx, client_id, employee_ids)
    return await run_in_thread_if_many(
        len(employees), lambda: {employee_id: to_record(employee) for employee_id, employee in employees.items()}
    )


async def load_identity_numbers(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, IdentityNumbers]:
    """Load the identity numbers of employees, by employee."""
    rows = await repository.load_columns(tx, client_id, employee_ids, [*NAME_COLUMNS, *IDENTITY_COLUMNS])

    def decrypt() -> dict[int, IdentityNumbers]:
        numbers: dict[int, IdentityNumbers] = {}
        for row in rows:
            sealed = [row[column] for column in IDENTITY_COLUMNS]
            nric, fin = tx.vault.open_row(client_id, "employees", row["id"], IDENTITY_COLUMNS, sealed)
            numbers[row["id"]] = IdentityNumbers(employee_label(row), nric, fin)
        return numbers

    return await run_in_thread_if_many(len(rows), decrypt)


async def load_payment_details(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, PaymentDetails]:
    """Load how employees are paid, by employee."""
    columns = [*NAME_COLUMNS, *PAYMENT_COLUMNS, *SEALED_PAYMENT_COLUMNS]
    rows = await repository.load_columns(tx, client_id, employee_ids, columns)

    def decrypt() -> dict[int, PaymentDetails]:
        details: dict[int, PaymentDetails] = {}
        for row in rows:
            sealed = [row[column] for column in SEALED_PAYMENT_COLUMNS]
            number, paynow = tx.vault.open_row(client_id, "employees", row["id"], SEALED_PAYMENT_COLUMNS, sealed)
            method, bank_id, branch_code = (row[column] for column in PAYMENT_COLUMNS)
            details[row["id"]] = PaymentDetails(employee_label(row), method, bank_id, branch_code, number, paynow)
        return details

    return await run_in_thread_if_many(len(rows), decrypt)


async def list_levy_holders(tx: Transaction, client_id: int) -> dict[int, EmployeeLabel]:
    """Load the employees with a work pass that has a foreign worker levy."""
    return {row["id"]: employee_label(row) for row in await repository.list_pass_holders(tx, client_id, LEVY_PASSES)}
