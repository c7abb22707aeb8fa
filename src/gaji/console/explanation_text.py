"""Explanations of amounts as people read them: one plain sentence, and formulas with dates and separators."""

import ast
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal, InvalidOperation

from gaji.console.formats import format_day, format_money, format_month
from gaji.console.glossary import label
from gaji.core.constants import CONSTANT_LISTS
from gaji.engine.catalogue import SYSTEM_TYPES, InputKind

ROUNDING = {"floor": "cents dropped", "round": "rounded to the nearest dollar", "round_cents": "rounded to the cent"}
MAX_TERMS = 4
"""Longer sums are not spelled out."""
DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
MONTH = re.compile(r"\d{4}-\d\d")
LARGE_NUMBER = re.compile(r"(?<![\d.,-])\d{4,}(?=\.\d)")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
FIGURE = re.compile(r"(\d+(?:\.\d+)?)( %)?")
CHOICE = re.compile(r"choose\((-?\d+\.\d\d); .*\)")
ELECTION = re.compile(r"choose\(opt_out (?:no; no: amount -?\d+\.\d\d|yes; yes: 0\.00)\)")

ABSENT = frozenset({"", "NONE", "no"})
"""Inputs that say that something is not the case."""
AMOUNT = re.compile(r"-?\d+\.\d\d")
MONEY_INPUTS = frozenset(
    field.name for item_type in SYSTEM_TYPES.values() for field in item_type.inputs if field.kind is InputKind.MONEY
)
"""Inputs of pay items that are amounts."""
CHOICE_INPUTS = frozenset(
    field.name for item_type in SYSTEM_TYPES.values() for field in item_type.inputs if field.kind is InputKind.CHOICE
)
"""Inputs of pay items whose values are options of the form."""


class UnknownExpression(Exception):
    """A formula that has no plain sentence."""


def plain_sentence(arithmetic: Sequence[str], rule: str) -> str:
    """Return what the last step of a calculation does. If that cannot be said plainly, it is the rule.

    >>> plain_sentence(["3800.00 + 250.00 = 4050.00", "floor(0.20 × 4050.00) = 810.00"], "")
    '20% of $4,050.00, cents dropped'
    >>> plain_sentence(["max(2.00, round_cents(0.0025 × min(4050.00, 4500.00))) = 10.13"], "")
    '0.25% of $4,050.00, rounded to the cent'
    >>> plain_sentence(["873.00 − 472.00 = 401.00"], "")
    '$873.00 less $472.00'
    >>> plain_sentence(["choose(opt_out no; no: amount 5.00) = 5.00"], "")
    '$5.00, as the employee chose'
    >>> plain_sentence(["days(max(2025-07-01, 2026-11-01)) = 30"], "The rate of the month.")
    'The rate of the month.'
    """
    expression, _, result = arithmetic[-1].rpartition(" = ") if arithmetic else ("", "", "")
    if choice := CHOICE.fullmatch(expression):
        return f"{format_money(result)}, the amount in the table for {format_money(choice[1])}"
    if ELECTION.fullmatch(expression):
        return f"{format_money(result)}, as the employee chose"
    source = expression.replace("×", "*").replace("−", "-")
    try:
        return _Formula(source).sentence(ast.parse(source, mode="eval").body)
    except (SyntaxError, UnknownExpression, InvalidOperation):
        return rule


def formula_text(step: str) -> str:
    """Return a step of a calculation with readable dates and thousands separators.

    >>> formula_text("min(12360.00, 8000.00) = 8000.00"), formula_text("days(2026-11-01, 2026-11-30) = 30")
    ('min(12,360.00, 8,000.00) = 8,000.00', 'days(1 Nov 2026, 30 Nov 2026) = 30')
    """
    return LARGE_NUMBER.sub(lambda match: f"{int(match[0]):,}", _with_days(step))


def input_text(value: str, name: str) -> str:
    """Return an input of a calculation. Values of data lists have their names.

    >>> input_text("CITIZEN", "legal_status"), input_text("2026-11", "month"), input_text("2300.00", "amount")
    ('Singapore citizen', 'Nov 2026', '2,300.00')
    """
    names = {str(entry.value): entry.name for entry in CONSTANT_LISTS.get(name, ())}
    if value in names:
        return names[value]
    return format_month(value) if MONTH.fullmatch(value) else formula_text(value)


