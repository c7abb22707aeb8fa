"""The SQL of clients."""

from typing import Any

import asyncpg

from gaji.company.addresses import ADDRESS_LINES
from gaji.core.validation import Record
from gaji.core.vault import Place, masked
from gaji.db.json_lists import Page, counted, json_text
from gaji.db.tenancy import Transaction

FEATURES = ("custom_wave_names", "pay_dates", "regular_hours_v2", "leave_any_day", "payslip_passwords")
BANK_COLUMNS = ("bank_id", "branch_code", "account_name", "company_id")

# The element as the API shows it, but for the bank account, whose number is encrypted.
ELEMENT = """
    SELECT c.id, c.name, a AS physical_address, c.uen, c.cpf_submission_number, c.employee_number_mode, f AS features,
        shown(c.created_at) AS created_at, shown(c.updated_at) AS updated_at
    FROM (SELECT c.unit_no, c.complex, c.st_name, c.postal_code) a,
         (SELECT c.custom_wave_names, c.pay_dates, c.regular_hours_v2, c.leave_any_day,
                 c.payslip_passwords) f"""
BANK = "c.id, c.bank_id, c.branch_code, c.account_name, c.company_id, c.account_number_sealed, c.account_number_masked"
SELECT = f"SELECT row_to_json(x)::text AS element, {BANK} FROM clients c CROSS JOIN LATERAL ({ELEMENT}) x"
SELECT_ONE = f"{SELECT} WHERE c.id = $1"


async def elements(tx: Transaction, page: Page | None) -> tuple[list[str], int]:
    """The clients that the caller may see, as JSON, in the order of their ids; and how many there are."""
    rows, total = await counted(tx, f"{SELECT} ORDER BY c.id", "clients", page)
    return [_with_bank_account(tx, row) for row in rows], total


async def element(tx: Transaction, client_id: int) -> str | None:
    """One client as JSON."""
    row = await tx.fetchrow(SELECT_ONE, client_id)
    return _with_bank_account(tx, row) if row else None


async def with_roles(tx: Transaction, client_id: int | None = None) -> list[asyncpg.Record]:
    """Id, name and the caller's role of the clients that the caller may see, by name; of one of them, if wanted."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT c.id, c.name, m.role FROM clients c JOIN memberships m ON m.client_id = c.id AND m.user_id = $1 "
        "WHERE $2::bigint IS NULL OR c.id = $2 ORDER BY lower(c.name), c.id",
        tx.caller.user_id,
        client_id,
    )
    return rows


async def exists(tx: Transaction, client_id: int) -> bool:
    """Whether the caller may see this client."""
    return bool(await tx.fetchval("SELECT EXISTS (SELECT FROM clients WHERE id = $1)", client_id))


async def features(tx: Transaction, client_id: int) -> dict[str, bool]:
    """What is switched on for a client that the caller may see."""
    return dict(await tx.fetchrow(f"SELECT {', '.join(FEATURES)} FROM clients WHERE id = $1", client_id))


async def employee_number_mode(tx: Transaction, client_id: int) -> str:
    """Who gives the employees of a client their numbers."""
    mode: str = await tx.fetchval("SELECT employee_number_mode FROM clients WHERE id = $1", client_id)
    return mode


async def record_for_change(tx: Transaction, client_id: int) -> Record | None:
    """One client as its writable attributes, locked until the transaction ends."""
    row = await tx.fetchrow("SELECT * FROM clients WHERE id = $1 FOR UPDATE", client_id)
    if row is None:
        return None
    return {
        "name": row["name"],
        "physical_address": {line: row[line] for line in ADDRESS_LINES},
        "uen": row["uen"],
        "cpf_submission_number": row["cpf_submission_number"],
        "bank_account": _bank_account(tx, row, number=_opened(tx, row)),
        "employee_number_mode": row["employee_number_mode"],
        "features": {feature: row[feature] for feature in FEATURES},
    }


async def insert(tx: Transaction, record: Record) -> int:
    """Save a new client and give its id."""
    client_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('clients', 'id'))")
    await tx.admit_client(client_id)
    columns = {"id": client_id, "account_id": tx.caller.account_id, **_columns(tx, client_id, record)}
    places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    await tx.execute(f"INSERT INTO clients ({', '.join(columns)}) VALUES ({places})", *columns.values())
    return client_id


async def update(tx: Transaction, client_id: int, record: Record, before: Record) -> None:
    """Save a changed client; `before` is what record_for_change gave."""
    columns = _columns(tx, client_id, record)
    if _account_number(record) == _account_number(before):
        # Sealed anew it would look changed to the audit log.
        del columns["account_number_sealed"]
    changes = ", ".join(f"{column} = ${number}" for number, column in enumerate(columns, start=2))
    await tx.execute(f"UPDATE clients SET {changes}, updated_at = now() WHERE id = $1", client_id, *columns.values())


def _columns(tx: Transaction, client_id: int, record: Record) -> dict[str, Any]:
    bank = record["bank_account"] or {}
    number = _account_number(record)
    return {
        "name": record["name"],
        **record["physical_address"],
        "uen": record["uen"],
        "cpf_submission_number": record["cpf_submission_number"],
        **{column: bank.get(column) for column in BANK_COLUMNS},
        "account_number_sealed": number and tx.vault.seal(number, _place(client_id)),
        "account_number_masked": number and masked(number),
        "employee_number_mode": record["employee_number_mode"],
        **record["features"],
    }


def _account_number(record: Record) -> str | None:
    return (record["bank_account"] or {}).get("account_number")


def _with_bank_account(tx: Transaction, row: asyncpg.Record) -> str:
    number = row["account_number_masked"] if tx.caller.hide_identifiers else _opened(tx, row)
    return f'{row["element"][:-1]},"bank_account":{json_text(_bank_account(tx, row, number))}}}'


def _bank_account(tx: Transaction, row: asyncpg.Record, number: str | None) -> Record | None:
    if number is None:
        return None
    return {
        "bank_id": row["bank_id"],
        "account_number": number,
        "branch_code": row["branch_code"],
        "account_name": row["account_name"],
        "company_id": row["company_id"],
    }


def _opened(tx: Transaction, row: asyncpg.Record) -> str | None:
    sealed = row["account_number_sealed"]
    return None if sealed is None else tx.vault.open(sealed, _place(row["id"]))


def _place(client_id: int) -> Place:
    return Place(client_id, "clients", client_id, "account_number_sealed")
