"""Explanations of allowances, bonuses, days at the gross rate, and plain amounts."""

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.earnings import ALLOWANCES
from gaji.engine.earnings.other_earnings import BONUSES, BY_DAYS, PLAIN_AMOUNTS, is_prorated
from gaji.engine.explanations.basic_pay import explain_period_amount
from gaji.engine.explanations.common import contract_explanation, entered_inputs, with_multiplier
from gaji.engine.explanations.dated_pay import dated_pay, explain_dated_pay
from gaji.law.explanation import Explanation, money, step
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.pay import rates
from gaji.law.pay.rates import WEEKS_PER_YEAR, PayType
from gaji.law.quantities import format_millis
from gaji.law.reasons import FullAmount, Unit


def explain_amount(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain an amount as entered."""
    input_name = "commission_input" if line.name == "commission" else "amount"
    amount = int(trace.inputs.money_cents(line.name, input_name)[0])
    explanation = contract_explanation(
        line.name,
        amount,
        entered_inputs(trace, line.name),
        "The amount as entered.",
        (step(money(amount), amount),),
        reason=FullAmount(amount),
    )
    return with_multiplier(trace, line.name, explanation)


def explain_allowance(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain an allowance, prorated in an incomplete period if so agreed."""
    if (pay := dated_pay(trace, line.name)) is not None:
        return explain_dated_pay(trace, line.name, pay)
    if not bool(is_prorated(trace.inputs, trace.basic_pay, trace.catalogue.types[line.name])[0]):
        return explain_amount(trace, line)
    amount = int(trace.inputs.money_cents(line.name, "amount")[0])
    return with_multiplier(trace, line.name, explain_period_amount(trace, line.name, amount))


def explain_bonus(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain an amount, or months of basic salary."""
    if bool(trace.inputs.is_entered(line.name, "amount")[0]):
        return explain_amount(trace, line)
    months = trace.inputs.quantity_millis(line.name, "months")
    amount = int(trace.basic_pay.month_rates.cents(months)[0])
    expression = f"round_cents({_month_expression(trace)} × {format_millis(int(months[0]))})"
    explanation = contract_explanation(
        line.name,
        amount,
        rates.term_inputs(trace.basic_pay.terms) | entered_inputs(trace, line.name),
        "Months × the basic salary of a month, rounded once to the nearest cent.",
        (step(expression, amount),),
        reason=rates.units_reason(trace.basic_pay.month_rates, Unit.MONTH, int(months[0])),
    )
    return with_multiplier(trace, line.name, explanation)


def explain_by_days(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain an amount, or days at the gross rate of pay."""
    if bool(trace.inputs.is_entered(line.name, "amount")[0]):
        return explain_amount(trace, line)
    return with_multiplier(trace, line.name, explain_days_at_gross_rate(trace, line.name))


def explain_days_at_gross_rate(trace: CalculationTrace, name: str) -> Explanation:
    """Explain days at the gross rate of pay."""
    days = trace.inputs.quantity_millis(name, "days")
    amount = int(trace.gross_rate.cents(days)[0])
    return contract_explanation(
        name,
        amount,
        trace.gross_rate.inputs() | entered_inputs(trace, name),
        "Days × the gross rate of pay for a day, rounded once to the nearest cent.",
        (rates.rate_line(trace.gross_rate.expression(), format_millis(int(days[0])), amount),),
        reason=rates.units_reason(trace.gross_rate.rates(), Unit.DAY, int(days[0])),
    )


def _month_expression(trace: CalculationTrace) -> str:
    terms = trace.basic_pay.terms
    amount = money(int(terms.amounts_cents[0]))
    match PayType(int(terms.pay_types[0])):
        case PayType.MONTHLY:
            return f"{amount} × {terms.payments_per_year} ÷ {MONTHS_PER_YEAR}"
        case PayType.DAILY:
            return f"{amount} × {WEEKS_PER_YEAR} × {terms.week_days_text()} ÷ {MONTHS_PER_YEAR}"
        case PayType.HOURLY:
            hours = trace.attendance.regular_hours.week_hours_text()
            return f"{amount} × {WEEKS_PER_YEAR} × {hours} ÷ {MONTHS_PER_YEAR}"


EXPLAINERS = {
    **{item_type.name: explain_allowance for item_type in ALLOWANCES},
    **{item_type.name: explain_bonus for item_type in BONUSES},
    **{item_type.name: explain_by_days for item_type in BY_DAYS},
    **{item_type.name: explain_amount for item_type in PLAIN_AMOUNTS},
    "commission": explain_amount,
}
