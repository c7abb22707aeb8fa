"""Why allowances, bonuses, days at a rate, and plain amounts are what they are."""

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.earnings import ALLOWANCES
from gaji.engine.earnings.other_earnings import BONUSES, BY_DAYS, PLAIN_AMOUNTS
from gaji.engine.explanations.basic_pay import of_period
from gaji.engine.explanations.common import entered, multiplied, plain
from gaji.law.explanation import Explanation, money, step
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.pay import rates
from gaji.law.pay.rates import WEEKS_PER_YEAR, PayType
from gaji.law.quantities import format_millis


def amount(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """An amount as it was entered."""
    name = "commission_input" if line.name == "commission" else "amount"
    given = int(done.inputs.money_cents(line.name, name)[0])
    rule = "The amount as it was entered."
    return multiplied(
        done, line.name, plain(line.name, given, entered(done, line.name), rule, (step(money(given), given),))
    )


def allowance(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """An amount for the period, less in an incomplete one where that was agreed."""
    if not bool(done.inputs.flag(line.name, "prorate")[0]):
        return amount(done, line)
    told = of_period(done, line.name, int(done.inputs.money_cents(line.name, "amount")[0]))
    return multiplied(done, line.name, told)


def bonus(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """An amount, or so many months of basic salary."""
    if bool(done.inputs.is_entered(line.name, "amount")[0]):
        return amount(done, line)
    months = done.inputs.quantity_millis(line.name, "months")
    given = int(done.basic_pay.month_rates.cents(months)[0])
    sum_ = f"round_cents({_month_expression(done)} × {format_millis(int(months[0]))})"
    told = plain(
        line.name,
        given,
        rates.term_inputs(done.basic_pay.terms) | entered(done, line.name),
        "Months × the basic salary of a month, rounded once to the nearest cent.",
        (step(sum_, given),),
    )
    return multiplied(done, line.name, told)


def by_days(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """An amount, or so many days at the gross rate of pay."""
    if bool(done.inputs.is_entered(line.name, "amount")[0]):
        return amount(done, line)
    return multiplied(done, line.name, days_at_gross_rate(done, line.name))


def days_at_gross_rate(done: CalculationTrace, name: str) -> Explanation:
    """So many days at the gross rate of pay."""
    quantity = done.inputs.quantity_millis(name, "days")
    given = int(done.gross_rate.cents(quantity)[0])
    sum_ = rates.rate_line(done.gross_rate.expression(), format_millis(int(quantity[0])), given)
    inputs = done.gross_rate.inputs() | entered(done, name)
    return plain(name, given, inputs, "Days × the gross rate of a day, rounded once to the nearest cent.", (sum_,))


def _month_expression(done: CalculationTrace) -> str:
    terms = done.basic_pay.terms
    agreed = money(int(terms.amounts_cents[0]))
    match PayType(int(terms.pay_types[0])):
        case PayType.MONTHLY:
            return f"{agreed} × {terms.payments_per_year} ÷ {MONTHS_PER_YEAR}"
        case PayType.DAILY:
            return f"{agreed} × {WEEKS_PER_YEAR} × {format_millis(int(terms.week_millidays[0]))} ÷ {MONTHS_PER_YEAR}"
        case PayType.HOURLY:
            week = format_millis(int(done.attendance.regular_hours.week_millihours[0]))
            return f"{agreed} × {WEEKS_PER_YEAR} × {week} ÷ {MONTHS_PER_YEAR}"


WRITERS = {
    **{one.name: allowance for one in ALLOWANCES},
    **{one.name: bonus for one in BONUSES},
    **{one.name: by_days for one in BY_DAYS},
    **{one.name: amount for one in PLAIN_AMOUNTS},
    "commission": amount,
}
