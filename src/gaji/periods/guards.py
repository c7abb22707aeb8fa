"""Guards: reject changes that would contradict finalised payslips."""

from collections.abc import Collection
from datetime import date

from gaji.core.errors import Conflict, ErrorCode, Errors
from gaji.db.tenancy import Transaction
from gaji.periods import queries

AFTER_FINALISED_START = ErrorCode(
    "after_finalised_start", "is after {first}, the start of a finalised period; unfinalise its pay run first"
)


async def require_open_dates(tx: Transaction, client_id: int, employee_id: int, dates: Collection[date]) -> None:
    """Reject dates inside a finalised period."""
    for period in await queries.load_paid_periods(tx, client_id, employee_id, dates):
        if period.finalised and (inside := [day for day in dates if period.contains(day)]):
            raise Conflict(
                f"{min(inside)} is inside the finalised payslip of {period.end}; unfinalise that pay run first"
            )


async def require_valid_appointment(tx: Transaction, client_id: int, employee_id: int, *, old: date, new: date) -> None:
    """Reject an appointment date after the start of a finalised period of the same service."""
    first = await queries.find_first_finalised_start(tx, client_id, employee_id, old)
    if first is not None and new > first:
        raise Conflict(
            f"appointment_date {new} is after {first}, the start of a finalised period; unfinalise its pay run first",
            errors=Errors.single("appointment_date", AFTER_FINALISED_START, first=first),
        )


async def require_valid_termination(tx: Transaction, client_id: int, employee_id: int, end: date) -> None:
    """Reject a termination date inside a finalised period."""
    last = await queries.find_last_finalised_end_of_employee(tx, client_id, employee_id)
    if last is not None and end < last:
        raise Conflict(
            f"termination_date {end} is inside the finalised payslip of {last}; unfinalise that pay run first"
        )


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
