"""Explain the amount of one employee as data: what the formula does in its last operation.

Inputs and amounts of pay items have a kind: an amount of money, or a number such as hours or a percentage. So it is
known which number is the amount, and which one multiplies it. A number in the formula itself can be either.
"""

from collections.abc import Iterator
from enum import Enum, auto
from fractions import Fraction

from gaji.engine.catalogue import SYSTEM_TYPES, InputKind
from gaji.engine.formulas.explanation import exact_value, has_few_decimals
from gaji.engine.formulas.scalar_evaluation import Numbers, branch_taken, evaluate_node
from gaji.engine.formulas.syntax_tree import (
    CENT_PLACES,
    BinaryOperation,
    Conditional,
    Formula,
    MinMax,
    NameNode,
    Negation,
    Node,
    NumberLiteral,
    Reference,
    Rounding,
)
from gaji.law.reasons import (
    AmountSum,
    Difference,
    FullAmount,
    LimitedAmount,
    Multiple,
    Percentage,
    ProductSum,
    Reason,
    RoundingRule,
)
from gaji.law.rounding import CENTS_PER_DOLLAR, round_half_up

CUSTOM_AMOUNTS = frozenset({"amount", "rate"})
"""Inputs of custom items that are amounts."""
PERCENT = 100
ROUNDINGS = {0: RoundingRule.DOLLAR, CENT_PLACES: RoundingRule.CENT}


class _Kind(Enum):
    AMOUNT = auto()
    NUMBER = auto()
    UNKNOWN = auto()
    """A number in the formula."""


def reason(formula: Formula, numbers: Numbers) -> Reason | None:
    """The reason of the amount. None if the last operation has no sentence of its own, or if there is no amount."""
    if (exact := exact_value(formula, numbers)) is None or exact < 0:
        return None
    return _FormulaReasons(numbers).reason(formula.tree, RoundingRule.CENT)


