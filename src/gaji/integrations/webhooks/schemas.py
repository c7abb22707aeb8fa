"""Request and response schemas of webhook endpoints and deliveries."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import msgspec

from gaji.core import json_schemas
from gaji.core.error_codes import DUPLICATE, NOT_ALLOWED, NOT_AN_ARRAY
from gaji.core.errors import ErrorCode, Errors, InvalidValue
from gaji.core.field_types import Boolean, Integer, JsonSchema, Text
from gaji.core.outgoing_addresses import AddressRefused, check_url
from gaji.core.settings import Settings
from gaji.core.validation import Attribute, Schema
from gaji.integrations.events.schemas import EVENT_TYPE, TYPES

MAX_URL_LENGTH = 2000
DELIVERY_STATES = ("pending", "delivered", "failed")

URL_NOT_ALLOWED = ErrorCode("url_not_allowed", "cannot be used: {reason}")


class EndpointInput(msgspec.Struct, frozen=True, kw_only=True):
    """The writable attributes of an endpoint."""

    url: str
    description: str | None
    types: Sequence[str] | None
    enabled: bool


class ReplayInput(msgspec.Struct, frozen=True, kw_only=True):
    """The events to send again."""

    after: int


@dataclass(frozen=True)
class EventTypeList:
    """An array of event types, each once."""

    def parse(self, value: object, path: str, errors: Errors) -> list[str] | None:
        if not isinstance(value, list):
            errors.add(path, NOT_AN_ARRAY)
            return None
        for index, name in enumerate(value[: len(TYPES) + 1]):
            if name not in TYPES:
                errors.add(f"{path}.{index}", NOT_ALLOWED, allowed=TYPES)
            elif name in value[:index]:
                errors.add(f"{path}.{index}", DUPLICATE)
        return value

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "items": EVENT_TYPE, "uniqueItems": True}


@cache
def _settings() -> Settings:
    return Settings.from_environment()


def normalise_url(url: str) -> str:
    """Return a URL that may be that of an endpoint. Raises InvalidValue."""
    try:
        return check_url(url, _settings().webhook_allow).geturl()
    except AddressRefused as error:
        raise InvalidValue(URL_NOT_ALLOWED, reason=str(error)) from None


WEBHOOK_ENDPOINT = Schema(
    "webhook_endpoint",
    (
        Attribute(
            "url",
            Text(min_length=1, max_length=MAX_URL_LENGTH, normalise=normalise_url),
            "Where events are sent. It begins with `https://` and has a public address.",
            required=True,
            example="https://hr.example.com/gaji",
        ),
        Attribute("description", Text(max_length=200), "What the receiver is for.", example="HR system"),
        Attribute(
            "types", EventTypeList(), "The types of events to send. Default: all types.", example=["employee.created"]
        ),
        Attribute("enabled", Boolean(), "Whether events are sent.", default=True),
    ),
    read_only=(
        "id",
        "client_id",
        "disabled_reason",
        "previous_secret_expires_at",
        "pending",
        "created_at",
        "updated_at",
    ),
    struct=EndpointInput,
)

REPLAY = Schema(
    "replay",
    (Attribute("after", Integer(minimum=0), "The ID of the last event that you have.", required=True, example=4710),),
    read_only=(),
    struct=ReplayInput,
    title="WebhookReplayInput",
)

_SECRET: JsonSchema = {
    "type": "string",
    "description": "The key of the signatures. It is shown only in this response.",
}
WITH_SECRET: JsonSchema = {
    "type": "object",
    "title": "WebhookSecretResponse",
    "required": ["message", "id", "secret"],
    "properties": {
        "message": json_schemas.MESSAGE,
        "id": json_schemas.IDENTIFIER,
        "secret": _SECRET,
        "warnings": json_schemas.WARNINGS,
    },
    "examples": [
        {
            "message": "The webhook endpoint has been created",
            "id": 1,
            "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
        }
    ],
}
_NULLABLE_TEXT: JsonSchema = {"type": ["string", "null"]}
_NULLABLE_TIME: JsonSchema = {"type": ["string", "null"], "format": "date-time"}
_ENDPOINT: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "client_id": {"type": ["integer", "null"], "description": "Null for an endpoint of all clients of the account."},
    "url": {"type": "string"},
    "description": _NULLABLE_TEXT,
    "types": {"type": "array", "items": EVENT_TYPE, "description": "Empty for all types."},
    "enabled": {"type": "boolean"},
    "disabled_reason": {**_NULLABLE_TEXT, "description": "Why it was disabled automatically."},
    "previous_secret_expires_at": {**_NULLABLE_TIME, "description": "Until when both secrets sign."},
    "pending": {"type": "integer", "description": "Deliveries that are not complete."},
    "created_at": json_schemas.TIMESTAMP,
    "updated_at": json_schemas.TIMESTAMP,
}
ENDPOINT: JsonSchema = {
    "type": "object",
    "title": "WebhookEndpoint",
    "required": list(_ENDPOINT),
    "properties": _ENDPOINT,
}
ENDPOINT_EXAMPLE = {
    "id": 1,
    "client_id": None,
    "url": "https://hr.example.com/gaji",
    "description": "HR system",
    "types": ["employee.created"],
    "enabled": True,
    "disabled_reason": None,
    "previous_secret_expires_at": None,
    "pending": 0,
    "created_at": "2026-03-31T09:00:00.000000+08:00",
    "updated_at": "2026-03-31T09:00:00.000000+08:00",
}
_ATTEMPT: JsonSchema = {
    "at": json_schemas.TIMESTAMP,
    "status": {"type": ["integer", "null"], "description": "The status that the receiver answered."},
    "reason": {**_NULLABLE_TEXT, "description": "Why the attempt failed."},
    "duration_ms": {"type": "integer"},
}
_DELIVERY: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "client_id": json_schemas.IDENTIFIER,
    "endpoint_id": json_schemas.IDENTIFIER,
    "event_id": {"type": ["integer", "null"], "description": "Null for a test."},
    "type": {"type": "string", "description": "A type of events, or `webhook.test`."},
    "resource": {
        "type": "object",
        "title": "DeliveryResource",
        "required": ["type", "id"],
        "properties": {"type": {"type": "string"}, "id": {"type": ["integer", "string"]}},
    },
    "occurred_at": json_schemas.TIMESTAMP,
    "state": {"type": "string", "title": "DeliveryState", "enum": list(DELIVERY_STATES)},
    "next_attempt_at": _NULLABLE_TIME,
    "attempts": {
        "type": "array",
        "items": {
            "type": "object",
            "title": "DeliveryAttempt",
            "required": list(_ATTEMPT),
            "properties": _ATTEMPT,
        },
    },
}
DELIVERY: JsonSchema = {
    "type": "object",
    "title": "WebhookDelivery",
    "required": list(_DELIVERY),
    "properties": _DELIVERY,
}
DELIVERY_EXAMPLE = {
    "id": 12,
    "client_id": 1,
    "endpoint_id": 1,
    "event_id": 4711,
    "type": "employee.created",
    "resource": {"type": "employee", "id": 4},
    "occurred_at": "2026-03-31T09:00:00.000000+08:00",
    "state": "pending",
    "next_attempt_at": "2026-03-31T09:05:11.000000+08:00",
    "attempts": [
        {
            "at": "2026-03-31T09:00:01.000000+08:00",
            "status": 500,
            "reason": "The receiver answered 500",
            "duration_ms": 84,
        }
    ],
}
