"""Formulas of custom items once more, read by Python's own parser and worked out by hand: nothing is ever run."""

import ast
import math
import re
from collections.abc import Callable
from fractions import Fraction

LookUp = Callable[[str, str | None], Fraction]
"""The amount of an item, or an input of it; the item "" is the one that the formula belongs to."""
OWN = ("amount", "rate", "quantity", "percentage")


def work_out(text: str, look_up: LookUp) -> Fraction:
    """The exact value; raises ZeroDivisionError."""
    readable = re.sub(r"\bcalc\.(\w+)", r"\1", re.sub(r"\bcalc\.(\d+)", r"item_\1", text))
    readable = re.sub(r"\bif\(", "choose(", readable).replace("<>", "!=")
    readable = re.sub(r"(?<![<>!=])=(?!=)", "==", readable)
    return _value(ast.parse(readable, mode="eval").body, readable, look_up)


def _value(node: ast.expr, text: str, look_up: LookUp) -> Fraction:
    def of(part: ast.expr) -> Fraction:
        return _value(part, text, look_up)

    match node:
        case ast.Constant():
            return Fraction(ast.get_source_segment(text, node) or "")
        case ast.Name():
            return look_up("", node.id) if node.id in OWN else look_up(node.id.removeprefix("item_"), None)
        case ast.Attribute(value=ast.Name(id=item)):
            return look_up(item.removeprefix("item_"), node.attr)
        case ast.UnaryOp(op=ast.USub()):
            return -of(node.operand)
        case ast.BinOp(op=ast.Add()):
            return of(node.left) + of(node.right)
        case ast.BinOp(op=ast.Sub()):
            return of(node.left) - of(node.right)
        case ast.BinOp(op=ast.Mult()):
            return of(node.left) * of(node.right)
        case ast.BinOp(op=ast.Div()):
            return of(node.left) / of(node.right)
        case ast.Call(func=ast.Name(id="min")):
            return min(of(part) for part in node.args)
        case ast.Call(func=ast.Name(id="max")):
            return max(of(part) for part in node.args)
        case ast.Call(func=ast.Name(id="round")):
            unit = 10 ** int(of(node.args[1])) if len(node.args) > 1 else 100
            return Fraction(math.floor(of(node.args[0]) * unit + Fraction(1, 2)), unit)
        case ast.Call(func=ast.Name(id="choose"), args=[ast.Compare() as question, first, second]):
            return of(first if _holds(question, of) else second)
    raise AssertionError(f"no formula of a test has this: {ast.dump(node)}")


def _holds(question: ast.Compare, of: Callable[[ast.expr], Fraction]) -> bool:
    left, right = of(question.left), of(question.comparators[0])
    match question.ops[0]:
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
