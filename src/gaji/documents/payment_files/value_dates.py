"""Value dates: the day on which a bank makes the payments of a file."""

from collections.abc import Iterable, Iterator
from datetime import date

from gaji.core import clock
from gaji.core.errors import ErrorCode, Errors, FieldError, ValidationError
from gaji.core.law_loader import current_law
from gaji.law.due_dates import is_working_day, previous_working_day
from gaji.law.pay import deadlines
from gaji.payroll.payslips.statutory_totals import NettPay

VALUE_DATE = "value_date"

DATE_IN_PAST = ErrorCode("value_date_in_past", "{value_date} is in the past; today is {today}")
NOT_A_WORKING_DAY = ErrorCode(
    "value_date_not_working_day", "{value_date} is {reason}; banks make payments on working days only"
)
AFTER_DEADLINE = ErrorCode(
    "after_salary_deadline",
    "{value_date} is after {deadline}, the last day on which the salary of the period to {period_end} may be paid",
)


def require_valid(value_date: date | None) -> None:
    """Raise ValidationError if a value date is in the past or not a working day."""
    error = next(_date_errors(value_date), None) if value_date else None
    if error:
        raise ValidationError(Errors({VALUE_DATE: error}))


def is_valid(value_date: date) -> bool:
    """Return whether a value date is a working day from today on."""
    return next(_date_errors(value_date), None) is None


def date_warnings(pays: Iterable[NettPay], *, by_bank: bool, has_deadline: bool = True) -> list[FieldError]:
    """Return what is unusual about the dates of payments: after the legal deadline, or not possible for a bank."""
    dates = sorted({(pay.pay_date, pay.period_end) for pay in pays})
    bank_dates = sorted({day for day, _ in dates}) if by_bank else []
    warnings = [error for day in bank_dates for error in _date_errors(day)]
    for day, period_end in dates if has_deadline else ():
        deadline = deadlines.salary_due(current_law().pay, period_end)
        if day > deadline:
            params = {"value_date": day, "deadline": deadline, "period_end": period_end}
            warnings.append(FieldError(VALUE_DATE, AFTER_DEADLINE, params))
    return warnings


def non_working_reason(day: date) -> str:
    """Return what a day is on which banks make no payments, such as "a Saturday". Empty for a working day."""
    holidays = current_law().holidays
    if is_working_day(day, holidays):
        return ""
    holiday = holidays.names.get(day)
    return f"a public holiday ({holiday})" if holiday else f"a {day:%A}"


def bank_payment_date(day: date) -> date:
    """Return the day on which a bank pays what is due on a day: the last working day up to it, so pay is not late."""
    return previous_working_day(day, current_law().holidays)


def _date_errors(day: date) -> Iterator[FieldError]:
    today = clock.today()
    if day < today:
        yield FieldError(VALUE_DATE, DATE_IN_PAST, {"value_date": day, "today": today})
    reason = non_working_reason(day)
    if reason:
        yield FieldError(VALUE_DATE, NOT_A_WORKING_DAY, {"value_date": day, "reason": reason})
