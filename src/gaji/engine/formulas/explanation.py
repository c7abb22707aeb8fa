"""Explain the amount of one employee: the formula with its names replaced by numbers.

The lines are in the notation of `gaji.law.explanation`. An `if` appears as the branch that was taken. The comparison
that decided is listed separately by `branches`, because the notation has no comparisons.
"""

from collections.abc import Iterator
from fractions import Fraction

from gaji.engine.formulas.scalar_evaluation import Numbers, branch_taken, evaluate_node, is_true, round_to_places
from gaji.engine.formulas.syntax_tree import (
    CENT_PLACES,
    BinaryOperation,
    Comparison,
    Conditional,
    Formula,
    MinMax,
    NameNode,
    Negation,
    Node,
    NumberLiteral,
    Rounding,
)
from gaji.engine.formulas.tokenizer import MAX_DECIMALS
from gaji.engine.money import MAX_CENTS
from gaji.law.explanation import money, step
from gaji.law.rounding import CENTS_PER_DOLLAR

# Operator precedence. An expression with a lower precedence than its context requires is put in brackets.
MINUS, SUM, PRODUCT, SINGLE = range(4)
OPERATIONS = {
    "+": ("+", SUM, MINUS, PRODUCT),
    "-": ("−", SUM, MINUS, PRODUCT),
    "*": ("×", PRODUCT, PRODUCT, SINGLE),
    "/": ("÷", PRODUCT, PRODUCT, SINGLE),
}
"""The sign of each operator, its precedence, and the precedence required of its left and right operand."""

Expression = tuple[str, int]
"""The text of an expression, and its precedence."""


def arithmetic(formula: Formula, numbers: Numbers, amount_cents: int) -> tuple[str, ...]:
    """The lines of arithmetic that give the amount. Raises ValueError if the formula gives a different amount.

    If the formula divides by zero or its result is out of range, there is no arithmetic and the amount is 0.
    """
    exact = exact_value(formula, numbers)
    result_cents = 0 if exact is None else int(round_to_places(exact, CENT_PLACES) * CENTS_PER_DOLLAR)
    if result_cents != amount_cents:
        raise ValueError(f"the formula gives {money(result_cents)}, not {money(amount_cents)}")
    if exact is None:
        return (step(money(0), 0),)
    expression = _format_node(formula.tree, numbers)
    has_whole_cents = exact == Fraction(amount_cents, CENTS_PER_DOLLAR)
    return (step(expression if has_whole_cents else f"round_cents({expression})", amount_cents),)


def branches(formula: Formula, numbers: Numbers) -> tuple[str, ...]:
    """The comparisons that decided, in order, and the reason if there is no amount."""
    comparisons = []
    try:
        for conditional in _decided_conditionals(formula.tree, numbers):
            comparisons.append(_format_comparison(conditional.condition, numbers))
        exact = evaluate_node(formula.tree, numbers)
    except ZeroDivisionError:
        return (*comparisons, "the formula divides by zero, so the amount is 0.00")
    if _is_out_of_range(exact):
        return (*comparisons, "the result is out of range, so the amount is 0.00")
    return tuple(comparisons)


def exact_value(formula: Formula, numbers: Numbers) -> Fraction | None:
    """The value before rounding. None if the formula divides by zero or its result is out of range."""
    try:
        exact = evaluate_node(formula.tree, numbers)
    except ZeroDivisionError:
        return None
    return None if _is_out_of_range(exact) else exact


def _is_out_of_range(exact: Fraction) -> bool:
    return abs(round_to_places(exact, CENT_PLACES)) * CENTS_PER_DOLLAR > MAX_CENTS


def _format_node(node: Node, numbers: Numbers, required: int = MINUS) -> str:
    """The expression of a node, in brackets if its precedence is below the required one."""
    match node:
        case Conditional():
            return _format_node(branch_taken(node, numbers), numbers, required)
        case NumberLiteral():
            expression, precedence = node.text, SINGLE
        case NameNode():
            expression, precedence = _format_number(numbers[node.reference])
        case Negation():
            expression, precedence = f"−{_format_node(node.operand, numbers, SINGLE)}", MINUS
        case BinaryOperation():
            sign, precedence, left, right = OPERATIONS[node.operator]
            expression = f"{_format_node(node.left, numbers, left)} {sign} {_format_node(node.right, numbers, right)}"
        case MinMax():
            arguments = ", ".join([_format_node(argument, numbers) for argument in node.arguments])
            expression, precedence = f"{node.function}({arguments})", SINGLE
        case Rounding():
            expression, precedence = _format_rounding(node, numbers)
    return expression if precedence >= required else f"({expression})"


