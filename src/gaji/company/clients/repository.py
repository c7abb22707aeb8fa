"""Client repository."""

from typing import Any

import asyncpg
import msgspec
from msgspec.structs import asdict

from gaji.company.addresses import ADDRESS_LINES, CompanyAddress
from gaji.company.clients.schemas import ClientFeatures, ClientInput, PayerBankAccount
from gaji.company.logos.queries import VERSION_SQL
from gaji.core.identifier_reads import note_identifier_read
from gaji.core.vault import SealedCell, mask
from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows, json_text
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction

FEATURES = ClientFeatures.__struct_fields__
BANK_COLUMNS = ("bank_id", "branch_code", "account_name", "company_id")

# The element of the API without the bank account, whose number is encrypted.
ELEMENT = """
    SELECT c.id, c.name, a AS physical_address, c.uen, c.cpf_submission_number, c.employee_number_mode,
        c.prorate_allowances, c.wage_apportionment, c.ns_direct_scheme, f AS features, c.external_id, c.metadata,
        shown(c.created_at) AS created_at, shown(c.updated_at) AS updated_at
    FROM (SELECT c.unit_no, c.complex, c.st_name, c.postal_code) a,
         (SELECT c.custom_wave_names, c.pay_dates, c.regular_hours_v2, c.leave_any_day,
                 c.payslip_passwords, c.payslip_attachments) f"""
BANK = "c.id, c.bank_id, c.branch_code, c.account_name, c.company_id, c.account_number_sealed, c.account_number_masked"
SELECT = f"SELECT row_to_json(x)::text AS element, {BANK} FROM clients c CROSS JOIN LATERAL ({ELEMENT}) x"
SELECT_ONE = f"{SELECT} WHERE c.id = $1"


CONDITIONS = {
    "ids": ids_condition("c.id"),
    "external_id": "c.external_id = {}",
    "search": "(position(lower({0}::text) IN lower(c.name)) > 0 OR position(lower({0}::text) IN lower(c.uen)) > 0)",
}
"""The SQL condition of each filter."""


async def list_elements(tx: Transaction, page: ListPage | None, filters: Filters) -> tuple[list[str], int]:
    """Load the clients that the caller can see as JSON, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters)
    source = f"clients c WHERE true{conditions}"
    rows, total = await fetch_page(tx, f"{SELECT} WHERE true{conditions} ORDER BY c.id", source, page, *arguments)
    return [_with_bank_account(tx, row) for row in rows], total


async def load_element(tx: Transaction, client_id: int) -> str | None:
    """Load one client as JSON."""
    row = await tx.fetchrow(SELECT_ONE, client_id)
    return _with_bank_account(tx, row) if row else None


async def list_memberships(tx: Transaction, client_id: int | None = None) -> list[asyncpg.Record]:
    """Load ID, name and the caller's role of the caller's clients, or of one of them, ordered by name."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT c.id, c.name, m.role, {VERSION_SQL} AS logo_version, c.uen FROM clients c "
        "JOIN memberships m ON m.client_id = c.id AND m.user_id = $1 "
        "WHERE $2::bigint IS NULL OR c.id = $2 ORDER BY lower(c.name), c.id",
        tx.caller.user_id,
        client_id,
    )
    return rows


async def exists(tx: Transaction, client_id: int) -> bool:
    """Return whether the caller can see this client."""
    return bool(await tx.fetchval("SELECT EXISTS (SELECT FROM clients WHERE id = $1)", client_id))


async def is_employee(tx: Transaction) -> bool:
    """Return whether the caller can see a record of their own as an employee."""
    return bool(await tx.fetchval("SELECT cardinality(own_employees()) > 0"))


