"""The SQL of employees."""

import asyncio
from collections.abc import Mapping, Sequence, Set
from typing import Any

import asyncpg
import msgspec

from gaji.core.validation import Record
from gaji.core.vault import Place, Vault, masked
from gaji.db.json_lists import Page, counted, json_text
from gaji.db.tenancy import Transaction

IDENTIFIERS = ("nric", "fin", "malaysian_ic", "passport_number")
FEW = 200
"""So many rows are sealed sooner than handed to a thread."""
UNIQUE_IDENTIFIERS = ("nric", "fin")
PLAIN = (
    "number",
    "first_name",
    "last_name",
    "name_format",
    "payment_method",
    "birthdate",
    "legal_status",
    "nationality",
    "pr_date",
    "citizenship_date",
    "pr_cpf_rates",
    "gender",
    "race",
    "religion",
    "sdl_exempt",
    "cpf_exempt",
    "work_pass",
    "pass_from",
    "pass_to",
    "employment_act_group",
    "email",
    "job_title",
    "pay_point_id",
)
"""The columns that are attributes as they stand."""

# Someone's wave is the open wave period, and their appointment the start of their latest service. Looked up one by one:
# joined, the two tables are compared row by row with all employees as long as nobody has counted them.
PERIODS = """
    (SELECT w.wave_id FROM wave_periods w
     WHERE w.client_id = e.client_id AND w.employee_id = e.id AND w.end_date IS NULL) AS wave_id,
    (SELECT max(p.start_date) FROM service_periods p
     WHERE p.client_id = e.client_id AND p.employee_id = e.id) AS appointment_date"""
# The element as the API shows it, but for what is encrypted.
ELEMENT = f"""
    SELECT e.id, e.client_id, {", ".join(f"e.{column}" for column in PLAIN)}, {PERIODS},
        e.physical_address, e.custom_fields,
        shown(e.created_at) AS created_at, shown(e.updated_at) AS updated_at"""
SEALED = (*(f"{name}_sealed" for name in IDENTIFIERS), "account_number_sealed")
MASKED = (*(f"{name}_masked" for name in IDENTIFIERS), "account_number_masked")
# What an element is made of, for a caller who may see identifiers and, true, for one from whom they are hidden.
SELECT = {
    hidden: f"SELECT e.id, e.client_id, row_to_json(x)::text, e.bank_id, e.branch_code, {', '.join(columns)} "
    f"FROM employees e CROSS JOIN LATERAL ({ELEMENT}) x"
    for hidden, columns in ((False, SEALED), (True, MASKED))
}
SELECT_ONE = {hidden: f"{query} WHERE e.id = $1" for hidden, query in SELECT.items()}


class Hidden(msgspec.Struct):
    """What of an element is encrypted, in the order in which it is shown."""

    nric: str | None
    fin: str | None
    malaysian_ic: str | None
    passport_number: str | None
    bank_account: Record | None


async def elements(tx: Transaction, client_id: int, page: Page | None) -> tuple[list[tuple[int, str]], int]:
    """The employees of a client, each id with its JSON, in the order of ids; and how many there are."""
    rows, total = await counted(
        tx,
        f"{SELECT[tx.caller.hide_identifiers]} WHERE e.client_id = $1 ORDER BY e.id",
        "employees e WHERE e.client_id = $1",
        page,
        client_id,
    )
    return [(row[0], _with_identifiers(tx, row)) for row in rows], total


async def element(tx: Transaction, employee_id: int) -> str | None:
    """One employee as JSON."""
    row = await tx.fetchrow(SELECT_ONE[tx.caller.hide_identifiers], employee_id)
    return _with_identifiers(tx, row) if row else None


async def client_of(tx: Transaction, employee_id: int) -> int | None:
    """The client of an employee that the caller may see."""
    found: int | None = await tx.fetchval("SELECT client_id FROM employees WHERE id = $1", employee_id)
    return found


async def lock(tx: Transaction, employee_id: int, also: str = "NULL") -> int | None:
    """The same, with the employee locked until the transaction ends; `also` is worked out on the way."""
    found: int | None = await tx.fetchval(
        f"SELECT client_id, {also} FROM employees WHERE id = $1 FOR NO KEY UPDATE", employee_id
    )
    return found


async def hold_many(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Number and names of those of these employees that there are, locked in the order of ids."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, number, first_name, last_name, name_format FROM employees "
        "WHERE client_id = $1 AND id = ANY ($2::bigint[]) ORDER BY id FOR NO KEY UPDATE",
        client_id,
        employee_ids,
    )
    return rows


async def record(tx: Transaction, client_id: int, employee_id: int) -> Record:
    """One employee as their writable attributes."""
    return (await records(tx, client_id, [employee_id]))[employee_id]


