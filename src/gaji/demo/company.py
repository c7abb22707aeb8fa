"""Create the demo company through the services that the API uses."""

from datetime import date
from typing import Any

import msgspec

from gaji.company.clients import service as clients
from gaji.company.custom_fields import service as custom_fields
from gaji.company.pay_points import service as pay_points
from gaji.company.waves import service as waves
from gaji.core import clock
from gaji.db.tenancy import JoinedTransactions, Tenant
from gaji.demo.calculations import set_up_pay
from gaji.demo.calendar import first_day, wave_bodies
from gaji.demo.people import CompanyContext

COMPANIES = ("Kopi Trading", "Merlion Logistics", "Rain Tree Clinics", "Tembusu Foods", "Raffles Precision")
PAY_POINTS = (
    {"name": "Head office", "physical_address": {"unit_no": "#08-15", "st_name": "10 Ubi Crescent"}},
    {"name": "Warehouse", "physical_address": {"unit_no": "#01-03", "st_name": "7 Pioneer Sector 1"}},
    {"name": "Orchard outlet", "physical_address": {"unit_no": "#B1-22", "st_name": "2 Orchard Turn"}},
)
UNIFORM = {"name": "Uniform size", "type": "dropdown", "options": ["Small", "Medium", "Large", "Extra large"]}
LOCKER = {"name": "Locker", "type": "text"}


async def ensure_company(tenant: Tenant, seed: int, months: int) -> int:
    """Return the company of a demo account. If there is none, create it without employees."""
    async with JoinedTransactions(tenant):
        existing, _ = await clients.list_clients(tenant, None)
        if existing:
            return int(msgspec.json.decode(existing[0])["id"])
        client_id, _ = await clients.create_client(tenant, _client_body(seed))
        await set_up_company(tenant, client_id, clock.today(), months)
        await set_up_pay(tenant, client_id)
        return client_id


async def set_up_company(tenant: Tenant, client_id: int, today: date, months: int = 0) -> CompanyContext:
    """Create the pay points, waves and custom fields of a company. The waves start a number of months ago."""
    for pay_point in PAY_POINTS:
        await pay_points.create_pay_point(tenant, client_id, pay_point)
    for frequency, wave in wave_bodies(first_day(today, months)).items():
        await waves.create_wave(tenant, client_id, {"frequency": frequency, **wave})
    for field in (UNIFORM, LOCKER):
        await custom_fields.create_field(tenant, client_id, field)
    return await load_context(tenant, client_id, today)


async def load_context(tenant: Tenant, client_id: int, today: date) -> CompanyContext:
    """Return the context for generating the employees of a company."""
    pay_point_elements, _ = await pay_points.list_pay_points(tenant, client_id, None)
    wave_elements, _ = await waves.list_waves(tenant, client_id, True, None)
    field_elements, _ = await custom_fields.list_fields(tenant, client_id, None)
    uniform, locker = map(msgspec.json.decode, field_elements)
    return CompanyContext(
        today=today,
        waves={wave["frequency"]: wave["id"] for wave in map(msgspec.json.decode, wave_elements)},
        pay_points=[pay_point["id"] for pay_point in map(msgspec.json.decode, pay_point_elements)],
        uniform_field=uniform["id"],
        uniform_sizes=[option["id"] for option in uniform["options"]],
        locker_field=locker["id"],
    )


def _client_body(seed: int) -> dict[str, Any]:
    name = f"{COMPANIES[seed % len(COMPANIES)]} Pte Ltd"
    return {
        "name": name,
        "physical_address": {
            "unit_no": "#08-15",
            "complex": "Ubi Techpark",
            "st_name": "10 Ubi Crescent",
            "postal_code": "408564",
        },
        "uen": "202699999E",
        "cpf_submission_number": "202699999EPTE01",
        "bank_account": {
            "bank_id": 7171,
            "account_number": f"005{seed % 10**7:07d}",
            "branch_code": "005",
            "account_name": name,
            "company_id": "DEMO01",
        },
        "features": {"custom_wave_names": True, "pay_dates": True},
    }
