"""The company of the demo: what is made, by the services that the API uses."""

from datetime import date
from typing import Any

import msgspec

from gaji.company.clients import service as clients
from gaji.company.custom_fields import service as custom_fields
from gaji.company.pay_points import service as pay_points
from gaji.company.waves import service as waves
from gaji.core import clock
from gaji.db.tenancy import JoinedTransactions, Tenant
from gaji.demo.calendar import first_day
from gaji.demo.calendar import waves as waves_since
from gaji.demo.calculations import set_up_pay
from gaji.demo.people import Facts

COMPANIES = ("Kopi Trading", "Merlion Logistics", "Rain Tree Clinics", "Tembusu Foods", "Raffles Precision")
PLACES = (
    {"name": "Head office", "physical_address": {"unit_no": "#08-15", "st_name": "10 Ubi Crescent"}},
    {"name": "Warehouse", "physical_address": {"unit_no": "#01-03", "st_name": "7 Pioneer Sector 1"}},
    {"name": "Orchard outlet", "physical_address": {"unit_no": "#B1-22", "st_name": "2 Orchard Turn"}},
)
UNIFORM = {"name": "Uniform size", "type": "dropdown", "options": ["Small", "Medium", "Large", "Extra large"]}
LOCKER = {"name": "Locker", "type": "text"}


async def ensure_company(tenant: Tenant, seed: int, months: int) -> int:
    """The one company of a demo account, as it is where there is one; a new one has everything but people."""
    async with JoinedTransactions(tenant):
        existing, _ = await clients.list_clients(tenant, None)
        if existing:
            return int(msgspec.json.decode(existing[0])["id"])
        client_id, _ = await clients.create_client(tenant, _client(seed))
        await furnish(tenant, client_id, clock.today(), months)
        await set_up_pay(tenant, client_id)
        return client_id


async def furnish(tenant: Tenant, client_id: int, today: date, months: int = 0) -> Facts:
    """Give a company all that it has before it has people; it pays from so many months ago on."""
    for place in PLACES:
        await pay_points.create_pay_point(tenant, client_id, place)
    for frequency, wave in waves_since(first_day(today, months)).items():
        await waves.create_wave(tenant, client_id, {"frequency": frequency, **wave})
    for field in (UNIFORM, LOCKER):
        await custom_fields.create_field(tenant, client_id, field)
    return await facts_of(tenant, client_id, today)


async def facts_of(tenant: Tenant, client_id: int, today: date) -> Facts:
    """What the people of a company are placed in."""
    places, _ = await pay_points.list_pay_points(tenant, client_id, None)
    paid, _ = await waves.list_waves(tenant, client_id, True, None)
    fields, _ = await custom_fields.list_fields(tenant, client_id, None)
    uniform, locker = map(msgspec.json.decode, fields)
    return Facts(
        today=today,
        waves={wave["frequency"]: wave["id"] for wave in map(msgspec.json.decode, paid)},
        pay_points=[place["id"] for place in map(msgspec.json.decode, places)],
        uniform_field=uniform["id"],
        uniform_sizes=[option["id"] for option in uniform["options"]],
        locker_field=locker["id"],
    )


def _client(seed: int) -> dict[str, Any]:
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
            "account_number": f"{seed % 10**10:010d}",
            "branch_code": "005",
            "account_name": name,
            "company_id": "DEMO01",
        },
        "features": {"custom_wave_names": True, "pay_dates": True},
    }
