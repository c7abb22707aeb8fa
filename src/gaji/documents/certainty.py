"""How certain the layout of a file is."""

from enum import StrEnum
from typing import Any

from gaji.core.validation import JsonSchema


class Certainty(StrEnum):
    """The grade of the source of a layout."""

    AUTHORITY = "A"
    TWO_SOURCES = "B"
    ONE_SOURCE = "C"

    @property
    def note(self) -> str:
        """What the grade means for a user of the file."""
        return NOTES[self]

    def to_json(self) -> dict[str, Any]:
        """Return the grade as the API returns it."""
        return {"grade": str(self), "note": self.note}


NOTES = {
    Certainty.AUTHORITY: "Layout from the authority",
    Certainty.TWO_SOURCES: "Two public implementations agree",
    Certainty.ONE_SOURCE: "One source: try it in your bank's test upload first",
}
CERTAINTY: JsonSchema = {
    "type": ["object", "null"],
    "description": "How certain the layout of the file is.",
    "required": ["grade", "note"],
    "properties": {"grade": {"enum": [str(grade) for grade in Certainty]}, "note": {"type": "string"}},
}
