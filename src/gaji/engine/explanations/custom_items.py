"""Explanations of custom items."""

from decimal import Decimal
from fractions import Fraction

from gaji.engine import formulas
from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.earnings.other_earnings import full_amount_cents, is_prorated
from gaji.engine.explanations.basic_pay import explain_period_amount
from gaji.engine.explanations.common import contract_explanation, entered_inputs, with_multiplier
from gaji.engine.explanations.dated_pay import dated_pay, explain_dated_pay
from gaji.engine.formulas import Reference
from gaji.law.explanation import Explanation, money, step


def explain_custom_item(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain an item by its formula with the numbers of this payslip, or as a prorated amount."""
    if (pay := dated_pay(trace, line.name)) is not None:
        return explain_dated_pay(trace, line.name, pay)
    item_type = trace.catalogue.types[line.name]
    if item_type.prorated_by_default and bool(is_prorated(trace.inputs, trace.basic_pay, item_type)[0]):
        full_amount = full_amount_cents(trace.inputs, item_type)
        amount = 0 if full_amount is None else int(full_amount[0])
        return with_multiplier(trace, line.name, explain_period_amount(trace, line.name, amount))
    formula = trace.custom_items.formulas[line.name]
    values = trace.custom_items.values(line.name, trace.inputs, trace.earnings | trace.custom_amounts)
    numbers: dict[Reference, Fraction] = {reference: column.number(0) for reference, column in values.items()}
    result = int(formulas.evaluate(formula, values, person_count=1).amount_cents[0])
    amount = max(result, 0)
    not_negative = (step(f"max({money(result)}, 0.00)", amount),) if result < 0 else ()
    explanation = contract_explanation(
        line.name,
        amount,
        # An input that was entered is shown as it was entered: a rate of "18.00" instead of the number 18.
        {_reference_text(reference): _number_text(number) for reference, number in numbers.items()}
        | entered_inputs(trace, line.name),
        f"{formula.text}, rounded once to the nearest cent.",
        (*formulas.arithmetic(formula, numbers, result), *not_negative),
        "; ".join(formulas.branches(formula, numbers)),
        formulas.reason(formula, numbers),
    )
    return with_multiplier(trace, line.name, explanation)


def _reference_text(reference: Reference) -> str:
    return ".".join(part for part in (reference.calculation, reference.input) if part)


def _number_text(number: Fraction) -> str:
    """Return a number in decimals. Amounts and quantities have at most three.

    >>> _number_text(Fraction(93, 2)), _number_text(Fraction(7))
    ('46.5', '7')
    """
    return f"{(Decimal(number.numerator) / number.denominator).normalize():f}"
