"""The shapes of spreadsheets over HTTP."""

from typing import Any

from gaji.attributes import Schema
from gaji.spreadsheets.importing import Imported, Outcome
from gaji.spreadsheets.reading import SHEET
from gaji.web.openapi import FILE
from gaji.web.operations import QueryParameter

WORKBOOK: Schema = {**FILE, "description": "A workbook (XLSX) with a sheet Employees.", "examples": ["PK…"]}
IMPORTED: Schema = {
    "type": "object",
    "required": ["row", "id", "number"],
    "properties": {
        "row": {"type": "string", "description": "The first cell of the row."},
        "id": {"type": ["integer", "null"], "description": "Null for an employee that a dry run would add."},
        "number": {"type": "string"},
    },
}
OUTCOME: Schema = {
    "type": "object",
    "required": ["message", "dry_run", "created", "updated", "unchanged"],
    "properties": {
        "message": {"type": "string"},
        "dry_run": {"type": "boolean"},
        "created": {"type": "array", "items": IMPORTED},
        "updated": {"type": "array", "items": IMPORTED},
        "unchanged": {"type": "integer", "minimum": 0, "description": "Rows that say what is there already."},
    },
    "examples": [
        {
            "message": "1 employee has been added, 0 changed; 12 rows say what is there already",
            "dry_run": False,
            "created": [{"row": f"{SHEET}!A15", "id": 16, "number": "16"}],
            "updated": [],
            "unchanged": 12,
        }
    ],
}
DRY_RUN = QueryParameter(
    "dry_run", {"type": "boolean"}, "Whether to look for faults alone, and save nothing. By itself false."
)
CALCULATIONS = QueryParameter(
    "calculations",
    {"type": "string"},
    "Comma-separated: calculations that are to have columns beside the usual and those in use, such as `loan`.",
)


def outcome(found: Outcome, *, dry_run: bool) -> dict[str, Any]:
    """What an import did, or would do."""
    return {
        "message": _message(found, dry_run),
        "dry_run": dry_run,
        "created": [_imported(one, known=not dry_run) for one in found.created],
        "updated": [_imported(one) for one in found.updated],
        "unchanged": found.unchanged,
    }


def _imported(one: Imported, *, known: bool = True) -> dict[str, Any]:
    return {"row": f"{SHEET}!A{one.row}", "id": one.employee_id if known else None, "number": one.number}


def _message(found: Outcome, dry_run: bool) -> str:
    added, changed = len(found.created), len(found.updated)
    if dry_run:
        done = f"{added:,} would be added, {changed:,} changed"
    else:
        done = f"{added:,} {'employee has' if added == 1 else 'employees have'} been added, {changed:,} changed"
    return f"{done}; {found.unchanged:,} {'row says' if found.unchanged == 1 else 'rows say'} what is there already"
