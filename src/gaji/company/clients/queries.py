"""Client queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from gaji.company.clients import repository
from gaji.company.clients.schemas import FEATURES, PaySettings
from gaji.db.tenancy import Transaction


class Employer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A client as it is named on documents."""

    name: str
    uen: str | None = None
    address: list[str] = []


@dataclass(frozen=True, slots=True)
class PayerAccount:
    """The bank account that wages are paid from."""

    bank_id: int
    number: str
    name: str | None
    company_id: str | None
    """The company's ID in the bank's payment files."""


@dataclass(frozen=True, slots=True)
class FilingDetails:
    """Client details for CPF submissions and bank files."""

    cpf_submission_number: str | None
    account: PayerAccount | None


class MissingDetails(NamedTuple):
    """Which details for files a client has not entered."""

    account: bool
    """The bank account to pay from."""
    submission_number: bool


async def load_employer(tx: Transaction, client_id: int) -> Employer:
    """Load a client as documents name it."""
    row = await tx.fetchrow(
        "SELECT name, uen, unit_no, complex, st_name, postal_code FROM clients WHERE id = $1", client_id
    )
    return Employer(row["name"], row["uen"], _address_lines(row))


async def load_filing_details(tx: Transaction, client_id: int) -> FilingDetails:
    """Load the submission number and the account of a client.

    The account number is decrypted even for a caller who cannot see it. It must only go into the file.
    """
    row = await tx.fetchrow(
        "SELECT id, cpf_submission_number, bank_id, account_name, company_id, account_number_sealed "
        "FROM clients WHERE id = $1",
        client_id,
    )
    number = repository.open_account_number(tx, row)
    if number is None:
        return FilingDetails(row["cpf_submission_number"], None)
    account = PayerAccount(row["bank_id"], number, row["account_name"], row["company_id"])
    return FilingDetails(row["cpf_submission_number"], account)


async def find_clients_with_account(tx: Transaction, client_ids: Sequence[int]) -> set[int]:
    """Return the clients that have a bank account to pay from."""
    query = "SELECT id FROM clients WHERE id = ANY ($1::bigint[]) AND account_number_sealed IS NOT NULL"
    return {row["id"] for row in await tx.fetch(query, client_ids)}


async def load_missing_details(tx: Transaction, client_ids: Sequence[int]) -> dict[int, MissingDetails]:
    """Return the details for files that clients have not entered. Clients that have both are left out."""
    rows = await tx.fetch(
        "SELECT id, account_number_sealed IS NULL AS account, cpf_submission_number IS NULL AS submission_number "
        "FROM clients WHERE id = ANY ($1::bigint[]) "
        "AND (account_number_sealed IS NULL OR cpf_submission_number IS NULL)",
        client_ids,
    )
    return {row["id"]: MissingDetails(row["account"], row["submission_number"]) for row in rows}


async def load_client_features(tx: Transaction, client_id: int) -> dict[str, bool]:
    """Load the features of a client, and whether each is enabled."""
    columns = ", ".join(feature.name for feature in FEATURES.attributes)
    return dict(await tx.fetchrow(f"SELECT {columns} FROM clients WHERE id = $1", client_id))


async def load_pay_settings(tx: Transaction, client_id: int) -> PaySettings:
    """Load the settings of a client that determine its payslips."""
    columns = ", ".join(PaySettings.__struct_fields__)
    row = await tx.fetchrow(f"SELECT {columns} FROM clients WHERE id = $1", client_id)
    return PaySettings(**row)


async def has_manual_numbers(tx: Transaction, client_id: int) -> bool:
    """Return whether employee numbers are entered by people instead of assigned."""
    mode: str = await tx.fetchval("SELECT employee_number_mode FROM clients WHERE id = $1", client_id)
    return mode == "EMPLOYEE_NUMBER_MANUAL"


def _address_lines(address: Mapping[str, str]) -> list[str]:
    building = " ".join(address[part] for part in ("unit_no", "complex") if address[part])
    postal_code = address["postal_code"] and f"Singapore {address['postal_code']}"
    return [line for line in (address["st_name"], building, postal_code) if line]
