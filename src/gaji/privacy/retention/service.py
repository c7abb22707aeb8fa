"""Use cases of retention: the periods of a client, and what has reached the end of them."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from datetime import date
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.validation import to_record
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_owner
from gaji.privacy.retention import repository
from gaji.privacy.retention.schemas import RETENTION, RetentionSettings
from gaji.privacy.retention_periods import RetentionPeriods, erasable_from, years_later

FORMER_EMPLOYEES = "former_employees"
MEDICAL_CERTIFICATES = "medical_certificates"


@dataclass(frozen=True)
class DueRecords:
    """Records of one kind whose period has ended."""

    kind: str
    records: int
    oldest: date | None

    def to_json(self) -> dict[str, Any]:
        """Return the records as the API returns them."""
        return {"kind": self.kind, "records": self.records, "oldest": self.oldest}


@dataclass(frozen=True)
class RetentionChange:
    """Settings before and after a change, and what is due after it."""

    before: RetentionSettings
    after: RetentionSettings
    due: list[DueRecords]

    @property
    def erases_earlier(self) -> bool:
        """Whether a period becomes shorter, or the task is turned on."""
        periods = zip(astuple(self.before.periods), astuple(self.after.periods), strict=True)
        is_shorter = any(new < old for old, new in periods)
        return is_shorter or (self.after.enabled and not self.before.enabled)


async def read_retention(tenant: Tenant, client_id: int) -> dict[str, Any]:
    """Return the settings of a client, and what has reached the end of its period."""
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        settings = await repository.load_settings(tx, client_id)
        due = await list_due(tx, client_id, settings.periods)
        enforced_at = await repository.load_enforced_at(tx, client_id)
    return {**to_record(settings), "enforced_at": enforced_at, "due": [records.to_json() for records in due]}


async def preview_update(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> RetentionChange:
    """Return what a change of the settings would do, and change nothing. Raises what `update_retention` raises."""
    async with tenant.transaction() as tx:
        await require_owner(tx, client_id)
        before = await repository.load_settings(tx, client_id)
        after = RETENTION.parse_update(body, to_record(before)).data
        return RetentionChange(before, after, await list_due(tx, client_id, after.periods))


async def update_retention(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> dict[str, str]:
    """Change the settings of a client and return warnings. Raises Forbidden for those who do not own it."""
    async with tenant.transaction() as tx:
        await require_owner(tx, client_id)
        await repository.lock_settings(tx, client_id)
        validated = RETENTION.parse_update(body, to_record(await repository.load_settings(tx, client_id)))
        await repository.save_settings(tx, client_id, validated.data)
    return validated.warnings


async def list_due(tx: Transaction, client_id: int, periods: RetentionPeriods) -> list[DueRecords]:
    """Return what has reached the end of its period, by kind."""
    leavers = await load_erasable(tx, client_id, periods)
    certificates = await repository.count_certificates(tx, client_id, certificates_before(periods))
    return [
        DueRecords(FORMER_EMPLOYEES, len(leavers), min(leavers.values(), default=None)),
        DueRecords(MEDICAL_CERTIFICATES, certificates["records"], certificates["oldest"]),
    ]


async def load_erasable(tx: Transaction, client_id: int, periods: RetentionPeriods) -> dict[int, date]:
    """Return the former employees whose periods have ended, with their last day of service."""
    today = clock.today()
    return {
        row["employee_id"]: row["last_service_date"]
        for row in await repository.load_leavers(tx, client_id, today)
        if erasable_from(periods, row["last_service_date"], row["last_pay_year"]) <= today
    }


def certificates_before(periods: RetentionPeriods) -> date:
    """Return the day before which medical certificates have reached the end of their period."""
    return years_later(clock.today(), -periods.certificate_years)


async def load_settings(tx: Transaction, client_id: int) -> RetentionSettings:
    """Return the settings of a client."""
    return await repository.load_settings(tx, client_id)


async def record_enforcement(tx: Transaction, client_id: int) -> None:
    """Record that the periods of a client have been enforced."""
    await repository.record_enforcement(tx, client_id)


async def delete_certificates(tx: Transaction, client_id: int, periods: RetentionPeriods) -> None:
    """Delete the medical certificates whose period has ended."""
    await repository.delete_certificates(tx, client_id, certificates_before(periods))
