"""The date from which a change of pay applies, if earlier periods may be finalised.

A change of a recurring calculation, such as the salary, has a date (`valid_from`). Without one it applies from the
first open day: the start of the current draft, or the day after the last finalised payslip. A date in a finalised
period is allowed. Its payslips stay as they are, the response has a warning, and `payroll/corrections` computes what
they should have paid. Regular hours have an `effective_date`, which must be after the last finalised payslip unless it
is late.
"""

from collections.abc import Collection, Mapping
from datetime import date, timedelta
from typing import Any

from gaji.core import clock
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import DateType
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations.inheritance import CalculationOwner
from gaji.payroll.profiles import queries as profiles
from gaji.periods.guards import LATE_WARNINGS, ClosedPeriod, Warnings
from gaji.periods.queries import NEVER_PAID, OpenPeriod, load_open_periods

DATED_LEVELS = ("employee", "profile")
"""The levels whose calculations have dated values."""
NOT_AFTER_FINALISED = ErrorCode(
    "not_after_finalised",
    "is not after the finalised payslip of {last_end}; choose a later date, unfinalise that pay run first, or record "
    "this as late",
)
EFFECTIVE_DATE_REQUIRED = ErrorCode(
    "effective_date_required", "is required, because the employee has a finalised payslip of {last_end}"
)


def first_open_day(open_period: OpenPeriod) -> date | None:
    """Return the first day that a change without a date applies to. None if nothing is finalised: it always applies."""
    if open_period.last_finalised_end is None:
        return None
    return open_period.draft_start or open_period.last_finalised_end + timedelta(days=1)


def change_date(owner: CalculationOwner, open_period: OpenPeriod, valid_from: date | None) -> date | None:
    """Return the date of a change: as sent, or the first open day. None for values without a date."""
    if owner.level not in DATED_LEVELS:
        return None
    return valid_from or first_open_day(open_period)


def parse_valid_from(attributes: Mapping[str, Any]) -> date | None:
    """Return the date that was sent. None if it is missing or invalid, which validation reports."""
    sent = attributes.get("valid_from")
    return None if sent is None else DateType().parse(sent, "valid_from", Errors())


def date_warnings(owner: CalculationOwner, open_period: OpenPeriod, valid_from: date | None) -> dict[str, str]:
    """Return the warnings about the date that was sent."""
    if valid_from is None:
        return {}
    if owner.level not in DATED_LEVELS:
        return {"valid_from": "Ignored: only the calculations of employees and profiles have dated values."}
    last_end = open_period.last_finalised_end
    if last_end is None or valid_from > last_end:
        return {}
    return {"valid_from": f"Finalised payslips are not changed. The last one ends on {last_end}."}


def require_open_effective_date(effective_date: date | None, last_end: date | None, *, late: bool) -> Warnings:
    """Reject regular hours from a date that is not after the last finalised payslip, or warn if they are late."""
    if effective_date is None or last_end is None or effective_date > last_end:
        return {}
    if late:
        return dict(LATE_WARNINGS)
    raise ClosedPeriod(
        f"effective_date {effective_date} is not after the finalised payslip of {last_end}; "
        "choose a later date, unfinalise that pay run first",
        errors=Errors.single("effective_date", NOT_AFTER_FINALISED, last_end=last_end),
    )


def current_day(open_period: OpenPeriod) -> date:
    """Return today, or the first open day if that is later."""
    today = clock.today()
    return max(today, first_open_day(open_period) or today)


async def load_current_day(tx: Transaction, owner: CalculationOwner) -> date:
    """Return the day whose values of recurring calculations are current: today, or the start of the current draft."""
    return current_day(await load_open_period(tx, owner))


async def load_current_days(
    tx: Transaction, client_id: int, owners: Collection[CalculationOwner]
) -> dict[CalculationOwner, date]:
    """Return the current day of employees and profiles of a client."""
    employee_ids = [owner.employee_id for owner in owners if owner.employee_id is not None]
    profile_ids = [owner.profile_id for owner in owners if owner.profile_id is not None]
    by_employee = await load_open_periods(tx, client_id, employee_ids)
    by_profile = await profiles.load_open_periods(tx, client_id, profile_ids)
    periods = {CalculationOwner(client_id, employee_id=key): period for key, period in by_employee.items()}
    periods |= {CalculationOwner(client_id, profile_id=key): period for key, period in by_profile.items()}
    return {owner: current_day(periods.get(owner, NEVER_PAID)) for owner in owners}


async def load_open_period(tx: Transaction, owner: CalculationOwner) -> OpenPeriod:
    """Load the open period of an employee, or of the employees of a profile. A client has none."""
    if owner.employee_id is not None:
        return (await load_open_periods(tx, owner.client_id, [owner.employee_id]))[owner.employee_id]
    if owner.profile_id is not None:
        return (await profiles.load_open_periods(tx, owner.client_id, [owner.profile_id]))[owner.profile_id]
    return NEVER_PAID
