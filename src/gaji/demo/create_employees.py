"""Hiring the demo's people, many at a time: each lot is there with its pay, or not at all."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from itertools import islice

from gaji.core import clock
from gaji.db.json_lists import Page
from gaji.db.tenancy import JoinedTransactions, Tenant
from gaji.demo.company import facts_of
from gaji.demo.calculations import Paid, enter_pay, terms_of
from gaji.demo.pay import pay
from gaji.demo.people import Body, day_of_month, people
from gaji.demo.progress import Progress
from gaji.demo.roster import ROSTER, Departure
from gaji.people.employees import bulk
from gaji.people.employees import service as employees
from gaji.people.service_periods import service as service_periods

AT_ONCE = 1000
"""Employees that are saved together: enough to be fast, few enough to see progress."""


async def count(tenant: Tenant, client_id: int) -> int:
    """How many people a company has."""
    return (await employees.list_employees(tenant, client_id, set(), Page(1, 1))).total


async def hire(
    tenant: Tenant, client_id: int, seed: int, wanted: int, progress: Progress, get_used: Callable[[], Awaitable[None]]
) -> None:
    """Hire until the company has as many people as are wanted; whoever is there already stays.

    After the first of many, the database is to get used to what it holds.
    """
    today = clock.today()
    hired = await count(tenant, client_id)
    remaining = islice(people(seed, wanted, await facts_of(tenant, client_id, today)), hired, None)
    while bodies := list(islice(remaining, AT_ONCE)):
        async with JoinedTransactions(tenant):
            await _hire(tenant, client_id, seed, hired, bodies, today)
        hired += len(bodies)
        progress.made("Employees", hired, wanted)
        if hired == AT_ONCE:
            await get_used()


async def _hire(tenant: Tenant, client_id: int, seed: int, place: int, bodies: Sequence[Body], today: date) -> None:
    """Add people, the first of whom has this place among all, with their pay; some of them leave."""
    employee_ids = await bulk.create_employees(tenant, client_id, bodies)
    async with tenant.transaction() as tx:
        terms = await terms_of(tx, client_id)
        paid = [
            Paid(employee_id, pay(seed, where, body, terms))
            for where, (employee_id, body) in enumerate(zip(employee_ids, bodies, strict=True), start=place)
        ]
        await enter_pay(tx, client_id, paid)
    for employee_id, archetype in zip(employee_ids, ROSTER[place:], strict=False):
        if archetype.departure:
            await _leave(tenant, employee_id, archetype.departure, today)


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
