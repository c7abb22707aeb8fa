"""docs/asvs.md answers every requirement of ASVS 4.0.3 level 2 once, and says where those that are met are tested."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "asvs.md"
ROW = re.compile(r"\| (\d[^|]*?) \| ([a-z/ ]+) \| (.+) \|")
FILE = re.compile(r"`((?:src|tests|deploy|requirements)/[\w./-]+|Makefile|CONTRIBUTING\.md)`")
STATES = {"met", "if set up", "partly", "no", "n/a"}
LEVEL_2 = """
1.1.1-7 1.2.1-4 1.4.1 1.4.4-5 1.5.1-4 1.6.1-4 1.7.1-2 1.8.1-2 1.9.1-2 1.10.1 1.11.1-2 1.12.2 1.14.1-6
2.1.1-12 2.2.1-3 2.3.1-3 2.4.1-6 2.5.1-7 2.6.1-3 2.7.1-6 2.8.1-7 2.9.1-3 2.10.1-4
3.1.1 3.2.1-4 3.3.1-4 3.4.1-5 3.5.1-3 3.7.1
4.1.1-3 4.1.5 4.2.1-2 4.3.1-3
5.1.1-5 5.2.1-8 5.3.1-10 5.4.1-3 5.5.1-4
6.1.1-3 6.2.1-6 6.3.1-2 6.4.1-2
7.1.1-4 7.2.1-2 7.3.1 7.3.3-4 7.4.1-3
8.1.1-4 8.2.1-3 8.3.1-8
9.1.1-3 9.2.1-4
10.2.1-2 10.3.1-3
11.1.1-8
12.1.1-3 12.2.1 12.3.1-6 12.4.1-2 12.5.1-2 12.6.1
13.1.1 13.1.3-5 13.2.1-3 13.2.5-6 13.3.1-2 13.4.1-2
14.1.1-4 14.2.1-6 14.3.2-3 14.4.1-7 14.5.1-4
"""
"""The requirements of level 2, in ranges."""


def required_numbers() -> list[str]:
    """All requirements of level 2."""
    return [number for part in LEVEL_2.split() for number in expand(*part.split("-"))]


def expand(first: str, last: str = "") -> list[str]:
    """The numbers from the first one to the last one, which can be given without its section."""
    section, _, low = first.rpartition(".")
    high = last.rpartition(".")[2] or low
    return [f"{section}.{number}" for number in range(int(low), int(high) + 1)]


def answers() -> Iterator[tuple[str, str, str]]:
    """The requirements of the page, each with its state and its last column."""
    for numbers, state, text in ROW.findall(PAGE.read_text()):
        for part in numbers.split(", "):
            yield from ((number, state, text) for number in expand(*part.split(" to ")))


def test_every_requirement_is_answered_once() -> None:
    assert sorted(number for number, _, _ in answers()) == sorted(required_numbers())


def test_states_are_those_that_the_page_explains() -> None:
    assert {state for _, state, _ in answers()} == STATES


def test_what_is_met_names_where() -> None:
    met = [(number, text) for number, state, text in answers() if state in ("met", "if set up")]
    assert [number for number, text in met if not FILE.search(text)] == []


def test_the_rows_are_all_read() -> None:
    lines = [line for line in PAGE.read_text().splitlines() if re.match(r"\| \d", line)]
    assert len(lines) == len(ROW.findall(PAGE.read_text()))
