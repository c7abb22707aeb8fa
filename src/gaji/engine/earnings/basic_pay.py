"""The basic salary with its further lines, and the basic rates of pay."""

from dataclasses import dataclass

import numpy as np

from gaji.engine.catalogue import SYSTEM
from gaji.engine.earnings.amounts import Amounts, times_multiplier
from gaji.engine.input_columns import Inputs
from gaji.engine.attendance import Presence
from gaji.engine.regular_hours import RegularHours
from gaji.law.columns import Cents, Codes, Flags, any_nonzero, is_code, select_first
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.pay import PayParameters, days_at_rate, overtime, rest_days
from gaji.law.pay.part_four import Standing
from gaji.law.pay.rates import WEEKS_A_YEAR, PayType, Rates, Terms
from gaji.law.quantities import MILLI, Millis, share_cents

BASIC = "basic_salary"
PAY_TYPE = SYSTEM[BASIC].input_names["pay_type"]


@dataclass(frozen=True)
class Pay:
    """What was agreed with each person, and for how much of the period it is paid."""

    terms: Terms
    """Basic rates."""
    standing: Standing
    month: Rates
    """The basic salary of a month."""
    quantity: Millis
    """Days of the daily-rated, hours of the hourly-rated."""
    entered: Flags
    """For whom these were entered; of the others they are the regular ones."""

    @property
    def monthly_rated(self) -> Flags:
        """Who is paid by the period."""
        return is_code(self.terms.pay_types, PayType.MONTHLY)

    @property
    def by_period_alone(self) -> bool:
        """Whether nobody is paid by the day or the hour."""
        return _by_period_alone(self.terms.pay_types)


def pay(inputs: Inputs, presence: Presence, groups: Codes, pays_a_year: int) -> Pay:
    """What was agreed with each person of a batch."""
    regular = presence.regular_hours
    terms = basic_terms(inputs, regular, pays_a_year)
    month = _month(terms, regular.week_millihours)
    standing = Standing(groups, month.cents(np.full_like(terms.amounts_cents, MILLI)))
    return Pay(terms, standing, month, *_days_or_hours(inputs, presence, terms.pay_types))


def basic_terms(inputs: Inputs, regular: RegularHours, pays_a_year: int) -> Terms:
    """The basic rates of a batch."""
    pay_types = inputs.choice(BASIC, PAY_TYPE)
    amounts = inputs.money(BASIC, "fixed_amount")
    if not _by_period_alone(pay_types):
        by_time = [inputs.money(BASIC, name) for name in ("daily_rate", "hourly_rate")]
        amounts = select_first(_kinds(pay_types), [amounts, *by_time])
    return Terms(pay_types, amounts, regular.week_millidays, regular.day_millihours, pays_a_year)


def basic_lines(law: PayParameters, month: Month, inputs: Inputs, presence: Presence, agreed: Pay) -> Amounts:
    """The basic salary, overtime, rest day and public holiday pay."""
    salary = presence.pay_cents(agreed.terms.amounts_cents)
    if not agreed.by_period_alone:
        salary = np.where(agreed.monthly_rated, salary, _by_quantity(agreed))
    lines = {BASIC: times_multiplier(inputs, BASIC, salary)}
    if any_nonzero(hours := _beyond(inputs, "overtime_hours_input")):
        lines["overtime"] = overtime.pay_cents(law, month, agreed.terms, agreed.standing, hours)
    employer, employee = (_beyond(inputs, f"rest_day_{who}_days") for who in ("employer", "employee"))
    if any_nonzero(employer + employee):
        lines["rest_day_pay"] = rest_days.pay_cents(law, month, agreed.terms, employer, employee)
    if any_nonzero(holidays := _beyond(inputs, "public_holiday_days")):
        lines["public_holiday_pay"] = days_at_rate.pay_cents(agreed.terms, holidays)
    return lines


def _beyond(inputs: Inputs, one: str) -> Millis:
    """Hours or days beyond the contract; none where the basic salary is left out of the payslip."""
    return np.where(inputs.shows(BASIC), inputs.quantity(BASIC, one), 0)


def _by_quantity(agreed: Pay) -> Cents:
    quantity = np.where(agreed.monthly_rated, 0, agreed.quantity)
    return share_cents(agreed.terms.amounts_cents, quantity, np.full_like(quantity, MILLI))


def _by_period_alone(pay_types: Codes) -> bool:
    return not any_nonzero(pay_types != int(PayType.MONTHLY))


def _kinds(pay_types: Codes) -> list[Flags]:
    """Who is paid in each way."""
    return [is_code(pay_types, kind) for kind in PayType]


def _days_or_hours(inputs: Inputs, presence: Presence, pay_types: Codes) -> tuple[Millis, Flags]:
    """For how many days or hours each is paid who is paid by them, and for whom these were entered."""
    nothing = np.zeros(inputs.people, dtype=np.int64)
    if _by_period_alone(pay_types):
        return nothing, np.zeros(inputs.people, dtype=np.bool_)
    _, by_day, by_hour = _kinds(pay_types)
    entered = select_first([by_day, by_hour], [inputs.given(BASIC, name) for name in ("days_input", "hours_input")], False)
    regular = ~presence.regular_hours.casual
    quantity = select_first(
        [entered & by_day, entered & by_hour, by_day & regular, by_hour & regular],
        [
            inputs.quantity(BASIC, "days_input"),
            inputs.quantity(BASIC, "hours_input"),
            presence.served_millidays,
            presence.regular_millihours() if any_nonzero(by_hour) else nothing,
        ],
        0,
    )
    return quantity, entered


def _month(terms: Terms, week_millihours: Millis) -> Rates:
    """The basic salary of a month: a period's × periods a year ÷ 12, or a day's or hour's × those of 52 weeks ÷ 12."""
    over = np.full_like(week_millihours, terms.pays_a_year * MILLI)
    if not _by_period_alone(terms.pay_types):
        by_time = [WEEKS_A_YEAR * terms.week_millidays, WEEKS_A_YEAR * week_millihours]
        over = select_first(_kinds(terms.pay_types), [over, *by_time])
    common = np.maximum(np.gcd(over, MONTHS_PER_YEAR * MILLI), 1)
    return Rates(terms.amounts_cents * (over // common), MONTHS_PER_YEAR * MILLI // common)