def relevant_inputs(inputs: Mapping[str, str]) -> dict[str, str]:
    """Return the inputs of a calculation that make a difference. The election of CPF rates is for permanent residents.

    >>> relevant_inputs({"legal_status": "CITIZEN", "pr_cpf_rates": "GG", "second race fund": "NONE"})
    {'legal_status': 'CITIZEN'}
    """
    is_pr = inputs.get("legal_status") == "PR"
    return {name: value for name, value in inputs.items() if value not in ABSENT and (is_pr or name != "pr_cpf_rates")}


def used_figures(figures: Sequence[Mapping[str, str]], arithmetic: Sequence[str]) -> list[Mapping[str, str]]:
    """Return the figures of the law that the last step of a calculation uses.

    >>> rates = [{"name": "total", "value": "37 %"}, {"name": "employee", "value": "20 %"}]
    >>> used_figures(rates, ["floor(0.20 × 4374.00) = 874.00"])
    [{'name': 'employee', 'value': '20 %'}]
    """
    numbers = {Decimal(text) for text in NUMBER.findall(arithmetic[-1])} if arithmetic else set()
    return [figure for figure in figures if _figure_value(figure["value"]) in numbers]


def _figure_value(text: str) -> Decimal | None:
    match = FIGURE.fullmatch(text)
    return Decimal(match[1]) / (100 if match[2] else 1) if match else None


def item_input(value: str, name: str) -> str:
    """Return what was entered for an input of a pay item.

    >>> item_input("3500.00", "fixed_amount"), item_input("6", "overtime_hours_input"), item_input("-80.00", "amount")
    ('$3,500.00', '6', '-$80.00')
    >>> item_input("hourly", "pay_type"), item_input("services", "sector")
    ('Hourly', 'Services')
    """
    if name in CHOICE_INPUTS:
        return label(value)
    return format_money(value) if name in MONEY_INPUTS and AMOUNT.fullmatch(value) else input_text(value, name)


def _with_days(text: str) -> str:
    def replace(match: re.Match[str]) -> str:
        with suppress(ValueError):
            return format_day(date.fromisoformat(match[0]))
        return match[0]

    return DAY.sub(replace, text)


class _Formula:
    """A formula, whose numbers are read from its text, so that they stay exact."""

    def __init__(self, source: str) -> None:
        self._source = source

    def sentence(self, node: ast.expr) -> str:
        match node:
            case ast.Constant():
                return f"The full amount of {self._money(node)}"
            case ast.Call(func=ast.Name(id="max" | "min")):
                return self.sentence(self._chosen(node))
            case ast.Call(func=ast.Name(id=name), args=[ast.BinOp(op=ast.Mult()) as product]) if name in ROUNDING:
                return f"{self._product(product)}, {ROUNDING[name]}"
            case ast.BinOp(op=ast.Mult()):
                return self._product(node)
            case ast.BinOp(op=ast.Sub(), left=left, right=right):
                return f"{self._money(left)} less {self._money(right)}"
            case ast.BinOp(op=ast.Add()):
                terms = self._terms(node)
                return " plus ".join(terms) if len(terms) <= MAX_TERMS else f"The sum of {len(terms)} amounts"
        raise UnknownExpression

    def _product(self, node: ast.BinOp) -> str:
        factor = self._value(node.left)
        if abs(factor) <= 1:
            percentage = format((factor * 100).normalize(), "f")
            return f"{percentage}% of {self._money(node.right)}"
        return f"{format(factor.normalize(), 'f')} times {self._money(node.right)}"

    def _terms(self, node: ast.expr) -> list[str]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return [*self._terms(node.left), *self._terms(node.right)]
        return [self._money(node)]

    def _money(self, node: ast.expr) -> str:
        return format_money(self._value(node).quantize(Decimal("0.01")))

    def _chosen(self, node: ast.Call) -> ast.expr:
        choose = max if isinstance(node.func, ast.Name) and node.func.id == "max" else min
        return choose(node.args, key=self._value)

    def _value(self, node: ast.expr) -> Decimal:
        match node:
            case ast.Constant():
                return Decimal(ast.get_source_segment(self._source, node) or "")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand)
            case ast.Call(func=ast.Name(id="max" | "min")):
                return self._value(self._chosen(node))
            case ast.Call(func=ast.Name(id=name), args=[argument]) if name in ROUNDING:
                return self._value(argument)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                return self._value(left) + self._value(right)
            case ast.BinOp(op=ast.Sub(), left=left, right=right):
                return self._value(left) - self._value(right)
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                return self._value(left) * self._value(right)
        raise UnknownExpression
