"""How the amount of one person came about: the formula with its names replaced by their numbers.

The lines are in the language of `gaji.law.explanation`. An `if` is shown as the branch that was taken; which one that
was, and why, is said in words of their own (`branches`), because a comparison is no arithmetic.
"""

from collections.abc import Iterator
from fractions import Fraction

from gaji.engine.formulas.scalar_evaluation import Numbers, holds, nearest, taken, value
from gaji.engine.formulas.tokenizer import MAX_DECIMALS
from gaji.engine.formulas.syntax_tree import (
    CENT_PLACES,
    Conditional,
    Comparison,
    MinMax,
    Formula,
    NameNode,
    Negation,
    Node,
    NumberLiteral,
    BinaryOperation,
    Rounding,
)
from gaji.engine.money import MAX_CENTS
from gaji.law.columns import CENTS_PER_DOLLAR
from gaji.law.explanation import money, step

# How tightly the parts of an expression hold together: what holds less tightly than its place asks for gets brackets.
MINUS, SUM, PRODUCT, SINGLE = range(4)
OPERATIONS = {
    "+": ("+", SUM, MINUS, PRODUCT),
    "-": ("−", SUM, MINUS, PRODUCT),
    "*": ("×", PRODUCT, PRODUCT, SINGLE),
    "/": ("÷", PRODUCT, PRODUCT, SINGLE),
}
"""The sign of each, how tightly it holds, and how tightly what stands left and right of it has to."""

Shown = tuple[str, int]
"""An expression, and how tightly it holds together."""


def arithmetic(formula: Formula, values: Numbers, amount_cents: int) -> tuple[str, ...]:
    """The lines that give the amount; raises ValueError when the formula gives another one.

    Where it divides by zero, or leads beyond what money can be, there is no arithmetic and the amount is 0.
    """
    exact = _exact(formula, values)
    given_cents = 0 if exact is None else int(nearest(exact, CENT_PLACES) * CENTS_PER_DOLLAR)
    if given_cents != amount_cents:
        raise ValueError(f"the formula gives {money(given_cents)}, not {money(amount_cents)}")
    if exact is None:
        return (step(money(0), 0),)
    expression = _show(formula.tree, values)
    whole_cents = exact == Fraction(amount_cents, CENTS_PER_DOLLAR)
    return (step(expression if whole_cents else f"round_cents({expression})", amount_cents),)


def branches(formula: Formula, values: Numbers) -> tuple[str, ...]:
    """What decided, in the order in which it did, and why there is no amount where there is none."""
    told = []
    try:
        for choice in _decided(formula.tree, values):
            told.append(_say(choice.condition, values))
        exact = value(formula.tree, values)
    except ZeroDivisionError:
        return (*told, "the formula divides by zero, so the amount is 0.00")
    if _is_beyond(exact):
        told.append("the result is beyond any amount of money, so the amount is 0.00")
    return tuple(told)


def _exact(formula: Formula, values: Numbers) -> Fraction | None:
    """The value before it is rounded; None where the amount is 0 for want of one."""
    try:
        exact = value(formula.tree, values)
    except ZeroDivisionError:
        return None
    return None if _is_beyond(exact) else exact


def _is_beyond(exact: Fraction) -> bool:
    return abs(nearest(exact, CENT_PLACES)) * CENTS_PER_DOLLAR > MAX_CENTS


def _show(node: Node, values: Numbers, level: int = MINUS) -> str:
    """The expression of a node, in brackets where its place asks for a tighter one."""
    match node:
        case Conditional():
            return _show(taken(node, values), values, level)
        case NumberLiteral():
            expression, own_level = node.text, SINGLE
        case NameNode():
            expression, own_level = _written(values[node.reference])
        case Negation():
            expression, own_level = f"−{_show(node.operand, values, SINGLE)}", MINUS
        case BinaryOperation():
            sign, own_level, left, right = OPERATIONS[node.operator]
            expression = f"{_show(node.left, values, left)} {sign} {_show(node.right, values, right)}"
        case MinMax():
            arguments = ", ".join([_show(argument, values) for argument in node.arguments])
            expression, own_level = f"{node.function}({arguments})", SINGLE
        case Rounding():
            expression, own_level = _rounded(node, values)
    return expression if own_level >= level else f"({expression})"


def _rounded(node: Rounding, values: Numbers) -> Shown:
    """Dollars and cents have functions of their own; other decimals are whole numbers of their unit."""
    if node.places == 0:
        return f"round({_show(node.operand, values)})", SINGLE
    if node.places == CENT_PLACES:
        return f"round_cents({_show(node.operand, values)})", SINGLE
    unit = 10**node.places
    return f"round({_show(node.operand, values, PRODUCT)} × {unit}) ÷ {unit}", PRODUCT


def _written(number: Fraction) -> Shown:
    """The number of a name, with at least two decimals; as a quotient where no decimals would do."""
    sign = "−" if number < 0 else ""
    if (decimals := _decimals(number)) is None:
        return f"{sign}{abs(number.numerator)} ÷ {number.denominator}", MINUS if sign else PRODUCT
    return f"{sign}{_fixed(abs(number), decimals)}", MINUS if sign else SINGLE


def _spoken(number: Fraction) -> str:
    """The same number among words, with separators; a number that is too long to be read is told about."""
    sign = "−" if number < 0 else ""
    decimals = _decimals(number)
    if decimals is not None and decimals <= MAX_DECIMALS:
        return sign + _separated(_fixed(abs(number), decimals))
    if max(abs(number.numerator), number.denominator) <= MAX_CENTS:
        return f"{sign}{abs(number.numerator):,} ÷ {number.denominator:,}"
    return f"about {sign}{_separated(_fixed(abs(number), MAX_DECIMALS))}"


def _separated(digits: str) -> str:
    whole, _, part = digits.partition(".")
    return f"{int(whole):,}.{part}"


def _decimals(number: Fraction) -> int | None:
    """How many decimals write a number exactly, at least two; None where there is no end to them."""
    denominator, decimals = number.denominator, CENT_PLACES
    for prime in (2, 5):
        times = 0
        while denominator % prime == 0:
            denominator //= prime
            times += 1
        decimals = max(decimals, times)
    return decimals if denominator == 1 else None


def _fixed(number: Fraction, decimals: int) -> str:
    digits = str(int(number * 10**decimals)).rjust(decimals + 1, "0")
    return f"{digits[:-decimals]}.{digits[-decimals:]}"


def _decided(node: Node, values: Numbers) -> Iterator[Conditional]:
    """Every `if` that had to be decided for this person, in the order in which that happened."""
    match node:
        case Negation() | Rounding():
            yield from _decided(node.operand, values)
        case BinaryOperation():
            yield from _decided(node.left, values)
            yield from _decided(node.right, values)
        case MinMax():
            for argument in node.arguments:
                yield from _decided(argument, values)
        case Conditional():
            yield from _decided(node.condition.left, values)
            yield from _decided(node.condition.right, values)
            yield node
            yield from _decided(taken(node, values), values)


def _say(comparison: Comparison, values: Numbers) -> str:
    left, right = value(comparison.left, values), value(comparison.right, values)
    verdict = "holds" if holds(comparison, values) else "does not hold"
    return f"{_spoken(left)} {comparison.relation} {_spoken(right)} {verdict}"
