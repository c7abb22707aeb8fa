"""The working dates of an employee between two days."""

from dataclasses import dataclass
from datetime import date, timedelta

from gaji.core.errors import ErrorCode, invalid
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Tenant
from gaji.engine.leave.day_length import LeaveDayError, LeaveDayNotCovered
from gaji.law.quantities import format_millis
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.leave.days.schemas import MAX_DATES
from gaji.people.employees.access import require_readable_employee

LAST_BEFORE_FIRST = ErrorCode("last_before_first", "must not be before {first}")
RANGE_TOO_LONG = ErrorCode("range_too_long", "must be at most {maximum} days later")
PUBLIC_HOLIDAY = ErrorCode("public_holiday", "{date} is a public holiday: {holiday}")
AFTER_KNOWN_HOLIDAYS = ErrorCode(
    "after_known_holidays", "must not be after {last}, because later public holidays are not known"
)
BEFORE_KNOWN_HOLIDAYS = ErrorCode(
    "before_known_holidays", "must not be before {first}, because earlier public holidays are not known"
)
NO_WORKING_DATES = ErrorCode("no_working_dates", "the employee does not work on any of these days")


@dataclass(frozen=True)
class WorkingDate:
    """A date on which an employee works."""

    date: date
    millihours: int

    @property
    def half_day_hours(self) -> str:
        """Half of the working hours of the date."""
        return format_millis((self.millihours + 1) // 2)


async def list_working_dates(tenant: Tenant, employee_id: int, first: date, last: date) -> list[WorkingDate]:
    """List the dates between two days on which an employee works.

    Raises ValidationError if there are none, or if it is not known for each date whether it is one.
    """
    if last < first:
        raise invalid("to", LAST_BEFORE_FIRST, first=first)
    if (last - first).days >= MAX_DATES:
        raise invalid("to", RANGE_TOO_LONG, maximum=MAX_DATES)
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        day_lengths = await load_day_lengths(tx, client_id, [employee_id])
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    try:
        lengths = [(day, _millihours(day_lengths, employee_id, day)) for day in days]
    except LeaveDayNotCovered as error:
        if first < error.first:
            raise invalid("from", BEFORE_KNOWN_HOLIDAYS, first=error.first) from None
        raise invalid("from" if first > error.last else "to", AFTER_KNOWN_HOLIDAYS, last=error.last) from None
    working_dates = [WorkingDate(day, millihours) for day, millihours in lengths if millihours]
    if not working_dates and first == last and (holiday := current_law().holidays.names.get(first)):
        raise invalid("from", PUBLIC_HOLIDAY, date=first, holiday=holiday)
    if not working_dates:
        raise invalid("from", NO_WORKING_DATES)
    return working_dates


def _millihours(day_lengths: DayLengths, employee_id: int, day: date) -> int:
    """The thousandths of hours for which leave can be taken on a day. Zero if none can be taken.

    Raises LeaveDayNotCovered.
    """
    try:
        return day_lengths.leave_day(employee_id, day).millihours
    except LeaveDayNotCovered:
        raise
    except LeaveDayError:
        return 0
