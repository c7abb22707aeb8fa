"""Request and response schemas for the export and import of employees."""

from gaji.core.field_types import JsonSchema
from gaji.core.json_schemas import ERROR_DETAILS, IDENTIFIER
from gaji.imports.employees.sheet_formats import CHILDREN, EMPLOYEES
from gaji.web.openapi import FILE
from gaji.web.query_parameters import CommaSeparated, Flag, QueryParameter

WORKBOOK: JsonSchema = {
    **FILE,
    "description": (
        "A workbook (XLSX) with a sheet named Employees, Opening balances or both, and optionally one named Children."
    ),
    "examples": ["PK…"],
}
IMPORTED: JsonSchema = {
    "type": "object",
    "title": "ImportedEmployee",
    "required": ["row", "id", "number"],
    "properties": {
        "row": {"type": "string", "description": "The first cell of the row."},
        "id": {"type": ["integer", "null"], "description": "Null for a new employee in a dry run."},
        "number": {"type": "string"},
    },
}
IMPORTED_CHILD: JsonSchema = {
    "type": "object",
    "title": "ImportedChild",
    "required": ["row", "id", "employee_id"],
    "properties": {
        "row": {"type": "string", "description": "The first cell of the row."},
        "id": {"type": ["integer", "null"], "description": "Null for a new child in a dry run."},
        "employee_id": {"type": ["integer", "null"], "description": "Null for a new employee in a dry run."},
    },
}
IMPORTED_CHILDREN: JsonSchema = {
    "type": "object",
    "title": "ImportedChildren",
    "required": ["created", "updated", "unchanged"],
    "properties": {
        "created": {"type": "array", "items": IMPORTED_CHILD},
        "updated": {"type": "array", "items": IMPORTED_CHILD},
        "unchanged": {"type": "integer", "minimum": 0, "description": "Rows that change nothing."},
    },
    "description": "The outcome of the sheet Children.",
}
IMPORTED_BALANCES: JsonSchema = {
    "type": "object",
    "title": "ImportedTakeOnBalances",
    "required": ["updated", "unchanged"],
    "properties": {
        "updated": {
            "type": "array",
            "items": {
                "type": "object",
                "title": "ImportedTakeOnBalance",
                "required": ["row", "employee_id"],
                "properties": {
                    "row": {"type": "string", "description": "The first cell of the row."},
                    "employee_id": {
                        "type": ["integer", "null"],
                        "description": "Null for a new employee in a dry run.",
                    },
                },
            },
        },
        "unchanged": {"type": "integer", "minimum": 0, "description": "Rows that change nothing."},
    },
    "description": "The outcome of the sheet Opening balances.",
}
OUTCOME: JsonSchema = {
    "type": "object",
    "title": "ImportOutcome",
    "required": ["message", "dry_run", "created", "updated", "unchanged", "children", "take_on_balances"],
    "properties": {
        "message": {"type": "string"},
        "dry_run": {"type": "boolean"},
        "created": {"type": "array", "items": IMPORTED},
        "updated": {"type": "array", "items": IMPORTED},
        "unchanged": {"type": "integer", "minimum": 0, "description": "Rows that change nothing."},
        "children": IMPORTED_CHILDREN,
        "take_on_balances": IMPORTED_BALANCES,
        "approval_ids": {
            "type": "array",
            "items": IDENTIFIER,
            "description": "The pending approvals of new bank accounts, which are not saved yet. Empty in a dry run. "
            "Only if there are any.",
        },
    },
    "examples": [
        {
            "message": (
                "1 employee has been added, 0 changed; 12 rows are unchanged. "
                "1 child has been added, 0 changed; 3 rows are unchanged"
            ),
            "dry_run": False,
            "created": [{"row": f"{EMPLOYEES.name}!A15", "id": 16, "number": "16"}],
            "updated": [],
            "unchanged": 12,
            "children": {
                "created": [{"row": f"{CHILDREN.name}!A6", "id": 8, "employee_id": 16}],
                "updated": [],
                "unchanged": 3,
            },
            "take_on_balances": {"updated": [], "unchanged": 0},
        }
    ],
}
DRY_RUN = QueryParameter("dry_run", Flag(), "Only check for errors and save nothing. Default: `false`.")
CALCULATIONS = QueryParameter(
    "calculations",
    CommaSeparated(),
    "Comma-separated calculation types, such as `loan`, that get columns besides the default ones and those in use.",
    repeatable=True,
)
PROGRESS: JsonSchema = {
    "type": "object",
    "title": "ImportProgress",
    "required": ["state", "dry_run", "step", "rows", "done", "message", "errors", "error_details", "outcome"],
    "properties": {
        "state": {"enum": ["queued", "running", "complete", "failed"]},
        "dry_run": {"type": "boolean"},
        "step": {
            "enum": ["reading", "checking", "saving", None],
            "description": "The current step, while the import is running.",
        },
        "rows": {
            "type": "integer",
            "minimum": 0,
            "description": "The number of rows of all sheets, once they have been read.",
        },
        "done": {"type": "integer", "minimum": 0, "description": "The number of rows checked so far."},
        "message": {"type": ["string", "null"], "description": "A summary, when the import is finished."},
        "errors": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "The errors by cell, if the import failed.",
        },
        "error_details": ERROR_DETAILS,
        "outcome": {"anyOf": [OUTCOME, {"type": "null"}], "description": "The result, if the import is complete."},
    },
    "examples": [
        {
            "state": "running",
            "dry_run": False,
            "step": "checking",
            "rows": 5000,
            "done": 3000,
            "message": None,
            "errors": {},
            "error_details": [],
            "outcome": None,
        }
    ],
}
