"""Use cases of medical certificates."""

from dataclasses import dataclass

import asyncpg

from gaji.core.errors import Conflict, Forbidden, NotFound
from gaji.core.fair_queue import FairQueue
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.leave.days import service as days
from gaji.leave.medical_certificates import repository
from gaji.leave.medical_certificates.repository import CertifiedLeave
from gaji.leave.medical_certificates.rules import EXTENSIONS, MAX_CERTIFICATES, require_file_type
from gaji.leave.requests import service as requests
from gaji.people.employees.access import lock_employee, require_readable_employee
from gaji.people.self_service.access import client_view, is_own_record, require_self_or_writer
from gaji.periods.queries import load_paid_periods

FILES = FairQueue("files", slots=4, slots_per_owner=2)
"""The files that a server process loads at a time, for one account at most half of them. Each takes several times its
size while it is decrypted."""
OPEN_STATUSES = (requests.PENDING, requests.APPROVED, requests.WITHDRAWING)


@dataclass(frozen=True)
class CertificateFile:
    """The file of a certificate."""

    content: bytes
    media_type: str
    file_name: str


async def list_certificates(
    tenant: Tenant, employee_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the certificates of an employee as JSON, with the total count."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return await repository.list_elements(tx, client_id, employee_id, page, filters)


async def add_to_request(tenant: Tenant, request_id: int, content: bytes) -> int:
    """Store a certificate of a leave request. Employees may do this for themselves."""
    async with tenant.transaction() as tx:
        employee_id, status = await requests.load_employee_and_status(tx, request_id)
        client_id = await require_self_or_writer(tx, employee_id)
        media_type = require_file_type(content)
        if status not in OPEN_STATUSES:
            raise Conflict(f"Leave request {request_id} has been {status}")
        return await _insert(tx, CertifiedLeave(client_id, employee_id, request_id, None), media_type, content)


async def add_to_day(tenant: Tenant, day_id: int, content: bytes) -> int:
    """Store a certificate of a leave day. Employees may do this for themselves."""
    async with tenant.transaction() as tx:
        employee_id = await days.load_employee_of_day(tx, day_id)
        client_id = await require_self_or_writer(tx, employee_id)
        media_type = require_file_type(content)
        return await _insert(tx, CertifiedLeave(client_id, employee_id, None, day_id), media_type, content)


async def read_file(tenant: Tenant, certificate_id: int) -> CertificateFile:
    """Return the file of a certificate. It can show identifiers, so keys that hide them cannot read it."""
    if tenant.caller.hide_identifiers:
        raise Forbidden("This API key hides identifiers, which a medical certificate can contain")
    async with FILES.slot(tenant.caller.account_id), tenant.read_only() as tx:
        row = await _load(tx, certificate_id)
        content = await repository.load_content(tx, row["client_id"], certificate_id)
    media_type = row["media_type"]
    return CertificateFile(content, media_type, f"medical_certificate_{certificate_id}.{EXTENSIONS[media_type]}")


async def delete_certificate(tenant: Tenant, certificate_id: int) -> None:
    """Delete a certificate. Employees may do this with those that they added, until the leave is decided or paid."""
    async with tenant.transaction() as tx:
        row = await _load(tx, certificate_id)
        client_id, employee_id = row["client_id"], row["employee_id"]
        if row["added_by_employee"] and await is_own_record(tx, employee_id):
            async with client_view(tx, client_id):
                removable_ids = await list_removable_ids(tx, client_id, employee_id)
            if certificate_id not in removable_ids:
                raise Conflict(f"The leave of medical certificate {certificate_id} has been decided or paid")
        else:
            await lock_employee(tx, employee_id)
        await repository.delete(tx, client_id, certificate_id)


async def list_removable_ids(tx: Transaction, client_id: int, employee_id: int) -> set[int]:
    """List the certificates that the employee may remove, in a transaction that sees all payslips of the employee.

    The employee added them, and since then nobody has decided about the leave, and no payslip with it was finalised.
    """
    dates = await repository.load_undecided_dates(tx, client_id, employee_id)
    days = {day for certificate_days in dates.values() for day in certificate_days}
    closed = [period for period in await load_paid_periods(tx, client_id, employee_id, days) if period.finalised]
    return {
        certificate_id
        for certificate_id, certificate_days in dates.items()
        if not any(period.contains(day) for period in closed for day in certificate_days)
    }


async def _insert(tx: Transaction, leave: CertifiedLeave, media_type: str, content: bytes) -> int:
    if await repository.count_certificates(tx, leave) >= MAX_CERTIFICATES:
        raise Conflict(f"This leave already has {MAX_CERTIFICATES} medical certificates")
    added_by_employee = await is_own_record(tx, leave.employee_id)
    return await repository.insert(tx, leave, media_type, content, added_by_employee=added_by_employee)


async def _load(tx: Transaction, certificate_id: int) -> asyncpg.Record:
    row = await repository.load_certificate(tx, certificate_id)
    if row is None:
        raise NotFound(f"Medical certificate {certificate_id} does not exist")
    return row
