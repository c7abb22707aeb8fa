"""Access to employees: which client an employee belongs to, and what the caller is allowed to do."""

from collections.abc import Sequence

import asyncpg

from gaji.company.clients.service import require_officer
from gaji.core.errors import Conflict, Forbidden, NotFound
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.identity.roles import require_writer
from gaji.people.employees import repository
from gaji.people.employees.display_name import EmployeeLabel, employee_label
from gaji.periods.locks import SHARED_LOCK_SQL, mark_drafts_locked


async def require_readable_employee(tx: Transaction, employee_id: int) -> int:
    """Return the client of an employee, or raise NotFound if the caller cannot see the employee."""
    client_id = await repository.find_client_id(tx, employee_id)
    if client_id is None:
        raise NotFound(f"Employee {employee_id} does not exist")
    return client_id


async def require_followable_employee(tx: Transaction, employee_id: int) -> int:
    """Return the client of an employee, or raise an error if the caller cannot follow changes of the client."""
    client_id = await require_readable_employee(tx, employee_id)
    await require_officer(tx, client_id, "Employees can read their own records but cannot follow changes")
    return client_id


async def is_erased(tx: Transaction, client_id: int, employee_id: int) -> bool:
    """Return whether the personal data of an employee was erased."""
    return await repository.is_erased(tx, client_id, employee_id)


async def lock_employee(tx: Transaction, employee_id: int) -> int:
    """Lock an employee until the transaction ends and return the client, or raise NotFound or Forbidden."""
    return await _require_writable(tx, employee_id, await repository.lock(tx, employee_id))


async def lock_employee_for_pay_change(tx: Transaction, employee_id: int) -> int:
    """Lock an employee and the client's drafts, so that no payslip is finalised until the transaction ends."""
    client_id = await _require_writable(tx, employee_id, await repository.lock(tx, employee_id, SHARED_LOCK_SQL))
    mark_drafts_locked(tx, client_id)
    return client_id


async def lock_employees(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, EmployeeLabel]:
    """Lock employees until the transaction ends and return their labels by ID. Unknown IDs are left out."""
    rows = await repository.lock_many(tx, client_id, employee_ids)
    return await run_in_thread_if_many(len(rows), lambda: {row["id"]: employee_label(row) for row in rows})


async def _require_writable(tx: Transaction, employee_id: int, row: asyncpg.Record | None) -> int:
    if row is None:
        await require_readable_employee(tx, employee_id)
        raise Forbidden("Employees can read their own record but cannot change it")
    client_id: int = row["client_id"]
    await require_writer(tx, client_id)
    if row["is_erased"]:
        raise Conflict(f"The personal data of employee {employee_id} was erased, so the record cannot be changed")
    return client_id
