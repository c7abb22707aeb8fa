"""The result of generating a file for a bank or an authority."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from gaji.core.errors import ErrorCode, Errors, FieldError
from gaji.engine.money import decimal_text

EMPLOYEE_PROBLEMS = ErrorCode("employee_problems", "{employee}: {problems}")


@dataclass(frozen=True, slots=True)
class TransliteratedName:
    """A name that is spelled differently in the file than in the employee's record."""

    employee_id: int
    name: str
    name_in_file: str


@dataclass(frozen=True, slots=True)
class FileResult:
    """A generated file, or the errors that prevent it."""

    file_name: str | None
    """The name under which the recipient expects the file."""
    media_type: str
    data: bytes | None
    errors: Errors
    total_cents: int
    transliterated: Sequence[TransliteratedName] = ()
    has_identifiers: bool = True
    """Whether the file contains identifiers, which some API keys may not see."""

    @property
    def sha256(self) -> str | None:
        """The hash of the file. None if it could not be generated."""
        return None if self.data is None else sha256(self.data).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return the fields that the API returns for every file."""
        return {
            "file_name": self.file_name,
            "media_type": self.media_type,
            "total": json_amount(self.total_cents),
            "bytes": None if self.data is None else len(self.data),
            "sha256": self.sha256,
            "converted": [
                {"employee_id": name.employee_id, "name": name.name, "in_file": name.name_in_file}
                for name in self.transliterated
            ],
            "errors": self.errors.messages(),
        }


def employee_errors(problems: Mapping[int, Sequence[FieldError]], names: Mapping[int, str]) -> Errors:
    """Combine the problems of each employee into one error per employee."""
    errors = Errors()
    for employee_id, details in problems.items():
        errors.add(
            f"employees.{employee_id}",
            EMPLOYEE_PROBLEMS,
            employee=names[employee_id],
            problems="; ".join(problem.message for problem in details),
        )
    return errors


def json_amount(cents: int) -> msgspec.Raw:
    """Return an amount as a JSON number."""
    return msgspec.Raw(decimal_text(cents).encode())
