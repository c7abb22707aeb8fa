"""Leavers whose foreign worker levy in a payment run is for days after the last day of service."""

from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Tenant
from gaji.payroll.payslips.queries import load_levies_after_service
from gaji.people.employees.directory import load_employee_labels


@dataclass(frozen=True)
class LeaverLevy:
    """The levy of a leaver, in cents."""

    employee_id: int
    name: str
    last_day: date
    """The last day of service."""
    pass_to: date | None
    """The last day of the work pass, if it is known."""
    cents: int


async def list_leaver_levies(tenant: Tenant, client_id: int, run_id: int) -> list[LeaverLevy]:
    """List the leavers of a run whose levy is charged to the end of a pass that is later than the last day."""
    async with tenant.read_only() as tx:
        rows = await load_levies_after_service(tx, client_id, run_id)
        labels = await load_employee_labels(tx, client_id, [row["employee_id"] for row in rows]) if rows else {}
    return [
        LeaverLevy(row["employee_id"], labels[row["employee_id"]].name, row["last_day"], row["pass_to"], row["levy"])
        for row in rows
    ]
