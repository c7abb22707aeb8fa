"""The working dates of an employee between two days."""

from datetime import date, timedelta

from gaji.core.errors import ErrorCode, invalid
from gaji.db.tenancy import Tenant
from gaji.engine.leave.day_length import LeaveDayError
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.leave.days.schemas import MAX_DATES
from gaji.people.employees.access import require_readable_employee

LAST_BEFORE_FIRST = ErrorCode("last_before_first", "must not be before {first}")
RANGE_TOO_LONG = ErrorCode("range_too_long", "must be at most {maximum} days later")
NO_WORKING_DATES = ErrorCode("no_working_dates", "the employee does not work on any of these days")


async def list_working_dates(tenant: Tenant, employee_id: int, first: date, last: date) -> list[date]:
    """List the dates between two days on which an employee works. Raises ValidationError if there are none."""
    if last < first:
        raise invalid("to", LAST_BEFORE_FIRST, first=first)
    if (last - first).days >= MAX_DATES:
        raise invalid("to", RANGE_TOO_LONG, maximum=MAX_DATES)
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        day_lengths = await load_day_lengths(tx, client_id, [employee_id])
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    working_dates = [day for day in days if _is_working_day(day_lengths, employee_id, day)]
    if not working_dates:
        raise invalid("from", NO_WORKING_DATES)
    return working_dates


def _is_working_day(day_lengths: DayLengths, employee_id: int, day: date) -> bool:
    try:
        day_lengths.leave_day(employee_id, day)
    except LeaveDayError:
        return False
    return True
