"""Employee repository.

Identifiers and account numbers are encrypted. Each has several columns: `_sealed` holds the encrypted value, `_masked`
the value with most characters hidden, and `_lookup` (only of unique identifiers) a keyed hash to search by.
"""

from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from typing import Any

import asyncpg
import msgspec
from msgspec.structs import asdict

from gaji.core.identifier_reads import note_identifier_read
from gaji.core.threads import run_in_thread_if_many
from gaji.core.vault import SealedCell, Vault, mask
from gaji.db.json_lists import Filters, ListPage, fetch_page, json_text
from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.people.employees.display_name import NAME_COLUMNS
from gaji.people.employees.filters import CONDITIONS, LOOKUPS, UNIQUE, condition_values, identifier_hash
from gaji.people.employees.identifier_probes import UNIQUE_IDENTIFIERS, limit_refusals
from gaji.people.employees.schemas import EmployeeAddress, EmployeeBankAccount, EmployeeInput

IDENTIFIERS = ("nric", "fin", "malaysian_ic", "passport_number")
PLAIN_COLUMNS = (
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
    "tax_resident",
    "business_owner",
    "enabling_employment_credit_from",
    "enabling_new_hire",
    "uplifting_employment_credit_from",
    "email",
    "job_title",
    "pay_point_id",
    "external_id",
)
"""The columns that have the name and the value of an attribute."""

# The employee's wave is the open wave period, and the appointment is the start of the latest service period. These are
# subqueries and not joins: without table statistics, PostgreSQL would join by comparing every row with every employee.
IS_ERASED = "EXISTS (SELECT FROM erased_employees r WHERE r.client_id = e.client_id AND r.employee_id = e.id)"
PERIODS = """
    (SELECT w.wave_id FROM wave_periods w
     WHERE w.client_id = e.client_id AND w.employee_id = e.id AND w.end_date IS NULL) AS wave_id,
    (SELECT max(p.start_date) FROM service_periods p
     WHERE p.client_id = e.client_id AND p.employee_id = e.id) AS appointment_date"""
NO_ADDRESS = json_text(dict.fromkeys(EmployeeAddress.__struct_fields__))
"""The address of an employee without one, as the API shows it."""
EMPLOYER_MARKS = (
    "business_owner",
    "enabling_employment_credit_from",
    "enabling_new_hire",
    "uplifting_employment_credit_from",
)
"""Attributes for wage offsets, which employees do not see."""
# The element of the API without the encrypted attributes.
ELEMENT = f"""
    SELECT e.id, e.client_id, {", ".join(f"e.{column}" for column in PLAIN_COLUMNS)}, {PERIODS},
        e.days_in_singapore, coalesce(e.physical_address, '{NO_ADDRESS}') AS physical_address, e.custom_fields,
        e.metadata, shown(e.created_at) AS created_at, shown(e.updated_at) AS updated_at"""
ENCRYPTED = (*IDENTIFIERS, "account_number", "paynow")
SEALED_COLUMNS = tuple(f"{name}_sealed" for name in ENCRYPTED)
MASKED_COLUMNS = tuple(f"{name}_masked" for name in ENCRYPTED)
# By whether identifiers are hidden from the caller: the columns that hold them, and the query of elements.
IDENTIFIER_COLUMNS = {False: SEALED_COLUMNS, True: MASKED_COLUMNS}
SELECT = {
    hidden: f"SELECT e.id, e.client_id, row_to_json(x)::text AS element, e.bank_id, e.branch_code, "
    "e.client_id = ANY ((SELECT allowed_clients())::bigint[]) AS has_officer, "
    f"{', '.join(columns)} FROM employees e CROSS JOIN LATERAL ({ELEMENT}) x"
    for hidden, columns in IDENTIFIER_COLUMNS.items()
}
SELECT_ONE = {hidden: f"{query} WHERE e.id = $1" for hidden, query in SELECT.items()}


class EncryptedAttributes(msgspec.Struct):
    """The encrypted attributes of an employee, in the order of the API."""

    nric: str | None
    fin: str | None
    malaysian_ic: str | None
    passport_number: str | None
    bank_account: EmployeeBankAccount | None
    paynow: str | None


