"""Explanations of arrears and corrections: what each finalised period paid, what was due, and the rule.

A line that also has an amount of the payslip's own period is explained by that amount first. Each period then has one
step, and the last step is the sum.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings import ABSENCES, CORRECTED_PAY, arrears_line
from gaji.engine.past_months import EMPLOYEE_SHARE, EMPLOYER_SHARE, employee_share_cents, recovered_share_cents
from gaji.engine.payslip_input import MISSED, ItemDifference, PastDifference
from gaji.law.explanation import Explanation, money, step
from gaji.law.months import Month
from gaji.law.phrases import Phrase, PhrasePart
from gaji.law.reasons import Difference, FullAmount, Reason, amount_sum

DECIDED_LATER_RULE = (
    "An increment that was decided later and dated back: the difference of each finalised period is an additional wage "
    "of the month in which it is paid. Its year of income is that of the period."
)
DECIDED_LATER_SOURCE = "CPF Board, retrospective salary increments; IRAS, amend submitted records"
MISSED_RULE = (
    "Pay that was due and missed belongs to the month it is for: the difference of each finalised period has the "
    "contributions of that month. Its year of income is that of the period."
)
MISSED_SOURCE = "CPF Board, retrospective salary increments (paid late by mistake); IRAS, amend submitted records"
CONTRIBUTION_RULE = "The difference of an earlier month is contributed for that month, at its rates."
SHARE_RULE = (
    "An employer who failed to deduct the employee's share can take it from the arrears of the same period only, "
    "unless the employee agrees to more; the employer pays the rest."
)
SHARE_SOURCE = "CPF Act 1953, s. 7; CPF Board, recovery of the employee's share"
OVERPAID_RULE = "Wages that a finalised period paid too much are recovered."
OVERPAID_SOURCE = "Employment Act 1968, s. 27(1)(f)"


@dataclass(frozen=True)
class PastAmount:
    """One amount of a finalised period on a line, as a step of arithmetic."""

    expression: str
    cents: int
    inputs: dict[str, str]
    rule: str
    source: str
    reason: Reason | None = None
    """The reason of the amount if it is the only one of the line."""


def past_amounts(trace: CalculationTrace, name: str) -> list[PastAmount]:
    """The amounts of finalised periods on a line of the payslip."""
    return [
        amount
        for difference in trace.payslips[0].past_differences
        for amount in _amounts_of(trace.catalogue, difference, name)
    ]


def add_past_amounts(explanation: Explanation | None, name: str, amounts: list[PastAmount]) -> Explanation:
    """Add amounts of finalised periods to the explanation of a line's own amount, which is None if it has none."""
    base = explanation or Explanation(name, 0, {}, "", "", "", (), ())
    terms = [amount.cents for amount in amounts]
    terms = [base.amount_cents, *terms] if base.arithmetic else terms
    steps = [step(amount.expression, amount.cents) for amount in amounts]
    reason = amounts[0].reason if len(terms) == 1 else amount_sum(terms)
    if len(terms) > 1:
        steps.append(step(" + ".join(money(cents) for cents in terms), sum(terms)))
    inputs = dict(base.inputs)
    for amount in amounts:
        inputs |= amount.inputs
    return replace(
        base,
        amount_cents=sum(terms),
        inputs=inputs,
        rule=" ".join(dict.fromkeys(filter(None, (base.rule, *(amount.rule for amount in amounts))))),
        source="; ".join(dict.fromkeys(filter(None, (base.source, *(amount.source for amount in amounts))))),
        arithmetic=(*base.arithmetic, *steps),
        reason=reason,
        deciding=(),
    )


def overpaid_steps(trace: CalculationTrace) -> list[PastAmount]:
    """The wages that finalised periods paid too much."""
    return [
        PastAmount(
            f"0.00 − ({_sum(difference)})",
            -difference.total_cents,
            _item_inputs(trace.catalogue, difference),
            OVERPAID_RULE,
            OVERPAID_SOURCE,
            FullAmount(-difference.total_cents),
        )
        for difference in trace.payslips[0].past_differences
        if difference.treatment == MISSED and difference.total_cents < 0
    ]


def difference_steps(difference: PastDifference) -> list[str]:
    """The arithmetic of a difference's effect on pay, and of the wages and contributions of its months."""
    steps = [step(_effect(item, amount), amount.accepted) for item, amount in difference.items.items()]
    if len(steps) > 1:
        terms = " + ".join(money(amount.accepted) for amount in difference.items.values())
        steps.append(step(terms, difference.total_cents))
    for figures in difference.months.values():
        for figure in figures.values():
            steps.append(step(_figure_effect(figure), figure.accepted))
    return steps


