"""What can be asked about waves."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from gaji.company.clients.service import load_client_features, require_client
from gaji.company.waves import repository
from gaji.company.waves.schemas import SCHEDULE, WAVE, check_features, schedule_of
from gaji.core.errors import Conflict, NotFound
from gaji.core.validation import Record, ValidatedInput
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.periods import Schedule
from gaji.identity.service import require_writer
from gaji.company.waves.events import PayDatesChanged
from gaji.periods.guards import delete_withdrawn_drafts


async def list_waves(tenant: Tenant, client_id: int, simplified: bool, page: Page | None) -> tuple[list[str], int]:
    """The waves of a client as JSON, and how many there are in all."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        return await repository.elements(tx, client_id, simplified, page)


async def read_wave(tenant: Tenant, wave_id: int, simplified: bool) -> str:
    """One wave as JSON."""
    async with tenant.reading() as tx:
        found = await repository.element(tx, wave_id, simplified)
    if found is None:
        raise NotFound(f"There is no wave {wave_id}")
    return found


async def create_wave(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Add a wave to a client."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        features = await load_client_features(tx, client_id)
        reading = WAVE.parse_create(body, check_features(features["custom_wave_names"], features["pay_dates"]))
        return await repository.insert(tx, client_id, reading.record, schedule_of(reading.record)), reading


async def update_wave(tenant: Tenant, wave_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Change what the body names of a wave; its periods only while nobody is paid by it."""
    async with tenant.transaction() as tx:
        client_id, current = await _for_change(tx, wave_id)
        features = await load_client_features(tx, client_id)
        # What is set already may stay when the feature has been switched off since.
        check = check_features(
            features["custom_wave_names"] or current["custom_name"] is not None,
            features["pay_dates"] or current["pay_dates"] is not None,
        )
        reading = WAVE.parse_update(_without_what_was_read(WAVE.unwrap(body), current), current, check)
        if any(reading.record[name] != current[name] for name in SCHEDULE) and await repository.is_used(
            tx, client_id, wave_id
        ):
            raise Conflict(f"Wave {wave_id} has employees, so its periods cannot change; create another wave for them")
        await repository.update(tx, client_id, wave_id, reading.record, schedule_of(reading.record))
        if reading.record["pay_dates"] != current["pay_dates"]:
            tx.emit(PayDatesChanged(client_id))
        return reading


async def delete_wave(tenant: Tenant, wave_id: int) -> None:
    """Remove a wave that nobody is or was paid by."""
    try:
        async with tenant.transaction() as tx:
            client_id, _ = await _for_change(tx, wave_id)
            await delete_withdrawn_drafts(tx, client_id, wave_id)
            await repository.delete(tx, client_id, wave_id)
    except asyncpg.ForeignKeyViolationError:
        raise Conflict(f"Wave {wave_id} is in use by employees and cannot be deleted") from None


async def load_wave_names(tx: Transaction, client_id: int) -> dict[int, str]:
    """The names of a client's waves, by id."""
    return await repository.names_by_id(tx, client_id)


async def load_schedules(tx: Transaction, client_id: int) -> dict[int, Schedule]:
    """The schedules of a client's waves, by wave id."""
    return await repository.schedules(tx, client_id)


def _without_what_was_read(body: Mapping[str, Any], current: Record) -> Mapping[str, Any]:
    """The body without a normalised date and switched-off pay dates that were read and are sent back as they were."""
    read: Record = {"first_end_date": schedule_of(current).anchor.isoformat()}
    if current["pay_dates"] is None:
        read["pay_dates"] = {"enabled": False}
    return {name: value for name, value in body.items() if name not in read or value != read[name]}


async def _for_change(tx: Transaction, wave_id: int) -> tuple[int, Record]:
    found = await repository.for_change(tx, wave_id)
    if found is None:
        raise NotFound(f"There is no wave {wave_id}")
    await require_writer(tx, found[0])
    return found
