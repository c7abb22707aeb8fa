"""The basic salary with its further lines, and the basic rates of pay."""

from dataclasses import dataclass

import numpy as np

from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.engine.earnings.amounts import Amounts, line_cents
from gaji.engine.input_columns import InputColumns
from gaji.engine.attendance import Attendance
from gaji.engine.regular_hours import RegularHours
from gaji.law.columns import Cents, Codes, Flags, any_nonzero, equals_code, select_first
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.pay import PayParameters, days_at_rate, overtime, rest_days
from gaji.law.pay.part_four import PartFourStatus
from gaji.law.pay.rates import WEEKS_PER_YEAR, PayType, PayRates, PayTerms
from gaji.law.quantities import MILLI, Millis, share_cents

BASIC = "basic_salary"
PAY_TYPE = SYSTEM_TYPES[BASIC].inputs_by_name["pay_type"]


@dataclass(frozen=True)
class BasicPay:
    """What was agreed with each person, and for how much of the period it is paid."""

    terms: PayTerms
    """Basic rates."""
    part_iv_coverage: PartFourStatus
    month_rates: PayRates
    """The basic salary of a month."""
    quantity_millis: Millis
    """Days of the daily-rated, hours of the hourly-rated."""
    is_entered: Flags
    """For whom these were entered; of the others they are the regular ones."""

    @property
    def monthly_rated(self) -> Flags:
        """Who is paid by the period."""
        return equals_code(self.terms.pay_types, PayType.MONTHLY)

    @property
    def all_monthly_rated(self) -> bool:
        """Whether nobody is paid by the day or the hour."""
        return _by_period_alone(self.terms.pay_types)


def agreed_pay(inputs: InputColumns, presence: Attendance, groups: Codes, pays_a_year: int) -> BasicPay:
    """What was agreed with each person of a batch."""
    regular = presence.regular_hours
    terms = basic_terms(inputs, regular, pays_a_year)
    month = _month(terms, regular.week_millihours)
    standing = PartFourStatus(groups, month.cents(np.full_like(terms.amounts_cents, MILLI)))
    return BasicPay(terms, standing, month, *_days_or_hours(inputs, presence, terms.pay_types))


def basic_terms(inputs: InputColumns, regular: RegularHours, pays_a_year: int) -> PayTerms:
    """The basic rates of a batch."""
    pay_types = inputs.choice_codes(BASIC, PAY_TYPE)
    amounts = inputs.money_cents(BASIC, "fixed_amount")
    if not _by_period_alone(pay_types):
        by_time = [inputs.money_cents(BASIC, name) for name in ("daily_rate", "hourly_rate")]
        amounts = select_first(_kinds(pay_types), [amounts, *by_time])
    return PayTerms(pay_types, amounts, regular.week_millidays, regular.day_millihours, pays_a_year)


def basic_pay_lines(law: PayParameters, month: Month, inputs: InputColumns, presence: Attendance, agreed: BasicPay) -> Amounts:
    """The basic salary, overtime, rest day and public holiday pay."""
    salary = presence.prorated_cents(agreed.terms.amounts_cents)
    if not agreed.all_monthly_rated:
        salary = np.where(agreed.monthly_rated, salary, _by_quantity(agreed))
    lines = {BASIC: line_cents(inputs, BASIC, salary)}
    if any_nonzero(hours := _beyond(inputs, "overtime_hours_input")):
        lines["overtime"] = overtime.pay_cents(law, month, agreed.terms, agreed.part_iv_coverage, hours)
    employer, employee = (_beyond(inputs, f"rest_day_{who}_days") for who in ("employer", "employee"))
    if any_nonzero(employer + employee):
        lines["rest_day_pay"] = rest_days.pay_cents(law, month, agreed.terms, employer, employee)
    if any_nonzero(holidays := _beyond(inputs, "public_holiday_days")):
        lines["public_holiday_pay"] = days_at_rate.pay_cents(agreed.terms, holidays)
    return lines


def _beyond(inputs: InputColumns, one: str) -> Millis:
    """Hours or days beyond the contract; none where the basic salary is left out of the payslip."""
    return np.where(inputs.has_line(BASIC), inputs.quantity_millis(BASIC, one), 0)


def _by_quantity(agreed: BasicPay) -> Cents:
    quantity = np.where(agreed.monthly_rated, 0, agreed.quantity_millis)
    return share_cents(agreed.terms.amounts_cents, quantity, np.full_like(quantity, MILLI))


def _by_period_alone(pay_types: Codes) -> bool:
    return not any_nonzero(pay_types != int(PayType.MONTHLY))


def _kinds(pay_types: Codes) -> list[Flags]:
    """Who is paid in each way."""
    return [equals_code(pay_types, kind) for kind in PayType]


def _days_or_hours(inputs: InputColumns, presence: Attendance, pay_types: Codes) -> tuple[Millis, Flags]:
    """For how many days or hours each is paid who is paid by them, and for whom these were entered."""
    nothing = np.zeros(inputs.person_count, dtype=np.int64)
    if _by_period_alone(pay_types):
        return nothing, np.zeros(inputs.person_count, dtype=np.bool_)
    _, by_day, by_hour = _kinds(pay_types)
    entered = select_first([by_day, by_hour], [inputs.is_entered(BASIC, name) for name in ("days_input", "hours_input")], False)
    regular = ~presence.regular_hours.casual
    quantity = select_first(
        [entered & by_day, entered & by_hour, by_day & regular, by_hour & regular],
        [
            inputs.quantity_millis(BASIC, "days_input"),
            inputs.quantity_millis(BASIC, "hours_input"),
            presence.served_millidays,
            presence.regular_millihours() if any_nonzero(by_hour) else nothing,
        ],
        0,
    )
    return quantity, entered


def _month(terms: PayTerms, week_millihours: Millis) -> PayRates:
    """The basic salary of a month: a period's × periods a year ÷ 12, or a day's or hour's × those of 52 weeks ÷ 12."""
    over = np.full_like(week_millihours, terms.payments_per_year * MILLI)
    if not _by_period_alone(terms.pay_types):
        by_time = [WEEKS_PER_YEAR * terms.week_millidays, WEEKS_PER_YEAR * week_millihours]
        over = select_first(_kinds(terms.pay_types), [over, *by_time])
    common = np.maximum(np.gcd(over, MONTHS_PER_YEAR * MILLI), 1)
    return PayRates(terms.amounts_cents * (over // common), MONTHS_PER_YEAR * MILLI // common)
