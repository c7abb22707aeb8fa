"""What a kind of case holds, and whether the explanations of one case are those of its figures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from gaji.law import registry
from gaji.law.explanation import AnyExplanation, Explanation
from gaji.law.months import Month
from tests.law import arithmetic
from tests.law.cases import Case, in_cents

MONTH = Month(2026, 1)
"""That of cases which do not depend on one."""

Explanations = Mapping[str, AnyExplanation | Sequence[AnyExplanation]]


@dataclass(frozen=True)
class Kind:
    """Cases of one kind: what goes in, what must come out, and who explains it."""

    inputs: frozenset[str]
    figures: frozenset[str]
    explain: Callable[[registry.Law, Case], Explanations]
    unnamed: Mapping[str, object] = field(default_factory=dict)
    """The figures that a case need not name, and what they then are."""
    refusals: Mapping[object, type[Exception]] = field(default_factory=dict)
    """What stands in a case in the place of a figure when the law refuses to give one."""


def kind(
    inputs: str,
    figures: str,
    explain: Callable[[registry.Law, Case], Explanations],
    unnamed: Mapping[str, object] | None = None,
    refusals: Mapping[object, type[Exception]] | None = None,
) -> Kind:
    """A kind of case from the names of its keys."""
    return Kind(frozenset(inputs.split()), frozenset(figures.split()), explain, unnamed or {}, refusals or {})


def expected_figures(of_kind: Kind, case: Case) -> dict[str, Any]:
    """The figures of a case, and no key of it that nobody knows."""
    unknown = set(case) - of_kind.inputs - of_kind.figures - {"name"}
    assert not unknown, f"{sorted(unknown)} neither go in nor must come out"
    return {**of_kind.unnamed, **{name: case[name] for name in of_kind.figures if name in case}}


def explanations(of_kind: Kind, law: registry.Law, case: Case) -> list[AnyExplanation]:
    """The explanations of all figures of a case; fails when there is none, or when it is that of another figure."""
    expected = expected_figures(of_kind, case)
    assert expected, "a case without a figure shows nothing"
    if _refusal(of_kind, expected):
        return []
    explained = of_kind.explain(law, case)
    missing = set(expected) - set(explained)
    assert not missing, f"{sorted(missing)} have no explanation"
    found: list[AnyExplanation] = []
    for name, value in expected.items():
        told = explained[name]
        several = told if isinstance(told, Sequence) else [told]
        for each, figure in zip(several, value if isinstance(told, Sequence) else [value], strict=True):
            assert matches(each, figure), f"{name} is {figure}, but explained is {each.result}"
        found += several
    return found


def check_case(of_kind: Kind, law: registry.Law, case: Case) -> None:
    """Every figure of a case has an explanation whose arithmetic, worked out from its text, gives the figure."""
    refusal = _refusal(of_kind, expected_figures(of_kind, case))
    if refusal is not None:
        _check_refused(refusal, of_kind, law, case)
    for explained in explanations(of_kind, law, case):
        arithmetic.check_explained(explained)
        assert all((explained.figure, explained.inputs, explained.rule, explained.source, explained.branch))
        assert all(used.name and used.value and used.source for used in explained.parameters)


def holds(explained: AnyExplanation) -> bool:
    """Whether the arithmetic of an explanation can be believed."""
    try:
        arithmetic.check_explained(explained)
    except (AssertionError, ArithmeticError, KeyError, TypeError, ValueError):
        return False
    return True


def matches(explained: AnyExplanation, figure: object) -> bool:
    """Whether an explanation is that of a figure as a case writes it."""
    if isinstance(figure, Mapping):
        return _is_holiday(explained, figure)
    if isinstance(explained, Explanation):
        assert isinstance(figure, int | Decimal)
        return explained.amount_cents == in_cents(figure)
    return explained.result == _text(figure)


def _text(figure: object) -> str:
    if isinstance(figure, bool):
        return "yes" if figure else "no"
    if isinstance(figure, int | Decimal):
        return f"{Decimal(figure).normalize():f}"
    assert isinstance(figure, date | str)
    return str(figure)


def _is_holiday(explained: AnyExplanation, holiday: Mapping[str, object]) -> bool:
    """A day of a list of holidays: its date, that it is one, and under which name."""
    name = explained.branch.partition(", for")[0]
    return (explained.inputs["date"], explained.result, name) == (str(holiday["date"]), "yes", holiday["name"])


def _refusal(of_kind: Kind, expected: Mapping[str, Any]) -> type[Exception] | None:
    refused: Iterable[Any] = (value for value in expected.values() if isinstance(value, str))
    return next((of_kind.refusals[value] for value in refused if value in of_kind.refusals), None)


def _check_refused(refusal: type[Exception], of_kind: Kind, law: registry.Law, case: Case) -> None:
    try:
        of_kind.explain(law, case)
    except refusal:
        return
    raise AssertionError("explained, but the law refuses to give a figure")
