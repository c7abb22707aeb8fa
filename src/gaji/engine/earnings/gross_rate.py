"""The gross rate of pay for a day: the basic rate with the allowances that belong to it, in full."""

from dataclasses import dataclass, replace

import numpy as np

from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings.basic_pay import BASIC
from gaji.engine.earnings.other_earnings import full_amount_cents
from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Cents, any_nonzero
from gaji.law.explanation import money
from gaji.law.pay import rates
from gaji.law.pay.rates import WEEKS_PER_YEAR, PayType, PayRates, PayTerms
from gaji.law.quantities import Millis, format_millis


@dataclass(frozen=True)
class GrossRate:
    """What the gross rate of each person is made of."""

    terms: PayTerms
    """The basic rates; of the monthly-rated with the allowances."""
    allowance_cents: Cents
    """Of the daily- and hourly-rated, the allowances of a period."""

    def cents(self, days: Millis) -> Cents:
        """So many days at the rate, rounded once to the nearest cent."""
        own = rates.daily_rates(self.terms)
        if not any_nonzero(self.allowance_cents):
            return own.cents(days)
        monthly = np.full_like(self.terms.pay_types, PayType.MONTHLY)
        beside = rates.daily_rates(replace(self.terms, pay_types=monthly, amounts_cents=self.allowance_cents))
        # Whoever has nothing beside the terms keeps their small divisor, and so the room of 64 bits.
        beside = PayRates(beside.dividends, np.where(self.allowance_cents == 0, 1, beside.divisors))
        both = own.dividends * beside.divisors + beside.dividends * own.divisors
        return PayRates(both, own.divisors * beside.divisors).cents(days)

    def expression(self) -> str:
        """The rate of the first person, as a sum that is not yet worked out."""
        own, beside = rates.daily_expression(self.terms), int(self.allowance_cents[0])
        if not beside:
            return own
        days = format_millis(int(self.terms.week_millidays[0]))
        return f"({own} + {self.terms.payments_per_year} × {money(beside)} ÷ ({WEEKS_PER_YEAR} × {days}))"

    def inputs(self) -> dict[str, str]:
        """What was agreed with the first person, for an explanation."""
        agreed, beside = rates.term_inputs(self.terms), int(self.allowance_cents[0])
        if not beside:
            return agreed
        days = format_millis(int(self.terms.week_millidays[0]))
        return agreed | {"allowances of a period": money(beside), "working days a week": days}


def gross_rates(catalogue: Catalogue, inputs: InputColumns, terms: PayTerms) -> GrossRate:
    """The gross rates of a batch, given its basic rates."""
    extra = np.zeros(inputs.person_count, dtype=np.int64)
    for name in inputs.names:
        one = catalogue.types[name]
        if one.treatment.gross_rate and name != BASIC and (amounts := full_amount_cents(inputs, one)) is not None:
            extra += np.where(inputs.has_line(name) | inputs.is_recurring(name), amounts, 0)
    monthly_rated = terms.pay_types == PayType.MONTHLY
    with_basic = terms.amounts_cents + np.where(monthly_rated, extra, 0)
    return GrossRate(replace(terms, amounts_cents=with_basic), np.where(monthly_rated, 0, extra))
