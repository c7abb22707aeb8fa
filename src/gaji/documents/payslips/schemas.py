"""Request and response schemas for payslip PDFs, templates and bundles."""

import re
from dataclasses import dataclass

import msgspec

from gaji.core.error_codes import LENGTH_OUT_OF_RANGE, NOT_A_STRING
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import JsonSchema
from gaji.core.validation import Attribute, Schema

MAX_TEMPLATE_LENGTH = 100_000
# A template may contain line breaks and tabs, but no other control characters.
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
TEMPLATE_CONTROL_CHARACTER = ErrorCode(
    "template_control_character", "must not contain control characters other than line breaks and tabs"
)


@dataclass(frozen=True)
class TemplateSource:
    """The source of a template. It may have any number of lines."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        """Return the text exactly as sent, so that positions in error messages match it."""
        if not isinstance(value, str):
            errors.add(path, NOT_A_STRING)
        elif not 1 <= len(value) <= MAX_TEMPLATE_LENGTH:
            errors.add(path, LENGTH_OUT_OF_RANGE, min_length=1, max_length=MAX_TEMPLATE_LENGTH)
        elif CONTROL_CHARACTERS.search(value):
            errors.add(path, TEMPLATE_CONTROL_CHARACTER)
        else:
            return value
        return None

    def json_schema(self) -> JsonSchema:
        """Return the JSON Schema of the text."""
        return {"type": "string", "minLength": 1, "maxLength": MAX_TEMPLATE_LENGTH}


class PayslipTemplateInput(msgspec.Struct, frozen=True, kw_only=True):
    """A valid payslip template."""

    template: str


PAYSLIP_TEMPLATE = Schema(
    "payslip_template",
    (
        Attribute(
            "template",
            TemplateSource(),
            "The Typst source. It reads the payslip from `json(bytes(sys.inputs.data))`.",
            required=True,
            example="#let data = json(bytes(sys.inputs.data))\n= Payslip of #data.employee.name\nNett: #data.nett_pay",
        ),
    ),
    struct=PayslipTemplateInput,
)

TEMPLATE: JsonSchema = {
    "type": "object",
    "title": "PayslipTemplate",
    "required": ["template", "own", "updated_at"],
    "properties": {
        "template": {"type": "string"},
        "own": {"type": "boolean", "description": "Whether the client replaced the built-in template."},
        "updated_at": {"type": ["string", "null"], "format": "date-time"},
    },
}
TEMPLATE_EXAMPLE = {"template": "#let data = json(bytes(sys.inputs.data))\n…", "own": False, "updated_at": None}
BUNDLE_PROGRESS: JsonSchema = {
    "type": "object",
    "title": "PayslipBundle",
    "required": ["state", "payslips", "done", "message"],
    "properties": {
        "state": {"type": "string", "enum": ["queued", "running", "complete", "failed"]},
        "payslips": {"type": "integer", "description": "The number of payslips to include."},
        "done": {"type": "integer", "description": "The number of payslips included so far."},
        "message": {"type": ["string", "null"], "description": "Why it failed."},
    },
}
BUNDLE_PROGRESS_EXAMPLE = {"state": "running", "payslips": 1000, "done": 340, "message": None}
