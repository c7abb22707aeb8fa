"""What there is to say about a file that was made, or could not be, so that a person can check it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from gaji.engine.money import decimal_text

Faults = Mapping[str, str]
"""By attribute or employee, what is wrong."""


@dataclass(frozen=True, slots=True)
class Respelled:
    """A name that stands in a file in another way than the employee's record has it."""

    employee_id: int
    name: str
    in_file: str


@dataclass(frozen=True, slots=True)
class FileResult:
    """A file, or why there is none."""

    file_name: str | None
    """What it is called where it is handed in."""
    media_type: str
    data: bytes | None
    errors: Faults
    total_cents: int
    respelled: Sequence[Respelled] = ()
    has_identifiers: bool = True
    """Whether it holds what some keys may not see."""

    def to_json(self) -> dict[str, Any]:
        """What answers say of any file."""
        return {
            "file_name": self.file_name,
            "media_type": self.media_type,
            "total": amount(self.total_cents),
            "bytes": None if self.data is None else len(self.data),
            "sha256": None if self.data is None else sha256(self.data).hexdigest(),
            "converted": [
                {"employee_id": one.employee_id, "name": one.name, "in_file": one.in_file} for one in self.respelled
            ],
            "errors": self.errors,
        }


def of_employees(faults: Mapping[int, Sequence[str]], names: Mapping[int, str]) -> dict[str, str]:
    """The faults of employees in the form of every refusal, each employee with all of theirs."""
    return {f"employees.{one}": f"{names[one]}: {'; '.join(some)}" for one, some in faults.items()}


def amount(cents: int) -> msgspec.Raw:
    """An amount as a number of JSON."""
    return msgspec.Raw(decimal_text(cents).encode())