async def records(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, Record]:
    """Employees as their writable attributes, by id."""
    rows = await tx.fetch(
        f"SELECT e.*, {PERIODS} FROM employees e WHERE e.client_id = $1 AND e.id = ANY ($2::bigint[])",
        client_id,
        employee_ids,
    )
    return {row["id"]: _record(tx, client_id, row) for row in rows}


def _record(tx: Transaction, client_id: int, row: asyncpg.Record) -> Record:
    employee_id = row["id"]
    sealed = [row[column] for column in SEALED]
    *identifiers, account_number = tx.vault.open_row(client_id, "employees", employee_id, SEALED, sealed)
    return {
        **{column: row[column] for column in PLAIN},
        "wave_id": row["wave_id"],
        "appointment_date": row["appointment_date"],
        "physical_address": row["physical_address"] and msgspec.json.decode(row["physical_address"]),
        "custom_fields": msgspec.json.decode(row["custom_fields"]),
        **dict(zip(IDENTIFIERS, identifiers, strict=True)),
        "bank_account": _bank_account(row["bank_id"], account_number, row["branch_code"]),
    }


async def columns(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], names: Sequence[str]
) -> list[asyncpg.Record]:
    """The id of each of these employees with some plain columns."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT id, {', '.join(names)} FROM employees WHERE client_id = $1 AND id = ANY ($2::bigint[])",
        client_id,
        employee_ids,
    )
    return rows


async def ids(tx: Transaction, client_id: int) -> list[int]:
    """The ids of all employees of a client, in their order."""
    return [row[0] for row in await tx.fetch("SELECT id FROM employees WHERE client_id = $1 ORDER BY id", client_id)]


async def next_number(tx: Transaction, client_id: int) -> str:
    """The next free number in automatic mode; others wait until this transaction ends."""
    return (await next_numbers(tx, client_id, 1, frozenset()))[0]


async def hold_numbers(tx: Transaction, client_id: int) -> int:
    """The last number given in automatic mode; until this transaction ends, nobody else gives or takes one."""
    last: int = await tx.fetchval(
        "INSERT INTO employee_numbers AS n (client_id, last_number) VALUES ($1, 0) "
        "ON CONFLICT (client_id) DO UPDATE SET last_number = n.last_number RETURNING last_number",
        client_id,
    )
    return last


async def taken(tx: Transaction, client_id: int, employee_id: int, values: Mapping[str, str]) -> set[str]:
    """Which of number, nric and fin another employee of the client has."""
    lookups = {name: tx.vault.lookup_hash(name, values[name]) for name in UNIQUE_IDENTIFIERS if name in values}
    row = await tx.fetchrow(
        "SELECT bool_or(number = $3) AS number, bool_or(nric_lookup = $4) AS nric, bool_or(fin_lookup = $5) AS fin "
        "FROM employees WHERE client_id = $1 AND id <> $2 AND (number = $3 OR nric_lookup = $4 OR fin_lookup = $5)",
        client_id,
        employee_id,
        values.get("number"),
        lookups.get("nric"),
        lookups.get("fin"),
    )
    return {name for name, found in row.items() if found}


async def next_numbers(tx: Transaction, client_id: int, count: int, given: Set[str]) -> list[str]:
    """So many free numbers in automatic mode, leaving out those given; others wait until this transaction ends."""
    free: list[str] = []
    if count == 0:
        return free
    last = await hold_numbers(tx, client_id)
    looked_at = count
    while len(free) < count:
        numbers = [str(number) for number in range(last + 1, last + looked_at + 1)]
        rows = await tx.fetch(
            "SELECT number FROM employees WHERE client_id = $1 AND number = ANY ($2::text[])", client_id, numbers
        )
        taken = given | {row["number"] for row in rows}
        free += [number for number in numbers if number not in taken]
        last += looked_at
        looked_at *= 2  # numbers given by hand can be in the way by the thousand
    await tx.execute(
        "UPDATE employee_numbers SET last_number = $2 WHERE client_id = $1", client_id, int(free[count - 1])
    )
    return free[:count]


async def taken_values(tx: Transaction, client_id: int, values: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    """Of these values of number, nric and fin, those that employees of the client have."""
    columns: dict[str, dict[Any, str]] = {"number": {value: value for value in values["number"]}}
    for name in UNIQUE_IDENTIFIERS:
        columns[f"{name}_lookup"] = {tx.vault.lookup_hash(name, value): value for value in values[name]}
    taken: dict[str, set[str]] = {}
    for column, wanted in columns.items():
        rows = await tx.fetch(
            f"SELECT {column} FROM employees WHERE client_id = $1 AND {column} = ANY ($2)", client_id, list(wanted)
        )
        taken[column.removesuffix("_lookup")] = {wanted[row[0]] for row in rows}
    return taken


async def insert_many(tx: Transaction, client_id: int, records: Sequence[Record]) -> list[int]:
    """Save new employees and give their ids in order; raises UniqueViolationError for a value in use."""
    if not records:
        return []
    rows = await tx.fetch(
        "SELECT nextval(pg_get_serial_sequence('employees', 'id')) FROM generate_series(1, $1)", len(records)
    )
    ids: list[int] = [row[0] for row in rows]

    def rows_of_employees() -> list[dict[str, Any]]:
        return [
            {"client_id": client_id, "id": employee_id, **_columns(tx.vault, client_id, employee_id, values)}
            for employee_id, values in zip(ids, records, strict=True)
        ]

    # To seal many takes its time, which others are served in.
    people = await asyncio.to_thread(rows_of_employees) if len(ids) > FEW else rows_of_employees()
    await tx.load("employees", tuple(people[0]), [tuple(row.values()) for row in people])
    return ids


async def insert(tx: Transaction, client_id: int, values: Record) -> int:
    """Save a new employee and give their id; raises UniqueViolationError for a number or identifier in use."""
    employee_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('employees', 'id'))")
    columns = {"client_id": client_id, "id": employee_id, **_columns(tx.vault, client_id, employee_id, values)}
    places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    await tx.execute(f"INSERT INTO employees ({', '.join(columns)}) VALUES ({places})", *columns.values())
    return employee_id


async def update(tx: Transaction, client_id: int, employee_id: int, values: Record, before: Record) -> None:
    """Save a changed employee; `before` is what record gave.

    Raises UniqueViolationError for a number or identifier in use.
    """
    await update_many(tx, client_id, {employee_id: (values, before)})


async def update_many(tx: Transaction, client_id: int, changes: Mapping[int, tuple[Record, Record]]) -> None:
    """Save changed employees, each with what it is and was, all that change the same columns in one go."""
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for employee_id, (values, before) in changes.items():
        columns = _changed_columns(tx.vault, client_id, employee_id, values, before)
        settings = ", ".join(f"{column} = ${number}" for number, column in enumerate(columns, start=3))
        rows.setdefault(settings, []).append((client_id, employee_id, *columns.values()))
    for settings, arguments in rows.items():
        await tx.executemany(
            f"UPDATE employees SET {settings}, updated_at = now() WHERE client_id = $1 AND id = $2", arguments
        )


async def delete(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Remove an employee with their service and wave periods."""
    await tx.execute("DELETE FROM employees WHERE client_id = $1 AND id = $2", client_id, employee_id)


