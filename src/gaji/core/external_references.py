"""References of integrations: `external_id` and `metadata`, which several resources have.

Gaji stores them and returns them. They are not shown on pages and have no effect on pay.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gaji.core.error_codes import NOT_AN_OBJECT
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import JsonSchema, Text, TextPattern
from gaji.core.validation import Attribute, Record, Rule

MAX_KEYS, MAX_KEY_LENGTH, MAX_VALUE_LENGTH = 50, 40, 500
MAX_EXTERNAL_ID_LENGTH = 100
EXTERNAL_ID_REGEX = r"[A-Za-z0-9][A-Za-z0-9._:@-]*"
"""What a path can contain without encoding."""

INVALID_EXTERNAL_ID = ErrorCode(
    "invalid_external_id", "must contain only letters, digits and . _ : @ -, and start with a letter or a digit"
)
EXTERNAL_ID_TAKEN = ErrorCode("external_id_taken", "is the external ID of another record")
TOO_MANY_KEYS = ErrorCode("too_many_metadata_keys", "must have at most {maximum} keys")
INVALID_KEY_LENGTH = ErrorCode("invalid_metadata_key", "must have keys of 1 to {maximum} characters")


@dataclass(frozen=True)
class Metadata:
    """An object of texts. A key whose value is null is removed."""

    def parse(self, value: object, path: str, errors: Errors) -> dict[str, str] | None:
        if not isinstance(value, Mapping):
            errors.add(path, NOT_AN_OBJECT)
            return None
        metadata = {str(key): text for key, text in value.items() if text is not None}
        if len(metadata) > MAX_KEYS:
            errors.add(path, TOO_MANY_KEYS, maximum=MAX_KEYS)
            return None
        keys = [key for key in metadata if 0 < len(key) <= MAX_KEY_LENGTH and key.isprintable()]
        if len(keys) < len(metadata):
            errors.add(path, INVALID_KEY_LENGTH, maximum=MAX_KEY_LENGTH)
        text_type = Text(max_length=MAX_VALUE_LENGTH)
        return {key: text_type.parse(metadata[key], f"{path}.{key}", errors) or "" for key in keys}

    def json_schema(self) -> JsonSchema:
        return {
            "type": "object",
            "maxProperties": MAX_KEYS,
            "propertyNames": {"minLength": 1, "maxLength": MAX_KEY_LENGTH},
            "additionalProperties": {"type": ["string", "null"], "maxLength": MAX_VALUE_LENGTH},
        }


EXTERNAL_ID_TYPE = Text(1, MAX_EXTERNAL_ID_LENGTH, TextPattern(EXTERNAL_ID_REGEX, INVALID_EXTERNAL_ID))
EXTERNAL_ID = Attribute(
    "external_id",
    EXTERNAL_ID_TYPE,
    "The ID of the record in your system, unique in the client. Null: none.",
)
METADATA = Attribute(
    "metadata",
    Metadata(),
    f"Up to {MAX_KEYS} keys with texts for your own use. An update changes only the keys in it; null removes a key.",
    default={},
    example={"cost_centre": "4100"},
)
REFERENCES = (EXTERNAL_ID, METADATA)
REFERENCE_NAMES = ("external_id", "metadata")
METADATA_SCHEMA: JsonSchema = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "Texts for your own use.",
}
"""The schema of metadata as it is read."""


def external_id_rule(is_taken: bool) -> Rule:
    """Return the check that no other record has the external ID."""

    def check(record: Record, errors: Errors) -> None:
        if is_taken and record["external_id"]:
            errors.add_if_absent("external_id", EXTERNAL_ID_TAKEN)

    return check
