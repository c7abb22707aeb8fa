"""What can be written of a payslip template."""

import re
from dataclasses import dataclass

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import Attribute, JsonSchema, Schema

MAX_TEMPLATE_LENGTH = 100_000
# Templates have lines and tabs; what else is not printable has no business in them.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Source:
    """The text of a template, of any number of lines."""

    def parse(self, value: object, path: str, faults: Errors) -> str | None:
        """The text as it was sent, so that places in messages fit it."""
        if not isinstance(value, str):
            faults.add(path, INVALID, reason="must be a string")
        elif not 1 <= len(value) <= MAX_TEMPLATE_LENGTH:
            faults.add(path, INVALID, reason=f"must be 1 to {MAX_TEMPLATE_LENGTH} characters")
        elif UNPRINTABLE.search(value):
            faults.add(path, INVALID, reason="must not contain control characters other than line breaks and tabs")
        else:
            return value
        return None

    def json_schema(self) -> JsonSchema:
        """A text of limited length."""
        return {"type": "string", "minLength": 1, "maxLength": MAX_TEMPLATE_LENGTH}


PAYSLIP_TEMPLATE = Schema(
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