def _figure_effect(figure: ItemDifference) -> str:
    """The difference of a figure. Contributions are reduced only as far as another payslip of the month has more."""
    expression = f"{money(figure.due)} − {money(figure.paid)}"
    if figure.due - figure.paid == figure.accepted:
        return expression
    return f"max({expression}, 0.00)" if figure.accepted == 0 else money(figure.accepted)


def _amounts_of(catalogue: Catalogue, difference: PastDifference, name: str) -> Iterator[PastAmount]:
    if difference.treatment != MISSED:
        yield from _decided_later(catalogue, difference, name)
    elif name == CORRECTED_PAY:
        if (total := difference.total_cents) > 0:
            inputs = _item_inputs(catalogue, difference)
            expression, reason = _sum(difference), _sum_reason(difference)
            yield PastAmount(expression, total, inputs, MISSED_RULE, MISSED_SOURCE, reason)
    else:
        yield from _contributions(difference, name)


def _decided_later(catalogue: Catalogue, difference: PastDifference, name: str) -> Iterator[PastAmount]:
    for item, amount in difference.items.items():
        if arrears_line(catalogue, item) == name:
            inputs = _inputs(_label(catalogue, difference, item), amount)
            expression, reason = _effect(item, amount), _effect_reason(item, amount)
            yield PastAmount(expression, amount.accepted, inputs, DECIDED_LATER_RULE, DECIDED_LATER_SOURCE, reason)


def _contributions(difference: PastDifference, name: str) -> Iterator[PastAmount]:
    figure = "levy" if name == "foreign_worker_levy" else name
    for month, figures in difference.months.items():
        if figure in figures and (amount := figures[figure]).accepted:
            inputs = _inputs((Month.parse(month), ": ", figure), amount)
            yield PastAmount(_effect(name, amount), amount.accepted, inputs, CONTRIBUTION_RULE, MISSED_SOURCE)
    share, recovered = employee_share_cents(difference), recovered_share_cents(difference)
    if share != recovered and name in (EMPLOYEE_SHARE, EMPLOYER_SHARE):
        arrears = max(difference.total_cents, 0)
        sign = -1 if name == EMPLOYEE_SHARE else 1
        expression = f"max({money(share)} − {money(arrears)}, 0.00)"
        expression = f"0.00 − {expression}" if sign < 0 else expression
        yield PastAmount(expression, sign * (share - recovered), {}, SHARE_RULE, SHARE_SOURCE)


def _effect(item: str, amount: ItemDifference) -> str:
    """The difference of an item, or the agreed amount instead."""
    first, second = _effect_cents(item, amount)
    return f"{money(first)} − {money(second)}" if first - second == amount.accepted else money(amount.accepted)


def _effect_reason(item: str, amount: ItemDifference) -> Reason:
    first, second = _effect_cents(item, amount)
    if first - second != amount.accepted:
        return FullAmount(amount.accepted)
    return Difference(Fraction(first), Fraction(second))


def _effect_cents(item: str, amount: ItemDifference) -> tuple[int, int]:
    """What was due and what was paid. More of an absence means less pay."""
    return (amount.paid, amount.due) if item in ABSENCES else (amount.due, amount.paid)


def _sum(difference: PastDifference) -> str:
    return " + ".join(_effect(item, amount) for item, amount in difference.items.items())


def _sum_reason(difference: PastDifference) -> Reason:
    items = list(difference.items.items())
    if len(items) == 1:
        return _effect_reason(*items[0])
    return amount_sum([amount.accepted for _, amount in items])


def _item_inputs(catalogue: Catalogue, difference: PastDifference) -> dict[str, str]:
    inputs: dict[str, str] = {}
    for item, amount in difference.items.items():
        inputs |= _inputs(_label(catalogue, difference, item), amount)
    return inputs


def _label(catalogue: Catalogue, difference: PastDifference, item: str) -> tuple[PhrasePart, ...]:
    line = catalogue.lines.get(item)
    return difference.start, " to ", difference.end, f": {line.caption if line else item}"


def _inputs(label: tuple[PhrasePart, ...], amount: ItemDifference) -> dict[str, str]:
    return {Phrase(*label, " paid"): money(amount.paid), Phrase(*label, " due"): money(amount.due)}
