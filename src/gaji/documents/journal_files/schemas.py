"""Response schemas of journal files."""

from gaji.core.field_types import JsonSchema
from gaji.documents.certainty import CERTAINTY

TEXT: JsonSchema = {"type": "string"}
INTEGER: JsonSchema = {"type": "integer", "minimum": 1}
JOURNAL_FILE: JsonSchema = {
    "type": "object",
    "title": "JournalFile",
    "required": ["name", "program", "certainty", "date", "narration", "part", "parts", "lines", "total", "errors"],
    "properties": {
        "name": TEXT | {"description": "The last part of the path of the download."},
        "program": {"type": ["string", "null"], "description": "The accounting program. Null for our own layout."},
        "description": TEXT,
        "certainty": CERTAINTY,
        "date": {"type": "string", "format": "date", "description": "The last day of the pay period."},
        "narration": TEXT,
        "part": INTEGER,
        "parts": INTEGER | {"description": "In how many files the journal is divided."},
        "lines": INTEGER | {"description": "Rows without the header."},
        "file_name": TEXT,
        "media_type": TEXT,
        "total": {"type": "number", "description": "Total of the debits, which is that of the credits."},
        "bytes": {"type": ["integer", "null"]},
        "sha256": {"type": ["string", "null"]},
        "errors": {
            "type": "object",
            "additionalProperties": TEXT,
            "description": "Items without an account, by item and side. Empty if the file can be downloaded.",
        },
    },
}
EXAMPLE = {
    "name": "xero.csv",
    "program": "Xero",
    "description": "Manual journals of Xero, up to 300 lines in a file",
    "certainty": {
        "grade": "A",
        "note": "Layout from Xero's help; the order of the columns from one other source",
    },
    "date": "2026-03-31",
    "narration": "Payroll 31 Mar 2026, run 12",
    "part": 1,
    "parts": 1,
    "lines": 7,
    "file_name": "xero_12.csv",
    "media_type": "text/csv",
    "total": 6347.89,
    "bytes": None,
    "sha256": None,
    "errors": {"items.sdl.debit": "SDL, debited to Skills development levy, has no account code"},
}