async def list_elements(
    tx: Transaction, client_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[tuple[int, str]], int]:
    """Load the employees of a client as pairs of ID and JSON, ordered by ID, and their total number."""
    values = condition_values(tx.caller, tx.vault, client_id, filters)
    names = tuple(name for name in CONDITIONS if name in values)
    query, source = _list_query(tx.caller.hide_identifiers, names)
    rows, total = await fetch_page(tx, query, source, page, client_id, *(values[name] for name in names))
    elements = await run_in_thread_if_many(len(rows), lambda: [(row["id"], _element(tx, row)) for row in rows])
    return elements, total


@lru_cache(maxsize=1000)
def _list_query(hidden: bool, names: tuple[str, ...]) -> tuple[str, str]:
    """Return the query of a list with some filters, and its FROM clause. $1 is the client, and the values follow.

    They are long, so they are built and hashed only once.
    """
    numbered = enumerate(names, start=2)
    conditions = "".join(f" AND {CONDITIONS[name].format(f'${number}')}" for number, name in numbered)
    where = f"WHERE e.client_id = $1{conditions}"
    order = "" if UNIQUE.intersection(names) else " ORDER BY e.id"
    return f"{SELECT[hidden]} {where}{order}", f"employees e {where}"


SELECT_BY = {hidden: {name: _list_query(hidden, (name,))[0] for name in LOOKUPS} for hidden in SELECT}
"""The query of a list with one filter."""


async def find_elements(tx: Transaction, client_id: int, lookup: str, value: Any) -> list[str]:
    """Load the employees of a client that match one of the filters in LOOKUPS as JSON, ordered by ID."""
    if lookup in IDENTIFIERS:
        # The identifier of the match is the one that is searched for, so it need not be decrypted.
        lookup_hash = identifier_hash(tx.caller, tx.vault, client_id, lookup, value)
        row = await tx.fetchrow(SELECT_BY[False][lookup], client_id, lookup_hash)
        return [_element(tx, row, known=(lookup, value))] if row else []
    if lookup == "ids" and len(value) == 1:
        lookup, value = "id", value[0]
    query = SELECT_BY[tx.caller.hide_identifiers][lookup]
    if lookup in UNIQUE:
        row = await tx.fetchrow(query, client_id, value)
        return [_element(tx, row)] if row else []
    rows = await tx.fetch(query, client_id, value)
    return await run_in_thread_if_many(len(rows), lambda: [_element(tx, row) for row in rows])


async def load_element(tx: Transaction, employee_id: int) -> str | None:
    """Load one employee as JSON."""
    row = await tx.fetchrow(SELECT_ONE[tx.caller.hide_identifiers], employee_id)
    return _element(tx, row) if row else None


async def find_client_id(tx: Transaction, employee_id: int) -> int | None:
    """Return the client of an employee that the caller can see."""
    client_id: int | None = await tx.fetchval("SELECT client_id FROM employees WHERE id = $1", employee_id)
    return client_id


async def lock(tx: Transaction, employee_id: int, expression: str = "NULL") -> asyncpg.Record | None:
    """Lock an employee until the transaction ends. Return the client, and whether the employee's data was erased.

    Also evaluates a SQL expression.
    """
    return await tx.fetchrow(
        f"SELECT e.client_id, {IS_ERASED} AS is_erased, {expression} FROM employees e WHERE e.id = $1 "
        "FOR NO KEY UPDATE OF e",
        employee_id,
    )


async def is_erased(tx: Transaction, client_id: int, employee_id: int) -> bool:
    """Return whether the personal data of an employee was erased."""
    query = "SELECT EXISTS (SELECT FROM erased_employees WHERE client_id = $1 AND employee_id = $2)"
    return bool(await tx.fetchval(query, client_id, employee_id))


async def lock_many(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Lock these employees in the order of IDs and return their names and numbers. Unknown IDs are ignored."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT e.id, e.number, e.first_name, e.last_name, e.name_format FROM employees e "
        f"WHERE e.client_id = $1 AND e.id = ANY ($2::bigint[]) AND NOT {IS_ERASED} "
        "ORDER BY e.id FOR NO KEY UPDATE OF e",
        client_id,
        employee_ids,
    )
    return rows


async def load_employee(tx: Transaction, client_id: int, employee_id: int) -> EmployeeInput:
    """Load the writable attributes of an employee."""
    return (await load_employees(tx, client_id, [employee_id]))[employee_id]


