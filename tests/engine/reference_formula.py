"""A reference implementation of formulas: parsed by Python's own parser and evaluated node by node."""

import ast
import math
import re
from collections.abc import Callable
from fractions import Fraction

LookUp = Callable[[str, str | None], Fraction]
"""Returns the amount of an item, or one of its inputs. The item "" is the item of the formula."""
ITEM_INPUTS = ("amount", "rate", "quantity", "percentage")


def evaluate(text: str, look_up: LookUp) -> Fraction:
    """The exact value. Raises ZeroDivisionError."""
    python = re.sub(r"\bcalc\.(\w+)", r"\1", re.sub(r"\bcalc\.(\d+)", r"item_\1", text))
    python = re.sub(r"\bif\(", "choose(", python).replace("<>", "!=")
    python = re.sub(r"(?<![<>!=])=(?!=)", "==", python)
    return _value(ast.parse(python, mode="eval").body, python, look_up)


def _value(node: ast.expr, text: str, look_up: LookUp) -> Fraction:
    def value(part: ast.expr) -> Fraction:
        return _value(part, text, look_up)

    match node:
        case ast.Constant():
            return Fraction(ast.get_source_segment(text, node) or "")
        case ast.Name():
            return look_up("", node.id) if node.id in ITEM_INPUTS else look_up(node.id.removeprefix("item_"), None)
        case ast.Attribute(value=ast.Name(id=item)):
            return look_up(item.removeprefix("item_"), node.attr)
        case ast.UnaryOp(op=ast.USub()):
            return -value(node.operand)
        case ast.BinOp(op=ast.Add()):
            return value(node.left) + value(node.right)
        case ast.BinOp(op=ast.Sub()):
            return value(node.left) - value(node.right)
        case ast.BinOp(op=ast.Mult()):
            return value(node.left) * value(node.right)
        case ast.BinOp(op=ast.Div()):
            return value(node.left) / value(node.right)
        case ast.Call(func=ast.Name(id="min")):
            return min(value(part) for part in node.args)
        case ast.Call(func=ast.Name(id="max")):
            return max(value(part) for part in node.args)
        case ast.Call(func=ast.Name(id="round")):
            unit = 10 ** int(value(node.args[1])) if len(node.args) > 1 else 100
            return Fraction(math.floor(value(node.args[0]) * unit + Fraction(1, 2)), unit)
        case ast.Call(func=ast.Name(id="choose"), args=[ast.Compare() as comparison, first, second]):
            return value(first if _is_true(comparison, value) else second)
    raise AssertionError(f"unsupported: {ast.dump(node)}")


def _is_true(comparison: ast.Compare, value: Callable[[ast.expr], Fraction]) -> bool:
    left, right = value(comparison.left), value(comparison.comparators[0])
    match comparison.ops[0]:
        case ast.Lt():
            return left < right
        case ast.LtE():
            return left <= right
        case ast.Gt():
            return left > right
        case ast.GtE():
            return left >= right
        case ast.Eq():
            return left == right
        case _:
            return left != right
