"""Response schema that files for banks and authorities have in common."""

from typing import Any

from gaji.core.field_types import JsonSchema

COUNT: JsonSchema = {"type": "integer", "minimum": 0}
AMOUNT: JsonSchema = {"type": "number"}
FILE: dict[str, JsonSchema] = {
    "file_name": {"type": ["string", "null"], "description": "The name that the recipient expects."},
    "media_type": {"type": "string"},
    "total": AMOUNT | {"description": "The total amount in the file."},
    "bytes": {"type": ["integer", "null"], "description": "The size; null if the file cannot be generated."},
    "sha256": {"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$", "description": "The SHA-256 of the content."},
    "converted": {
        "type": "array",
        "description": "Names that the file spells differently or truncates.",
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
        "description": "Why the file cannot be generated, by attribute of the client and by employee.",
    },
}
"""The properties of every such file."""

FILE_EXAMPLE: dict[str, Any] = {
    "file_name": "dbs_giro_3.csv",
    "media_type": "text/csv",
    "total": 3358.5,
    "bytes": 162,
    "sha256": "0b1c5e7f3a9d2846" * 4,
    "converted": [{"employee_id": 12, "name": "Nguyễn Ánh", "in_file": "Nguyen Anh"}],
    "errors": {},
}
