"""Sentences of payslip lines whose amount is the sum of two months, as on a weekly payslip across a month end."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.console.explanation_text import (
    FULL_AMOUNT,
    MONTH_PREFIX,
    ZERO_DIFFERENCE,
    name_month_wages,
    plain_sentence,
    used_figures,
)
from gaji.console.formats import format_money

SUM = re.compile(r"(-?\d+\.\d\d) \+ (-?\d+\.\d\d) = -?\d+\.\d\d")
MONTH_INPUT = re.compile(r"\d{4}-\d\d: month")
"""The input with which each month of an explanation starts."""
CORRECTION_INPUT = re.compile(r"\d{4}-\d\d: .+ (?:paid|due)")
"""Inputs of earlier months that the payslip corrects. They are added after the sum of the months."""
BRANCH_MONTH = re.compile(r"(?:^|; )(\d{4}-\d\d): ")


@dataclass(frozen=True)
class MonthPart:
    """What a line has for one of its two months. There are no steps if they cannot be told apart."""

    month: str
    amount: str
    steps: Sequence[str]
    inputs: Mapping[str, str]
    branch: str


def line_sentence(line: Mapping[str, Any]) -> str:
    """Return the plain sentence of an explained payslip line, by month if its amount is the sum of two months."""
    parts = split_months(line["arithmetic"], line["inputs"], line["branch"])
    if not parts:
        return plain_sentence(line["arithmetic"], line["rule"], line["inputs"])
    amounts = [f"{format_money(part.amount)} for {_month_name(part.month)}" for part in parts]
    reasons = [_reason(part, line["rule"]) for part in parts]
    if not any(reasons):
        return " and ".join(amounts)
    pairs = zip(amounts, reasons, strict=True)
    return " ".join(f"{amount}: {reason}." if reason else f"{amount}." for amount, reason in pairs)


def line_figures(line: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """Return the figures of the law that an explained payslip line uses, in either month."""
    parts = split_months(line["arithmetic"], line["inputs"], line["branch"])
    last_steps = [part.steps for part in parts] or [line["arithmetic"]]
    used = [figure for steps in last_steps for figure in used_figures(line["parameters"], steps)]
    return [figure for figure in line["parameters"] if figure in used]


def split_months(arithmetic: Sequence[str], inputs: Mapping[str, str], branch: str) -> list[MonthPart]:
    """Return the two months whose sum is the last step of the arithmetic. Empty if it is something else."""
    months = [name[:7] for name in inputs if MONTH_INPUT.fullmatch(name)]
    match = SUM.fullmatch(arithmetic[-1]) if arithmetic else None
    if len(months) != 2 or match is None or any(CORRECTION_INPUT.fullmatch(name) for name in inputs):
        return []
    branches = _branches(branch)
    return [
        MonthPart(month, amount, steps, _month_inputs(inputs, month), branches.get(month, ""))
        for month, amount, steps in zip(months, match.groups(), _split_steps(arithmetic[:-1], match[1]), strict=True)
    ]


def _split_steps(steps: Sequence[str], previous_amount: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the steps of each month. Both months start with the sum of the same payslip lines."""
    for index in range(1, len(steps)):
        if steps[index] == steps[0] and steps[index - 1].endswith(f" = {previous_amount}"):
            return steps[:index], steps[index:]
    return (), ()


def _month_inputs(inputs: Mapping[str, str], month: str) -> dict[str, str]:
    matches = ((MONTH_PREFIX.match(name), name, value) for name, value in inputs.items())
    return {name[match.end() :]: value for match, name, value in matches if match and match[1] == month}


def _branches(text: str) -> dict[str, str]:
    """Return the case that applied in each month.

    >>> _branches("2026-09: by race; wages up to $2,000; 2026-10: does not apply")
    {'2026-09': 'by race; wages up to $2,000', '2026-10': 'does not apply'}
    """
    _, *parts = BRANCH_MONTH.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _reason(part: MonthPart, rule: str) -> str:
    """Return how the amount of a month is calculated, or why it is zero. Empty if that cannot be said plainly."""
    if not part.steps:
        return ""
    if part.steps[-1].endswith(" = 0.00") and (
        " − " not in part.steps[-1] or ZERO_DIFFERENCE.fullmatch(part.steps[-1])
    ):
        return part.branch.rpartition("; ")[2]
    sentence = name_month_wages(plain_sentence(part.steps, rule, part.inputs), part.inputs)
    if sentence == rule or sentence.startswith(FULL_AMOUNT):
        return ""
    return sentence.removeprefix(f"{format_money(part.amount)}, ")


def _month_name(month: str) -> str:
    return f"{date.fromisoformat(f'{month}-01'):%B %Y}"
