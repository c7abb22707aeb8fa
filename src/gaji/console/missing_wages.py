"""Wages that another payroll paid earlier in the year, and that are not entered: CPF ceilings need them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from gaji.company.waves.queries import PayCalendar, load_pay_calendars
from gaji.console.formats import format_count
from gaji.core import clock
from gaji.db.tenancy import Tenant, Transaction
from gaji.payroll.payment_runs.overview import RunHeader
from gaji.payroll.payslips.run_lines import count_additional_wages
from gaji.people.take_on.missing_amounts import list_without_amounts

JANUARY = 1


@dataclass(frozen=True)
class MissingWages:
    """How many employees were perhaps paid by another payroll earlier in a year, and have no amounts."""

    year: int
    employees: int
    with_additional: int = 0
    """Those of them to whom the pay run pays additional wages."""

    @property
    def text(self) -> str:
        """What is missing."""
        return f"Wages paid earlier in {self.year} are missing for {format_count(self.employees, 'employee')}"

    @property
    def task(self) -> str:
        """The same without a capital, for lists of tasks."""
        return f"{self.text[0].lower()}{self.text[1:]}"


async def find_missing_wages(tenant: Tenant, header: RunHeader) -> MissingWages | None:
    """Return what is missing for the payslips of a run. None if nothing is."""
    run, client_id = header.run, header.client_id
    year = (run.corrected_end or run.period_end_date).year
    async with tenant.read_only() as tx:
        first_days = _first_days(await load_pay_calendars(tx, client_id), year)
        employee_ids = await list_without_amounts(tx, {client_id: first_days}, year)
        if not employee_ids:
            return None
        employees, with_additional = await count_additional_wages(tx, client_id, run.id, employee_ids[client_id])
    return MissingWages(year, employees, with_additional) if employees else None


async def load_missing_wages(
    tx: Transaction, calendars: Mapping[int, Mapping[int, PayCalendar]]
) -> dict[int, MissingWages]:
    """Load what is missing this year for the employees in service, by client. Clients without any are left out.

    `calendars` has the pay calendars of each client's waves.
    """
    today = clock.today()
    first_days = {client_id: _first_days(waves, today.year) for client_id, waves in calendars.items()}
    missing = await list_without_amounts(tx, first_days, today.year, serving_on=today)
    return {client_id: MissingWages(today.year, len(employee_ids)) for client_id, employee_ids in missing.items()}


async def list_wages_remarks(tenant: Tenant, header: RunHeader) -> list[tuple[str, str]]:
    """Return the text about missing wages of a run, and the page on which they are entered."""
    missing = await find_missing_wages(tenant, header)
    if missing is None:
        return []
    needed = ". The CPF ceiling for additional wages needs them" if missing.with_additional else ""
    return [(f"{missing.text}{needed}", f"/companies/{header.client_id}/settings/take_on#people")]


def _first_days(calendars: Mapping[int, PayCalendar], year: int) -> dict[int, date]:
    """Return the first day of each wave that starts in a year, by wave.

    Empty if the company's first day is in another year, or in January.
    """
    first_days = {wave_id: calendar.schedule.start(calendar.first_offset) for wave_id, calendar in calendars.items()}
    first_day = min(first_days.values(), default=date.min)
    if first_day.year != year or first_day.month == JANUARY:
        return {}
    return {wave_id: day for wave_id, day in first_days.items() if day.year == year}
