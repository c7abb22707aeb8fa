"""Display names of employees."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LAST_NAME_FIRST, SINGLE_NAME = 2, 3
NAME_COLUMNS = ("number", "first_name", "last_name", "name_format")


@dataclass(frozen=True)
class EmployeeLabel:
    """The name and number of an employee."""

    number: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} ({self.number})"


def employee_label(row: Mapping[str, Any]) -> EmployeeLabel:
    """The label of an employee, from a row with the name columns."""
    return EmployeeLabel(row["number"], full_name(row["first_name"], row["last_name"], row["name_format"]))


def full_name(first_name: str, last_name: str, name_format: int) -> str:
    """The full name in the order of its format.

    >>> full_name("Mei Ling", "Tan", 1), full_name("Mei Ling", "Tan", 2), full_name("Suharto", "", 3)
    ('Mei Ling Tan', 'Tan Mei Ling', 'Suharto')
    """
    if name_format == SINGLE_NAME:
        return first_name
    parts = (last_name, first_name) if name_format == LAST_NAME_FIRST else (first_name, last_name)
    return " ".join(part for part in parts if part)