async def load_employees(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, EmployeeInput]:
    """Load the writable attributes of employees by ID. Identifiers are decrypted for every caller."""
    rows = await tx.fetch(
        f"SELECT e.*, {PERIODS} FROM employees e WHERE e.client_id = $1 AND e.id = ANY ($2::bigint[])",
        client_id,
        employee_ids,
    )
    return await run_in_thread_if_many(
        len(rows), lambda: {row["id"]: _employee(tx.vault, client_id, row) for row in rows}
    )


def _employee(vault: Vault, client_id: int, row: asyncpg.Record) -> EmployeeInput:
    sealed = [row[column] for column in SEALED_COLUMNS]
    opened = vault.open_row(client_id, "employees", row["id"], SEALED_COLUMNS, sealed)
    nric, fin, malaysian_ic, passport_number, account_number, paynow = opened
    address = row["physical_address"]
    return EmployeeInput(
        **{column: row[column] for column in PLAIN_COLUMNS},
        nric=nric,
        fin=fin,
        malaysian_ic=malaysian_ic,
        passport_number=passport_number,
        wave_id=row["wave_id"],
        appointment_date=row["appointment_date"],
        physical_address=address and msgspec.json.decode(address, type=EmployeeAddress),
        custom_fields=msgspec.json.decode(row["custom_fields"]),
        metadata=msgspec.json.decode(row["metadata"]),
        days_in_singapore=msgspec.json.decode(row["days_in_singapore"]),
        bank_account=_bank_account(row, account_number),
        paynow=paynow,
    )


async def load_columns(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], columns: Sequence[str]
) -> list[asyncpg.Record]:
    """Load the ID and some columns of employees."""
    query = f"SELECT id, {', '.join(columns)} FROM employees WHERE client_id = ids.client_id AND id = ids.id"
    rows: list[asyncpg.Record] = await tx.fetch(f"SELECT e.* FROM {each_id('$2', query)} e", client_id, employee_ids)
    return rows


async def list_pass_holders(tx: Transaction, client_id: int, passes: Sequence[str]) -> list[asyncpg.Record]:
    """Load the ID and name of the employees with one of these work passes, by ID."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT id, {', '.join(NAME_COLUMNS)} FROM employees "
        "WHERE client_id = $1 AND work_pass = ANY ($2) ORDER BY id",
        client_id,
        passes,
    )
    return rows


async def next_number(tx: Transaction, client_id: int) -> str:
    """Return the next automatic employee number. Other transactions wait until this one ends."""
    [number] = await next_numbers(tx, client_id, 1, frozenset())
    return number


async def next_numbers(tx: Transaction, client_id: int, count: int, reserved: Set[str]) -> list[str]:
    """Return the next automatic employee numbers, without the reserved ones.

    Other transactions wait until this one ends.
    """
    free: list[str] = []
    if count == 0:
        return free
    last = await lock_numbers(tx, client_id)
    batch_size = count
    while len(free) < count:
        numbers = [str(number) for number in range(last + 1, last + batch_size + 1)]
        rows = await tx.fetch(
            "SELECT number FROM employees WHERE client_id = $1 AND number = ANY ($2::text[])", client_id, numbers
        )
        taken = reserved | {row["number"] for row in rows}
        free += [number for number in numbers if number not in taken]
        last += batch_size
        batch_size *= 2  # thousands of numbers can have been assigned manually
    await tx.execute(
        "UPDATE employee_numbers SET last_number = $2 WHERE client_id = $1", client_id, int(free[count - 1])
    )
    return free[:count]


async def lock_numbers(tx: Transaction, client_id: int) -> int:
    """Lock the client's employee numbers until the transaction ends and return the last automatic one."""
    last: int = await tx.fetchval(
        "INSERT INTO employee_numbers AS n (client_id, last_number) VALUES ($1, 0) "
        "ON CONFLICT (client_id) DO UPDATE SET last_number = n.last_number RETURNING last_number",
        client_id,
    )
    return last


