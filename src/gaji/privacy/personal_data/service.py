"""Use cases of personal data: everything that is held about an employee."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from gaji.company.clients.queries import load_employer
from gaji.core import clock
from gaji.core.clock import SINGAPORE
from gaji.core.identifier_reads import note_identifier_read
from gaji.core.threads import REPORTS
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.pdf_client import render_pdf
from gaji.people.employees.directory import load_employee_labels
from gaji.people.self_service.access import client_view, is_own_record, require_self_or_writer
from gaji.privacy.personal_data import repository
from gaji.privacy.personal_data.pdf_context import pdf_context
from gaji.privacy.personal_data.record_forms import exported_record
from gaji.privacy.tables import FURTHER_SECTIONS, IN_PREPARATION, PERSONAL_TABLES, PersonalTable

TEMPLATE = "personal_data"
CPF = "cpf_submissions"

Sections = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class PersonalData:
    """Everything that is held about an employee."""

    client_id: int
    employer: str
    employee_id: int
    employee_name: str
    exported_at: str
    identifiers_masked: bool
    records: Sections
    """Records by section, which is named after the table."""
    left_out: Mapping[str, str]
    """Sections that are left out, with the reason."""

    @property
    def file_name(self) -> str:
        """The name of the file, without its extension."""
        return f"personal-data-{self.employee_id}"

    def to_json(self) -> dict[str, Any]:
        """Return the export as the API returns it."""
        return {
            "client": {"id": self.client_id, "name": self.employer},
            "employee_id": self.employee_id,
            "exported_at": self.exported_at,
            "identifiers_masked": self.identifiers_masked,
            "records": self.records,
            "left_out": [{"records": name, "reason": reason} for name, reason in self.left_out.items()],
        }


async def read_json(tenant: Tenant, employee_id: int) -> tuple[PersonalData, bytes]:
    """Return everything that is held about an employee, and its JSON. Employees may read their own."""
    data = await load_personal_data(tenant, employee_id)
    return data, await REPORTS.run(lambda: msgspec.json.encode({"personal_data": data.to_json()}))


async def read_pdf(tenant: Tenant, employee_id: int) -> tuple[PersonalData, bytes]:
    """Return everything that is held about an employee, and its PDF. Employees may read their own."""
    data = await load_personal_data(tenant, employee_id)
    names = await _load_names(tenant, data)
    context = await REPORTS.run(pdf_context, data.to_json(), data.employee_name, names)
    return data, await render_pdf(tenant.caller.account_id, TEMPLATE, context, clock.today())


async def load_personal_data(tenant: Tenant, employee_id: int) -> PersonalData:
    """Load everything that is held about an employee, in one state of the database.

    The employee gets what is released to employees. Raises Forbidden for those who may not change the employee.
    """
    async with tenant.snapshot() as tx:
        client_id = await require_self_or_writer(tx, employee_id)
        is_self = await is_own_record(tx, employee_id)
        async with client_view(tx, client_id):
            records = await _load_records(tx, client_id, employee_id, is_self=is_self)
            employer = (await load_employer(tx, client_id)).name
            label = (await load_employee_labels(tx, client_id, [employee_id]))[employee_id]
    if not tenant.caller.hide_identifiers:
        note_identifier_read(f"/clients/{client_id}/employees")
    left_out = {table.name: IN_PREPARATION for table in PERSONAL_TABLES if is_self and table.own_condition is None}
    exported_at = datetime.now(SINGAPORE).isoformat(timespec="seconds")
    masked = tenant.caller.hide_identifiers
    return PersonalData(client_id, employer, employee_id, label.name, exported_at, masked, records, left_out)


async def _load_names(tenant: Tenant, data: PersonalData) -> dict[str, dict[str, str]]:
    """Load the names of the records that the data refers to, by attribute and ID.

    Employees get no names of other users, only the employer and the ID of the user.
    """
    user_ids = {entry["user_id"] for name in ("access_events", "audit_log") for entry in data.records[name]} - {None}
    async with tenant.snapshot() as tx:
        await require_self_or_writer(tx, data.employee_id)
        async with client_view(tx, data.client_id):
            names = await repository.load_names(tx, data.client_id, data.employee_id)
        if await is_own_record(tx, data.employee_id):
            employee_names = {str(user["id"]): data.employee_name for user in data.records["users"]}
            names["user_id"] = {
                str(user_id): f"{data.employer}, user {user_id}" for user_id in user_ids
            } | employee_names
        else:
            names["user_id"] = await repository.load_user_names(tx, user_ids)
    return names


async def _load_records(tx: Transaction, client_id: int, employee_id: int, *, is_self: bool) -> Sections:
    tables = [table for table in PERSONAL_TABLES if not is_self or table.own_condition is not None]
    records: Sections = {name: [] for name in (*(table.name for table in tables), CPF, *FURTHER_SECTIONS)}
    for table in tables:
        async for rows in repository.load_rows(tx, table, client_id, employee_id, is_self=is_self):
            records[table.name] += await _export_rows(tx, client_id, table, rows)
    async for rows in repository.load_cpf_records(tx, client_id, employee_id):
        records[CPF] += rows
    async for section, rows in repository.load_protected_records(tx, client_id, employee_id):
        records[section] += rows
    user_ids = [user["id"] for user in records["users"]]
    async for rows in repository.load_audit_entries(tx, client_id, employee_id, user_ids, is_self=is_self):
        records["audit_log"] += rows
    return records


async def _export_rows(
    tx: Transaction, client_id: int, table: PersonalTable, rows: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    masked = tx.caller.hide_identifiers
    return await REPORTS.run(lambda: [exported_record(tx.vault, client_id, table, row, masked=masked) for row in rows])