def _changed_columns(vault: Vault, client_id: int, employee_id: int, values: Record, before: Record) -> dict[str, Any]:
    columns = _columns(vault, client_id, employee_id, values)
    kept = _sealed(before)
    for name, value in _sealed(values).items():
        if value == kept[name]:
            # Sealed anew it would look changed to the audit log.
            del columns[f"{name}_sealed"]
    return columns


def _columns(vault: Vault, client_id: int, employee_id: int, values: Record) -> dict[str, Any]:
    bank = values["bank_account"] or {}
    columns = {
        **{column: values[column] for column in PLAIN},
        "physical_address": values["physical_address"] and json_text(values["physical_address"]),
        "custom_fields": json_text(values["custom_fields"]),
        "bank_id": bank.get("bank_id"),
        "branch_code": bank.get("branch_code"),
    }
    for name, value in _sealed(values).items():
        columns[f"{name}_sealed"] = value and vault.seal(value, _place(client_id, employee_id, name))
        columns[f"{name}_masked"] = value and masked(value)
    for name in UNIQUE_IDENTIFIERS:
        columns[f"{name}_lookup"] = values[name] and vault.lookup_hash(name, values[name])
    return columns


def _sealed(values: Record) -> dict[str, str | None]:
    """What is kept encrypted."""
    number = (values["bank_account"] or {}).get("account_number")
    return {**{name: values[name] for name in IDENTIFIERS}, "account_number": number}


def _with_identifiers(tx: Transaction, row: asyncpg.Record) -> str:
    """The element with what is encrypted spliced in, masked for a caller who may not see it."""
    employee_id, client_id, element, bank_id, branch_code, *kept = row
    if not tx.caller.hide_identifiers:
        kept = tx.vault.open_row(client_id, "employees", employee_id, SEALED, kept)
    nric, fin, malaysian_ic, passport_number, account_number = kept
    hidden = Hidden(nric, fin, malaysian_ic, passport_number, _bank_account(bank_id, account_number, branch_code))
    return f"{element[:-1]},{json_text(hidden)[1:]}"


def _bank_account(bank_id: int | None, number: str | None, branch_code: str | None) -> Record | None:
    if number is None:
        return None
    return {"bank_id": bank_id, "account_number": number, "branch_code": branch_code}


def _place(client_id: int, employee_id: int, name: str) -> Place:
    return Place(client_id, "employees", employee_id, f"{name}_sealed")
