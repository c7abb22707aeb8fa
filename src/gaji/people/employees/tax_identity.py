"""Who employees are to an authority: their names, identity numbers and addresses."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import msgspec

from gaji.core.constants import LISTS
from gaji.core.validation import Record
from gaji.db.tenancy import Transaction
from gaji.people.employees import repository
from gaji.people.employees.display_name import full_name
from gaji.people.employees.repository import IDENTIFIERS

CALLED = {
    "nric": "NRIC",
    "fin": "FIN",
    "malaysian_ic": "Malaysian IC",
    "passport_number": "Passport number",
}
COUNTRIES = {str(entry.value): entry.name for entry in LISTS["country_code"]}
SINGAPORE = "SG"
LINES = ("address_line1", "address_line2", "address_line3", "tx_uf_postal_code")


class EmployeeParticulars(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is said of an employee, but for the identity number itself."""

    number: str
    name: str
    identifier_kind: str
    birthdate: date
    gender: str
    nationality: str
    job_title: str = ""
    address: list[str] = []


class TaxIdentity(NamedTuple):
    """An employee with the number by which an authority knows them."""

    particulars: EmployeeParticulars
    identifier: str | None


async def load_tax_identities(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, TaxIdentity]:
    """Who these employees are, by employee."""
    found = await repository.records(tx, client_id, employee_ids)
    return {employee_id: _identified(record) for employee_id, record in found.items()}


def _identified(record: Record) -> TaxIdentity:
    kind = next((name for name in IDENTIFIERS if record[name]), IDENTIFIERS[0])
    nationality = SINGAPORE if record["legal_status"] == "CITIZEN" else record["nationality"]
    return TaxIdentity(
        EmployeeParticulars(
            number=record["number"],
            name=full_name(record["first_name"], record["last_name"], record["name_format"]),
            identifier_kind=CALLED[kind],
            birthdate=record["birthdate"],
            gender=record["gender"],
            nationality=COUNTRIES.get(nationality or "", nationality or ""),
            job_title=record["job_title"] or "",
            address=address_lines(record["physical_address"] or {}),
        ),
        record[kind],
    )


def address_lines(address: Mapping[str, Any]) -> list[str]:
    """The lines of an employee's address.

    >>> local = {"type": "L", "block_no": "12", "st_name": "Ubi Road", "level_no": "3", "unit_no": "45"}
    >>> address_lines({**local, "postal_code": "408564"})
    ['12 Ubi Road', '#3-45', 'Singapore 408564']
    """
    given = {name: str(value) for name, value in address.items() if value}
    if given.get("type") == "L":
        street = " ".join(given[name] for name in ("block_no", "st_name") if name in given)
        unit = "-".join(given[name] for name in ("level_no", "unit_no") if name in given)
        lines = [street, unit and f"#{unit}", given.get("postal_code", "") and f"Singapore {given['postal_code']}"]
    else:
        country = COUNTRIES.get(given.get("country_code", ""), "")
        lines = [*(given.get(name, "") for name in LINES), country]
    return [line for line in lines if line]
