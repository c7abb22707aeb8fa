"""What answers say of a file that was made for a bank or a board."""

from typing import Any

from gaji.core.validation import JsonSchema

COUNT: JsonSchema = {"type": "integer", "minimum": 0}
AMOUNT: JsonSchema = {"type": "number"}
FILE: dict[str, JsonSchema] = {
    "file_name": {"type": ["string", "null"], "description": "What it is called where it is handed in."},
    "media_type": {"type": "string"},
    "total": AMOUNT | {"description": "What is paid by it in all."},
    "bytes": {"type": ["integer", "null"], "description": "How long it is; null while it cannot be made."},
    "sha256": {"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$", "description": "The hash of its bytes."},
    "converted": {
        "type": "array",
        "description": "Names that the file has in another spelling, or cut.",
        "items": {
            "type": "object",
            "required": ["employee_id", "name", "in_file"],
            "properties": {
                "employee_id": {"type": "integer", "minimum": 1},
                "name": {"type": "string"},
                "in_file": {"type": "string"},
            },
        },
    },
    "errors": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "What keeps it from being made, by attribute of the client and by employee.",
    },
}
"""What is said of every such file."""

FILE_EXAMPLE: dict[str, Any] = {
    "file_name": "dbs_giro_3.csv",
    "media_type": "text/csv",
    "total": 3358.5,
    "bytes": 162,
    "sha256": "0b1c5e7f3a9d2846" * 4,
    "converted": [{"employee_id": 12, "name": "Nguyễn Ánh", "in_file": "Nguyen Anh"}],
    "errors": {},
}