async def find_taken(tx: Transaction, client_id: int, employee_id: int, values: Mapping[str, str]) -> set[str]:
    """Return the unique attributes whose value another employee of the client has. Raises TooManyRequests."""
    lookups = {
        name: tx.vault.identifier_hash(client_id, name, values[name]) for name in UNIQUE_IDENTIFIERS if name in values
    }
    row = await tx.fetchrow(
        "SELECT bool_or(number = $3) AS number, bool_or(nric_lookup = $4) AS nric, bool_or(fin_lookup = $5) AS fin, "
        "bool_or(external_id = $6) AS external_id FROM employees WHERE client_id = $1 AND id <> $2 "
        "AND (number = $3 OR nric_lookup = $4 OR fin_lookup = $5 OR external_id = $6)",
        client_id,
        employee_id,
        values.get("number"),
        lookups.get("nric"),
        lookups.get("fin"),
        values.get("external_id"),
    )
    taken = {name for name, is_taken in row.items() if is_taken}
    if lookups:
        await limit_refusals(tx, client_id, len(taken & set(UNIQUE_IDENTIFIERS)))
    return taken


async def find_taken_values(
    tx: Transaction, client_id: int, values: Mapping[str, Sequence[str]]
) -> dict[str, set[str]]:
    """Return, by unique attribute, the values that employees of the client have."""
    columns: dict[str, dict[Any, str]] = {
        name: {value: value for value in values[name]} for name in ("number", "external_id")
    }
    for name in UNIQUE_IDENTIFIERS:
        columns[f"{name}_lookup"] = {tx.vault.identifier_hash(client_id, name, value): value for value in values[name]}
    taken: dict[str, set[str]] = {}
    for column, value_by_key in columns.items():
        rows = await tx.fetch(
            f"SELECT {column} FROM employees WHERE client_id = $1 AND {column} = ANY ($2)",
            client_id,
            list(value_by_key),
        )
        taken[column.removesuffix("_lookup")] = {value_by_key[row[column]] for row in rows}
    return taken


async def insert_many(tx: Transaction, client_id: int, employees: Sequence[EmployeeInput]) -> list[int]:
    """Insert employees and return their IDs in order. Raises UniqueViolationError if a value is taken."""
    if not employees:
        return []
    rows = await tx.fetch(
        "SELECT nextval(pg_get_serial_sequence('employees', 'id')) AS id FROM generate_series(1, $1)", len(employees)
    )
    ids: list[int] = [row["id"] for row in rows]

    def build_rows() -> list[dict[str, Any]]:
        return [
            {"client_id": client_id, "id": employee_id, **_columns(tx.vault, client_id, employee_id, employee)}
            for employee_id, employee in zip(ids, employees, strict=True)
        ]

    columns = await run_in_thread_if_many(len(ids), build_rows)
    await tx.insert_rows("employees", tuple(columns[0]), [tuple(row.values()) for row in columns])
    return ids


async def insert(tx: Transaction, client_id: int, employee: EmployeeInput) -> int:
    """Insert an employee and return the ID. Raises UniqueViolationError if a value is taken."""
    employee_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('employees', 'id'))")
    columns = {"client_id": client_id, "id": employee_id, **_columns(tx.vault, client_id, employee_id, employee)}
    placeholders = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    await tx.execute(f"INSERT INTO employees ({', '.join(columns)}) VALUES ({placeholders})", *columns.values())
    return employee_id


async def update(
    tx: Transaction, client_id: int, employee_id: int, *, before: EmployeeInput, after: EmployeeInput
) -> None:
    """Update an employee. Raises UniqueViolationError if a value is taken."""
    await update_many(tx, client_id, {employee_id: (before, after)})


async def update_many(
    tx: Transaction, client_id: int, changes: Mapping[int, tuple[EmployeeInput, EmployeeInput]]
) -> None:
    """Update employees from pairs of old and new attributes, with one statement for each set of changed columns."""
    arguments = await run_in_thread_if_many(len(changes), lambda: _update_arguments(tx.vault, client_id, changes))
    for assignments, rows in arguments.items():
        await tx.executemany(
            f"UPDATE employees SET {assignments}, updated_at = greatest(clock_timestamp(), updated_at) "
            "WHERE client_id = $1 AND id = $2",
            rows,
        )


