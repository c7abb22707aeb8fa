"""Payslip lines for days at a daily rate, each rounded once to the nearest cent.

At the basic rate: work on a public holiday (rest days have their own module). At the gross rate: leave encashment,
notice pay and notice shortfall, absence without leave. The amounts in `PayTerms` decide which rate it is.
"""

from enum import Enum

from gaji.law.columns import Cents, single_person
from gaji.law.explanation import Explanation
from gaji.law.pay import rates
from gaji.law.pay.rates import PayTerms, PayType
from gaji.law.quantities import Millis, format_millis, millis


class DayRateItem(Enum):
    """A payslip item with its rule and source."""

    PUBLIC_HOLIDAY_PAY = ("Work on a public holiday earns an extra day's pay at the basic rate.", "s. 88")
    LEAVE_ENCASHMENT = ("Unused annual leave is paid at the gross rate.", "s. 88A")
    NOTICE_PAY = ("Notice that the employer does not give is paid at the gross rate.", "s. 11")
    NOTICE_SHORTFALL = ("Notice that the employee does not give is deducted at the gross rate.", "s. 11")
    ABSENCE = ("A day of absence without leave is deducted at the gross rate.", "s. 28")

    @property
    def rule(self) -> str:
        """The rule in one sentence."""
        return self.value[0]

    @property
    def source(self) -> str:
        """The legal source of the rule."""
        return f"Employment Act 1968, {self.value[1]} and Third Schedule"


def pay_cents(terms: PayTerms, millidays: Millis) -> Cents:
    """The pay of each person for these days at the daily rate."""
    return rates.daily_rates(terms).cents(millidays)


def explain(item: DayRateItem, terms: PayTerms, millidays: int, index: int = 0) -> Explanation:
    """Explain an item of the person at this index."""
    terms = single_person(terms, index)
    amount = int(pay_cents(terms, millis([0]) + millidays)[0])
    return Explanation(
        figure=item.name.lower(),
        amount_cents=amount,
        inputs=rates.term_inputs(terms) | {"days": format_millis(millidays)},
        rule=item.rule,
        source=item.source,
        branch=f"{PayType(int(terms.pay_types[0])).name.lower()}-rated",
        parameters=(),
        arithmetic=(rates.rate_line(rates.daily_expression(terms), format_millis(millidays), amount),),
    )
