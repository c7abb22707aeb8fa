"""Loads the cases in `cases/*.toml`: each has a sentence for a name, inputs and expected figures."""

import tomllib
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from tests.support.case_tables import Test, for_every

DIRECTORY = Path(__file__).parent / "cases"
DATE_CASES = Path(__file__).parent / "date_cases"
"""Cases about years and deadlines, which are not lines of a payslip and have no arithmetic of their own."""

Case = dict[str, Any]


def cases(file: str, kind: str = "case", directory: Path = DIRECTORY) -> Callable[[Test], Test]:
    """Run a test for each case of a kind in a file, named by its sentence."""
    loaded = load_cases(file, directory)[kind]
    names = [case["name"] for case in loaded]
    assert len(set(names)) == len(names), f"two cases of {file} have the same name"
    return for_every("case", loaded, itemgetter("name"))


@cache
def load_cases(file: str, directory: Path = DIRECTORY) -> dict[str, list[Case]]:
    """Load the cases of a file by kind."""
    loaded: dict[str, list[Case]] = tomllib.loads((directory / f"{file}.toml").read_text(), parse_float=Decimal)
    return loaded


def in_cents(dollars: int | Decimal) -> int:
    """Convert an amount of a case to cents."""
    cents = Decimal(dollars) * 100
    assert cents == int(cents), f"{dollars} has fractions of a cent"
    return int(cents)
