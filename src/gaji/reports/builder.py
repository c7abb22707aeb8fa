"""Making a report: from what a caller sent to a table, all errors named at once."""

from collections.abc import Mapping
from typing import Any

from gaji.company.clients.service import require_client
from gaji.company.waves.facts import waves
from gaji.core.errors import Errors
from gaji.core.validation import Record, parse_attributes
from gaji.db.tenancy import Transaction
from gaji.people.employees import facts as employees
from gaji.reports.registry import Report
from gaji.reports.request_fields import refuse, refuse_unknown, unwrapped
from gaji.reports.rows import Table


async def make(tx: Transaction, client_id: int, report: Report, body: Mapping[str, Any]) -> Table:
    """The table that is asked for; its rows are read as long as the transaction lasts."""
    # A plan that serves any list of employees compares every row with each of them; one for this list looks them up.
    await tx.execute("SET LOCAL plan_cache_mode = force_custom_plan")
    return await report.table(tx, client_id, await check(tx, client_id, report, body))


async def check(tx: Transaction, client_id: int, report: Report, body: Mapping[str, Any]) -> Any:
    """What is asked for, found out; raises Invalid with all that is wrong."""
    await require_client(tx, client_id)
    errors: Errors = Errors()
    given = unwrapped(body)
    record = parse_attributes(report.attributes, given, given, "", errors)
    await _check_ids(tx, client_id, record, errors)
    found = await report.read(tx, client_id, record, errors)
    refuse(errors)
    return found


async def _check_ids(tx: Transaction, client_id: int, record: Record, errors: Errors) -> None:
    """That the waves and employees are those of the client."""
    if wanted := record.get("employee_ids"):
        known = await employees.numbers(tx, client_id, wanted)
        refuse_unknown("employee_ids", "employee", [one for one in wanted if one not in known], errors)
    one_wave = record.get("wave_id")
    for name, wave_ids in (("wave_ids", record.get("wave_ids")), ("wave_id", one_wave and [one_wave])):
        if wave_ids:
            there = await waves(tx, client_id)
            refuse_unknown(name, "wave", [one for one in wave_ids if one not in there], errors)
