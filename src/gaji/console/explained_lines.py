"""Explained payslip lines as pages show them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gaji.console.explanation_text import branch_text, input_name, input_text
from gaji.console.formats import format_month
from gaji.console.reason_sentences import line_sentence
from gaji.engine.explanations import TOTAL, ExplainedLine
from gaji.law.explanation import Explanation, UsedParameter, month_input

ELECTION, STATUS, PERMANENT_RESIDENT = "pr_cpf_rates", "legal_status", "PR"
FUND_NAMES = {
    "cdac": "Chinese Development Assistance Council",
    "ecf": "Eurasian Community Fund",
    "mbmf": "Mosque Building and Mendaki Fund",
    "sinda": "Singapore Indian Development Association",
}
"""The names of the self-help group funds, whose captions are abbreviations."""
ABSENT = frozenset({"NONE", "no"})
"""Inputs that say that something is not the case."""


@dataclass(frozen=True)
class LineInput:
    """An input of a line: its label and its value."""

    label: str
    text: str
    is_relevant: bool
    """Whether it makes a difference."""


@dataclass(frozen=True)
class LineView:
    """An explained line, total or nett pay, as a page shows it."""

    item: str
    caption: str
    full_name: str
    """The name of a fund whose caption is an abbreviation. Empty for other lines."""
    section: str
    amount: str
    detail: str
    """What a PDF prints next to the amount."""
    sentence: str
    rule: str
    branch: str
    source: str
    inputs: Sequence[LineInput]
    parameters: Sequence[UsedParameter]
    deciding: Sequence[UsedParameter]
    """The figures of the law that the last step of the calculation applies."""
    arithmetic: Sequence[str]


def line_view(line: ExplainedLine, detail: str = "") -> LineView:
    """Return a line as a page shows it. The sum of one line has no sentence but its rule."""
    explanation = line.explanation
    is_single = line.name == TOTAL and len(explanation.inputs) < 2
    return LineView(
        item=line.name,
        caption=line.caption,
        full_name=FUND_NAMES.get(line.name, ""),
        section=line.section,
        amount=line.amount,
        detail=detail,
        sentence=explanation.rule if is_single else line_sentence(explanation),
        rule=explanation.rule,
        branch=branch_text(explanation),
        source=explanation.source,
        inputs=list(line_inputs(explanation)),
        parameters=explanation.parameters,
        deciding=[parameter for parameter in explanation.parameters if parameter in explanation.deciding],
        arithmetic=explanation.arithmetic,
    )


def line_inputs(explanation: Explanation) -> Iterator[LineInput]:
    """Yield the inputs of a line that have a value.

    The election of CPF rates is left out, unless it is a permanent resident's.
    """
    for part in explanation.months:
        for name, value in _applicable(part.inputs):
            label = f"{format_month(part.month.first_day)}: {input_name(name)}"
            yield LineInput(label, input_text(value, name), value not in ABSENT)
    of_months = {month_input(part.month, name) for part in explanation.months for name in part.inputs}
    others = {name: value for name, value in explanation.inputs.items() if name not in of_months}
    for name, value in _applicable(others):
        yield LineInput(input_name(name), input_text(value, name), value not in ABSENT)


def _applicable(inputs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    is_elected = inputs.get(STATUS) == PERMANENT_RESIDENT
    return ((name, value) for name, value in inputs.items() if value and (name != ELECTION or is_elected))
