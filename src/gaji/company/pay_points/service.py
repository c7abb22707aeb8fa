"""What can be asked about pay points."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.company.pay_points import repository
from gaji.company.pay_points.schemas import PAY_POINT, named_apart, taken
from gaji.core.errors import INVALID, Conflict, NotFound, invalid
from gaji.core.validation import Record, ValidatedInput
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.service import require_writer


async def list_pay_points(tenant: Tenant, client_id: int, page: Page | None) -> tuple[list[str], int]:
    """The pay points of a client as JSON, and how many there are in all."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        return await repository.elements(tx, client_id, page)


async def create_pay_point(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Add a pay point to a client."""
    try:
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            reading = PAY_POINT.parse_create(body, named_apart(await repository.names(tx, client_id)))
            return await repository.insert(tx, client_id, reading.record), reading
    except asyncpg.UniqueViolationError:
        raise invalid("name", INVALID, reason=taken(reading.record["name"])) from None


async def update_pay_point(tenant: Tenant, pay_point_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Change what the body names of a pay point."""
    try:
        async with tenant.transaction() as tx:
            client_id, current = await _for_change(tx, pay_point_id)
            names = await repository.names(tx, client_id, but=pay_point_id)
            reading = PAY_POINT.parse_update(body, current, named_apart(names))
            await repository.update(tx, client_id, pay_point_id, reading.record)
            return reading
    except asyncpg.UniqueViolationError:
        raise invalid("name", INVALID, reason=taken(reading.record["name"])) from None


async def delete_pay_point(tenant: Tenant, pay_point_id: int) -> None:
    """Remove a pay point that nothing uses."""
    try:
        async with tenant.transaction() as tx:
            client_id, _ = await _for_change(tx, pay_point_id)
            await repository.delete(tx, client_id, pay_point_id)
    except asyncpg.ForeignKeyViolationError:
        raise Conflict(f"Pay point {pay_point_id} is in use; move its employees to another one first") from None


async def load_pay_point_ids(tx: Transaction, client_id: int) -> set[int]:
    """The ids of a client's pay points."""
    return await repository.ids(tx, client_id)


async def load_pay_point_names(tx: Transaction, client_id: int) -> dict[int, str]:
    """The names of a client's pay points by their ids, in the order of the ids."""
    return await repository.names_by_id(tx, client_id)


async def _for_change(tx: Transaction, pay_point_id: int) -> tuple[int, Record]:
    found = await repository.for_change(tx, pay_point_id)
    if found is None:
        raise NotFound(f"There is no pay point {pay_point_id}")
    await require_writer(tx, found[0])
    return found
