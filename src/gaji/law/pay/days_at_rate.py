"""Lines that pay or take whole or part days at a daily rate, each rounded once to the nearest cent.

At the basic rate: work on a public holiday (rest days have a module of their own). At the gross rate: encashed leave,
notice paid or short, absence without leave. The amounts of the `Terms` say which of the two it is.
"""

from enum import Enum

from gaji.law.columns import Cents, single_person
from gaji.law.explanation import Explanation
from gaji.law.pay import rates
from gaji.law.pay.rates import PayTerms, PayType
from gaji.law.quantities import Millis, format_millis, millis


class DayRateItem(Enum):
    """A line, under the name of its payslip item: its rule and its source."""

    PUBLIC_HOLIDAY_PAY = ("Work on a public holiday brings an extra day at the basic rate.", "s. 88")
    LEAVE_ENCASHMENT = ("Annual leave that was not taken is paid at the gross rate.", "s. 88A")
    NOTICE_PAY = ("Notice that is not given is paid at the gross rate.", "s. 11")
    NOTICE_SHORTFALL = ("Notice that the employee did not give is owed at the gross rate.", "s. 11")
    ABSENCE = ("A day of absence without leave takes a day at the gross rate.", "s. 28")

    @property
    def rule(self) -> str:
        """The rule in a sentence."""
        return self.value[0]

    @property
    def source(self) -> str:
        """The law that it comes from."""
        return f"Employment Act 1968, {self.value[1]} and Third Schedule"


def pay_cents(terms: PayTerms, millidays: Millis) -> Cents:
    """So many days at the daily rate of each person."""
    return rates.daily_rates(terms).cents(millidays)


def explain(line: DayRateItem, terms: PayTerms, millidays: int, index: int = 0) -> Explanation:
    """How a line of the person at this place came about."""
    terms = single_person(terms, index)
    amount = int(pay_cents(terms, millis([0]) + millidays)[0])
    return Explanation(
        figure=line.name.lower(),
        amount_cents=amount,
        inputs=rates.term_inputs(terms) | {"days": format_millis(millidays)},
        rule=line.rule,
        source=line.source,
        branch=f"{PayType(int(terms.pay_types[0])).name.lower()}-rated",
        parameters=(),
        arithmetic=(rates.rate_line(rates.daily_expression(terms), format_millis(millidays), amount),),
    )
