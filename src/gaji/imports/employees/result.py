"""The result of an import."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gaji.core.errors import Conflict, Errors, GajiError, ValidationError
from gaji.imports.employees.cell_errors import cell_name
from gaji.imports.employees.sheet_formats import CHILDREN, EMPLOYEES, TAKE_ON


@dataclass(frozen=True)
class ImportedEmployee:
    """An employee that an import added or changed."""

    row: int
    employee_id: int
    number: str


@dataclass(frozen=True)
class ImportedChild:
    """A child that an import added or changed."""

    row: int
    child_id: int
    employee_id: int


@dataclass
class ChildrenResult:
    """The children that an import added and changed."""

    created: Sequence[ImportedChild] = ()
    updated: Sequence[ImportedChild] = ()
    unchanged: int = 0

    def __bool__(self) -> bool:
        """Return whether the workbook has children."""
        return bool(self.created or self.updated or self.unchanged)


@dataclass(frozen=True)
class ImportedBalances:
    """An employee whose opening balances an import saved."""

    row: int
    employee_id: int


@dataclass
class TakeOnResult:
    """The opening balances that an import saved."""

    updated: Sequence[ImportedBalances] = ()
    unchanged: int = 0

    def __bool__(self) -> bool:
        """Return whether the workbook has opening balances."""
        return bool(self.updated or self.unchanged)


@dataclass
class ImportResult:
    """The records that an import added and changed, or would add and change in a dry run."""

    dry_run: bool
    created: Sequence[ImportedEmployee] = field(default_factory=list)
    updated: Sequence[ImportedEmployee] = field(default_factory=list)
    unchanged: int = 0
    children: ChildrenResult = field(default_factory=ChildrenResult)
    take_on: TakeOnResult = field(default_factory=TakeOnResult)
    approval_ids: Sequence[int] = ()
    """The pending approvals of new bank accounts, which are not saved yet."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as the API returns it."""
        return {
            "message": self._message(),
            "dry_run": self.dry_run,
            "created": [_employee_json(employee, has_id=not self.dry_run) for employee in self.created],
            "updated": [_employee_json(employee) for employee in self.updated],
            "unchanged": self.unchanged,
            "children": self._children_json(),
            "take_on_balances": self._take_on_json(),
            **({"approval_ids": [] if self.dry_run else self.approval_ids} if self.approval_ids else {}),
        }

    @property
    def _unsaved_ids(self) -> set[int]:
        """The employees that a dry run would create. They have no ID."""
        return {employee.employee_id for employee in self.created} if self.dry_run else set()

    def _children_json(self) -> dict[str, Any]:
        unsaved_ids = self._unsaved_ids
        return {
            "created": [
                _child_json(child, has_id=not self.dry_run, has_employee=child.employee_id not in unsaved_ids)
                for child in self.children.created
            ],
            "updated": [_child_json(child) for child in self.children.updated],
            "unchanged": self.children.unchanged,
        }

    def _take_on_json(self) -> dict[str, Any]:
        unsaved_ids = self._unsaved_ids
        updated = [
            {
                "row": cell_name(TAKE_ON.name, (item.row, 1)),
                "employee_id": None if item.employee_id in unsaved_ids else item.employee_id,
            }
            for item in self.take_on.updated
        ]
        return {"updated": updated, "unchanged": self.take_on.unchanged}

    def _message(self) -> str:
        """Return the counts of each sheet that has rows. A workbook without rows has no employees to add."""
        children, parts = self.children, []
        has_employees = bool(self.created or self.updated or self.unchanged)
        if has_employees or not self.take_on:
            counts = len(self.created), len(self.updated), self.unchanged
            parts.append(self._counts(("employee", "employees"), *counts))
        if children:
            counts = len(children.created), len(children.updated), children.unchanged
            parts.append(self._counts(("child", "children"), *counts))
        if self.take_on:
            parts.append(self._take_on_counts())
        if count := len(self.approval_ids):
            parts.append(
                "1 bank account changes when another person approves it"
                if count == 1
                else f"{count:,} bank accounts change when another person approves them"
            )
        return ". ".join(parts)

    def _take_on_counts(self) -> str:
        count, unchanged = len(self.take_on.updated), self.take_on.unchanged
        noun = "employee" if count == 1 else "employees"
        verb = "would be" if self.dry_run else "have been"
        rows = "row is" if unchanged == 1 else "rows are"
        return f"Opening balances of {count:,} {noun} {verb} saved; {unchanged:,} {rows} unchanged"

    def _counts(self, nouns: tuple[str, str], created: int, updated: int, unchanged: int) -> str:
        noun = nouns[0] if created == 1 else nouns[1]
        verb = "would be" if self.dry_run else "has been" if created == 1 else "have been"
        rows = "row is" if unchanged == 1 else "rows are"
        return f"{created:,} {noun} {verb} added, {updated:,} changed; {unchanged:,} {rows} unchanged"


def _employee_json(employee: ImportedEmployee, *, has_id: bool = True) -> dict[str, Any]:
    return {
        "row": cell_name(EMPLOYEES.name, (employee.row, 1)),
        "id": employee.employee_id if has_id else None,
        "number": employee.number,
    }


def _child_json(child: ImportedChild, *, has_id: bool = True, has_employee: bool = True) -> dict[str, Any]:
    return {
        "row": cell_name(CHILDREN.name, (child.row, 1)),
        "id": child.child_id if has_id else None,
        "employee_id": child.employee_id if has_employee else None,
    }


def failure_json(error: GajiError) -> dict[str, Any]:
    """Return the outcome of an import that failed."""
    errors = error.errors if isinstance(error, ValidationError | Conflict) else Errors()
    return {"message": error.message, "errors": errors.messages(), "error_details": errors.details()}
