"""Create the demo employees in batches. Each batch is saved together with its pay, or not at all."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from itertools import islice

from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import JoinedTransactions, Tenant
from gaji.demo.calculations import EmployeePay, enter_pay, load_pay_terms
from gaji.demo.company import load_context
from gaji.demo.opening_balances import DemoEmployment, plan_balances
from gaji.demo.pay import plan_pay
from gaji.demo.people import EmployeeBody, day_of_month, generate_people
from gaji.demo.progress import Progress
from gaji.demo.roster import ROSTER, Departure
from gaji.engine.payslip_input import ServiceInterval
from gaji.people.employees import bulk_create
from gaji.people.employees import service as employees
from gaji.people.service_periods import service as service_periods
from gaji.people.take_on import bulk_changes as take_on

BATCH_SIZE = 1000
"""Employees that are saved together: enough to be fast, few enough to show progress."""


async def count_employees(tenant: Tenant, client_id: int) -> int:
    """Return the number of employees of a company."""
    return (await employees.list_employees(tenant, client_id, set(), ListPage(1, 1))).total


async def create_employees(
    tenant: Tenant,
    client_id: int,
    seed: int,
    total: int,
    progress: Progress,
    analyse: Callable[[], Awaitable[None]],
) -> None:
    """Create employees until the company has `total`. Existing ones are kept.

    `analyse` is called after the first batch, so that the database plans for the size of its tables.
    """
    today = clock.today()
    created = await count_employees(tenant, client_id)
    context = await load_context(tenant, client_id, today)
    remaining = islice(generate_people(seed, total, context), created, None)
    while bodies := list(islice(remaining, BATCH_SIZE)):
        async with JoinedTransactions(tenant):
            await _create_batch(tenant, client_id, seed, created, bodies, today)
        created += len(bodies)
        progress.update("Employees", created, total)
        if created == BATCH_SIZE:
            await analyse()


async def _create_batch(
    tenant: Tenant, client_id: int, seed: int, first_index: int, bodies: Sequence[EmployeeBody], today: date
) -> None:
    """Create employees with their pay and opening balances, and end the service of some.

    `first_index` counts from the first employee.
    """
    employee_ids = await bulk_create.create_employees(tenant, client_id, bodies)
    departures = [_departure(index) for index in range(first_index, first_index + len(bodies))]
    async with tenant.transaction() as tx:
        terms = await load_pay_terms(tx, client_id)
        plans = [plan_pay(seed, index, body, terms) for index, body in enumerate(bodies, start=first_index)]
        employments = {
            employee_id: DemoEmployment(body, plan, list_service(body, departure, today))
            for employee_id, body, plan, departure in zip(employee_ids, bodies, plans, departures, strict=True)
        }
        await take_on.save_changes(tx, client_id, plan_balances(current_law().cpf, terms, employments))
        await enter_pay(tx, client_id, list(map(EmployeePay, employee_ids, plans)))
    for employee_id, departure in zip(employee_ids, departures, strict=True):
        if departure:
            await _end_service(tenant, employee_id, departure, today)


def _departure(index: int) -> Departure | None:
    return ROSTER[index].departure if index < len(ROSTER) else None


def list_service(body: EmployeeBody, departure: Departure | None, today: date) -> list[ServiceInterval]:
    """Return when an employee is in service."""
    start = date.fromisoformat(body["appointment_date"])
    if departure is None:
        return [ServiceInterval(start)]
    service = [ServiceInterval(start, _last_day(departure, today))]
    return service if departure.back_in_months is None else [*service, ServiceInterval(_return_day(departure, today))]


def _last_day(departure: Departure, today: date) -> date:
    return day_of_month(today, departure.months, departure.day)


def _return_day(departure: Departure, today: date) -> date:
    return day_of_month(today, departure.back_in_months or 0, 1)


async def _end_service(tenant: Tenant, employee_id: int, departure: Departure, today: date) -> None:
    body = {
        "termination_date": _last_day(departure, today).isoformat(),
        "termination_code": departure.code,
        "ir21": departure.ir21,
    }
    await service_periods.end_service(tenant, employee_id, body)
    if departure.back_in_months is not None:
        start = _return_day(departure, today)
        await service_periods.reinstate(tenant, employee_id, {"appointment_date": start.isoformat()})