async def delete(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Delete an employee with all service and wave periods."""
    await tx.execute("DELETE FROM employees WHERE client_id = $1 AND id = $2", client_id, employee_id)


def _update_arguments(
    vault: Vault, client_id: int, changes: Mapping[int, tuple[EmployeeInput, EmployeeInput]]
) -> dict[str, list[tuple[Any, ...]]]:
    """Return the arguments of each statement, by its assignments."""
    arguments: dict[str, list[tuple[Any, ...]]] = {}
    for employee_id, (before, after) in changes.items():
        columns = _changed_columns(vault, client_id, employee_id, before, after)
        assignments = ", ".join(f"{column} = ${number}" for number, column in enumerate(columns, start=3))
        arguments.setdefault(assignments, []).append((client_id, employee_id, *columns.values()))
    return arguments


def _changed_columns(
    vault: Vault, client_id: int, employee_id: int, before: EmployeeInput, after: EmployeeInput
) -> dict[str, Any]:
    columns = _columns(vault, client_id, employee_id, after)
    old_values = _encrypted_values(before)
    for name, value in _encrypted_values(after).items():
        if value == old_values[name]:
            # A new ciphertext of the same value would appear in the audit log as a change.
            del columns[f"{name}_sealed"]
    return columns


def _columns(vault: Vault, client_id: int, employee_id: int, employee: EmployeeInput) -> dict[str, Any]:
    values = asdict(employee)
    bank = employee.bank_account
    columns = {
        **{column: values[column] for column in PLAIN_COLUMNS},
        "physical_address": employee.physical_address and json_text(employee.physical_address),
        "custom_fields": json_text(employee.custom_fields),
        "metadata": json_text(employee.metadata),
        "days_in_singapore": json_text(employee.days_in_singapore),
        "bank_id": bank and bank.bank_id,
        "branch_code": bank and bank.branch_code,
    }
    for name, value in _encrypted_values(employee).items():
        columns[f"{name}_sealed"] = value and vault.seal(value, _sealed_cell(client_id, employee_id, name))
        columns[f"{name}_masked"] = value and mask(value)
    for name in UNIQUE_IDENTIFIERS:
        columns[f"{name}_lookup"] = values[name] and vault.identifier_hash(client_id, name, values[name])
    return columns


def _encrypted_values(employee: EmployeeInput) -> dict[str, str | None]:
    bank = employee.bank_account
    return {
        "nric": employee.nric,
        "fin": employee.fin,
        "malaysian_ic": employee.malaysian_ic,
        "passport_number": employee.passport_number,
        "account_number": None if bank is None else bank.account_number,
        "paynow": employee.paynow,
    }


def _element(tx: Transaction, row: asyncpg.Record, known: tuple[str, str] | None = None) -> str:
    """Return the element with the encrypted attributes, masked if they are hidden from the caller.

    One that is known, given as its name and value, is not decrypted.
    """
    hidden = tx.caller.hide_identifiers
    values = [row[column] for column in IDENTIFIER_COLUMNS[hidden]]
    if not hidden:
        if known:
            values[ENCRYPTED.index(known[0])] = None
        values = tx.vault.open_row(row["client_id"], "employees", row["id"], SEALED_COLUMNS, values)
        if known:
            values[ENCRYPTED.index(known[0])] = known[1]
        note_identifier_read(f"/clients/{row['client_id']}/employees")
    nric, fin, malaysian_ic, passport_number, account_number, paynow = values
    account = _bank_account(row, account_number)
    encrypted = EncryptedAttributes(nric, fin, malaysian_ic, passport_number, account, paynow)
    element = row["element"] if row["has_officer"] else _without_employer_marks(row["element"])
    return f"{element[:-1]},{json_text(encrypted)[1:]}"


def _without_employer_marks(element: str) -> str:
    """Return the element as employees see their own, with null for what only concerns the employer."""
    return json_text({**msgspec.json.decode(element), **dict.fromkeys(EMPLOYER_MARKS)})


def _bank_account(row: asyncpg.Record, account_number: str | None) -> EmployeeBankAccount | None:
    if account_number is None:
        return None
    return EmployeeBankAccount(bank_id=row["bank_id"], account_number=account_number, branch_code=row["branch_code"])


def _sealed_cell(client_id: int, employee_id: int, name: str) -> SealedCell:
    return SealedCell(client_id, "employees", employee_id, f"{name}_sealed")


async def lock_change_requests(tx: Transaction, employee_id: int) -> None:
    """Let no other transaction add a change that an employee requests until this one ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('change_requests', $1))", employee_id)
