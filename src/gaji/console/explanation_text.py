"""Explanations of amounts as people read them: one plain sentence, and formulas with dates and separators."""

import ast
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal
from fractions import Fraction

from gaji.console.formats import format_day, format_money, format_month
from gaji.console.glossary import label
from gaji.core.constants import CONSTANT_LISTS
from gaji.engine.catalogue import SYSTEM_TYPES, InputKind
from gaji.law.rounding import round_half_up

ROUNDING = {"floor": "cents dropped", "round": "rounded to the nearest dollar", "round_cents": "rounded to the cent"}
FULL_AMOUNT = "The full amount of "
PART_OF_WAGES = "the part of the month's wages"
NO_INPUTS: Mapping[str, str] = {}
MAX_TERMS = 4
"""Longer sums are not spelled out."""
DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
MONTH = re.compile(r"\d{4}-\d\d")
MONTH_IN_TEXT = re.compile(r"(?<![\d-])\d{4}-(?:0[1-9]|1[0-2])(?![\d-])")
MONTH_PREFIX = re.compile(r"(\d{4}-\d\d): ")
"""How the names of inputs start if an amount is the sum of two months."""
LARGE_NUMBER = re.compile(r"(?<![\d.,-])\d{4,}(?=\.\d)")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
FIGURE = re.compile(r"(\d+(?:\.\d+)?)( %)?")
CHOICE = re.compile(r"choose\((-?\d+\.\d\d); .*\)")
ZERO_DIFFERENCE = re.compile(r"(\d+\.\d\d) − 0\.00 = \1")
DIFFERENCE = re.compile(r"(\d+\.\d\d) − (\d+\.\d\d) = -?\d+\.\d\d")
RATE_TABLE = re.compile(r"^T\d+, ")
EARLIER_PAYSLIPS, MONTH_WAGES = "on earlier payslips of the month", "wages of the month to date"
"""How the names of inputs end."""
REMUNERATION_INPUT, LEVY_EXEMPTION_INPUT = "remuneration", "sdl_exempt"
EMPLOYEE_SHARE = "less the employee's share and"
ELECTION = re.compile(r"choose\(opt_out (?:no; no: amount -?\d+\.\d\d|yes; yes: 0\.00)\)")

ABSENT = frozenset({"", "NONE", "no"})
"""Inputs that say that something is not the case."""
AMOUNT = re.compile(r"-?\d+\.\d\d")
MONEY_INPUTS = frozenset(
    field.name for item_type in SYSTEM_TYPES.values() for field in item_type.inputs if field.kind is InputKind.MONEY
)
"""Inputs of pay items that are amounts."""
QUANTITY_INPUTS = frozenset(
    field.name
    for item_type in SYSTEM_TYPES.values()
    for field in item_type.inputs
    if field.kind in (InputKind.QUANTITY, InputKind.HALVES, InputKind.INTEGER)
)
"""Inputs of pay items that are days, hours or other counts."""
CUSTOM_ITEM_AMOUNTS, CUSTOM_ITEM_QUANTITY = ("amount", "rate"), "quantity"
OVERTIME_INPUT, MULTIPLIER_INPUT, REQUESTED_INPUT = "overtime hours", "multiplier", "amount requested"
DAYS_INPUT, UNPAID_DAYS_INPUT, WORKING_DAYS_INPUT = "days", "of these, unpaid", "working days of the period"
CARRIED_FORWARD_INPUT = "carried forward from earlier payslips"
UNPAID_LEAVE_INPUT, PERIOD_AMOUNT = "unpaid leave", " per period"
DAYS_WORKED_INPUT, REST_DAYS_INPUT = "days worked", "days at the employer's request"
UNITS = {
    OVERTIME_INPUT: "hour",
    "hours": "hour",
    DAYS_INPUT: "day",
    REST_DAYS_INPUT: "day",
    "months": "month",
}
"""What a rate is paid for, by the input with the number of them."""
PER_UNIT = {"hour": "an hour", "day": "a day", "month": "a month"}
CHOICE_INPUTS = frozenset(
    field.name for item_type in SYSTEM_TYPES.values() for field in item_type.inputs if field.kind is InputKind.CHOICE
)
"""Inputs of pay items whose values are options of the form."""


class UnknownExpression(Exception):
    """A formula that has no plain sentence."""


