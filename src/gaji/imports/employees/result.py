"""What an import did, or would do, as callers are shown it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gaji.imports.employees.cell_errors import cell_name


@dataclass(frozen=True)
class Imported:
    """An employee that an import added or changed."""

    row: int
    employee_id: int
    number: str


@dataclass
class Outcome:
    """What became of the rows of a sheet."""

    created: Sequence[Imported] = field(default_factory=list)
    updated: Sequence[Imported] = field(default_factory=list)
    unchanged: int = 0


def shown(found: Outcome, *, dry_run: bool) -> dict[str, Any]:
    """What an import did, or would do."""
    return {
        "message": _message(found, dry_run),
        "dry_run": dry_run,
        "created": [_imported(one, known=not dry_run) for one in found.created],
        "updated": [_imported(one) for one in found.updated],
        "unchanged": found.unchanged,
    }


def _imported(one: Imported, *, known: bool = True) -> dict[str, Any]:
    return {"row": cell_name((one.row, 1)), "id": one.employee_id if known else None, "number": one.number}


def _message(found: Outcome, dry_run: bool) -> str:
    added, changed = len(found.created), len(found.updated)
    if dry_run:
        done = f"{added:,} would be added, {changed:,} changed"
    else:
        done = f"{added:,} {'employee has' if added == 1 else 'employees have'} been added, {changed:,} changed"
    return f"{done}; {found.unchanged:,} {'row says' if found.unchanged == 1 else 'rows say'} what is there already"
