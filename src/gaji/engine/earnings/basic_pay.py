"""The basic salary with its extra lines, and the basic rates of pay."""

import numpy as np
from msgspec import Struct

from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.engine.earnings.amounts import Amounts, PayForDays, line_cents
from gaji.engine.input_columns import InputColumns
from gaji.engine.regular_hours import RegularHours
from gaji.law.columns import Cents, Codes, Flags, any_nonzero, equals_code, select_first
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.pay import PayParameters, overtime, public_holiday_work, rest_days
from gaji.law.pay.part_four_coverage import PartFourStatus
from gaji.law.pay.rates import WEEKS_PER_YEAR, PayRates, PayTerms, PayType
from gaji.law.quantities import MILLI, Millis, share_cents

BASIC = "basic_salary"
PAY_TYPE = SYSTEM_TYPES[BASIC].inputs_by_name["pay_type"]
OVERTIME_LINES = {"overtime": "overtime_hours_input", "overtime_previous": "overtime_hours_previous_input"}
"""The lines for overtime, and the input with the hours of each."""
HOLIDAYS_OFF = "public_holiday_off_days"
WORKED_INPUTS = {
    BASIC: ("hours_input", "days_input"),
    **{line: (hours_input,) for line, hours_input in OVERTIME_LINES.items()},
    "rest_day_pay": ("rest_day_employer_days", "rest_day_employee_days"),
    "public_holiday_pay": ("public_holiday_days",),
}
"""The inputs of the basic salary with the hours and days that were worked, by line."""


class BasicPay(Struct, frozen=True):
    """The agreed pay of each employee, and the quantity that it is paid for."""

    terms: PayTerms
    groups: Codes
    """EmploymentActGroup."""
    month_rates: PayRates
    """The basic salary of a month."""
    quantity_millis: Millis
    """Days of daily-rated employees, hours of hourly-rated ones."""
    is_entered: Flags
    """Whether the quantity was entered. Otherwise it is the regular one."""

    @property
    def part_four_status(self) -> PartFourStatus:
        """What decides whether Part 4 of the Employment Act covers the employee."""
        return PartFourStatus(self.groups, self.month_rates.cents(np.full_like(self.terms.amounts_cents, MILLI)))

    @property
    def monthly_rated(self) -> Flags:
        """Whether the employee is paid by the period."""
        return equals_code(self.terms.pay_types, PayType.MONTHLY)

    @property
    def pays_regular_hours(self) -> Flags:
        """Whether the employee is paid by the hour, for the regular hours."""
        return equals_code(self.terms.pay_types, PayType.HOURLY) & ~self.is_entered

    @property
    def all_monthly_rated(self) -> bool:
        """Whether every employee of the batch is paid by the period."""
        return _all_monthly_rated(self.terms.pay_types)


def agreed_pay(inputs: InputColumns, attendance: Attendance, groups: Codes, periods_per_year: int) -> BasicPay:
    """The agreed pay of a batch."""
    regular = attendance.regular_hours
    terms = basic_terms(inputs, regular, periods_per_year)
    month_rates = _month_rates(terms, regular.cycle_millihours)
    quantity, is_entered = _days_or_hours(inputs, attendance, terms.pay_types)
    return BasicPay(terms, groups, month_rates, quantity, is_entered)


def basic_terms(inputs: InputColumns, regular: RegularHours, periods_per_year: int) -> PayTerms:
    """The basic rates of a batch."""
    pay_types = inputs.choice_codes(BASIC, PAY_TYPE)
    amounts = inputs.money_cents(BASIC, "fixed_amount")
    if not _all_monthly_rated(pay_types):
        rates = [inputs.money_cents(BASIC, name) for name in ("daily_rate", "hourly_rate")]
        amounts = select_first(_flags_by_pay_type(pay_types), [amounts, *rates])
    return PayTerms(
        pay_types, amounts, regular.cycle_millidays, regular.day_millihours, periods_per_year, regular.cycle_weeks
    )


