"""Build a report from a request body."""

from collections.abc import Mapping
from typing import Any

from gaji.company.clients.service import require_client
from gaji.company.waves.queries import load_pay_calendars
from gaji.core.errors import Errors, ValidationError
from gaji.core.threads import REPORTS
from gaji.core.validation import Record, parse_attributes
from gaji.db.tenancy import Transaction
from gaji.people.employees.queries import load_employee_numbers
from gaji.reports.registry import Report
from gaji.reports.request_fields import check_known, check_unknown_fields, unwrap_body
from gaji.reports.rows import StreamedTable


async def build_report(tx: Transaction, client_id: int, report: Report, body: Mapping[str, Any]) -> StreamedTable:
    """Return the requested table. Its rows are read lazily, within the transaction."""
    # A generic plan for any list of employees compares every row with each of them. A custom plan uses the index.
    await tx.execute("SET LOCAL plan_cache_mode = force_custom_plan")
    return await report.build_table(tx, client_id, await resolve_query(tx, client_id, report, body))


async def resolve_query(tx: Transaction, client_id: int, report: Report, body: Mapping[str, Any]) -> Any:
    """Return the report's query for a body. Raises ValidationError with every error."""
    await require_client(tx, client_id)
    errors = Errors()
    fields = unwrap_body(body)
    # In a thread: there may be 200,000 IDs.
    record = await REPORTS.run(parse_attributes, report.attributes, fields, fields, "", errors)
    check_unknown_fields(report.id, [attribute.name for attribute in report.attributes], fields, errors)
    await _check_ids(tx, client_id, record, errors)
    query = await report.resolve_query(tx, client_id, record, errors)
    if errors:
        raise ValidationError(errors)
    return query


async def _check_ids(tx: Transaction, client_id: int, record: Record, errors: Errors) -> None:
    """Add an error for employees and waves that the client does not have."""
    if employee_ids := record.get("employee_ids"):
        numbers = await load_employee_numbers(tx, client_id, employee_ids)
        unknown = [employee_id for employee_id in employee_ids if employee_id not in numbers]
        check_known("employee_ids", "employee", unknown, errors)
    wave_id = record.get("wave_id")
    for path, wave_ids in (("wave_ids", record.get("wave_ids")), ("wave_id", wave_id and [wave_id])):
        if wave_ids:
            calendars = await load_pay_calendars(tx, client_id)
            check_known(path, "wave", [wave_id for wave_id in wave_ids if wave_id not in calendars], errors)
