"""Guards: reject changes that would contradict finalised payslips.

A caller who knows that a period is closed can record a fact as late. Finalised payslips then stay as they are, and the
difference is among the retro proposals of the employee.
"""

from collections.abc import Collection
from datetime import date

from gaji.core.errors import Conflict, ErrorCode, Errors
from gaji.db.tenancy import Transaction
from gaji.periods import queries

AFTER_FINALISED_START = ErrorCode(
    "after_finalised_start",
    "is after {first}, the start of a finalised period; unfinalise its pay run first, or record this as late",
)
LATE_WARNINGS = {"late": "Finalised payslips are not changed. The difference is among the employee's retro proposals."}

Warnings = dict[str, str]


class ClosedPeriod(Conflict):
    """The change concerns a finalised period, and was not declared as late."""

    def __init__(self, message: str, *, can_be_late: bool = True, errors: Errors | None = None) -> None:
        super().__init__(message + (", or record this as late" if can_be_late else ""), errors=errors)
        self.can_be_late = can_be_late


async def require_open_dates(
    tx: Transaction, client_id: int, employee_id: int, dates: Collection[date], *, late: bool | None = None
) -> Warnings:
    """Reject dates inside a finalised period, or return a warning about them if they are late.

    Without `late`, the fact cannot be recorded as late.
    """
    for period in await queries.load_paid_periods(tx, client_id, employee_id, dates):
        if period.finalised and (inside := [day for day in dates if period.contains(day)]):
            return _late_warnings(late, f"{min(inside)} is inside the finalised payslip of {period.end}")
    return {}


async def require_valid_appointment(
    tx: Transaction, client_id: int, employee_id: int, *, old: date, new: date, late: bool = False
) -> Warnings:
    """Reject an appointment date after the start of a finalised period of the same service, unless it is late.

    Returns warnings: about finalised payslips, or about days that now have no payslip.
    """
    first = await queries.find_first_finalised_start(tx, client_id, employee_id, old)
    if first is None:
        return {}
    if new < first <= old:
        return {"appointment_date": f"The days before {first} have no payslip. Pay them with a once-off payslip."}
    if new <= first:
        return {}
    reason = f"appointment_date {new} is after {first}, the start of a finalised period"
    return _late_warnings(late, reason, "its", Errors.single("appointment_date", AFTER_FINALISED_START, first=first))


async def require_valid_termination(
    tx: Transaction, client_id: int, employee_id: int, end: date, *, late: bool = False
) -> Warnings:
    """Reject a termination date inside a finalised period, or return a warning about it if it is late."""
    last = await queries.find_last_finalised_end_of_employee(tx, client_id, employee_id)
    if last is None or end >= last:
        return {}
    return _late_warnings(late, f"termination_date {end} is inside the finalised payslip of {last}")


def _late_warnings(late: bool | None, reason: str, which: str = "that", errors: Errors | None = None) -> Warnings:
    """Return the warning about a late fact, or raise ClosedPeriod if it is not declared as late."""
    if late:
        return dict(LATE_WARNINGS)
    message = f"{reason}; unfinalise {which} pay run first"
    raise ClosedPeriod(message, can_be_late=late is not None, errors=errors)


async def require_never_paid(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Reject deleting an employee who has finalised payslips."""
    if await queries.find_last_finalised_end_of_employee(tx, client_id, employee_id) is not None:
        raise Conflict(
            f"Employee {employee_id} has finalised payslips and cannot be deleted; "
            "end the service with end_service instead"
        )


async def delete_withdrawn_drafts(tx: Transaction, client_id: int, wave_id: int) -> None:
    """Delete the withdrawn drafts of a wave, so that they do not prevent its deletion."""
    await tx.execute(
        "DELETE FROM payslips WHERE client_id = $1 AND wave_id = $2 AND NOT finalised AND withdrawn", client_id, wave_id
    )