def basic_pay_lines(
    law: PayParameters,
    month: Month,
    inputs: InputColumns,
    attendance: Attendance,
    basic_pay: BasicPay,
    gross_pay_cents: PayForDays,
) -> Amounts:
    """The basic salary, overtime, rest day and public holiday pay."""
    terms = basic_pay.terms
    salary = attendance.prorated_cents(terms.amounts_cents)
    if not basic_pay.all_monthly_rated:
        salary = np.where(basic_pay.monthly_rated, salary, _pay_by_quantity(basic_pay))
    lines = {BASIC: line_cents(inputs, BASIC, salary)}
    for name, hours_input in OVERTIME_LINES.items():
        if any_nonzero(hours := _extra_quantity(inputs, hours_input)):
            lines[name] = overtime.pay_cents(law, month, terms, basic_pay.part_four_status, hours)
    by_employer = _extra_quantity(inputs, "rest_day_employer_days")
    by_employee = _extra_quantity(inputs, "rest_day_employee_days")
    if any_nonzero(by_employer + by_employee):
        lines["rest_day_pay"] = rest_days.pay_cents(law, month, terms, by_employer, by_employee)
    if any_nonzero(holidays := _extra_quantity(inputs, "public_holiday_days")):
        lines["public_holiday_pay"] = public_holiday_work.pay_cents(terms, holidays)
    if any_nonzero(holidays_off := _extra_quantity(inputs, HOLIDAYS_OFF)):
        lines["public_holiday_off_pay"] = gross_pay_cents(holidays_off)
    return lines


def _extra_quantity(inputs: InputColumns, input_name: str) -> Millis:
    """Hours or days beyond the contract. Zero if the basic salary is skipped."""
    quantity = inputs.quantity_millis(BASIC, input_name)
    return np.where(inputs.has_line(BASIC), quantity, 0) if inputs.is_entered_for_any(BASIC, input_name) else quantity


def _pay_by_quantity(basic_pay: BasicPay) -> Cents:
    quantity = np.where(basic_pay.monthly_rated, 0, basic_pay.quantity_millis)
    return share_cents(basic_pay.terms.amounts_cents, quantity, np.full_like(quantity, MILLI))


def _all_monthly_rated(pay_types: Codes) -> bool:
    return not any_nonzero(pay_types != int(PayType.MONTHLY))


def _flags_by_pay_type(pay_types: Codes) -> list[Flags]:
    """For each pay type, whether the employee has it."""
    return [equals_code(pay_types, pay_type) for pay_type in PayType]


def _days_or_hours(inputs: InputColumns, attendance: Attendance, pay_types: Codes) -> tuple[Millis, Flags]:
    """The days of daily-rated and the hours of hourly-rated employees, and whether they were entered."""
    zeros = np.zeros(inputs.person_count, dtype=np.int64)
    if _all_monthly_rated(pay_types):
        return zeros, np.zeros(inputs.person_count, dtype=np.bool_)
    _, by_day, by_hour = _flags_by_pay_type(pay_types)
    is_entered = select_first(
        [by_day, by_hour], [inputs.is_entered(BASIC, name) for name in ("days_input", "hours_input")], False
    )
    regular = ~attendance.regular_hours.casual
    quantity = select_first(
        [is_entered & by_day, is_entered & by_hour, by_day & regular, by_hour & regular],
        [
            inputs.quantity_millis(BASIC, "days_input"),
            inputs.quantity_millis(BASIC, "hours_input"),
            attendance.served_millidays,
            attendance.regular_millihours() if any_nonzero(by_hour) else zeros,
        ],
        0,
    )
    return quantity, is_entered


def _month_rates(terms: PayTerms, cycle_millihours: Millis) -> PayRates:
    """The basic salary of a month.

    The amount of a period × periods a year ÷ 12, or the rate of a day or hour × those of 52 weeks ÷ 12.
    """
    cycle_millis = MILLI * terms.cycle_weeks
    units_per_year = np.full_like(cycle_millihours, terms.payments_per_year * cycle_millis)
    if not _all_monthly_rated(terms.pay_types):
        by_time = [WEEKS_PER_YEAR * terms.cycle_millidays, WEEKS_PER_YEAR * cycle_millihours]
        units_per_year = select_first(_flags_by_pay_type(terms.pay_types), [units_per_year, *by_time])
    divisor = np.maximum(np.gcd(units_per_year, MONTHS_PER_YEAR * cycle_millis), 1)
    return PayRates(terms.amounts_cents * (units_per_year // divisor), MONTHS_PER_YEAR * cycle_millis // divisor)
