"""What the formulas of the tests may refer to, and the cases that a payroll officer can read."""

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
FURTHER = {
    "back_pay": Reference("back_pay", None),
    "rate": Reference(None, "rate"),
    "percentage": Reference(None, "percentage"),
}
REFERENCES = NAMES | FURTHER

Case = dict[str, Any]


def known(reference: Reference) -> bool:
    """Whether the faults' company has it."""
    return reference in NAMES.values()


def formula(text: str) -> Formula:
    """A formula that may refer to everything that the cases have."""
    return parse(text, lambda reference: reference in REFERENCES.values())


def cases(file: str, kind: str) -> pytest.MarkDecorator:
    """Runs a test once for each case of a file, under its sentence."""
    found: list[Case] = tomllib.loads((FOLDER / f"{file}.toml").read_text(), parse_float=Decimal)[kind]
    names = [case["name"] for case in found]
    assert len(set(names)) == len(names), f"two cases of {file} have the same name"
    return pytest.mark.parametrize("case", found, ids=names)


def columns(people: list[Mapping[str, Fraction]]) -> dict[Reference, ColumnValues]:
    """The values of people as columns of thousandths."""
    names = people[0].keys() if people else REFERENCES.keys()
    return {
        REFERENCES[name]: ColumnValues(
            np.array([int(person[name] * MILLI) for person in people], dtype=np.int64), MILLI
        )
        for name in names
    }


def numbers(person: Mapping[str, Fraction]) -> dict[Reference, Fraction]:
    """The values of one person."""
    return {REFERENCES[name]: value for name, value in person.items()}
