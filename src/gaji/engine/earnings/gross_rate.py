"""The gross rate of pay for a day: the basic rate with the allowances that belong to it, in full."""

from dataclasses import dataclass, replace

import numpy as np

from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings.basic_pay import BASIC
from gaji.engine.earnings.other_earnings import steady_cents
from gaji.engine.input_columns import Inputs
from gaji.law.columns import Cents, any_nonzero
from gaji.law.explanation import money
from gaji.law.pay import rates
from gaji.law.pay.rates import WEEKS_A_YEAR, PayType, Rates, Terms
from gaji.law.quantities import Millis, number


@dataclass(frozen=True)
class GrossRate:
    """What the gross rate of each person is made of."""

    terms: Terms
    """The basic rates; of the monthly-rated with the allowances."""
    beside_cents: Cents
    """Of the daily- and hourly-rated, the allowances of a period."""

    def cents(self, days: Millis) -> Cents:
        """So many days at the rate, rounded once to the nearest cent."""
        own = rates.daily(self.terms)
        if not any_nonzero(self.beside_cents):
            return own.cents(days)
        monthly = np.full_like(self.terms.pay_types, PayType.MONTHLY)
        beside = rates.daily(replace(self.terms, pay_types=monthly, amounts_cents=self.beside_cents))
        # Whoever has nothing beside the terms keeps their small divisor, and so the room of 64 bits.
        beside = Rates(beside.dividends, np.where(self.beside_cents == 0, 1, beside.divisors))
        both = own.dividends * beside.divisors + beside.dividends * own.divisors
        return Rates(both, own.divisors * beside.divisors).cents(days)

    def expression(self) -> str:
        """The rate of the first person, as a sum that is not yet worked out."""
        own, beside = rates.daily_expression(self.terms), int(self.beside_cents[0])
        if not beside:
            return own
        days = number(int(self.terms.week_millidays[0]))
        return f"({own} + {self.terms.pays_a_year} × {money(beside)} ÷ ({WEEKS_A_YEAR} × {days}))"

    def inputs(self) -> dict[str, str]:
        """What was agreed with the first person, for an explanation."""
        agreed, beside = rates.inputs(self.terms), int(self.beside_cents[0])
        if not beside:
            return agreed
        days = number(int(self.terms.week_millidays[0]))
        return agreed | {"allowances of a period": money(beside), "working days a week": days}


def gross_rate(catalogue: Catalogue, inputs: Inputs, terms: Terms) -> GrossRate:
    """The gross rates of a batch, given its basic rates."""
    extra = np.zeros(inputs.people, dtype=np.int64)
    for name in inputs.names:
        one = catalogue.types[name]
        if one.treatment.gross_rate and name != BASIC and (amounts := steady_cents(inputs, one)) is not None:
            extra += np.where(inputs.shows(name) | inputs.recurs(name), amounts, 0)
    monthly_rated = terms.pay_types == PayType.MONTHLY
    with_basic = terms.amounts_cents + np.where(monthly_rated, extra, 0)
    return GrossRate(replace(terms, amounts_cents=with_basic), np.where(monthly_rated, 0, extra))
