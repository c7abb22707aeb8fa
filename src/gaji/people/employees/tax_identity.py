"""Employees as tax forms name them: names, identity numbers and addresses."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import msgspec

from gaji.core.constants import CONSTANT_LISTS
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.people.employees import repository
from gaji.people.employees.display_name import full_name
from gaji.people.employees.schemas import DIRECTORS, EmployeeAddress, EmployeeInput

IDENTIFIER_NAMES = {
    "nric": "NRIC",
    "fin": "FIN",
    "malaysian_ic": "Malaysian IC",
    "passport_number": "Passport number",
}
"""The identifiers in order of preference, with their names."""
COUNTRIES = {str(entry.value): entry.name for entry in CONSTANT_LISTS["country_code"]}
SINGAPORE = "SG"


class EmployeeParticulars(msgspec.Struct, frozen=True, omit_defaults=True):
    """An employee on a tax form, without the identity number."""

    number: str
    name: str
    identifier_kind: str
    birthdate: date
    gender: str
    nationality: str
    job_title: str = ""
    address: list[str] = []


class TaxIdentity(NamedTuple):
    """An employee with the identity number for the tax authority."""

    particulars: EmployeeParticulars
    identifier: str | None
    is_director: bool


async def load_tax_identities(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, TaxIdentity]:
    """Load employees as tax forms name them, by employee."""
    employees = await repository.load_employees(tx, client_id, employee_ids)
    return await run_in_thread_if_many(
        len(employees), lambda: {employee_id: _tax_identity(employee) for employee_id, employee in employees.items()}
    )


def affects_tax_forms(before: EmployeeInput, after: EmployeeInput) -> bool:
    """Return whether an update changes an attribute that tax forms depend on."""
    is_moved = before.appointment_date != after.appointment_date
    return is_moved or _tax_identity(before) != _tax_identity(after)


def _tax_identity(employee: EmployeeInput) -> TaxIdentity:
    identifiers = {name: getattr(employee, name) for name in IDENTIFIER_NAMES}
    kind = next((name for name, identifier in identifiers.items() if identifier), "nric")
    nationality = SINGAPORE if employee.legal_status == "CITIZEN" else employee.nationality or ""
    particulars = EmployeeParticulars(
        number=employee.number or "",
        name=full_name(employee.first_name, employee.last_name, employee.name_format),
        identifier_kind=IDENTIFIER_NAMES[kind],
        birthdate=employee.birthdate,
        gender=employee.gender,
        nationality=COUNTRIES.get(nationality, nationality),
        job_title=employee.job_title or "",
        address=address_lines(employee.physical_address) if employee.physical_address else [],
    )
    return TaxIdentity(particulars, identifiers[kind], employee.legal_status in DIRECTORS)


def address_lines(address: EmployeeAddress) -> list[str]:
    """The lines of an employee's address.

    >>> local = EmployeeAddress(type="L", block_no="12", st_name="Ubi Road", level_no="#3", unit_no="45")
    >>> address_lines(msgspec.structs.replace(local, postal_code="408564"))
    ['12 Ubi Road', '#3-45', 'Singapore 408564']
    """
    if address.type == "L":
        street = " ".join(part for part in (address.block_no, address.st_name) if part)
        unit = "-".join(part.removeprefix("#") for part in (address.level_no, address.unit_no) if part)
        lines = [street, unit and f"#{unit}", address.postal_code and f"Singapore {address.postal_code}"]
    else:
        lines = [
            address.address_line1,
            address.address_line2,
            address.address_line3,
            address.tx_uf_postal_code,
            COUNTRIES.get(address.country_code or ""),
        ]
    return [line for line in lines if line]