def plain_sentence(arithmetic: Sequence[str], rule: str, inputs: Mapping[str, str] = NO_INPUTS) -> str:
    """Return what the last step of a calculation does. If that cannot be said plainly, it is the rule.

    >>> plain_sentence(["3800.00 + 250.00 = 4050.00", "floor(0.20 × 4050.00) = 810.00"], "")
    '20% of $4,050.00, cents dropped'
    >>> plain_sentence(["max(2.00, round_cents(0.0025 × min(4050.00, 4500.00))) = 10.13"], "")
    '0.25% of $4,050.00, rounded to the cent'
    >>> plain_sentence(["873.00 − 472.00 = 401.00"], "")
    '$873.00 less $472.00'
    >>> plain_sentence(["floor(0.20 × 791.98) = 158.00", "158.00 − 58.00 = 100.00"], "")
    '20% of $791.98, cents dropped ($158.00), less $58.00'
    >>> plain_sentence(["choose(opt_out no; no: amount 5.00) = 5.00"], "")
    '$5.00, as the employee chose'
    >>> plain_sentence(["days(max(2025-07-01, 2026-11-01)) = 30"], "The rate of the month.")
    'The rate of the month.'

    The inputs say which number is an amount and which one is a quantity, and its unit.

    >>> plain_sentence(["18.00 × 5.00 = 90.00"], "", {"rate": "18.00", "quantity": "5"})
    '5 times $18.00'
    >>> plain_sentence(["round_cents(12.50 × 7.5) = 93.75"], "", {"rate per hour": "12.50", "hours": "7.5"})
    '7.5 hours at $12.50 an hour'
    """
    arithmetic = _without_zero_difference(arithmetic)
    if MULTIPLIER_INPUT in inputs and len(arithmetic) > 1:
        return _multiplied_sentence(arithmetic, rule, inputs)
    has_limit = REQUESTED_INPUT in inputs or DAYS_INPUT in inputs
    if has_limit and len(arithmetic) > 1 and _repeats_result(arithmetic):
        arithmetic = arithmetic[:-1]
    if sentence := _carried_forward_sentence(arithmetic, inputs):
        return sentence
    if WORKING_DAYS_INPUT in inputs and UNPAID_DAYS_INPUT in inputs:
        return _absence_sentence(arithmetic, inputs)
    if sentence := _difference_sentence(arithmetic, rule, inputs):
        return sentence
    expression, _, result = arithmetic[-1].rpartition(" = ") if arithmetic else ("", "", "")
    if choice := CHOICE.fullmatch(expression):
        return f"{format_money(result)}, the amount in the table for {format_money(choice[1])}"
    if ELECTION.fullmatch(expression):
        return f"{format_money(result)}, as the employee chose"
    source = expression.replace("×", "*").replace("÷", "/").replace("−", "-")
    try:
        return _Formula(source, inputs).sentence(ast.parse(source, mode="eval").body)
    except (SyntaxError, UnknownExpression, ValueError, ZeroDivisionError):
        return rule


def _multiplied_sentence(arithmetic: Sequence[str], rule: str, inputs: Mapping[str, str]) -> str:
    """Return the sentence of an amount that a multiplier changes in the last step."""
    *steps, last = arithmetic
    others = {name: value for name, value in inputs.items() if name != MULTIPLIER_INPUT}
    if not last.startswith(f"round_cents({steps[-1].rpartition(' = ')[2]} × {inputs[MULTIPLIER_INPUT]})"):
        return plain_sentence(arithmetic, rule, others)
    before = plain_sentence(steps, "", others)
    if not before or before.startswith(FULL_AMOUNT):
        return plain_sentence([last], rule)
    return f"{before}, then times {inputs[MULTIPLIER_INPUT]}"


def _carried_forward_sentence(arithmetic: Sequence[str], inputs: Mapping[str, str]) -> str:
    """Return the sentence of a deduction with an amount of earlier payslips. Empty if the last step is another one."""
    carried, last = inputs.get(CARRIED_FORWARD_INPUT, ""), arithmetic[-1] if arithmetic else ""
    if not carried:
        return ""
    if last in (f"{carried} = {carried}", f"0.00 + {carried} = {carried}"):
        return f"{format_money(carried)}, {CARRIED_FORWARD_INPUT}"
    expression, _, _ = last.rpartition(" = ")
    due = expression.removesuffix(f" + {carried}")
    if due == expression or not AMOUNT.fullmatch(due):
        return ""
    return f"{format_money(due)} plus {format_money(carried)} {CARRIED_FORWARD_INPUT}"


