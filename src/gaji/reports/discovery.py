"""Discovery of reports: their request fields, and the names and numbers that can be used in them."""

from typing import Any

from gaji.company.clients.service import require_client
from gaji.company.waves.queries import PayCalendar, load_pay_calendars
from gaji.core import clock
from gaji.db.tenancy import Tenant
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.reports.accounts import FIXED_KEYS, list_accounts
from gaji.reports.employee_fields import ATTRIBUTES, load_employee_fields
from gaji.reports.registry import REPORTS


async def describe_reports(tenant: Tenant, client_id: int) -> dict[str, Any]:
    """Describe the reports of a client and the values for their requests."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        account_names = [account.choice.key for account in list_accounts(await load_catalogue(tx, client_id))]
        fields = await load_employee_fields(tx, client_id, (*FIXED_KEYS, *account_names))
        calendars = await load_pay_calendars(tx, client_id)
    choices = [field.choice for field in fields]
    return {
        "reports": [
            {
                "id": report.id,
                "description": report.description,
                "beta": report.beta,
                "request": report.json_schema(),
            }
            for report in REPORTS.values()
        ],
        "account_names": account_names,
        "custom_fields": [choice.id if choice.id in ATTRIBUTES else choice.key for choice in choices],
        "waves": [_wave_json(wave_id, calendar) for wave_id, calendar in sorted(calendars.items())],
    }


def _wave_json(wave_id: int, calendar: PayCalendar) -> dict[str, Any]:
    """Return a wave with its periods, from the first to the one after today's."""
    last = calendar.schedule.offset_containing(clock.today()) + 1
    return {
        "wave_id": wave_id,
        "name": calendar.schedule.label,
        "period_offsets": [
            {"period_offset": offset, "period_end_date": str(calendar.schedule.end(offset))}
            for offset in range(calendar.first_offset, last + 1)
        ],
    }
