"""The dates of a stretch of leave: from a day to a day, without those on which there is nothing to take leave from."""

from datetime import date, timedelta

from gaji.core.errors import INVALID, invalid
from gaji.db.tenancy import Tenant
from gaji.engine.leave.day_length import LeaveDayError
from gaji.leave.days.duration import Measure, measure_of
from gaji.leave.days.rules import MOST_DATES
from gaji.people.employees.identity import readable_employee


async def dates_of_stretch(tenant: Tenant, employee_id: int, first: date, last: date) -> list[date]:
    """The dates from a day to a day that an employee works; raises Invalid when there are none, or too many."""
    if last < first:
        raise invalid("to", INVALID, reason=f"must not be before {first}")
    if (last - first).days >= MOST_DATES:
        raise invalid("to", INVALID, reason=f"must be at most {MOST_DATES} days later")
    async with tenant.reading() as tx:
        client_id = await readable_employee(tx, employee_id)
        measure = await measure_of(tx, client_id, [employee_id])
    every = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    found = [day for day in every if _is_worked(measure, employee_id, day)]
    if not found:
        raise invalid("from", INVALID, reason="the employee works on none of these days")
    return found


def _is_worked(measure: Measure, employee_id: int, day: date) -> bool:
    try:
        measure.day(employee_id, day)
    except LeaveDayError:
        return False
    return True