def _format_rounding(node: Rounding, numbers: Numbers) -> Expression:
    """Rounding to dollars and cents has its own functions. Other decimals are scaled to whole numbers."""
    if node.places == 0:
        return f"round({_format_node(node.operand, numbers)})", SINGLE
    if node.places == CENT_PLACES:
        return f"round_cents({_format_node(node.operand, numbers)})", SINGLE
    unit = 10**node.places
    return f"round({_format_node(node.operand, numbers, PRODUCT)} × {unit}) ÷ {unit}", PRODUCT


def _format_number(number: Fraction) -> Expression:
    """A number with at least two decimals, or as a quotient if its decimals do not end."""
    sign = "−" if number < 0 else ""
    if (decimals := _exact_decimals(number)) is None:
        return f"{sign}{abs(number.numerator)} ÷ {number.denominator}", MINUS if sign else PRODUCT
    return f"{sign}{_fixed_point(abs(number), decimals)}", MINUS if sign else SINGLE


def _format_readable(number: Fraction) -> str:
    """A number with separators for a sentence. A number with too many digits is shortened."""
    sign = "−" if number < 0 else ""
    decimals = _exact_decimals(number)
    if decimals is not None and decimals <= MAX_DECIMALS:
        return sign + _with_separators(_fixed_point(abs(number), decimals))
    if max(abs(number.numerator), number.denominator) <= MAX_CENTS:
        return f"{sign}{abs(number.numerator):,} ÷ {number.denominator:,}"
    return f"about {sign}{_with_separators(_fixed_point(abs(number), MAX_DECIMALS))}"


def has_few_decimals(number: Fraction) -> bool:
    """Whether a number can be shown in full."""
    decimals = _exact_decimals(number)
    return decimals is not None and decimals <= MAX_DECIMALS


def _with_separators(digits: str) -> str:
    integer, _, decimals = digits.partition(".")
    return f"{int(integer):,}.{decimals}"


def _exact_decimals(number: Fraction) -> int | None:
    """The number of decimals, at least two, that represent a number exactly. None if they do not end."""
    denominator, decimals = number.denominator, CENT_PLACES
    for prime in (2, 5):
        exponent = 0
        while denominator % prime == 0:
            denominator //= prime
            exponent += 1
        decimals = max(decimals, exponent)
    return decimals if denominator == 1 else None


def _fixed_point(number: Fraction, decimals: int) -> str:
    digits = str(int(number * 10**decimals)).rjust(decimals + 1, "0")
    return f"{digits[:-decimals]}.{digits[-decimals:]}"


def _decided_conditionals(node: Node, numbers: Numbers) -> Iterator[Conditional]:
    """Every `if` that is evaluated for this employee, in order of evaluation."""
    match node:
        case Negation() | Rounding():
            yield from _decided_conditionals(node.operand, numbers)
        case BinaryOperation():
            yield from _decided_conditionals(node.left, numbers)
            yield from _decided_conditionals(node.right, numbers)
        case MinMax():
            for argument in node.arguments:
                yield from _decided_conditionals(argument, numbers)
        case Conditional():
            yield from _decided_conditionals(node.condition.left, numbers)
            yield from _decided_conditionals(node.condition.right, numbers)
            yield node
            yield from _decided_conditionals(branch_taken(node, numbers), numbers)


def _format_comparison(comparison: Comparison, numbers: Numbers) -> str:
    left, right = evaluate_node(comparison.left, numbers), evaluate_node(comparison.right, numbers)
    verdict = "is true" if is_true(comparison, numbers) else "is false"
    return f"{_format_readable(left)} {comparison.relation} {_format_readable(right)} {verdict}"
