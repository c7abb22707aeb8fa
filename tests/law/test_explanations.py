"""Every figure of every case has an explanation whose arithmetic, worked out again from its text, gives the figure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gaji.law import registry
from gaji.law.explanation import AnyExplanation
from tests.law import arithmetic
from tests.law.cases import FOLDER, Case, of_file
from tests.law.explained import KINDS
from tests.law.explained.kinds import check_case, explanations, holds


def every_case() -> list[Any]:
    """All cases of all files, whatever anybody knows about them."""
    return [
        pytest.param(path.stem, name, case, id=f"{path.stem}.{name}: {case['name']}")
        for path in sorted(FOLDER.glob("*.toml"))
        for name, cases in of_file(path.stem).items()
        for case in cases
    ]


def altered(explained: AnyExplanation) -> Iterator[AnyExplanation]:
    """The explanation with one number or date of its arithmetic changed, each in turn."""
    lines = explained.arithmetic
    for place, line in enumerate(lines):
        for other in arithmetic.altered(line):
            yield replace(explained, arithmetic=(*lines[:place], other, *lines[place + 1 :]))


@pytest.mark.parametrize(("file", "name", "case"), every_case())
def test_every_case_is_explained(file: str, name: str, case: Case, law: registry.Law) -> None:
    check_case(KINDS[file, name], law, case)


@pytest.mark.parametrize(("file", "name", "case"), every_case())
def test_any_changed_number_is_noticed(file: str, name: str, case: Case, law: registry.Law) -> None:
    for explained in explanations(KINDS[file, name], law, case):
        for other in altered(explained):
            assert not holds(other), other.arithmetic


def test_no_kind_of_case_is_left_that_no_file_has() -> None:
    assert set(KINDS) == {(path.stem, name) for path in FOLDER.glob("*.toml") for name in of_file(path.stem)}


def documented() -> list[str]:
    """The lines of arithmetic that the pages on the rules show as examples, those that are cut short left out."""
    pages = (Path(__file__).parents[2] / "docs" / "rules").glob("*.md")
    sections = [part for page in pages for part in page.read_text().split("\n## ") if part.startswith("Expla")]
    lines = [line for part in sections for line in re.findall(r"^    (.+)$|`([^`]+)`", part, re.MULTILINE)]
    texts = [" ".join((indented or inline).split()) for indented, inline in lines]
    return [text for text in texts if re.search(r"[0-9)] = \S", text) and "…" not in text]


def test_the_examples_of_the_documentation_hold() -> None:
    lines = documented()
    assert len(lines) > 15
    for line in lines:
        arithmetic.check_line(line)


SDL = KINDS["sdl", "case"]
AT_THE_CAP: Case = {"name": "At the cap", "remuneration": 4500, "levy": Decimal("11.25")}


def test_a_kind_of_case_that_nobody_explains_fails(law: registry.Law) -> None:
    silent = replace(SDL, explain=lambda law, case: {})
    check_case(SDL, law, AT_THE_CAP)
    with pytest.raises(AssertionError, match=r"\['levy'\] have no explanation"):
        check_case(silent, law, AT_THE_CAP)


def test_a_case_without_a_figure_fails(law: registry.Law) -> None:
    with pytest.raises(AssertionError, match="without a figure"):
        check_case(SDL, law, {"name": "Nothing to show", "remuneration": 4500})


def test_a_key_of_a_case_that_nobody_knows_fails(law: registry.Law) -> None:
    with pytest.raises(AssertionError, match=r"\['refund'\] neither go in nor must come out"):
        check_case(SDL, law, AT_THE_CAP | {"refund": 1})


def test_the_explanation_of_another_figure_fails(law: registry.Law) -> None:
    with pytest.raises(AssertionError, match=r"levy is 11\.26, but explained is 11\.25"):
        check_case(SDL, law, AT_THE_CAP | {"levy": Decimal("11.26")})


def test_a_figure_where_the_law_refuses_one_fails(law: registry.Law) -> None:
    with pytest.raises(AssertionError, match="the law refuses"):
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
        ("on(Saturday; 2026-03-21) = 1", "on(Saturday; 2026-03-20) = 1"),
        (
            "workday(2026-02-13, 3; off Saturday, Sunday; holidays 2026-02-17, 2026-02-18) = 2026-02-20",
            "workday(2026-02-13, 3; off Saturday, Sunday; holidays 2026-02-17) = 2026-02-20",
        ),
        ("no or 52.5 > 0.20 × 260 = yes", "no or 52 > 0.20 × 260 = yes"),
        ("EP is WP or (yes and EP is EP) = yes", "EP is WP or (no and EP is EP) = yes"),
        ("among(2026-03-21; 2026-01-01, 2026-03-21) = yes", "among(2026-03-22; 2026-01-01, 2026-03-21) = yes"),
    ],
)
def test_a_line_holds_until_it_is_changed(line: str, other: str) -> None:
    arithmetic.check_line(line)
    with pytest.raises(AssertionError):
        arithmetic.check_line(other)


def test_a_number_from_nowhere_is_noticed_where_the_sum_is_still_right(law: registry.Law) -> None:
    (explained,) = explanations(SDL, law, {"name": "Above the cap", "remuneration": 9000, "levy": Decimal("11.25")})
    (line,) = explained.arithmetic
    other = line.replace("9000.00", "9001.00")
    arithmetic.check_line(other)
    assert holds(explained)
    assert not holds(replace(explained, arithmetic=(other,)))


def test_a_line_that_leads_to_nothing_is_noticed(law: registry.Law) -> None:
    (explained,) = explanations(SDL, law, AT_THE_CAP)
    assert not holds(replace(explained, arithmetic=("min(4500.00, 2.00) = 2.00", "4500.00 − 4500.00 = 0.00")))
    assert not holds(replace(explained, arithmetic=("4500.00 − 2.00 = 4498.00", *explained.arithmetic)))


def test_a_fact_that_is_not_the_one_that_went_in_is_noticed(law: registry.Law) -> None:
    case: Case = {"name": "Tier 1", "levy": 450}
    (explained,) = explanations(KINDS["levy", "case"], law, case)
    assert holds(explained)
    assert not holds(replace(explained, inputs=explained.inputs | {"tier": "2"}))
