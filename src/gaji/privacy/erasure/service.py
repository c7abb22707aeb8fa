"""Use cases of erasure: when an employee can be erased, and erasing one."""

from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

from gaji.audit.access_repository import erase_events
from gaji.audit.redaction import redact_entries
from gaji.company.clients.service import require_officer
from gaji.core import clock
from gaji.core.clock import SINGAPORE
from gaji.core.errors import Conflict
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.home_transfers import transfer_home
from gaji.identity.roles import require_owner
from gaji.people.employees.access import lock_employee_for_pay_change, require_readable_employee
from gaji.privacy.erasure import repository
from gaji.privacy.erasure.stored_documents import scrub_document
from gaji.privacy.retention.service import load_settings
from gaji.privacy.retention_periods import RetentionPeriods, erasable_from

NOT_FOR_EMPLOYEES = "Employees can read their own record but not from when it can be erased"


@dataclass(frozen=True)
class ErasureState:
    """Whether an employee is erased, or from when that is possible."""

    erased_at: datetime | None
    possible_from: date | None
    """None while the employee is in service."""

    @property
    def is_possible(self) -> bool:
        """Whether the employee can be erased now."""
        return self.erased_at is None and self.possible_from is not None and self.possible_from <= clock.today()

    def to_json(self) -> dict[str, object]:
        """Return the state as the API returns it."""
        erased_at = self.erased_at and self.erased_at.astimezone(SINGAPORE).isoformat(timespec="microseconds")
        return {"erased_at": erased_at, "possible_from": self.possible_from, "possible": self.is_possible}


async def read_state(tenant: Tenant, employee_id: int) -> ErasureState:
    """Return whether an employee is erased, or from when that is possible."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        await require_officer(tx, client_id, NOT_FOR_EMPLOYEES)
        return await load_erasure_state(tx, client_id, employee_id)


async def erase_employee(tenant: Tenant, employee_id: int) -> None:
    """Erase the personal data of a former employee. Figures stay.

    Raises Conflict before the retention periods have ended, with the day from which it is possible, and Forbidden for
    those who do not own the company.
    """
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        await require_owner(tx, client_id)
        await erase_locked(tx, client_id, employee_id, (await load_settings(tx, client_id)).periods)


async def erase_locked(tx: Transaction, client_id: int, employee_id: int, periods: RetentionPeriods) -> None:
    """Erase an employee who is locked, with the client's drafts. Raises Conflict if that is not possible yet."""
    await _require_erasable(tx, client_id, employee_id, periods)
    await repository.mark_erased(tx, client_id, employee_id)
    user_ids = await repository.list_users_to_erase(tx, client_id, employee_id)
    for user_id in user_ids:
        await transfer_home(tx.connection, tx.vault, user_id)
    await erase_events(tx, client_id, employee_id)
    await repository.erase_account_records(tx, client_id, employee_id)
    await repository.replace_values(tx, client_id, employee_id, partial(scrub_document, employee_id=employee_id))
    entries = await repository.list_entries(tx, client_id, employee_id, user_ids)
    redacted = await redact_entries(tx, client_id, employee_id, entries)
    await repository.record_erasure(tx, client_id, employee_id, redacted)
    tx.emit(ResourceEvent(EventType.EMPLOYEE_UPDATED, client_id, (employee_id,)))


async def load_erasure_state(tx: Transaction, client_id: int, employee_id: int) -> ErasureState:
    """Load whether an employee that an officer can see is erased, or from when that is possible."""
    erased_at = await repository.load_erased_at(tx, client_id, employee_id)
    candidate = await repository.load_candidate(tx, client_id, employee_id)
    if candidate.last_service_date is None:
        return ErasureState(erased_at, None)
    periods = (await load_settings(tx, client_id)).periods
    possible_from = erasable_from(periods, candidate.last_service_date, candidate.last_pay_year)
    return ErasureState(erased_at, possible_from)


async def _require_erasable(tx: Transaction, client_id: int, employee_id: int, periods: RetentionPeriods) -> None:
    candidate = await repository.load_candidate(tx, client_id, employee_id)
    if candidate.last_service_date is None:
        raise Conflict(f"Employee {employee_id} is in service. End the service first")
    possible_from = erasable_from(periods, candidate.last_service_date, candidate.last_pay_year)
    if clock.today() < possible_from:
        raise Conflict(f"The records must be kept by law. Employee {employee_id} can be erased from {possible_from}")
    if candidate.has_open_payslips:
        raise Conflict(f"Employee {employee_id} has a payslip in a pay run that is not finalised")
    if await repository.has_running_tasks(tx, client_id):
        raise Conflict("A report, an import or a file of payslips is being made; try again when it is finished")
