"""The working days in service between two days of one payslip's period."""

from datetime import date

import numpy as np

from gaji.engine.attendance import build_attendance
from gaji.engine.input_columns import InputColumns
from gaji.engine.payslip_input import PayPeriod, PayslipInput
from gaji.engine.regular_hours import regular_hours
from gaji.law.months import Month
from gaji.law.registry import Law


def served_millidays(law: Law, payslip: PayslipInput, first: date, last: date) -> int:
    """Return the working days in service from a first to a last day, by the schedule of the payslip, in thousandths."""
    half_day_hours = law.pay.half_day_hours.at(Month.from_date(last)).value
    regular = regular_hours(InputColumns([payslip]), half_day_hours)
    attendance = build_attendance(law.holidays, PayPeriod(first, last, last), [payslip], regular)
    return int(np.sum(attendance.served_millidays))
