"""When employees served, for those who calculate what they are paid and owed."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import ServiceInterval
from gaji.people.service_periods import repository


async def load_service_intervals(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[ServiceInterval]]:
    """The service of these employees, by employee, in the order of time."""
    found: dict[int, list[ServiceInterval]] = defaultdict(list)
    for employee_id, start, end in await repository.spans(tx, client_id, employee_ids):
        found[employee_id].append(ServiceInterval(start, end))
    return found


class ServiceTerm(NamedTuple):
    """One service of an employee, and why it ended."""

    employee_id: int
    start: date
    end: date | None
    termination_code: int | None


async def load_service_terms(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[ServiceTerm]]:
    """The services of these employees, by employee, in the order of time."""
    found: dict[int, list[ServiceTerm]] = defaultdict(list)
    for row in await repository.terms(tx, client_id, employee_ids):
        found[row["employee_id"]].append(ServiceTerm(*row))
    return found


class TerminatedService(NamedTuple):
    """A service that was ended, for an employee whose tax is to be cleared."""

    start: date
    end: date
    termination_code: int


async def find_ir21_termination(tx: Transaction, client_id: int, employee_id: int) -> TerminatedService | None:
    """The latest service of an employee, if it was ended with an IR21 to be filed."""
    row = await repository.ended_with_ir21(tx, client_id, employee_id)
    return TerminatedService(*row) if row else None


async def load_terms_on(tx: Transaction, client_id: int, day: date, employee_ids: Sequence[int] | None = None) -> list[ServiceTerm]:
    """The service of each employee of a client who is in service on a day, or of those of these who are."""
    return [ServiceTerm(*row) for row in await repository.serving(tx, client_id, day, employee_ids)]


async def list_awaiting_tax_clearance(tx: Transaction, client_id: int, employee_ids: Sequence[int], day: date) -> set[int]:
    """Those of these employees who had left by a day and whose taxes have to be cleared before they are paid."""
    return set(await repository.awaiting_clearance(tx, client_id, employee_ids, day))
