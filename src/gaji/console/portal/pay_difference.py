"""How the nett pay of a payslip differs from that of the one before, and the lines that changed most."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from gaji.engine.explanations import TOTAL, ExplainedLine

MAX_LINES = 3
DEDUCTION = "deduction"
SECTIONS = ("income", DEDUCTION)


@dataclass(frozen=True)
class LineDifference:
    """The difference of a line."""

    caption: str
    amount: Decimal
    """Positive if the line is larger than before."""
    is_deduction: bool


@dataclass(frozen=True)
class PayDifference:
    """The difference from an earlier payslip."""

    earlier: date
    """The last day of its period."""
    amount: Decimal
    """Positive if the nett pay is higher than before."""
    lines: Sequence[LineDifference]


def compare_lines(earlier: date, before: Iterable[ExplainedLine], after: Iterable[ExplainedLine]) -> PayDifference:
    """Compare the explained lines of two payslips."""
    captions: dict[tuple[str, str], str] = {}
    differences: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for lines, sign in ((before, -1), (after, 1)):
        for line in lines:
            if line.section in SECTIONS and line.name != TOTAL:
                key = line.section, line.name
                captions[key] = line.caption
                differences[key] += sign * Decimal(line.amount)
    changed = [
        LineDifference(captions[key], amount, is_deduction=key[0] == DEDUCTION)
        for key, amount in differences.items()
        if amount
    ]
    nett = sum((-line.amount if line.is_deduction else line.amount for line in changed), Decimal())
    return PayDifference(earlier, nett, sorted(changed, key=lambda line: -abs(line.amount))[:MAX_LINES])
