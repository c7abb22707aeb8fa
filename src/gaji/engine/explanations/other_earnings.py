"""Why allowances, bonuses, days at a rate, and plain amounts are what they are."""

from gaji.engine.batch import Workings
from gaji.engine.catalogue import Line
from gaji.engine.earnings import ALLOWANCES
from gaji.engine.earnings.other_earnings import BONUSES, BY_DAYS, PLAIN
from gaji.engine.explanations.basic_pay import of_period
from gaji.engine.explanations.common import entered, multiplied, plain
from gaji.law.explanation import Explanation, money, step
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.pay import rates
from gaji.law.pay.rates import WEEKS_A_YEAR, PayType
from gaji.law.quantities import number


def amount(done: Workings, line: Line) -> Explanation:
    """An amount as it was entered."""
    name = "commission_input" if line.name == "commission" else "amount"
    given = int(done.inputs.money(line.name, name)[0])
    rule = "The amount as it was entered."
    return multiplied(
        done, line.name, plain(line.name, given, entered(done, line.name), rule, (step(money(given), given),))
    )


def allowance(done: Workings, line: Line) -> Explanation:
    """An amount for the period, less in an incomplete one where that was agreed."""
    if not bool(done.inputs.flag(line.name, "prorate")[0]):
        return amount(done, line)
    told = of_period(done, line.name, int(done.inputs.money(line.name, "amount")[0]))
    return multiplied(done, line.name, told)


def bonus(done: Workings, line: Line) -> Explanation:
    """An amount, or so many months of basic salary."""
    if bool(done.inputs.given(line.name, "amount")[0]):
        return amount(done, line)
    months = done.inputs.quantity(line.name, "months")
    given = int(done.agreed.month.cents(months)[0])
    sum_ = f"round_cents({_month_expression(done)} × {number(int(months[0]))})"
    told = plain(
        line.name,
        given,
        rates.inputs(done.agreed.terms) | entered(done, line.name),
        "Months × the basic salary of a month, rounded once to the nearest cent.",
        (step(sum_, given),),
    )
    return multiplied(done, line.name, told)


def by_days(done: Workings, line: Line) -> Explanation:
    """An amount, or so many days at the gross rate of pay."""
    if bool(done.inputs.given(line.name, "amount")[0]):
        return amount(done, line)
    return multiplied(done, line.name, days_at_gross_rate(done, line.name))


def days_at_gross_rate(done: Workings, name: str) -> Explanation:
    """So many days at the gross rate of pay."""
    quantity = done.inputs.quantity(name, "days")
    given = int(done.gross.cents(quantity)[0])
    sum_ = rates.line(done.gross.expression(), number(int(quantity[0])), given)
    inputs = done.gross.inputs() | entered(done, name)
    return plain(name, given, inputs, "Days × the gross rate of a day, rounded once to the nearest cent.", (sum_,))


def _month_expression(done: Workings) -> str:
    terms = done.agreed.terms
    agreed = money(int(terms.amounts_cents[0]))
    match PayType(int(terms.pay_types[0])):
        case PayType.MONTHLY:
            return f"{agreed} × {terms.pays_a_year} ÷ {MONTHS_PER_YEAR}"
        case PayType.DAILY:
            return f"{agreed} × {WEEKS_A_YEAR} × {number(int(terms.week_millidays[0]))} ÷ {MONTHS_PER_YEAR}"
        case PayType.HOURLY:
            week = number(int(done.presence.regular_hours.week_millihours[0]))
            return f"{agreed} × {WEEKS_A_YEAR} × {week} ÷ {MONTHS_PER_YEAR}"


WRITERS = {
    **{one.name: allowance for one in ALLOWANCES},
    **{one.name: bonus for one in BONUSES},
    **{one.name: by_days for one in BY_DAYS},
    **{one.name: amount for one in PLAIN},
    "commission": amount,
}