def _absence_sentence(arithmetic: Sequence[str], inputs: Mapping[str, str]) -> str:
    """Return the sentence of unpaid days: how many of the working days, and the amount that is for all of them.

    The amount is left out if it does not explain the deduction, such as that of lines that are paid in parts.
    """
    unpaid, working = Fraction(inputs[UNPAID_DAYS_INPUT]), Fraction(inputs[WORKING_DAYS_INPUT])
    days = f"{_plain_number(unpaid)} of the {_plain_number(working)} working days of the period"
    earlier = inputs.get(UNPAID_LEAVE_INPUT, "0")
    less = f", less {format_money(earlier)} of unpaid leave" if Fraction(earlier) else ""
    amounts = [Fraction(text) for name, text in inputs.items() if name.endswith(PERIOD_AMOUNT)]
    deducted = Fraction(arithmetic[-1].rpartition(" = ")[2]) + Fraction(earlier)
    rounding = Fraction(len(amounts), 100)
    if working and abs(sum(amounts) * unpaid / working - deducted) <= rounding:
        return f"{days}, of {format_money(_to_cents(sum(amounts, Fraction())))}{less}"
    return f"The pay of {days}{less}"


def _difference_sentence(arithmetic: Sequence[str], rule: str, inputs: Mapping[str, str]) -> str:
    """Return the sentence of a calculated amount less another one, such as what earlier payslips of the month took.

    It is empty if the last step is something else, or if the amount has no plain sentence.
    """
    match = DIFFERENCE.fullmatch(arithmetic[-1]) if arithmetic else None
    if match is None or not (steps := _steps_to(match[1], arithmetic[:-1])):
        return ""
    steps = _without_zero_difference(steps)
    before = _difference_sentence(steps, rule, inputs)
    if not before:
        amount, before = format_money(match[1]), plain_sentence(steps, "", inputs)
        if not before or before.startswith(FULL_AMOUNT):
            return ""
        before = before if before.startswith(amount) else f"{_with_month(before, inputs)} ({amount})"
    return f"{before}, less {_subtracted(match[2], arithmetic[:-1], rule, inputs)}"


def _without_zero_difference(arithmetic: Sequence[str]) -> Sequence[str]:
    """Return the steps without a last one that subtracts nothing, such as an employee's share of zero."""
    while arithmetic and (match := ZERO_DIFFERENCE.fullmatch(arithmetic[-1])):
        if not (steps := _steps_to(match[1], arithmetic[:-1])):
            break
        arithmetic = steps
    return arithmetic


def _steps_to(amount: str, arithmetic: Sequence[str]) -> Sequence[str]:
    """Return the steps up to the last one that has the amount as its result."""
    ends = [index for index, step in enumerate(arithmetic, start=1) if step.endswith(f" = {amount}")]
    return arithmetic[: ends[-1]] if ends else ()


def _with_month(sentence: str, inputs: Mapping[str, str]) -> str:
    """Return the sentence of a percentage, which says if the wages are those of several payslips."""
    is_later = any(name.endswith(EARLIER_PAYSLIPS) for name in inputs)
    return name_month_wages(sentence, inputs) if is_later else sentence


def name_month_wages(sentence: str, inputs: Mapping[str, str]) -> str:
    """Return the sentence of a percentage with the name of the wages, which are those of the month to date.

    >>> name_month_wages("20% of $791.98, cents dropped", {"ordinary wages of the month to date": "791.98"})
    "20% of the month's wages of $791.98, cents dropped"
    """
    wages = {name: format_money(text) for name, text in inputs.items() if _is_month_wages(name) and Decimal(text)}
    for name, amount in wages.items():
        noun = "pay" if name == REMUNERATION_INPUT else "wages"
        kind = f"{name.partition(' ')[0]} " if len(wages) > 1 else ""
        of_wages = f"% of the month's {kind}{noun} of {amount}"
        sentence = re.sub(rf"% of {re.escape(amount)}(?=,? |$)", of_wages, sentence, count=1)
    return sentence


def _is_month_wages(name: str) -> bool:
    return name == REMUNERATION_INPUT or name.endswith(MONTH_WAGES)


