"""Wave use cases."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from gaji.company.clients.queries import load_client_features
from gaji.company.clients.service import require_client
from gaji.company.waves import repository
from gaji.company.waves.events import PayDatesChanged
from gaji.company.waves.rules import SCHEDULE_ATTRIBUTES, feature_rule
from gaji.company.waves.schemas import WAVE, WaveInput
from gaji.core.errors import Conflict, NotFound
from gaji.core.validation import Record, ValidatedInput, replace_values, to_record
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.record_changes import ChangedRecords, ChangeRequest, load_changed_records
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_writer
from gaji.periods.guards import delete_withdrawn_drafts


async def list_waves(
    tenant: Tenant, client_id: int, simplified: bool, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the waves of a client as JSON, and their total number."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await repository.list_elements(tx, client_id, simplified, page, filters)


async def list_changed_waves(
    tenant: Tenant, client_id: int, simplified: bool, request: ChangeRequest
) -> ChangedRecords:
    """List the waves of a client that changed after a position as JSON."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)

        async def load_elements(ids: list[int]) -> list[str]:
            return (await repository.list_elements(tx, client_id, simplified, None, {"ids": ids}))[0]

        return await load_changed_records(tx, {"client_id": client_id}, "wave", request, load_elements)


async def read_wave(tenant: Tenant, wave_id: int, simplified: bool) -> str:
    """Return one wave as JSON."""
    async with tenant.read_only() as tx:
        element = await repository.load_element(tx, wave_id, simplified)
    if element is None:
        raise NotFound(f"Wave {wave_id} does not exist")
    return element


async def create_wave(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput[WaveInput]]:
    """Create a wave in a client."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        features = await load_client_features(tx, client_id)
        rule = feature_rule(custom_wave_names=features["custom_wave_names"], pay_dates=features["pay_dates"])
        validated = WAVE.parse_create(body, rule)
        return await repository.insert(tx, client_id, validated.data), validated


async def update_wave(tenant: Tenant, wave_id: int, body: Mapping[str, Any]) -> ValidatedInput[WaveInput]:
    """Update the attributes of a wave that the body supplies. The schedule of a wave in use cannot change."""
    async with tenant.transaction() as tx:
        client_id, current = await _lock(tx, wave_id)
        features = await load_client_features(tx, client_id)
        # Existing values stay valid if the feature has been disabled since.
        rule = feature_rule(
            custom_wave_names=features["custom_wave_names"] or current.custom_name is not None,
            pay_dates=features["pay_dates"] or current.pay_dates is not None,
        )
        changes = _without_read_values(WAVE.unwrap(body), current)
        validated = WAVE.parse_update(changes, to_record(current), rule)
        wave = validated.data
        if _schedule_changes(current, wave) and await repository.is_used(tx, client_id, wave_id):
            raise Conflict(f"Wave {wave_id} has employees, so its schedule cannot change; create another wave instead")
        await repository.update(tx, client_id, wave_id, wave)
        if wave.pay_dates != current.pay_dates:
            tx.emit(PayDatesChanged(client_id))
        return validated


async def delete_wave(tenant: Tenant, wave_id: int) -> None:
    """Delete a wave that no employee was ever assigned to."""
    try:
        async with tenant.transaction() as tx:
            client_id, _ = await _lock(tx, wave_id)
            await delete_withdrawn_drafts(tx, client_id, wave_id)
            await repository.delete(tx, client_id, wave_id)
    except asyncpg.ForeignKeyViolationError:
        raise Conflict(f"Wave {wave_id} is in use by employees and cannot be deleted") from None


def _schedule_changes(current: WaveInput, wave: WaveInput) -> bool:
    return any(getattr(wave, name) != getattr(current, name) for name in SCHEDULE_ATTRIBUTES)


def _without_read_values(body: Mapping[str, Any], current: WaveInput) -> Mapping[str, Any]:
    """Drop values that a client read and sends back unchanged, where reads differ from what was written.

    Reads return the normalised first end date, and disabled pay dates where none were written.
    """
    read: Record = {"first_end_date": current.schedule.anchor.isoformat()}
    if current.pay_dates is None:
        read["pay_dates"] = {"enabled": False}
    return replace_values(
        body, {name: value for name, value in body.items() if name not in read or value != read[name]}
    )


async def _lock(tx: Transaction, wave_id: int) -> tuple[int, WaveInput]:
    """Lock a wave and return its client and attributes, or raise NotFound or Forbidden."""
    locked = await repository.lock_wave(tx, wave_id)
    if locked is None:
        raise NotFound(f"Wave {wave_id} does not exist")
    client_id, wave = locked
    await require_writer(tx, client_id)
    await tx.check_precondition()
    return client_id, wave
