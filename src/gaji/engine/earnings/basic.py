"""The basic salary with its further lines, and the basic rates of pay."""

from dataclasses import dataclass

import numpy as np

from gaji.engine.catalogue import SYSTEM
from gaji.engine.earnings.amounts import Amounts, times_multiplier
from gaji.engine.inputs import Inputs
from gaji.engine.presence import Presence
from gaji.engine.regular_hours import RegularHours
from gaji.law.columns import Cents, Codes, Flags, being, chosen
from gaji.law.months import MONTHS_A_YEAR, Month
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
        return being(self.terms.pay_types, PayType.MONTHLY)


def pay(inputs: Inputs, presence: Presence, groups: Codes, pays_a_year: int) -> Pay:
    """What was agreed with each person of a batch."""
    regular = presence.regular_hours
    terms = basic_terms(inputs, regular, pays_a_year)
    amounts = terms.amounts_cents
    kinds = [being(terms.pay_types, kind) for kind in PayType]
    month = _month(terms, regular.week_millihours)
    entered = chosen(kinds[1:], [inputs.given(BASIC, name) for name in ("days_input", "hours_input")], False)
    quantity = chosen(
        [entered & kinds[1], entered & kinds[2], kinds[1] & ~regular.casual, kinds[2] & ~regular.casual],
        [
            inputs.quantity(BASIC, "days_input"),
            inputs.quantity(BASIC, "hours_input"),
            presence.served_millidays,
            presence.regular_millihours() if kinds[2].any() else np.zeros_like(amounts),
        ],
        0,
    )
    a_month = np.full_like(amounts, MILLI)
    return Pay(terms, Standing(groups, month.cents(a_month)), month, quantity, entered)


def basic_terms(inputs: Inputs, regular: RegularHours, pays_a_year: int) -> Terms:
    """The basic rates of a batch."""
    pay_types = inputs.choice(BASIC, PAY_TYPE)
    kinds = [being(pay_types, kind) for kind in PayType]
    amounts = chosen(kinds, [inputs.money(BASIC, name) for name in ("fixed_amount", "daily_rate", "hourly_rate")])
    return Terms(pay_types, amounts, regular.week_millidays, regular.day_millihours, pays_a_year)


def basic_lines(law: PayParameters, month: Month, inputs: Inputs, presence: Presence, agreed: Pay) -> Amounts:
    """The basic salary, overtime, rest day and public holiday pay."""
    salary = presence.pay_cents(agreed.terms.amounts_cents)
    if not agreed.monthly_rated.all():
        salary = np.where(agreed.monthly_rated, salary, _by_quantity(agreed))
    lines = {BASIC: times_multiplier(inputs, BASIC, salary)}
    if (hours := _beyond(inputs, "overtime_hours_input")).any():
        lines["overtime"] = overtime.pay_cents(law, month, agreed.terms, agreed.standing, hours)
    employer, employee = (_beyond(inputs, f"rest_day_{who}_days") for who in ("employer", "employee"))
    if (employer + employee).any():
        lines["rest_day_pay"] = rest_days.pay_cents(law, month, agreed.terms, employer, employee)
    if (holidays := _beyond(inputs, "public_holiday_days")).any():
        lines["public_holiday_pay"] = days_at_rate.pay_cents(agreed.terms, holidays)
    return lines


def _beyond(inputs: Inputs, one: str) -> Millis:
    """Hours or days beyond the contract; none where the basic salary is left out of the payslip."""
    return np.where(inputs.shows(BASIC), inputs.quantity(BASIC, one), 0)


def _by_quantity(agreed: Pay) -> Cents:
    quantity = np.where(agreed.monthly_rated, 0, agreed.quantity)
    return share_cents(agreed.terms.amounts_cents, quantity, np.full_like(quantity, MILLI))


def _month(terms: Terms, week_millihours: Millis) -> Rates:
    """The basic salary of a month: a period's × periods a year ÷ 12, or a day's or hour's × those of 52 weeks ÷ 12."""
    kinds = [being(terms.pay_types, kind) for kind in PayType]
    over = chosen(
        kinds,
        [
            np.full_like(week_millihours, terms.pays_a_year * MILLI),
            WEEKS_A_YEAR * terms.week_millidays,
            WEEKS_A_YEAR * week_millihours,
        ],
    )
    common = np.maximum(np.gcd(over, MONTHS_A_YEAR * MILLI), 1)
    return Rates(terms.amounts_cents * (over // common), np.full_like(over, MONTHS_A_YEAR * MILLI) // common)
