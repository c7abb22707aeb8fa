"""The gross rate of pay for a day: the basic rate plus the allowances that belong to it, in full."""

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings.basic_pay import BASIC
from gaji.engine.earnings.other_earnings import full_amount_cents
from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Cents, any_nonzero
from gaji.law.explanation import money
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.pay import rates
from gaji.law.pay.rates import WEEKS_PER_YEAR, PayRates, PayTerms, PayType
from gaji.law.quantities import Millis
from gaji.law.rounding import divide_half_up


class GrossRate(Struct, frozen=True):
    """The components of each employee's gross rate."""

    terms: PayTerms
    """The basic rates. For monthly-rated employees they include the allowances."""
    allowance_cents: Cents
    """The allowances of a period, for daily- and hourly-rated employees."""

    def cents(self, days: Millis) -> Cents:
        """Pay for a number of days at the rate, rounded once to the nearest cent."""
        return self.rates().cents(days)

    def rates(self) -> PayRates:
        """The rates for a day."""
        basic = rates.daily_rates(self.terms)
        if not any_nonzero(self.allowance_cents):
            return basic
        monthly = np.full_like(self.terms.pay_types, PayType.MONTHLY)
        allowances = rates.daily_rates(replace(self.terms, pay_types=monthly, amounts_cents=self.allowance_cents))
        # A divisor of 1 where there are no allowances keeps the products within 64 bits.
        allowances = PayRates(allowances.dividends, np.where(self.allowance_cents == 0, 1, allowances.divisors))
        dividends = basic.dividends * allowances.divisors + allowances.dividends * basic.divisors
        return PayRates(dividends, basic.divisors * allowances.divisors)

    def select(self, index: int) -> "GrossRate":
        """The rate of one employee."""
        rows, terms = slice(index, index + 1), self.terms
        selected = replace(
            terms,
            pay_types=terms.pay_types[rows],
            amounts_cents=terms.amounts_cents[rows],
            cycle_millidays=terms.cycle_millidays[rows],
            day_millihours=terms.day_millihours[rows],
        )
        return GrossRate(selected, self.allowance_cents[rows])

    def month_cents(self) -> Cents:
        """The gross rate of a month for monthly-rated employees, 0 for others."""
        yearly = self.terms.amounts_cents * self.terms.payments_per_year
        return np.where(self.terms.pay_types == PayType.MONTHLY, divide_half_up(yearly, MONTHS_PER_YEAR), 0)

    def expression(self) -> str:
        """The arithmetic expression of the first employee's rate."""
        basic, allowance = rates.daily_expression(self.terms), int(self.allowance_cents[0])
        if not allowance:
            return basic
        days = self.terms.week_days_text()
        return f"({basic} + {self.terms.payments_per_year} × {money(allowance)} ÷ ({WEEKS_PER_YEAR} × {days}))"

    def inputs(self) -> dict[str, str]:
        """The agreed terms of the first employee, for an explanation."""
        terms, allowance = rates.term_inputs(self.terms), int(self.allowance_cents[0])
        if not allowance:
            return terms
        days = self.terms.week_days_text()
        return terms | {"allowances per period": money(allowance), "working days per week": days}


def gross_rates(catalogue: Catalogue, inputs: InputColumns, terms: PayTerms) -> GrossRate:
    """The gross rates of a batch, given its basic rates."""
    allowances = np.zeros(inputs.person_count, dtype=np.int64)
    for name in inputs.names:
        item_type = catalogue.types[name]
        if not item_type.treatment.gross_rate or name == BASIC:
            continue
        if (amounts := full_amount_cents(inputs, item_type)) is not None:
            allowances += np.where(inputs.has_line(name) | inputs.is_recurring(name), amounts, 0)
    monthly_rated = terms.pay_types == PayType.MONTHLY
    with_allowances = terms.amounts_cents + np.where(monthly_rated, allowances, 0)
    return GrossRate(replace(terms, amounts_cents=with_allowances), np.where(monthly_rated, 0, allowances))