async def lock_client(tx: Transaction, client_id: int) -> ClientInput | None:
    """Lock a client until the transaction ends and return its writable attributes."""
    row = await tx.fetchrow("SELECT * FROM clients WHERE id = $1 FOR UPDATE", client_id)
    if row is None:
        return None
    return ClientInput(
        name=row["name"],
        physical_address=CompanyAddress(**{line: row[line] for line in ADDRESS_LINES}),
        uen=row["uen"],
        cpf_submission_number=row["cpf_submission_number"],
        bank_account=_bank_account(row, open_account_number(tx, row)),
        employee_number_mode=row["employee_number_mode"],
        prorate_allowances=row["prorate_allowances"],
        wage_apportionment=row["wage_apportionment"],
        ns_direct_scheme=row["ns_direct_scheme"],
        features=ClientFeatures(**{feature: row[feature] for feature in FEATURES}),
        external_id=row["external_id"],
        metadata=msgspec.json.decode(row["metadata"]),
    )


async def insert(tx: Transaction, client: ClientInput) -> int:
    """Insert a client and return its ID."""
    client_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('clients', 'id'))")
    await tx.admit_client(client_id)
    columns = {"id": client_id, "account_id": tx.caller.account_id, **_columns(tx, client_id, client)}
    placeholders = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    await tx.execute(f"INSERT INTO clients ({', '.join(columns)}) VALUES ({placeholders})", *columns.values())
    return client_id


async def update(tx: Transaction, client_id: int, client: ClientInput, before: ClientInput) -> None:
    """Update a client. `before` is the result of `lock_client`."""
    columns = _columns(tx, client_id, client)
    if _account_number(client) == _account_number(before):
        # A new ciphertext of the same number would appear in the audit log as a change.
        del columns["account_number_sealed"]
    changes = ", ".join(f"{column} = ${number}" for number, column in enumerate(columns, start=2))
    await tx.execute(f"UPDATE clients SET {changes}, updated_at = now() WHERE id = $1", client_id, *columns.values())


def open_account_number(tx: Transaction, row: asyncpg.Record) -> str | None:
    """Decrypt the account number of a client's row."""
    sealed = row["account_number_sealed"]
    return None if sealed is None else tx.vault.open(sealed, _sealed_cell(row["id"]))


def _columns(tx: Transaction, client_id: int, client: ClientInput) -> dict[str, Any]:
    bank = client.bank_account and asdict(client.bank_account)
    number = _account_number(client)
    return {
        "name": client.name,
        **asdict(client.physical_address),
        "uen": client.uen,
        "cpf_submission_number": client.cpf_submission_number,
        **{column: bank and bank[column] for column in BANK_COLUMNS},
        "account_number_sealed": number and tx.vault.seal(number, _sealed_cell(client_id)),
        "account_number_masked": number and mask(number),
        "employee_number_mode": client.employee_number_mode,
        "prorate_allowances": client.prorate_allowances,
        "wage_apportionment": client.wage_apportionment,
        "ns_direct_scheme": client.ns_direct_scheme,
        **asdict(client.features),
        "external_id": client.external_id,
        "metadata": json_text(client.metadata),
    }


def _account_number(client: ClientInput) -> str | None:
    return None if client.bank_account is None else client.bank_account.account_number


def _with_bank_account(tx: Transaction, row: asyncpg.Record) -> str:
    hidden = tx.caller.hide_identifiers
    number = row["account_number_masked"] if hidden else open_account_number(tx, row)
    if number is not None and not hidden:
        note_identifier_read("/clients")
    return f'{row["element"][:-1]},"bank_account":{json_text(_bank_account(row, number))}}}'


def _bank_account(row: asyncpg.Record, number: str | None) -> PayerBankAccount | None:
    if number is None:
        return None
    return PayerBankAccount(
        bank_id=row["bank_id"],
        account_number=number,
        branch_code=row["branch_code"],
        account_name=row["account_name"],
        company_id=row["company_id"],
    )


def _sealed_cell(client_id: int) -> SealedCell:
    return SealedCell(client_id, "clients", client_id, "account_number_sealed")


async def load_numbers(tx: Transaction) -> list[asyncpg.Record]:
    """Load the UEN and the CPF submission number of the caller's clients, by name."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT c.id, c.name, c.uen, c.cpf_submission_number FROM clients c "
        "JOIN memberships m ON m.client_id = c.id AND m.user_id = $1 ORDER BY lower(c.name), c.id",
        tx.caller.user_id,
    )
    return rows
