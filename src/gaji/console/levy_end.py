"""Until when the foreign worker levy of leavers is charged: to the end of the work pass, not of the service."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.console.formats import format_count, format_day
from gaji.core import clock
from gaji.db.tenancy import Tenant
from gaji.documents.tax_certificates.overdue import MAX_AGE
from gaji.payroll.payment_runs.leaver_levies import LeaverLevy, list_leaver_levies
from gaji.payroll.payment_runs.overview import RunHeader
from gaji.people.employees.notes import LEVY_PASSES


@dataclass(frozen=True)
class LeaverLevies:
    """The levies of leavers in a pay run that are charged beyond the last day of service."""

    levies: Sequence[LeaverLevy]

    @property
    def text(self) -> str:
        """What is charged."""
        leavers = format_count(len(self.levies), "employee who leaves", "employees who leave")
        return f"The foreign worker levy of {leavers} is charged beyond the last day of service"


def levy_end_text(employee: Mapping[str, Any]) -> str:
    """Return until when the final payslip has a levy. Empty for employees whose work pass has none.

    >>> levy_end_text({"work_pass": "EP", "pass_to": None})
    ''
    """
    if employee["work_pass"] not in LEVY_PASSES:
        return ""
    pass_to = employee["pass_to"]
    until = f"up to “Pass valid to” ({format_day(pass_to)})" if pass_to else "also after that day"
    blank = "" if pass_to else " “Pass valid to” is blank, so the whole month is charged."
    return (
        "The foreign worker levy ends with the work pass, not with the last day of service. The final payslip has the "
        f"levy of the month in which its period ends, {until}.{blank} The levy of later months is on no payslip."
    )


def charged_levy_text(employee: Mapping[str, Any], service: Mapping[str, Any]) -> str:
    """Return the text for a leaver whose pass does not end by the last day of service. Empty for others.

    Also empty if the service ended long ago.
    """
    end, pass_to = service["end_date"], employee["pass_to"]
    is_recent = end is not None and date.fromisoformat(end) >= clock.today() - MAX_AGE
    return levy_end_text(employee) if is_recent and (not pass_to or pass_to > end) else ""


async def find_leaver_levies(tenant: Tenant, header: RunHeader) -> LeaverLevies | None:
    """Return the levies of a run that are charged beyond the last day of service. None if there are none."""
    levies = await list_leaver_levies(tenant, header.client_id, header.run.id)
    return LeaverLevies(levies) if levies else None


async def list_levy_remarks(tenant: Tenant, header: RunHeader) -> list[tuple[str, str]]:
    """Return the text about leavers with a levy, and the page that lists them."""
    levies = await find_leaver_levies(tenant, header)
    return [(levies.text, f"/payment_runs/{header.run.id}/finalise")] if levies else []
