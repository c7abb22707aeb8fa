"""What can be written of a payslip template."""

import re
from dataclasses import dataclass

from gaji.core.validation import Attribute, Catalogue, Faults, Schema

MOST_CHARACTERS = 100_000
# Templates have lines and tabs; what else is not printable has no business in them.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Source:
    """The text of a template, of any number of lines."""

    def read(self, value: object, path: str, faults: Faults) -> str | None:
        """The text as it was sent, so that places in messages fit it."""
        if not isinstance(value, str):
            faults[path] = "must be a string"
        elif not 1 <= len(value) <= MOST_CHARACTERS:
            faults[path] = f"must be 1 to {MOST_CHARACTERS} characters"
        elif UNPRINTABLE.search(value):
            faults[path] = "must not contain control characters other than line breaks and tabs"
        else:
            return value
        return None

    def schema(self) -> Schema:
        """A text of limited length."""
        return {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS}


PAYSLIP_TEMPLATE = Catalogue(
    "payslip_template",
    (
        Attribute(
            "template",
            Source(),
            "The template in Typst's language. It finds the payslip in `json(bytes(sys.inputs.data))`.",
            required=True,
            example="#let data = json(bytes(sys.inputs.data))\n= Payslip of #data.employee.name\nNett: #data.nett_pay",
        ),
    ),
)
