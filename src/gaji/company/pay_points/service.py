"""Pay point use cases."""

from collections.abc import Mapping
from typing import Any, NoReturn

import asyncpg

from gaji.company.clients.service import require_client
from gaji.company.pay_points import repository
from gaji.company.pay_points.schemas import PAY_POINT, PayPointInput
from gaji.core.error_codes import NAME_TAKEN
from gaji.core.errors import Conflict, NotFound, invalid
from gaji.core.external_references import EXTERNAL_ID_TAKEN, external_id_rule
from gaji.core.validation import Rule, ValidatedInput, to_record, unique_name_rule
from gaji.db.external_references import is_external_id_taken
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.record_changes import ChangedRecords, ChangeRequest, load_changed_records
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_writer


async def list_pay_points(
    tenant: Tenant, client_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the pay points of a client as JSON, and their total number."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await repository.list_elements(tx, client_id, page, filters)


async def list_changed_pay_points(tenant: Tenant, client_id: int, request: ChangeRequest) -> ChangedRecords:
    """List the pay points of a client that changed after a position as JSON."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)

        async def load_elements(ids: list[int]) -> list[str]:
            return (await repository.list_elements(tx, client_id, None, {"ids": ids}))[0]

        return await load_changed_records(tx, {"client_id": client_id}, "pay_point", request, load_elements)


async def read_pay_point(tenant: Tenant, pay_point_id: int) -> str:
    """Return one pay point as JSON."""
    async with tenant.read_only() as tx:
        element = await repository.load_element(tx, pay_point_id)
    if element is None:
        raise _not_found(pay_point_id)
    return element


async def create_pay_point(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[PayPointInput]]:
    """Create a pay point in a client."""
    try:
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            names = await repository.load_lower_names(tx, client_id)
            rule = await _external_id_rule(tx, client_id, body)
            validated = PAY_POINT.parse_create(body, unique_name_rule(names), rule)
            return await repository.insert(tx, client_id, validated.data), validated
    except asyncpg.UniqueViolationError as error:
        _raise_taken(error, validated.data)


async def update_pay_point(tenant: Tenant, pay_point_id: int, body: Mapping[str, Any]) -> ValidatedInput[PayPointInput]:
    """Update the attributes of a pay point that the body supplies."""
    try:
        async with tenant.transaction() as tx:
            client_id, current = await _lock(tx, pay_point_id)
            names = await repository.load_lower_names(tx, client_id, exclude_id=pay_point_id)
            rule = await _external_id_rule(tx, client_id, body, pay_point_id)
            validated = PAY_POINT.parse_update(body, to_record(current), unique_name_rule(names), rule)
            await repository.update(tx, client_id, pay_point_id, validated.data)
            return validated
    except asyncpg.UniqueViolationError as error:
        _raise_taken(error, validated.data)


async def delete_pay_point(tenant: Tenant, pay_point_id: int) -> None:
    """Delete a pay point that is not in use."""
    try:
        async with tenant.transaction() as tx:
            client_id, _ = await _lock(tx, pay_point_id)
            await repository.delete(tx, client_id, pay_point_id)
    except asyncpg.ForeignKeyViolationError:
        raise Conflict(f"Pay point {pay_point_id} is in use; move its employees to another one first") from None


async def _external_id_rule(tx: Transaction, client_id: int, body: Mapping[str, Any], pay_point_id: int = 0) -> Rule:
    external_id = PAY_POINT.unwrap(body).get("external_id")
    scope = {"client_id": client_id}
    return external_id_rule(await is_external_id_taken(tx, "pay_points", scope, external_id, pay_point_id))


def _raise_taken(error: asyncpg.UniqueViolationError, pay_point: PayPointInput) -> NoReturn:
    if error.constraint_name == "pay_points_external_id":
        raise invalid("external_id", EXTERNAL_ID_TAKEN) from None
    raise invalid("name", NAME_TAKEN, name=pay_point.name) from None


async def _lock(tx: Transaction, pay_point_id: int) -> tuple[int, PayPointInput]:
    """Lock a pay point and return its client and attributes, or raise NotFound or Forbidden."""
    locked = await repository.lock_pay_point(tx, pay_point_id)
    if locked is None:
        raise _not_found(pay_point_id)
    client_id, pay_point = locked
    await require_writer(tx, client_id)
    await tx.check_precondition()
    return client_id, pay_point


def _not_found(pay_point_id: int) -> NotFound:
    return NotFound(f"Pay point {pay_point_id} does not exist")
