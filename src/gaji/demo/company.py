"""The company of the demo: what is made, by the services that the API uses."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from itertools import islice
from typing import Any

import msgspec

from gaji import clock
from gaji.clients import service as clients
from gaji.custom_fields import service as custom_fields
from gaji.db.tenancy import JoinedTransactions, Tenant
from gaji.demo.people import Facts, day_of_month, people
from gaji.demo.roster import ROSTER, Departure
from gaji.elements import Page
from gaji.employees import bulk
from gaji.employees import service as employees
from gaji.engine.periods import Frequency
from gaji.pay_points import service as pay_points
from gaji.service_periods import service as service_periods
from gaji.waves import service as waves

Reporter = Callable[[int], None]
"""Is told how many employees there are so far."""

COMPANIES = ("Kopi Trading", "Merlion Logistics", "Rain Tree Clinics", "Tembusu Foods", "Raffles Precision")
PLACES = (
    {"name": "Head office", "physical_address": {"unit_no": "#08-15", "st_name": "10 Ubi Crescent"}},
    {"name": "Warehouse", "physical_address": {"unit_no": "#01-03", "st_name": "7 Pioneer Sector 1"}},
    {"name": "Orchard outlet", "physical_address": {"unit_no": "#B1-22", "st_name": "2 Orchard Turn"}},
)
UNIFORM = {"name": "Uniform size", "type": "dropdown", "options": ["Small", "Medium", "Large", "Extra large"]}
LOCKER = {"name": "Locker", "type": "text"}
MONTHS_OF_WAVES = 24
AT_ONCE = 1000
"""Employees that are saved together: enough to be fast, few enough to see progress."""


async def ensure_company(tenant: Tenant, seed: int, count: int, report: Reporter) -> int:
    """The one company of a demo account: as it is where there is one, made whole or not at all otherwise."""
    async with JoinedTransactions(tenant):
        existing, _ = await clients.list_clients(tenant, None)
        if not existing:
            return await _make_company(tenant, seed, count, report)
        client_id = int(msgspec.json.decode(existing[0])["id"])
        found = await employees.list_employees(tenant, client_id, set(), Page(1, 1))
    report(found.total)
    return client_id


async def _make_company(tenant: Tenant, seed: int, count: int, report: Reporter) -> int:
    today = clock.today()
    client_id, _ = await clients.create_client(tenant, _client(seed))
    facts = await furnish(tenant, client_id, today)
    remaining = people(seed, count, facts)
    employee_ids: list[int] = []
    while bodies := list(islice(remaining, AT_ONCE)):
        employee_ids += await bulk.create_employees(tenant, client_id, bodies)
        report(len(employee_ids))
    for employee_id, archetype in zip(employee_ids, ROSTER, strict=False):
        if archetype.departure:
            await _leave(tenant, employee_id, archetype.departure, today)
    return client_id


async def furnish(tenant: Tenant, client_id: int, today: date) -> Facts:
    """Everything a company has before it has people."""
    places = [(await pay_points.create_pay_point(tenant, client_id, place))[0] for place in PLACES]
    paid = {
        frequency: (await waves.create_wave(tenant, client_id, {"frequency": frequency, **wave}))[0]
        for frequency, wave in _waves(today).items()
    }
    uniform_field, uniform = await custom_fields.create_field(tenant, client_id, UNIFORM)
    locker_field, _ = await custom_fields.create_field(tenant, client_id, LOCKER)
    return Facts(
        today=today,
        waves=paid,
        pay_points=places,
        uniform_field=uniform_field,
        uniform_sizes=[option["id"] for option in uniform.record["options"]],
        locker_field=locker_field,
    )


async def _leave(tenant: Tenant, employee_id: int, departure: Departure, today: date) -> None:
    end = day_of_month(today, departure.months, departure.day)
    ending = {
        "termination_date": end.isoformat(),
        "termination_code": departure.code,
        "ir21": departure.ir21,
    }
    await service_periods.end_service(tenant, employee_id, ending)
    if departure.back_in_months is not None:
        start = day_of_month(today, departure.back_in_months, 1)
        await service_periods.reinstate(tenant, employee_id, {"appointment_date": start.isoformat()})


def _waves(today: date) -> Mapping[Frequency, dict[str, Any]]:
    """One wave of each frequency, whose first period ended two years ago; those by weeks end on a Sunday."""
    first_end = day_of_month(today, -MONTHS_OF_WAVES, 31)
    sunday = first_end - timedelta(days=first_end.isoweekday() % 7)
    return {
        "monthly": {"last_day_of_month": 31, "first_end_date": first_end.isoformat()},
        "twice_a_month": {
            "interim_day_of_month": 15,
            "last_day_of_month": 31,
            "first_end_date": first_end.isoformat(),
            "pay_dates": {
                "enabled": True,
                "type": "fixed",
                "day": 5,
                "when": "next",
                "interim_day": 20,
                "interim_when": "current",
            },
        },
        "fortnightly": {"first_end_date": sunday.isoformat()},
        "weekly": {"first_end_date": sunday.isoformat(), "custom_name": "Casual staff"},
    }


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
