"""Tax certificates as the API shows them, beyond the fields that employees see."""

from typing import Any

from gaji.core.validation import JsonSchema
from gaji.documents.tax_certificates.boxes import BOXES, OTHERS, TOTAL, BoxSide, dollars_by_box
from gaji.documents.tax_certificates.certificate import Stored
from gaji.engine.money import decimal_text

DAY: JsonSchema = {"type": "string", "format": "date"}
IDENTIFIER: JsonSchema = {"type": "integer", "minimum": 1}
WHOLE = [*(box.item for box in BOXES.values() if box.side != BoxSide.PART), OTHERS, TOTAL]
EXACT = [box.place(part) for box in BOXES.values() for part in (box.parts or (None,))]

CERTIFICATE: JsonSchema = {
    "type": "object",
    "title": "TaxCertificate",
    "required": ["id", "name", "date", "worked_from", "worked_to", "dirty"],
    "properties": {
        "id": IDENTIFIER,
        "name": {"type": "string"},
        "date": DAY,
        "worked_from": DAY,
        "worked_to": DAY,
        "dirty": {"type": "boolean", "description": "Whether the figures have changed since."},
    },
}
EXAMPLE: dict[str, Any] = {
    "id": 7,
    "name": "IR8A 2026",
    "date": "2026-12-31",
    "worked_from": "2026-01-01",
    "worked_to": "2026-12-31",
    "dirty": False,
}
_ABOUT: dict[str, JsonSchema] = {
    "employee_id": IDENTIFIER,
    "released": {"type": "boolean"},
    "boxes": {
        "type": "object",
        "description": "The boxes of form IR8A that take whole dollars, and the total of a, b, c and d.",
        "required": WHOLE,
        "properties": {name: {"type": "integer"} for name in WHOLE},
    },
    "amounts": {
        "type": "object",
        "description": "The same to the cent, with the parts of the boxes b and d; those that are not nothing.",
        "properties": {name: {"type": "string", "pattern": r"^-?\d+\.\d{2}$"} for name in EXACT},
    },
    "bonus_declared": {"type": "array", "items": DAY},
    "directors_fee_approved": {"type": "array", "items": DAY},
}
REVIEWED: JsonSchema = {
    **CERTIFICATE,
    "title": "ReviewedTaxCertificate",
    "required": [*CERTIFICATE["required"], *_ABOUT],
    "properties": {**CERTIFICATE["properties"], **_ABOUT},
}
REVIEWED_EXAMPLE: dict[str, Any] = {
    **EXAMPLE,
    "employee_id": 12,
    "released": False,
    "boxes": dict.fromkeys(WHOLE, 0) | {"a": 60000, "b": 5000, "total": 65000, "cpf": 13000},
    "amounts": {"a": "60000.50", "b.non_contractual": "5000.00", "cpf": "13000.00"},
    "bonus_declared": ["2026-12-18"],
    "directors_fee_approved": [],
}
GENERATED: JsonSchema = {
    "type": "object",
    "required": ["message", "ids"],
    "properties": {
        "message": {"type": "string", "description": "What was done."},
        "ids": {"type": "array", "items": IDENTIFIER, "description": "The certificates of the year."},
        "warnings": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "examples": [{"message": "The certificates of 2026 have been generated: 2", "ids": [7, 8]}],
}


def reviewed(kept: Stored, dirty: bool) -> dict[str, object]:
    """A certificate with its figures, for those who release it."""
    figures = kept.content.figures
    return {
        **kept.element(dirty),
        "employee_id": kept.employee_id,
        "released": kept.released,
        "boxes": dollars_by_box(figures.amounts),
        "amounts": {place: decimal_text(cents) for place, cents in figures.amounts.items()},
        "bonus_declared": figures.declared,
        "directors_fee_approved": figures.approved,
    }
