"""What can be asked for: the reports with their request fields, and the names and numbers that go into them."""

from typing import Any

from gaji.company.clients.service import require_client
from gaji.company.waves.facts import WaveFacts, waves
from gaji.core import clock
from gaji.db.tenancy import Tenant
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.reports.accounts import FIXED_KEYS, accounts
from gaji.reports.registry import REPORTS
from gaji.reports.employee_fields import ATTRIBUTES, fields


async def reports_of(tenant: Tenant, client_id: int) -> dict[str, Any]:
    """What can be asked for of a client."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        names = [one.named.key for one in accounts(await load_catalogue(tx, client_id))]
        told = await fields(tx, client_id, (*FIXED_KEYS, *names))
        known = await waves(tx, client_id)
    return {
        "reports": [
            {"id": one.id, "description": one.about, "beta": one.beta, "request": one.schema()}
            for one in REPORTS.values()
        ],
        "account_names": names,
        "custom_fields": [one.named.id if one.named.id in ATTRIBUTES else one.named.key for one in told],
        "waves": [_wave(wave_id, wave) for wave_id, wave in sorted(known.items())],
    }


def _wave(wave_id: int, wave: WaveFacts) -> dict[str, Any]:
    """A wave with its periods, from its first to the one after that of today."""
    last = wave.schedule.offset_containing(clock.today()) + 1
    return {
        "wave_id": wave_id,
        "name": wave.schedule.label,
        "period_offsets": [
            {"period_offset": offset, "period_end_date": str(wave.schedule.end(offset))}
            for offset in range(wave.first_offset, last + 1)
        ],
    }
