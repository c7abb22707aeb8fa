"""Why the amount of a custom item is what it is."""

from fractions import Fraction

from gaji.engine import formulas
from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.explanations.common import entered, multiplied, plain
from gaji.engine.formulas import Reference
from gaji.law.explanation import Explanation, money, step


def custom_item(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """The item's formula with the numbers of this payslip."""
    formula = done.custom_items.formulas[line.name]
    values = done.custom_items.values(line.name, done.inputs, done.earnings | done.custom_amounts)
    numbers: dict[Reference, Fraction] = {reference: one.number(0) for reference, one in values.items()}
    result = int(formulas.evaluate(formula, values, person_count=1).amount_cents[0])
    amount = max(result, 0)
    below = (step(f"max({money(result)}, 0.00)", amount),) if result < 0 else ()
    told = plain(
        line.name,
        amount,
        entered(done, line.name) | {_name(one): str(values[one].number(0)) for one in values},
        f"{formula.text}, rounded once to the nearest cent.",
        (*formulas.arithmetic(formula, numbers, result), *below),
        "; ".join(formulas.branches(formula, numbers)),
    )
    return multiplied(done, line.name, told)


def _name(reference: Reference) -> str:
    return ".".join(part for part in (reference.calculation, reference.input) if part)
