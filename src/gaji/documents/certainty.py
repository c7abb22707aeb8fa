"""How certain the layout of a file is."""

from dataclasses import dataclass
from typing import Any

from gaji.core.field_types import JsonSchema


@dataclass(frozen=True, slots=True)
class Certainty:
    """The grade of the source of a layout, and what it means for a user of the file."""

    grade: str | None
    """A, B or C. None for a layout of our own."""
    note: str

    def to_json(self) -> dict[str, Any]:
        """Return the grade as the API returns it."""
        return {"grade": self.grade, "note": self.note}


TWO_SOURCES = Certainty(
    "B", "Checked against two descriptions of the bank's format. Test the first file with your bank"
)
CPF_FILE = Certainty(
    "B", "Checked against two descriptions of the format. Check what the portal shows before you submit"
)
ONE_SOURCE = Certainty("C", "It is from one source only. Try the file in your bank's test upload first")
OWN_LAYOUT = Certainty(None, "Our own layout, not one of a bank or agency")
CERTAINTY: JsonSchema = {
    "type": "object",
    "description": "How certain the layout of the file is. The grade of our own layouts is null.",
    "required": ["grade", "note"],
    "properties": {"grade": {"enum": ["A", "B", "C", None]}, "note": {"type": "string"}},
}
