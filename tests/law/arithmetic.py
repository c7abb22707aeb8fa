"""Whether the arithmetic of an explanation holds, by its text alone.

Every line must come out as it says, and the last one at the figure. Beyond that, of a whole explanation: the result of
each line goes into a later one, what is named in a line is what went in, and no number or date comes from nowhere: it
is among the inputs, the parameters or the results of earlier lines, or one of the few that the calendar and the wording
of the law have.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache

from gaji.law.explanation import AnyExplanation, Explanation
from tests.law.calculator import DATE, MONTH, NUMBER, tokens, work_out

MONEY = re.compile(r"−?[0-9]+\.[0-9]{2}")
FIGURE = re.compile(rf"(?<![\w.])(?:{DATE}|{MONTH}|{NUMBER})(?!\w)")
CLAUSE = re.compile(r"(?<=; )[^;()]+(?=[;)])")
PERCENTAGE = re.compile(rf"({NUMBER}) %")
FREE = frozenset(Fraction(number) for number in ("0", "0.5", "1", "2", "3", "12", "52", "365", "55", "60", "65", "70"))
"""None, half, one, two, the third year; months and weeks a year, days a year; the ages of CPF."""

Known = set[Fraction | str]
"""Numbers as fractions, dates and months as they are written."""


def check(lines: tuple[str, ...], figure_cents: int) -> None:
    """Every line comes out as it says, and the last one at the figure."""
    assert lines
    for line in lines:
        check_line(line)
    last = _result(lines[-1])
    assert MONEY.fullmatch(last), lines
    assert work_out(last).value == Fraction(figure_cents, 100), lines


def check_explained(explained: AnyExplanation) -> None:
    """The arithmetic holds, from the inputs and the parameters to the figure."""
    lines = explained.arithmetic
    assert lines
    known = _known(explained)
    for place, line in enumerate(lines):
        check_line(line)
        _check_labels(explained, line)
        _check_tables(explained, line)
        for figure in FIGURE.findall(_expression(line)):
            assert _normal(figure) in known, f"{figure} in {line!r} comes from nowhere"
        known.add(_normal(_result(line).lstrip("−")))
        later = {token for rest in lines[place + 1 :] for token in tokens(_expression(rest))}
        assert place == len(lines) - 1 or _result(line).lstrip("−") in later, f"{line!r} leads to nothing"
    assert _result(lines[-1]) == explained.result, lines
    assert not isinstance(explained, Explanation) or MONEY.fullmatch(explained.result)


def check_line(line: str) -> None:
    """The line comes out as it says."""
    assert work_out(_expression(line)).value == work_out(_result(line)).value, line


def altered(line: str) -> Iterator[str]:
    """The line with one of its numbers or dates changed, each in turn."""
    for found in FIGURE.finditer(line):
        yield f"{line[: found.start()]}{_other(found[0])}{line[found.end() :]}"


def _expression(line: str) -> str:
    return line.rpartition(" = ")[0]


def _result(line: str) -> str:
    return line.rpartition(" = ")[2]


def _check_labels(explained: AnyExplanation, line: str) -> None:
    given = {name.replace(" ", "_"): value for name, value in explained.inputs.items()}
    for label, value in work_out(_expression(line)).labels:
        assert given.get(label) == value, f"{label} {value} in {line!r} is not what went in"


def _check_tables(explained: AnyExplanation, line: str) -> None:
    """What is chosen out of a table among the parameters is chosen out of all of that table."""
    for table in (used.value.split("; ") for used in explained.parameters):
        rows = {row for row in CLAUSE.findall(_expression(line)) if row.partition(":")[0] != "otherwise"}
        assert set(table) <= set(CLAUSE.findall(_expression(line))) or not rows & set(table), (
            f"{line!r} is not by {table}"
        )


def _known(explained: AnyExplanation) -> Known:
    texts = [*explained.inputs.values(), *(used.value for used in explained.parameters)]
    texts += [str(used.since) for used in explained.parameters]
    known: Known = {_normal(figure) for text in texts for figure in FIGURE.findall(text)}
    known |= {Fraction(percentage) / 100 for text in texts for percentage in PERCENTAGE.findall(text)}
    dates = [date.fromisoformat(text) for text in known if isinstance(text, str) and re.fullmatch(DATE, text)]
    known |= {f"{day:%Y-%m}" for day in dates}
    if "month" in explained.inputs:
        known |= _ends_of(explained.inputs["month"])
    return known | FREE


def _ends_of(month: str) -> Known:
    """The first and the last day of a month, how many days it has, and the last month of its year."""
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
    whole, point, part = figure.partition(".")
    return f"{whole}77{point}{part}"
