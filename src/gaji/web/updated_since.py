"""The query parameter `updated_since`: the records of a list that changed after an instant or a position."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from gaji.core.errors import ErrorCode, Errors, ValidationError
from gaji.core.field_types import JsonSchema
from gaji.db.record_changes import ChangeCursor, ChangedRecords, ChangeRequest, is_instant
from gaji.web.paging import DEFAULT_PER_PAGE
from gaji.web.query_parameters import QueryParameter

NEXT_CURSOR = "X-Next-Cursor"
COMBINABLE = ("updated_since", "per_page", "fields", "format")
MAX_LENGTH = 300

NOT_A_POSITION = ErrorCode(
    "not_a_position", "must be an instant with an offset, such as 2026-03-31T09:00:00+08:00, or a cursor"
)
NOT_WITH_UPDATED_SINCE = ErrorCode("not_with_updated_since", "cannot be combined with updated_since")


@dataclass(frozen=True)
class ChangePosition:
    """An instant with its offset, or the cursor of an earlier response."""

    def parse(self, value: object, path: str, errors: Errors) -> ChangeCursor | None:
        text = str(value)[:MAX_LENGTH]
        cursor = ChangeCursor.decode(text) or _at_instant(text)
        if cursor is None:
            errors.add(path, NOT_A_POSITION)
        return cursor

    def json_schema(self) -> JsonSchema:
        return {"type": "string", "maxLength": MAX_LENGTH}


UPDATED_SINCE = QueryParameter(
    "updated_since",
    ChangePosition(),
    "Only records that changed since an instant or a cursor, in the order of their changes, `per_page` at a time. "
    'Deleted records are `{"id", "deleted": true, "deleted_at"}`. `X-Next-Cursor` has the cursor for the next request. '
    "Cannot be combined with filters and `page`.",
)


def requested_changes(parameters: Mapping[str, Any]) -> ChangeRequest | None:
    """Return the requested changes, or None. Raises ValidationError for parameters that cannot be combined."""
    if "updated_since" not in parameters:
        return None
    errors = Errors()
    for name in parameters:
        if name not in COMBINABLE:
            errors.add(name, NOT_WITH_UPDATED_SINCE)
    if errors:
        raise ValidationError(errors)
    return ChangeRequest(parameters["updated_since"], parameters.get("per_page", DEFAULT_PER_PAGE))


def change_headers(records: ChangedRecords, address: str, query: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the headers with the next cursor and, if there are more changes, the link to them."""
    headers = {NEXT_CURSOR: records.cursor}
    if records.has_more:
        parameters = {**query, "updated_since": [records.cursor]}
        headers["Link"] = f'<{address}?{urlencode(parameters, doseq=True)}>; rel="next"'
    return headers


def _at_instant(text: str) -> ChangeCursor | None:
    try:
        # A plus sign in a query that was not encoded arrives as a space.
        instant = datetime.fromisoformat(text.replace(" ", "+"))
        return ChangeCursor(since=instant) if is_instant(instant) else None
    except ValueError:
        return None
