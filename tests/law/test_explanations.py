"""Every figure of every case has an explanation whose arithmetic, evaluated from its text, gives the figure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from gaji.law import registry
from gaji.law.explanation import AnyExplanation
from tests.law import arithmetic
from tests.law.cases import DIRECTORY, Case, load_cases
from tests.law.explanations import KINDS, UNEXPLAINED
from tests.law.explanations.kinds import case_explanations, check_case, is_valid
from tests.support.case_tables import for_every

pytestmark = pytest.mark.slow


def all_cases() -> list[tuple[str, str, Case]]:
    """All cases with explanations."""
    return [
        (path.stem, name, case)
        for path in sorted(DIRECTORY.glob("*.toml"))
        for name, cases in load_cases(path.stem).items()
        if (path.stem, name) not in UNEXPLAINED
        for case in cases
    ]


every_case = for_every("file,name,case", all_cases(), lambda case: f"{case[0]}.{case[1]}: {case[2]['name']}")


def altered_explanations(explanation: AnyExplanation) -> Iterator[AnyExplanation]:
    """Yield the explanation with each number and date of its arithmetic changed in turn."""
    lines = explanation.arithmetic
    for index, line in enumerate(lines):
        for other in arithmetic.altered_lines(line):
            yield replace(explanation, arithmetic=(*lines[:index], other, *lines[index + 1 :]))


@every_case
def test_every_case_is_explained(file: str, name: str, case: Case, law: registry.Law) -> None:
    check_case(KINDS[file, name], law, case)


@every_case
def test_any_changed_number_fails(file: str, name: str, case: Case, law: registry.Law) -> None:
    for explanation in case_explanations(KINDS[file, name], law, case):
        for other in altered_explanations(explanation):
            assert not is_valid(other), other.arithmetic


def test_the_kinds_match_the_case_files() -> None:
    kinds = {(path.stem, name) for path in DIRECTORY.glob("*.toml") for name in load_cases(path.stem)}
    assert kinds == KINDS.keys() | UNEXPLAINED
    assert not KINDS.keys() & UNEXPLAINED


def documented_lines() -> list[str]:
    """The complete lines of arithmetic in the explanation sections of the rules documentation."""
    pages = (Path(__file__).parents[2] / "docs" / "rules").glob("*.md")
    sections = [part for page in pages for part in page.read_text().split("\n## ") if part.startswith("Expla")]
    lines = [line for part in sections for line in re.findall(r"^    (.+)$|`([^`]+)`", part, re.MULTILINE)]
    texts = [" ".join((indented or inline).split()) for indented, inline in lines]
    return [text for text in texts if re.search(r"[0-9)] = \S", text) and "…" not in text]


def test_the_documented_examples_are_correct() -> None:
    lines = documented_lines()
    assert len(lines) > 15
    for line in lines:
        arithmetic.check_line(line)


SDL = KINDS["sdl", "case"]
AT_THE_CAP: Case = {"name": "At the cap", "remuneration": 4500, "levy": Decimal("11.25")}


def test_a_case_without_an_explanation_fails(law: registry.Law) -> None:
    unexplained = replace(SDL, explain=lambda law, case: {})
    check_case(SDL, law, AT_THE_CAP)
    with pytest.raises(AssertionError, match=r"\['levy'\] have no explanation"):
        check_case(unexplained, law, AT_THE_CAP)


def test_a_case_without_a_figure_fails(law: registry.Law) -> None:
    with pytest.raises(AssertionError, match="has no figure"):
        check_case(SDL, law, {"name": "No figure", "remuneration": 4500})


def test_an_unknown_key_of_a_case_fails(law: registry.Law) -> None:
    with pytest.raises(AssertionError, match=r"\['refund'\] are neither inputs nor figures"):
        check_case(SDL, law, AT_THE_CAP | {"refund": 1})


def test_the_explanation_of_another_figure_fails(law: registry.Law) -> None:
    with pytest.raises(AssertionError, match=r"levy is 11\.26, but the explanation gives 11\.25"):
        check_case(SDL, law, AT_THE_CAP | {"levy": Decimal("11.26")})


def test_a_figure_instead_of_an_expected_error_fails(law: registry.Law) -> None:
    with pytest.raises(AssertionError, match="an error is expected"):
        check_case(KINDS["levy", "case"], law, {"name": "Services", "levy": "unknown"})


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("floor(0.18 × 8000.00) = 1440.00", "floor(0.18 × 8000.00) = 1440.01"),
        ("floor(0.18 × 8000.00) = 1440.00", "floor(0.17 × 8000.00) = 1440.00"),
        ("choose(2300.00; up to 2000.00: 0.50; otherwise: 1.00) = 1.00", "choose(2300.00; up to 2300.00: 0.50) = 1.00"),
        (
            "choose(5; from 6: 14; from 5: 11; otherwise: 0) = 11",
            "choose(5; from 6: 14; from 5: 10; otherwise: 0) = 11",
        ),
        ("2026-03-31 + 7 days = 2026-04-07", "2026-03-31 + 7 days = 2026-04-08"),
        ("2026-01 − 2024-12 = 13", "2026-01 − 2024-11 = 13"),
        ("months(2024-02-29, 2026-03-01) = 24", "months(2024-02-29, 2026-02-28) = 24"),
        ("weeks(2026-01-01, 2026-07-02) = 26", "weeks(2026-01-01, 2026-07-01) = 26"),
        ("Saturdays(2026-01-01, 2026-01-31) = 5", "Sundays(2026-01-01, 2026-01-31) = 5"),
        ("no or 52.5 > 0.20 × 260 = yes", "no or 52 > 0.20 × 260 = yes"),
        ("EP is WP or (yes and EP is EP) = yes", "EP is WP or (no and EP is EP) = yes"),
    ],
)
def test_a_changed_line_fails(line: str, other: str) -> None:
    arithmetic.check_line(line)
    with pytest.raises(AssertionError):
        arithmetic.check_line(other)


def test_a_number_without_origin_fails_even_if_the_line_is_correct(law: registry.Law) -> None:
    (explanation,) = case_explanations(
        SDL, law, {"name": "Above the cap", "remuneration": 9000, "levy": Decimal("11.25")}
    )
    (line,) = explanation.arithmetic
    other = line.replace("9000.00", "9001.00")
    arithmetic.check_line(other)
    assert is_valid(explanation)
    assert not is_valid(replace(explanation, arithmetic=(other,)))


def test_an_unused_result_fails(law: registry.Law) -> None:
    (explanation,) = case_explanations(SDL, law, AT_THE_CAP)
    assert not is_valid(replace(explanation, arithmetic=("min(4500.00, 2.00) = 2.00", "4500.00 − 4500.00 = 0.00")))
    assert not is_valid(replace(explanation, arithmetic=("4500.00 − 2.00 = 4498.00", *explanation.arithmetic)))


def test_a_label_that_does_not_match_the_input_fails(law: registry.Law) -> None:
    case: Case = {"name": "Tier 1", "levy": 450}
    (explanation,) = case_explanations(KINDS["levy", "case"], law, case)
    assert is_valid(explanation)
    assert not is_valid(replace(explanation, inputs=explanation.inputs | {"tier": "2"}))
