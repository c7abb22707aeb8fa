"""The result of an import."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gaji.imports.employees.cell_errors import cell_name


@dataclass(frozen=True)
class ImportedEmployee:
    """An employee that an import added or changed."""

    row: int
    employee_id: int
    number: str


@dataclass
class ImportResult:
    """The employees that an import added and changed, or would add and change in a dry run."""

    dry_run: bool
    created: Sequence[ImportedEmployee] = field(default_factory=list)
    updated: Sequence[ImportedEmployee] = field(default_factory=list)
    unchanged: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the result as the API returns it."""
        return {
            "message": self._message(),
            "dry_run": self.dry_run,
            "created": [_employee_json(employee, has_id=not self.dry_run) for employee in self.created],
            "updated": [_employee_json(employee) for employee in self.updated],
            "unchanged": self.unchanged,
        }

    def _message(self) -> str:
        created, updated, unchanged = len(self.created), len(self.updated), self.unchanged
        if self.dry_run:
            changes = f"{created:,} would be added, {updated:,} changed"
        else:
            noun = "employee has" if created == 1 else "employees have"
            changes = f"{created:,} {noun} been added, {updated:,} changed"
        return f"{changes}; {unchanged:,} {'row is' if unchanged == 1 else 'rows are'} unchanged"


def _employee_json(employee: ImportedEmployee, *, has_id: bool = True) -> dict[str, Any]:
    return {
        "row": cell_name((employee.row, 1)),
        "id": employee.employee_id if has_id else None,
        "number": employee.number,
    }
