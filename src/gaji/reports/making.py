"""Making a report: from what a caller sent to a table, all faults named at once."""

from collections.abc import Mapping
from typing import Any

from gaji.company.clients.service import require_client
from gaji.company.waves.facts import waves
from gaji.core.validation import Faults, Record, read_attributes
from gaji.db.tenancy import Transaction
from gaji.people.employees import facts as employees
from gaji.reports.catalogue import Report
from gaji.reports.fields import refuse, refuse_unknown, unwrapped
from gaji.reports.tables import Table


async def make(tx: Transaction, client_id: int, report: Report, body: Mapping[str, Any]) -> Table:
    """The table that is asked for; its rows are read as long as the transaction lasts."""
    # A plan that serves any list of employees compares every row with each of them; one for this list looks them up.
    await tx.execute("SET LOCAL plan_cache_mode = force_custom_plan")
    return await report.table(tx, client_id, await check(tx, client_id, report, body))


async def check(tx: Transaction, client_id: int, report: Report, body: Mapping[str, Any]) -> Any:
    """What is asked for, found out; raises Invalid with all that is wrong."""
    await require_client(tx, client_id)
    faults: Faults = {}
    given = unwrapped(body)
    record = read_attributes(report.attributes, given, given, "", faults)
    await _check_ids(tx, client_id, record, faults)
    found = await report.read(tx, client_id, record, faults)
    refuse(faults)
    return found


async def _check_ids(tx: Transaction, client_id: int, record: Record, faults: Faults) -> None:
    """That the waves and employees are those of the client."""
    if wanted := record.get("employee_ids"):
        known = await employees.numbers(tx, client_id, wanted)
        refuse_unknown("employee_ids", "employee", [one for one in wanted if one not in known], faults)
    one_wave = record.get("wave_id")
    for name, wave_ids in (("wave_ids", record.get("wave_ids")), ("wave_id", one_wave and [one_wave])):
        if wave_ids:
            there = await waves(tx, client_id)
            refuse_unknown(name, "wave", [one for one in wave_ids if one not in there], faults)
