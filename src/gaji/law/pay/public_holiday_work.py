"""Work on a public holiday (Employment Act 1968, s. 88): an extra day's pay at the basic rate.

The calendar of public holidays is `gaji.law.holidays`.
"""

from gaji.law.columns import Cents, single_person
from gaji.law.explanation import Explanation
from gaji.law.pay import rates
from gaji.law.pay.rates import PayTerms, PayType
from gaji.law.quantities import Millis, format_millis, millis
from gaji.law.reasons import Unit

ACT = "Employment Act 1968, s. 88 and Third Schedule"


def pay_cents(terms: PayTerms, millidays: Millis) -> Cents:
    """The pay of each person for the public holidays worked, rounded once to the nearest cent."""
    return rates.daily_rates(terms).cents(millidays)


def explain(terms: PayTerms, millidays: int, index: int = 0) -> Explanation:
    """Explain the public holiday pay of the person at this index."""
    terms = single_person(terms, index)
    amount = int(pay_cents(terms, millis([0]) + millidays)[0])
    return Explanation(
        figure="public_holiday_pay",
        amount_cents=amount,
        inputs=rates.term_inputs(terms) | {"days": format_millis(millidays)},
        rule="Work on a public holiday earns an extra day's pay at the basic rate.",
        source=ACT,
        branch=f"{PayType(int(terms.pay_types[0])).name.lower()}-rated",
        parameters=(),
        arithmetic=(rates.rate_line(rates.daily_expression(terms), format_millis(millidays), amount),),
        reason=rates.units_reason(rates.daily_rates(terms), Unit.DAY, millidays),
    )