class _FormulaReasons:
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def reason(self, node: Node, rounding: RoundingRule) -> Reason | None:
        """The reason of a node whose value is rounded, unless it is exact."""
        match node:
            case Conditional():
                return self.reason(branch_taken(node, self._numbers), rounding)
            case MinMax(function="min"):
                return self._minimum(node, rounding)
            case MinMax():
                return self.reason(self._chosen(node), rounding)
            case Rounding():
                is_product = isinstance(node.operand, BinaryOperation) and node.places in ROUNDINGS
                return self.reason(node.operand, ROUNDINGS[node.places]) if is_product else None
            case NumberLiteral() | NameNode():
                return self._full_amount(node)
            case BinaryOperation():
                return self._operation(node, rounding)
        return None

    def _full_amount(self, node: Node) -> Reason | None:
        cents = self._cents(node)
        return FullAmount(int(cents)) if cents >= 0 and cents.denominator == 1 else None

    def _minimum(self, node: MinMax, rounding: RoundingRule) -> Reason | None:
        """The reason of the least argument. A number in the formula is a limit of the other one."""
        chosen = self._chosen(node)
        others = [argument for argument in node.arguments if argument is not chosen]
        match chosen:
            case NumberLiteral():
                limit_cents = self._cents(chosen)
                is_limit = len(others) == 1 and limit_cents.denominator == 1
                return LimitedAmount(int(limit_cents), round_half_up(self._cents(others[0]))) if is_limit else None
            case NameNode() if not all(isinstance(argument, NumberLiteral) for argument in others):
                return None
        return self.reason(chosen, rounding)

    def _operation(self, node: BinaryOperation, rounding: RoundingRule) -> Reason | None:
        match node.operator:
            case "+":
                return self._sum(node, rounding)
            case "-":
                is_exact = self._is_exact(node, rounding)
                return Difference(self._cents(node.left), self._cents(node.right)) if is_exact else None
        product = self._product(node)
        if product is None:
            return None
        is_plain = node.operator == "/" and rounding is RoundingRule.CENT
        return ProductSum((product,), None if is_plain else rounding)

    def _sum(self, node: Node, rounding: RoundingRule) -> Reason | None:
        """The terms of an exact sum, and otherwise the products whose sum is rounded."""
        terms = list(self._addends(node))
        if self._is_exact(node, rounding):
            return AmountSum(tuple(map(self._cents, terms)))
        products = [self._product(term) for term in terms if self._cents(term)]
        known = [product for product in products if product is not None]
        return ProductSum(tuple(known), rounding) if len(known) == len(products) else None

    def _product(self, node: Node) -> Percentage | Multiple | None:
        match node:
            case BinaryOperation(operator="*"):
                return self._multiple(node)
            case BinaryOperation(operator="/", left=BinaryOperation(operator="*") as product, right=whole):
                if evaluate_node(whole, self._numbers) == PERCENT:
                    return self._percentage(product)
        return None

    def _multiple(self, node: BinaryOperation) -> Percentage | Multiple | None:
        if self._multiplies_amounts(node):
            return None
        amount, factor = self._amount_and_factor(node)
        number = evaluate_node(factor, self._numbers)
        if not has_few_decimals(number):
            return None
        if abs(number) <= 1 and self._kind(factor) != _Kind.NUMBER:
            return Percentage(number, self._cents(amount))
        return Multiple(number, self._cents(amount))

    def _percentage(self, node: BinaryOperation) -> Percentage | None:
        if self._multiplies_amounts(node):
            return None
        amount, percent = self._amount_and_factor(node)
        number = evaluate_node(percent, self._numbers)
        return Percentage(number / PERCENT, self._cents(amount)) if has_few_decimals(number) else None

    def _multiplies_amounts(self, node: BinaryOperation) -> bool:
        """Whether it is not known which one multiplies the other, because an input may be either."""
        return self._kind(node.left) == self._kind(node.right) == _Kind.AMOUNT

    def _amount_and_factor(self, node: BinaryOperation) -> tuple[Node, Node]:
        left, right = self._kind(node.left), self._kind(node.right)
        is_factor_last = right == _Kind.NUMBER or (right == _Kind.UNKNOWN and left == _Kind.AMOUNT)
        return (node.left, node.right) if is_factor_last else (node.right, node.left)

    def _kind(self, node: Node) -> _Kind:
        """Whether a node is an amount of money."""
        match node:
            case NameNode():
                return _Kind.AMOUNT if _is_amount(node.reference) else _Kind.NUMBER
            case NumberLiteral():
                return _Kind.UNKNOWN
            case Negation() | Rounding():
                return self._kind(node.operand)
            case Conditional():
                return self._kind(branch_taken(node, self._numbers))
            case MinMax():
                return _common_kind(*map(self._kind, node.arguments))
            case BinaryOperation():
                left, right = self._kind(node.left), self._kind(node.right)
                is_ratio = node.operator == "/" and right == _Kind.AMOUNT
                return _Kind.NUMBER if is_ratio else _common_kind(left, right)

    def _chosen(self, node: MinMax) -> Node:
        """The argument that is the value. If a number in the formula is equal to another argument, it is the other."""
        choose = min if node.function == "min" else max
        literals_last = sorted(node.arguments, key=lambda argument: isinstance(argument, NumberLiteral))
        return choose(literals_last, key=lambda argument: evaluate_node(argument, self._numbers))

    def _addends(self, node: Node) -> Iterator[Node]:
        if isinstance(node, BinaryOperation) and node.operator == "+":
            yield from self._addends(node.left)
            yield from self._addends(node.right)
        else:
            yield node

    def _is_exact(self, node: Node, rounding: RoundingRule) -> bool:
        """Whether rounding does not change the value."""
        unit = CENTS_PER_DOLLAR if rounding is RoundingRule.DOLLAR else 1
        return (self._cents(node) / unit).denominator == 1

    def _cents(self, node: Node) -> Fraction:
        return evaluate_node(node, self._numbers) * CENTS_PER_DOLLAR


def _common_kind(*kinds: _Kind) -> _Kind:
    return next(kind for kind in _Kind if kind in kinds)


def _is_amount(reference: Reference) -> bool:
    """Whether an input, or what a name without an input refers to, is an amount of money."""
    if reference.input is None:
        return True
    item_type = SYSTEM_TYPES.get(reference.calculation or "")
    field = item_type.inputs_by_name.get(reference.input) if item_type else None
    return field.kind is InputKind.MONEY if field else reference.input in CUSTOM_AMOUNTS
