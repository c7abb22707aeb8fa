"""Changes of records, in an order that concurrent transactions cannot disturb, for copies that follow them.

`last_changes` has one row for each record: the transaction that changed it last. A reader gets the changes of all
transactions that are older than every running one, so no change can appear later at a position that was passed.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import asyncpg
import msgspec

from gaji.core.errors import ErrorCode, invalid
from gaji.core.field_types import MAX_ID
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine.dates import MAX_DATE, MIN_DATE

CURSOR_EXPIRED = ErrorCode(
    "cursor_expired", "belongs to a database that has since been restored or replaced; start again with an instant"
)
PREFIX = "c_"
HORIZON = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
"""The oldest running transaction."""
OWN_CHANGES = "SELECT id, transaction, changed_at, deleted_at FROM last_changes WHERE resource = $1{scope}"
CHANGES_WITH_EMPLOYEE = f"""
    SELECT l.id, l.deleted_at,
        greatest(l.transaction, CASE WHEN l.deleted_at IS NULL THEN e.transaction END) AS transaction,
        greatest(l.changed_at, e.changed_at) AS changed_at
    FROM ({OWN_CHANGES}) AS l CROSS JOIN (
        SELECT max(transaction) AS transaction, max(changed_at) AS changed_at FROM (
            SELECT transaction, changed_at FROM last_changes
            WHERE client_id = $6 AND resource = 'employee' AND id = $7
            UNION ALL
            SELECT transaction, changed_at FROM last_changes
            WHERE client_id = $6 AND resource = 'payslip' AND employee_id = $7) AS c
        WHERE transaction < {HORIZON}) AS e"""
"""For records of employees that show something of their services and payslips. They change with these."""
CHANGES = f"""
    WITH reader AS (SELECT {HORIZON} AS horizon, change_sequence() AS sequence)
    SELECT reader.horizon, reader.sequence, c.id, c.transaction, c.deleted_at IS NOT NULL AS is_deleted,
        shown(coalesce(c.deleted_at, c.changed_at)) AS changed_at
    FROM reader LEFT JOIN LATERAL (
        SELECT l.* FROM ({{source}}) AS l
        WHERE (l.transaction, l.id) > ($2::bigint, $3::bigint)
          AND l.transaction < reader.horizon AND ($4::timestamptz IS NULL OR l.changed_at >= $4)
        ORDER BY l.transaction, l.id LIMIT $5
    ) c ON true"""


class _CursorFields(msgspec.Struct, array_like=True, frozen=True):
    sequence: str
    transaction: int
    record_id: int
    since: datetime | None


def is_instant(moment: datetime) -> bool:
    """Return whether a time has an offset and lies within the bounds of dates."""
    return moment.utcoffset() is not None and MIN_DATE.year <= moment.year <= MAX_DATE.year


@dataclass(frozen=True, slots=True)
class ChangeCursor:
    """The position after a change. `since` also leaves out records that were changed before an instant."""

    transaction: int = -1
    record_id: int = 0
    since: datetime | None = None
    sequence: str | None = None
    """The sequence of transactions that the position belongs to. None: any."""

    def encode(self) -> str:
        """Return the cursor as an opaque text."""
        fields = _CursorFields(self.sequence or "", self.transaction, self.record_id, self.since)
        return PREFIX + urlsafe_b64encode(msgspec.json.encode(fields)).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> "ChangeCursor | None":
        """Return the cursor of a text, or None if it is not one.

        >>> cursor = ChangeCursor(7, 4, None, "a1")
        >>> ChangeCursor.decode(cursor.encode()) == cursor, ChangeCursor.decode("c_4")
        (True, None)
        """
        if not text.startswith(PREFIX):
            return None
        encoded = text.removeprefix(PREFIX)
        try:
            data = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
            fields = msgspec.json.decode(data, type=_CursorFields)
        except ValueError:
            return None
        is_position = -1 <= fields.transaction <= MAX_ID and 0 <= fields.record_id <= MAX_ID
        if not is_position or (fields.since is not None and not is_instant(fields.since)):
            return None
        return cls(fields.transaction, fields.record_id, fields.since, fields.sequence)


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """A request for the records that changed after a position."""

    after: ChangeCursor
    limit: int


@dataclass(frozen=True, slots=True)
class ChangedRecords:
    """Changed records as JSON, in the order of their changes. A deleted one has only its ID and the time."""

    elements: list[str]
    cursor: str
    """The position after them."""
    has_more: bool


class _RecordId(msgspec.Struct):
    id: int


LoadElements = Callable[[list[int]], Awaitable[Sequence[str]]]
"""Loads the JSON of records with these IDs. Those that no longer exist are left out."""


async def load_changed_records(
    tx: Transaction,
    scope: Mapping[str, int],
    resource: str,
    request: ChangeRequest,
    load_elements: LoadElements,
    source: str = OWN_CHANGES,
) -> ChangedRecords:
    """Load the records that changed after a position. Raises ValidationError if the position is void.

    The scope is the `client_id` of the list, and its `employee_id` if it is one of an employee. Without a scope, the
    changes are those of all clients that the caller can see.
    """
    after = request.after
    conditions = "".join(f" AND {column} = ${number}" for number, column in enumerate(scope, start=6))
    query = CHANGES.format(source=source.format(scope=conditions))
    position = (after.transaction, after.record_id, after.since, request.limit + 1)
    rows = await tx.fetch(query, resource, *position, *scope.values())
    horizon, sequence = rows[0]["horizon"], rows[0]["sequence"]
    if after.sequence is not None and after.sequence != sequence:
        raise invalid("updated_since", CURSOR_EXPIRED)
    changes = [row for row in rows if row["id"] is not None]
    has_more = len(changes) > request.limit
    changes = changes[: request.limit]
    if has_more:
        cursor = ChangeCursor(changes[-1]["transaction"], changes[-1]["id"], after.since, sequence)
    else:
        cursor = ChangeCursor(horizon - 1, MAX_ID, None, sequence)
    elements = await load_elements([row["id"] for row in changes if not row["is_deleted"]])
    return ChangedRecords(_in_order(changes, elements), cursor.encode(), has_more)


def with_elements(changed: ChangedRecords, elements: Sequence[str]) -> ChangedRecords:
    """Return a last page with elements that are returned whether or not they have changed."""
    listed = {record_id(element) for element in changed.elements}
    added = [element for element in elements if record_id(element) not in listed]
    return replace(changed, elements=[*changed.elements, *added])


def record_id(element: str) -> int:
    """Return the ID in the JSON of a record."""
    return msgspec.json.decode(element, type=_RecordId).id


def _in_order(changes: Sequence[asyncpg.Record], elements: Sequence[str]) -> list[str]:
    """Return the elements in the order of changes, with tombstones.

    An element that is missing has been deleted just now, or is no longer in the list.
    """
    by_id = {record_id(element): element for element in elements}
    return [by_id.get(row["id"]) or _tombstone(row) for row in changes]


def _tombstone(row: asyncpg.Record) -> str:
    return json_text({"id": row["id"], "deleted": True, "deleted_at": row["changed_at"]})
