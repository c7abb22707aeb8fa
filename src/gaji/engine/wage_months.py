"""Attribution of a payslip's wages to calendar months.

CPF, the self-help funds and the skills development levy are computed for calendar months. If a pay period spans two
months, its ordinary wages are divided between them by the days in service. Overtime belongs to the month in which it
was worked if it is payable by the 14th of the next month. Otherwise it is an additional wage of the payslip's month.

The payslip's month is that of the period's end. A payslip has wages of this month and of the one before, at most.
"""

from dataclasses import dataclass

import numpy as np

from gaji.engine.attendance import Attendance
from gaji.engine.earnings.amounts import Amounts
from gaji.engine.earnings.basic_pay import BASIC, OVERTIME_LINES
from gaji.engine.input_columns import InputColumns
from gaji.engine.payslip_input import PayPeriod
from gaji.law.columns import Cents, Flags, any_nonzero
from gaji.law.cpf import last_payable_day
from gaji.law.months import Month
from gaji.law.quantities import Millis, share_cents

CALENDAR_DAYS = "calendar_days"


@dataclass(frozen=True)
class MonthDays:
    """The days in service by which wages are divided between the payslip's month and the one before."""

    previous_millidays: Millis
    total_millidays: Millis
    """Zero without any days in service: all wages then belong to the payslip's month."""

    def previous_share_cents(self, amounts_cents: Cents) -> Cents:
        """The part of the amounts for the days of the previous month, rounded to the cent."""
        return share_cents(amounts_cents, self.previous_millidays, self.total_millidays)


@dataclass(frozen=True)
class OvertimeWages:
    """Overtime by month and class of wages."""

    current_cents: Cents
    """Ordinary wages of the payslip's month."""
    previous_cents: Cents
    """Ordinary wages of the month before."""
    additional_cents: Cents
    """Additional wages of the payslip's month."""
    previous_share_cents: Cents
    """The part of the line `overtime` for the days of the previous month, where the period spans two months."""


def month_days(period: PayPeriod, attendance: Attendance) -> MonthDays | None:
    """The days that divide the wages of a period; None if it has only one month or its wages are not divided."""
    if period.apportionment is None:
        return None
    before = attendance.within(period.start, (Month.from_date(period.end) - 1).last_day)
    calendar_before, calendar = before.served_calendar_millidays(), attendance.served_calendar_millidays()
    if period.apportionment == CALENDAR_DAYS:
        return MonthDays(calendar_before, calendar)
    # Service on days off only, such as a single Sunday, is divided by calendar days.
    working = attendance.served_millidays
    previous = np.where(working == 0, calendar_before, before.served_millidays)
    return MonthDays(previous, np.where(working == 0, calendar, working))


def divide_overtime(
    period: PayPeriod, inputs: InputColumns, lines: Amounts, days: MonthDays | None
) -> OvertimeWages | None:
    """Divide overtime by the month in which it was worked and the day on which it is payable.

    None if all of it is ordinary wages of the payslip's month.
    """
    if not any(name in lines for name in OVERTIME_LINES) or not _is_special(inputs, days):
        return None
    zeros = np.zeros(inputs.person_count, dtype=np.int64)
    in_period, previous = (lines.get(name, zeros) for name in OVERTIME_LINES)
    month, paid_on = Month.from_date(period.end), np.datetime64(period.pay_date, "D")
    entered = inputs.dates(BASIC, "overtime_payable_on")
    payable_on = np.where(np.isnat(entered), paid_on, entered)
    worked_in = inputs.month_numbers(BASIC, "overtime_period")
    by_days = (worked_in < 0) & ~inputs.is_entered(BASIC, OVERTIME_LINES["overtime_previous"])
    share = zeros if days is None else np.where(by_days, days.previous_share_cents(in_period), 0)
    in_previous = np.where(worked_in == month.number - 1, in_period, share)
    long_ago = np.where((worked_in >= 0) & (worked_in < month.number - 1), in_period, 0)
    in_current = in_period - in_previous - long_ago
    previous_ordinary = payable_on <= np.datetime64(last_payable_day(month - 1), "D")
    current_ordinary = ~(entered > np.datetime64(last_payable_day(month), "D"))
    of_previous = in_previous + previous
    return OvertimeWages(
        current_cents=np.where(current_ordinary, in_current, 0),
        previous_cents=np.where(previous_ordinary, of_previous, 0),
        additional_cents=long_ago
        + np.where(current_ordinary, 0, in_current)
        + np.where(previous_ordinary, 0, of_previous),
        previous_share_cents=share,
    )


def _is_special(inputs: InputColumns, days: MonthDays | None) -> bool:
    names = ("overtime_hours_previous_input", "overtime_period", "overtime_payable_on")
    return days is not None or any(any_nonzero(_entered(inputs, name)) for name in names)


def _entered(inputs: InputColumns, name: str) -> Flags:
    return inputs.is_entered(BASIC, name)
