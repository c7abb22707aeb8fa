"""Checks the arithmetic of explanations from its text.

Every line must evaluate to its result, and the last line must end with the figure. In addition, for a complete
explanation: each result is used in a later line, every label matches an input, and every number or date is an input, a
parameter, an earlier result, or one of the few constants of the calendar and the law.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache

from gaji.law.explanation import AnyExplanation, Explanation
from tests.law.calculator import DATE, MONTH, NUMBER, evaluate, tokens

MONEY = re.compile(r"−?[0-9]+\.[0-9]{2}")
FIGURE = re.compile(rf"(?<![\w.])(?:{DATE}|{MONTH}|{NUMBER})(?!\w)")
CLAUSE = re.compile(r"(?<=; )[^;()]+(?=[;)])")
PERCENTAGE = re.compile(rf"({NUMBER}) %")
CONSTANTS = frozenset(
    Fraction(number) for number in ("0", "0.5", "1", "2", "3", "12", "52", "365", "55", "60", "65", "70")
)
"""Zero, half, one, two, the third year; months, weeks and days per year; the age limits of CPF."""

Known = set[Fraction | str]
"""Numbers as fractions; dates and months as text."""


def check_amount(lines: tuple[str, ...], amount_cents: int) -> None:
    """Check that every line is correct and that the last one ends with the amount."""
    assert lines
    for line in lines:
        check_line(line)
    last = _result(lines[-1])
    assert MONEY.fullmatch(last), lines
    assert evaluate(last).value == Fraction(amount_cents, 100), lines


def check_explanation(explanation: AnyExplanation) -> None:
    """Check the arithmetic of a complete explanation."""
    lines = explanation.arithmetic
    assert lines
    known = _known(explanation)
    for index, line in enumerate(lines):
        check_line(line)
        _check_labels(explanation, line)
        _check_tables(explanation, line)
        for figure in FIGURE.findall(_expression(line)):
            assert _normal(figure) in known, f"{figure} in {line!r} has no origin"
        known.add(_normal(_result(line).lstrip("−")))
        later_tokens = {token for later in lines[index + 1 :] for token in tokens(_expression(later))}
        is_last = index == len(lines) - 1
        assert is_last or _result(line).lstrip("−") in later_tokens, f"the result of {line!r} is not used"
    assert _result(lines[-1]) == explanation.result, lines
    assert not isinstance(explanation, Explanation) or MONEY.fullmatch(explanation.result)


def check_line(line: str) -> None:
    """Check that the line evaluates to its result."""
    assert evaluate(_expression(line)).value == evaluate(_result(line)).value, line


def altered_lines(line: str) -> Iterator[str]:
    """Yield the line with each of its numbers and dates changed in turn."""
    for match in FIGURE.finditer(line):
        yield f"{line[: match.start()]}{_other(match[0])}{line[match.end() :]}"


def _expression(line: str) -> str:
    return line.rpartition(" = ")[0]


def _result(line: str) -> str:
    return line.rpartition(" = ")[2]


def _check_labels(explanation: AnyExplanation, line: str) -> None:
    inputs = {name.replace(" ", "_"): value for name, value in explanation.inputs.items()}
    for label, value in evaluate(_expression(line)).labels:
        assert inputs.get(label) == value, f"{label} {value} in {line!r} does not match the input"


def _check_tables(explanation: AnyExplanation, line: str) -> None:
    """Check that a choice from a table in the parameters lists the complete table."""
    for table in (used.value.split("; ") for used in explanation.parameters):
        clauses = CLAUSE.findall(_expression(line))
        rows = {row for row in clauses if row.partition(":")[0] != "otherwise"}
        assert set(table) <= set(clauses) or not rows & set(table), f"{line!r} does not list all of {table}"


def _known(explanation: AnyExplanation) -> Known:
    texts = [*explanation.inputs.values(), *(used.value for used in explanation.parameters)]
    texts += [str(used.since) for used in explanation.parameters]
    known: Known = {_normal(figure) for text in texts for figure in FIGURE.findall(text)}
    known |= {Fraction(percentage) / 100 for text in texts for percentage in PERCENTAGE.findall(text)}
    dates = [date.fromisoformat(text) for text in known if isinstance(text, str) and re.fullmatch(DATE, text)]
    known |= {f"{day:%Y-%m}" for day in dates}
    if "month" in explanation.inputs:
        known |= _month_figures(explanation.inputs["month"])
    return known | CONSTANTS


def _month_figures(month: str) -> Known:
    """The first and last day of a month, its number of days, and the last month of its year."""
    first = date.fromisoformat(f"{month}-01")
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return {str(first), str(last), Fraction(last.day), f"{first.year}-12"}


@lru_cache(maxsize=50_000)
def _normal(figure: str) -> Fraction | str:
    return Fraction(figure) if re.fullmatch(NUMBER, figure) else figure


def _other(figure: str) -> str:
    if re.fullmatch(DATE, figure):
        return str(date.fromisoformat(figure) + timedelta(days=1000))
    if re.fullmatch(MONTH, figure):
        return f"{int(figure[:4]) + 1}{figure[4:]}"
    whole, point, decimals = figure.partition(".")
    return f"{whole}77{point}{decimals}"