def _subtracted(amount: str, arithmetic: Sequence[str], rule: str, inputs: Mapping[str, str]) -> str:
    """Return what is subtracted, and where it comes from."""
    text = format_money(amount)
    if any(name.endswith(EARLIER_PAYSLIPS) and value == amount for name, value in inputs.items()):
        return f"{text} {EARLIER_PAYSLIPS}"
    is_share = EMPLOYEE_SHARE in rule and (_steps_to(amount, arithmetic) or ("",))[-1].startswith("floor(")
    return f"the employee's share of {text}" if is_share else text


def _repeats_result(arithmetic: Sequence[str]) -> bool:
    """Return whether the limits of the last step leave the result of the step before as it is."""
    *_, before, last = arithmetic
    return last.startswith("min(") and last.rpartition(" = ")[2] == before.rpartition(" = ")[2]


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
    >>> input_text("PR", "2026-09: legal_status"), input_text("GG", "pr_cpf_rates")
    ('Permanent resident', 'Graduated employer and employee')
    >>> input_text("MYS_NAS_PRC", "tier"), input_text("R1", "skill")
    ('Malaysia, North Asia or China', 'Higher-skilled (R1)')
    """
    name = MONTH_PREFIX.sub("", name)
    if name in CHOICE_INPUTS:
        return label(value)
    names = {str(entry.value): entry.name for entry in CONSTANT_LISTS.get(name, ())}
    if value in names:
        return names[value]
    return format_month(value) if MONTH.fullmatch(value) else formula_text(value)


def input_name(name: str) -> str:
    """Return the label of an input of a calculation.

    >>> input_name("legal_status"), input_name("2026-09: legal_status")
    ('Legal status', 'Sep 2026: Legal status')
    >>> input_name("2026-08-01 to 2026-08-31: Basic salary paid")
    '1 Aug 2026 to 31 Aug 2026: Basic salary paid'
    """
    if match := MONTH_PREFIX.match(name):
        return f"{format_month(match[1])}: {label(name[match.end() :])}"
    return with_months(label(name))


def with_months(text: str) -> str:
    """Return a text with readable dates and months.

    >>> with_months("2026-09: by race; 2026-10: does not apply")
    'Sep 2026: by race; Oct 2026: does not apply'
    """
    return MONTH_IN_TEXT.sub(lambda match: format_month(match[0]), _with_days(text))


def applicable_inputs(inputs: Mapping[str, str]) -> dict[str, str]:
    """Return the inputs of a calculation without the election of CPF rates, unless it is a permanent resident's.

    >>> applicable_inputs({"legal_status": "CITIZEN", "pr_cpf_rates": "GG", "cpf_exempt": "no"})
    {'legal_status': 'CITIZEN', 'cpf_exempt': 'no'}
    >>> applicable_inputs({"2026-09: legal_status": "CITIZEN", "2026-09: pr_cpf_rates": "GG"})
    {'2026-09: legal_status': 'CITIZEN'}
    """

    def applies(name: str) -> bool:
        prefix, election, _ = name.rpartition("pr_cpf_rates")
        return not election or inputs.get(f"{prefix}legal_status") == "PR"

    return {name: value for name, value in inputs.items() if applies(name)}


def relevant_inputs(inputs: Mapping[str, str]) -> dict[str, str]:
    """Return the inputs of a calculation that make a difference.

    >>> relevant_inputs({"legal_status": "CITIZEN", "pr_cpf_rates": "GG", "second race fund": "NONE"})
    {'legal_status': 'CITIZEN'}
    """
    return {name: value for name, value in applicable_inputs(inputs).items() if value not in ABSENT}


def used_figures(figures: Sequence[Mapping[str, str]], arithmetic: Sequence[str]) -> list[Mapping[str, str]]:
    """Return the figures of the law that the last step of a calculation uses. In a difference, the amount uses them.

    >>> rates = [{"name": "total", "value": "37 %"}, {"name": "employee", "value": "20 %"}]
    >>> used_figures(rates, ["floor(0.20 × 4374.00) = 874.00"])
    [{'name': 'employee', 'value': '20 %'}]
    >>> used_figures(rates, ["floor(0.20 × 791.98) = 158.00", "158.00 − 58.00 = 100.00"])
    [{'name': 'employee', 'value': '20 %'}]
    """
    while arithmetic and (match := DIFFERENCE.fullmatch(arithmetic[-1])):
        arithmetic = _steps_to(match[1], arithmetic[:-1])
    numbers = {Decimal(text) for text in NUMBER.findall(arithmetic[-1])} if arithmetic else set()
    return [figure for figure in figures if _figure_value(figure["value"]) in numbers]


def figure_caption(name: str) -> str:
    """Return the name of a figure for an employee, without the number of a rate table.

    >>> figure_caption("T1, up to 55: employee"), figure_caption("minimum levy")
    ('CPF rate, age up to 55: employee', 'Minimum levy')
    """
    text = RATE_TABLE.sub("CPF rate, age ", name, count=1)
    return text[:1].upper() + text[1:]


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
    return format_money(value) if name in MONEY_INPUTS and AMOUNT.fullmatch(value) else input_text(value, name)


def _with_days(text: str) -> str:
    def replace(match: re.Match[str]) -> str:
        with suppress(ValueError):
            return format_day(date.fromisoformat(match[0]))
        return match[0]

    return DAY.sub(replace, text)


class _Formula:
    """A formula, whose numbers are read from its text, so that they stay exact."""

    def __init__(self, source: str, inputs: Mapping[str, str]) -> None:
        self._source = source
        self._inputs = inputs
        self._unit = next((unit for name, unit in UNITS.items() if name in inputs), "")
        self._amounts, self._quantities = set[Fraction](), set[Fraction]()
        for name, text in inputs.items():
            with suppress(ValueError, ZeroDivisionError):
                if name in MONEY_INPUTS or name in CUSTOM_ITEM_AMOUNTS:
                    self._amounts.add(Fraction(text))
                elif name in UNITS or name.rpartition(".")[2] in (*QUANTITY_INPUTS, CUSTOM_ITEM_QUANTITY):
                    self._quantities.add(Fraction(text))

    def sentence(self, node: ast.expr) -> str:
        match node:
            case ast.Constant():
                return f"{FULL_AMOUNT}{self._money(node)}"
            case ast.Call(func=ast.Name(id="max" | "min")):
                chosen = self._chosen(node)
                if LEVY_EXEMPTION_INPUT in self._inputs and isinstance(chosen, ast.Constant):
                    return f"{self._money(chosen)}, the minimum levy"
                return self.sentence(chosen)
            case ast.Call(func=ast.Name(id=name), args=[ast.BinOp(op=ast.Add()) as total]) if name in ROUNDING:
                return f"{self._products(total)}, {ROUNDING[name]}"
            case ast.Call(func=ast.Name(id=name), args=[ast.BinOp(op=ast.Mult()) as product]) if name in ROUNDING:
                is_exact = name == "round_cents" and self._is_whole_cents(product)
                return self._product(product) + ("" if is_exact or self._has_unit(product) else f", {ROUNDING[name]}")
            case ast.Call(func=ast.Name(id="round_cents"), args=[ast.BinOp(op=ast.Div()) as quotient]):
                return self._share(quotient)
            case ast.BinOp(op=ast.Mult()):
                return self._product(node)
            case ast.BinOp(op=ast.Div()):
                return self._share(node)
            case ast.BinOp(op=ast.Sub(), left=left, right=right):
                return f"{self._money(left)} less {self._money(right)}"
            case ast.BinOp(op=ast.Add()):
                terms = self._terms(node)
                return " plus ".join(terms) if len(terms) <= MAX_TERMS else f"The sum of {len(terms)} amounts"
        raise UnknownExpression

    def _product(self, node: ast.BinOp) -> str:
        if self._has_unit(node):
            return self._units_at_rate(node)
        amount, factor = (node.left, node.right) if self._is_factor_last(node) else (node.right, node.left)
        number = self._value(factor)
        if abs(number) <= 1 and number not in self._quantities:
            return f"{_plain_number(number * 100)}% of {self._part_of_wages(amount) or self._money(amount)}"
        return f"{_plain_number(number)} times {self._money(amount)}"

    def _products(self, node: ast.BinOp) -> str:
        """Return a sum of percentages without those of nothing."""
        products = [term for term in self._addends(node) if self._value(term)]
        if not 0 < len(products) <= MAX_TERMS:
            raise UnknownExpression
        texts: list[str] = []
        for product in products:
            if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
                raise UnknownExpression
            texts.append(self._product(product))
        if len(texts) == 2 and (wages := self._wages_of_part(products[1])) and texts[0].endswith(f" of {wages}"):
            texts[1] = texts[1].replace(f"{PART_OF_WAGES} ({wages})", "the part")
        return " plus ".join(texts)

    def _part_of_wages(self, node: ast.expr) -> str:
        """Return the part of the month's wages above an amount, to which graduated CPF rates apply."""
        match node:
            case ast.BinOp(op=ast.Sub(), left=wages, right=bound) if any(map(_is_month_wages, self._inputs)):
                return f"{PART_OF_WAGES} ({self._money(wages)}) above {self._money(bound)}"
        return ""

    def _wages_of_part(self, node: ast.expr) -> str:
        match node:
            case ast.BinOp(right=ast.BinOp(op=ast.Sub(), left=wages)):
                return self._money(wages)
        return ""

    def _has_unit(self, node: ast.BinOp) -> bool:
        return bool(self._unit) and self._is_amount(node.right) is False

    def _units_at_rate(self, node: ast.BinOp) -> str:
        """Return how many hours, days or months are paid, and the rate of one, which may have more decimals."""
        count, rate = self._value(node.right), self._value(node.left)
        text = f"{_plain_number(count)} {self._unit}{'' if 0 < count <= 1 else 's'}"
        text += " of pay" if REST_DAYS_INPUT in self._inputs else ""
        text += f" at {_rate_text(rate)} {PER_UNIT[self._unit]}"
        if OVERTIME_INPUT not in self._inputs:
            return text
        factor = self._value(self._first(node))
        return f"{text}, which is {_plain_number(factor)} times the hourly rate of {_rate_text(rate / factor)}"

    def _share(self, node: ast.BinOp) -> str:
        """Return a percentage of an amount, or an amount for some of the working days."""
        match node:
            case ast.BinOp(left=ast.BinOp(op=ast.Mult(), left=amount, right=part), right=whole):
                if self._value(whole) == 100:
                    return f"{_plain_number(self._value(part))}% of {self._money(amount)}"
                if DAYS_WORKED_INPUT in self._inputs:
                    days = f"{_plain_number(self._value(part))} of {_plain_number(self._value(whole))} working days"
                    return f"{self._money(amount)} for {days}"
        raise UnknownExpression

    def _is_factor_last(self, node: ast.BinOp) -> bool:
        """Return whether the right side multiplies the amount on the left. Rates of the law are on the left."""
        right = self._is_amount(node.right)
        return right is False or (right is None and self._is_amount(node.left) is True)

    def _is_amount(self, node: ast.expr) -> bool | None:
        """Return whether a number is an amount of money, or None if it cannot be known. Amounts have two decimals."""
        if not isinstance(node, ast.Constant):
            return None
        number, text = self._value(node), ast.get_source_segment(self._source, node) or ""
        if number in self._amounts:
            return True
        return False if number in self._quantities or not AMOUNT.fullmatch(text) else None

    def _is_whole_cents(self, node: ast.expr) -> bool:
        return (self._value(node) * 100).denominator == 1

    def _first(self, node: ast.expr) -> ast.expr:
        return self._first(node.left) if isinstance(node, ast.BinOp) else node

    def _terms(self, node: ast.expr) -> list[str]:
        return [self._money(term) for term in self._addends(node)]

    def _addends(self, node: ast.expr) -> list[ast.expr]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return [*self._addends(node.left), *self._addends(node.right)]
        return [node]

    def _money(self, node: ast.expr) -> str:
        return format_money(_to_cents(self._value(node)))

    def _chosen(self, node: ast.Call) -> ast.expr:
        choose = max if isinstance(node.func, ast.Name) and node.func.id == "max" else min
        return choose(node.args, key=self._value)

    def _value(self, node: ast.expr) -> Fraction:
        match node:
            case ast.Constant():
                return Fraction(ast.get_source_segment(self._source, node) or "")
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
            case ast.BinOp(op=ast.Div(), left=left, right=right):
                return self._value(left) / self._value(right)
        raise UnknownExpression


def _to_cents(number: Fraction) -> Decimal:
    return Decimal(round_half_up(number * 100)) / 100


def _rate_text(rate: Fraction) -> str:
    """Return a rate as money, and that it is rounded if it is not a whole number of cents."""
    return ("" if (rate * 100).denominator == 1 else "about ") + format_money(_to_cents(rate))


def _plain_number(number: Fraction) -> str:
    """Return a number without trailing zeros.

    >>> _plain_number(Fraction(5)), _plain_number(Fraction("7.50")), _plain_number(Fraction("0.25"))
    ('5', '7.5', '0.25')
    """
    return format((Decimal(number.numerator) / number.denominator).normalize(), "f")
