"""The cases that a payroll officer can read: `cases/*.toml`, each a sentence, what goes in, what must come out."""

import tomllib
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "cases"

Case = dict[str, Any]


def cases(file: str, kind: str = "case") -> pytest.MarkDecorator:
    """Runs a test once for each case of a kind in a file, under its sentence."""
    found = of_file(file)[kind]
    names = [case["name"] for case in found]
    assert len(set(names)) == len(names), f"two cases of {file} have the same name"
    return pytest.mark.parametrize("case", found, ids=names)


@cache
def of_file(file: str) -> dict[str, list[Case]]:
    """The cases of a file, by kind."""
    found: dict[str, list[Case]] = tomllib.loads((FOLDER / f"{file}.toml").read_text(), parse_float=Decimal)
    return found


def in_cents(dollars: int | Decimal) -> int:
    """An amount of a case in cents."""
    cents = Decimal(dollars) * 100
    assert cents == int(cents), f"{dollars} has parts of a cent"
    return int(cents)
