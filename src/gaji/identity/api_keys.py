"""The API keys that people make for themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg

from gaji.core.errors import INVALID, Errors, NotFound
from gaji.core.validation import (
    Attribute,
    Boolean,
    Integer,
    JsonSchema,
    Record,
    Rule,
    Schema,
    Text,
    parse_integer,
)
from gaji.db.tenancy import Tenant
from gaji.identity import key_format
from gaji.identity import repository

MOST_DAYS = 3650
MOST_KEYS = 100
"""That someone has at a time and that work."""


@dataclass(frozen=True)
class Clients:
    """Ids of clients; none means all."""

    def parse(self, value: object, path: str, errors: Errors) -> list[int] | None:
        numbers = [parse_integer(one) for one in value] if isinstance(value, list) else [None]
        found = [number for number in numbers if number is not None and number > 0]
        if len(found) < len(numbers):
            errors.add(path, INVALID, reason="must be the ids of clients")
        return found

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "items": {"type": "integer", "minimum": 1}}


API_KEY = Schema(
    "api_key",
    (
        Attribute("name", Text(min_length=1, max_length=100), "What uses it.", required=True, example="Rostering"),
        Attribute("client_ids", Clients(), "The companies that it can work with; none chosen means all."),
        Attribute("read_only", Boolean(), "It can read, and change nothing.", default=False),
        Attribute("hide_identifiers", Boolean(), "NRIC, FIN and account numbers come masked.", default=False),
        Attribute("expires_in_days", Integer(minimum=1, maximum=MOST_DAYS), "It ends after so many days."),
    ),
)


async def list_keys(tenant: Tenant) -> list[asyncpg.Record]:
    """The caller's keys, newest first."""
    async with tenant.reading() as tx:
        return await repository.keys(tx.connection, tx.caller.user_id)


async def create_key(tenant: Tenant, body: Mapping[str, Any]) -> str:
    """Make a key for the caller and give its text, which is stored nowhere."""
    async with tenant.transaction() as tx:
        known = await repository.member_clients(tx.connection, tx.caller.user_id)
        living = await repository.count_living_keys(tx.connection, tx.caller.user_id)
        record = API_KEY.parse_create(body, _own(known), _few(living)).record
        key, days = key_format.new_key(), record["expires_in_days"]
        await repository.insert_key(
            tx.connection,
            tx.caller,
            name=record["name"],
            key_hash=tx.vault.api_key_hash(key),
            hint=key[-4:],
            client_ids=record["client_ids"] or (),
            read_only=record["read_only"],
            hide_identifiers=record["hide_identifiers"],
            expires_at=datetime.now(UTC) + timedelta(days=days) if days else None,
        )
        return key


async def revoke_key(tenant: Tenant, key_id: int) -> None:
    """End a key of the caller now."""
    async with tenant.transaction() as tx:
        if not await repository.revoke_key(tx.connection, key_id):
            raise NotFound(f"There is no living key {key_id}")


def _few(living: int) -> Rule:
    def check(record: Record, errors: Errors) -> None:
        if living >= MOST_KEYS:
            errors.add(
                "name",
                INVALID,
                reason=f"you have {living} keys that work, and that is the most: revoke one that nobody uses",
            )

    return check


def _own(known: set[int]) -> Rule:
    def check(record: Record, errors: Errors) -> None:
        if foreign := set(record["client_ids"] or ()) - known:
            errors.add("client_ids", INVALID, reason=f"you have no client {', '.join(map(str, sorted(foreign)))}")

    return check
