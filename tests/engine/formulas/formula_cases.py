"""The references that formulas of the tests may use, and the cases of the TOML files."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gaji.engine.formulas import ColumnValues, Formula, Reference, parse

FOLDER = Path(__file__).parent
MILLI = 1000
NAMES = {
    "basic_salary": Reference("basic_salary", None),
    "basic_salary.days_input": Reference("basic_salary", "days_input"),
    "transport_allowance": Reference("transport_allowance", None),
    "calc.12": Reference("12", None),
    "calc.12.quantity": Reference("12", "quantity"),
    "amount": Reference(None, "amount"),
    "quantity": Reference(None, "quantity"),
}
MORE_NAMES = {
    "back_pay": Reference("back_pay", None),
    "rate": Reference(None, "rate"),
    "percentage": Reference(None, "percentage"),
}
REFERENCES = NAMES | MORE_NAMES

Case = dict[str, Any]


def is_known(reference: Reference) -> bool:
    """Whether the cases of errors may use a reference."""
    return reference in NAMES.values()


def parse_any(text: str) -> Formula:
    """Parse a formula that may use all references."""
    return parse(text, lambda reference: reference in REFERENCES.values())


def cases(file: str, kind: str) -> pytest.MarkDecorator:
    """Run a test once for each case of a file."""
    tables: list[Case] = tomllib.loads((FOLDER / f"{file}.toml").read_text(), parse_float=Decimal)[kind]
    names = [case["name"] for case in tables]
    assert len(set(names)) == len(names), f"two cases of {file} have the same name"
    return pytest.mark.parametrize("case", tables, ids=names)


def columns(people: list[Mapping[str, Fraction]]) -> dict[Reference, ColumnValues]:
    """The values of employees as columns of thousandths."""
    names = people[0].keys() if people else REFERENCES.keys()
    return {
        REFERENCES[name]: ColumnValues(
            np.array([int(person[name] * MILLI) for person in people], dtype=np.int64), MILLI
        )
        for name in names
    }


def numbers(person: Mapping[str, Fraction]) -> dict[Reference, Fraction]:
    """The values of one employee."""
    return {REFERENCES[name]: value for name, value in person.items()}
