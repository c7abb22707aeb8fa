"""Kinds of cases: their inputs and figures, and the checks of their explanations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from gaji.law import registry
from gaji.law.explanation import AnyExplanation, Explanation
from gaji.law.months import Month
from tests.law import arithmetic
from tests.law.cases import Case, in_cents
from tests.law.reason_amounts import check_reason

MONTH = Month(2026, 1)
"""The month of cases that do not depend on one."""

Explanations = Mapping[str, AnyExplanation]


@dataclass(frozen=True)
class CaseKind:
    """A kind of case: its inputs, its expected figures, and the function that explains them."""

    inputs: frozenset[str]
    figures: frozenset[str]
    explain: Callable[[registry.Law, Case], Explanations]
    defaults: Mapping[str, object] = field(default_factory=dict)
    """The figures that a case may omit, with their values."""
    errors: Mapping[object, type[Exception]] = field(default_factory=dict)
    """The texts that a case may have instead of a figure, with the error that is raised."""
    unexplained: str | None = None
    """The text that a case has instead of a figure that is not computed, while its other figures are."""


def case_kind(
    inputs: str,
    figures: str,
    explain: Callable[[registry.Law, Case], Explanations],
    defaults: Mapping[str, object] | None = None,
    errors: Mapping[object, type[Exception]] | None = None,
    unexplained: str | None = None,
) -> CaseKind:
    """Return a kind of case from the names of its keys."""
    names = frozenset(inputs.split()), frozenset(figures.split())
    return CaseKind(*names, explain, defaults or {}, errors or {}, unexplained)


def expected_figures(kind: CaseKind, case: Case) -> dict[str, Any]:
    """The expected figures of a case; fails on an unknown key."""
    unknown = set(case) - kind.inputs - kind.figures - {"name"}
    assert not unknown, f"{sorted(unknown)} are neither inputs nor figures"
    return {**kind.defaults, **{name: case[name] for name in kind.figures if name in case}}


def case_explanations(kind: CaseKind, law: registry.Law, case: Case) -> list[AnyExplanation]:
    """The explanations of all figures of a case; fails if one is missing or explains another figure."""
    expected = expected_figures(kind, case)
    assert expected, "the case has no figure"
    if _expected_error(kind, expected):
        return []
    by_figure = kind.explain(law, case)
    without = {name for name, value in expected.items() if kind.unexplained is not None and value == kind.unexplained}
    assert not without & set(by_figure), f"{sorted(without & set(by_figure))} are explained"
    expected = {name: value for name, value in expected.items() if name not in without}
    missing = set(expected) - set(by_figure)
    assert not missing, f"{sorted(missing)} have no explanation"
    explanations: list[AnyExplanation] = []
    for name, value in expected.items():
        explanation = by_figure[name]
        assert matches(explanation, value), f"{name} is {value}, but the explanation gives {explanation.result}"
        explanations.append(explanation)
    return explanations


def check_case(kind: CaseKind, law: registry.Law, case: Case) -> None:
    """Check that every figure of a case has an explanation whose arithmetic gives the figure."""
    error = _expected_error(kind, expected_figures(kind, case))
    if error is not None:
        _check_raises(error, kind, law, case)
    for explanation in case_explanations(kind, law, case):
        arithmetic.check_explanation(explanation)
        texts = (explanation.figure, explanation.inputs, explanation.rule, explanation.source, explanation.branch)
        assert all(texts)
        assert all(used.name and used.value and used.source for used in explanation.parameters)
        if isinstance(explanation, Explanation):
            check_reason(explanation.reason, explanation.amount_cents)
            assert set(explanation.deciding) <= set(explanation.parameters)


def is_valid(explanation: AnyExplanation) -> bool:
    """Whether the arithmetic of an explanation passes all checks."""
    try:
        arithmetic.check_explanation(explanation)
    except (AssertionError, ArithmeticError, KeyError, TypeError, ValueError):
        return False
    return True


def matches(explanation: AnyExplanation, figure: object) -> bool:
    """Whether an explanation gives a figure as a case writes it."""
    if isinstance(explanation, Explanation):
        assert isinstance(figure, int | Decimal)
        return explanation.amount_cents == in_cents(figure)
    return explanation.result == _text(figure)


def _text(figure: object) -> str:
    if isinstance(figure, bool):
        return "yes" if figure else "no"
    if isinstance(figure, int | Decimal):
        return f"{Decimal(figure).normalize():f}"
    assert isinstance(figure, date | str)
    return str(figure)


def _expected_error(kind: CaseKind, expected: Mapping[str, Any]) -> type[Exception] | None:
    texts = [value for value in expected.values() if isinstance(value, str)]
    return next((kind.errors[text] for text in texts if text in kind.errors), None)


def _check_raises(error: type[Exception], kind: CaseKind, law: registry.Law, case: Case) -> None:
    try:
        kind.explain(law, case)
    except error:
        return
    raise AssertionError("explained, but an error is expected")
