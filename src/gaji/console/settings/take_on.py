"""Checklist for companies that switch from another payroll during the year."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.company.clients import service as clients
from gaji.company.clients.service import ClientMembership
from gaji.company.waves.queries import load_pay_calendars
from gaji.console.formats import format_count
from gaji.console.pages import PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.console.table_sort import parse_sort
from gaji.core import clock
from gaji.leave.balances.opening_balances import list_unconfirmed
from gaji.payroll.payment_runs import overview as runs
from gaji.payroll.payment_runs.overview import RunSummary
from gaji.people.employees import directory
from gaji.people.employees.directory import Headcount
from gaji.people.service_periods.queries import list_employees_in_service, load_service_intervals
from gaji.people.take_on import service
from gaji.people.take_on.missing_amounts import list_without_amounts
from gaji.people.take_on.queries import find_without_ir8a_income
from gaji.people.wave_periods.queries import load_wave_intervals
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
REQUIRED_DETAILS = {"uen": "UEN", "cpf_submission_number": "CPF submission number", "bank_account": "Bank account"}


@dataclass(frozen=True)
class SetupStep:
    """A step of the checklist."""

    title: str
    about: str
    done: Sequence[str]
    missing: Sequence[str]
    links: Sequence[tuple[str, str]]
    """Path and text of links for users who may change the company."""

    @property
    def state(self) -> str:
        """How far the step is done."""
        if not self.missing:
            return "Done"
        return "Partly done" if self.done else "To do"


@dataclass(frozen=True)
class MissingBalances:
    """How many employees of earlier service have no amounts and no leave balances, or no income for form IR8A."""

    amounts: int
    leave: int
    ir8a_income: int
    """Those whose amounts have wages, but no income for the form."""


@router.get("/companies/{client_id}/settings/take_on")
async def show_checklist(request: PageRequest) -> HttpResponse:
    """Show the steps, and the employees with their opening balances."""
    company = await request.company(request.ids["client_id"])
    year, page = clock.today().year, request.list_page(PER_PAGE)
    sort = parse_sort(request, ("name", "number", "since"), ["since"], "#people")
    employees, total = await directory.search_employees(
        request.tenant, company.id, "", page, state="serving", order=sort.order
    )
    employee_ids = [employee.id for employee in employees]
    balances = await service.load_summaries(request.tenant, company.id, year, employee_ids)
    steps = await _load_steps(request, company, year)
    return request.render(
        "settings_take_on.html",
        company=company,
        here="Settings",
        steps=steps,
        current=next((i for i, step in enumerate(steps) if step.missing), None),
        year=year,
        employees=employees,
        balances=balances,
        sort=sort,
        pager=build_pager(request, page, total),
    )


async def _load_steps(request: PageRequest, company: ClientMembership, year: int) -> list[SetupStep]:
    client: Mapping[str, Any] = msgspec.json.decode(await clients.read_client(request.tenant, company.id))
    async with request.tenant.read_only() as tx:
        schedule_count = len(await load_pay_calendars(tx, company.id))
        headcount = await directory.load_headcount(tx, company.id)
        total = await directory.count_employees(tx, company.id)
        listed = await runs.list_runs(tx, company.id)
    missing = await _count_missing(request, company.id, year)
    with_amounts, with_leave = await service.count_balances(request.tenant, company.id, year)
    path = f"/companies/{company.id}"
    return [
        _company_step(client, schedule_count, path),
        _employees_step(total, headcount, path),
        _amounts_step(headcount, with_amounts, missing, year, path),
        _leave_step(headcount, with_leave, missing.leave, path),
        _first_run_step(listed, path),
    ]


async def _count_missing(request: PageRequest, client_id: int, year: int) -> MissingBalances:
    """Count the employees in service whom another payroll can have paid, by what is not entered for them.

    Those are the ones who served before their first pay period here. It must begin in the year, and for amounts, after
    the first day of it. Leave that was adjusted counts as entered.
    """
    today, new_year = clock.today(), date(year, 1, 1)
    async with request.tenant.read_only() as tx:
        calendars = await load_pay_calendars(tx, client_id)
        employee_ids = await list_employees_in_service(tx, client_id, today, today)
        service_intervals = await load_service_intervals(tx, client_id, employee_ids)
        wave_intervals = await load_wave_intervals(tx, client_id, employee_ids)
    first_days = {wave_id: calendar.schedule.start(calendar.first_offset) for wave_id, calendar in calendars.items()}
    employees_by_day: dict[date, list[int]] = {}
    for employee_id in employee_ids:
        first_day = first_days[wave_intervals[employee_id][0].wave_id]
        if first_day >= new_year and service_intervals[employee_id][0].start < first_day:
            employees_by_day.setdefault(first_day, []).append(employee_id)
    later_days = {wave_id: day for wave_id, day in first_days.items() if day > new_year}
    async with request.tenant.read_only() as tx:
        without_amounts = await list_without_amounts(tx, {client_id: later_days}, year, serving_on=today)
        unconfirmed = [await list_unconfirmed(tx, client_id, ids, day) for day, ids in employees_by_day.items()]
        without_income = await find_without_ir8a_income(tx, client_id, year)
    return MissingBalances(
        amounts=len(without_amounts.get(client_id, ())),
        leave=sum(map(len, unconfirmed)),
        ir8a_income=len(without_income),
    )


def _company_step(client: Mapping[str, Any], schedule_count: int, path: str) -> SetupStep:
    done = [name for key, name in REQUIRED_DETAILS.items() if client[key]]
    missing = [name for key, name in REQUIRED_DETAILS.items() if not client[key]]
    return SetupStep(
        "Company",
        "Company details, bank account and pay schedule. The schedule starts with the first period that you pay here.",
        [*done, format_count(schedule_count, "pay schedule")] if schedule_count else done,
        missing if schedule_count else [*missing, "A pay schedule"],
        [(f"{path}/details", "Company details"), (f"{path}/waves/new", "Add pay schedule")],
    )


def _employees_step(total: int, headcount: Headcount, path: str) -> SetupStep:
    return SetupStep(
        "Employees",
        "Enter employees with their actual start dates and their pay. Use a workbook to import many at once.",
        [f"{format_count(total, 'employee')}, {headcount.in_service:,} in service"] if total else [],
        [] if total else ["No employees yet"],
        [(f"{path}/employees/import", "Import a workbook"), (f"{path}/employees/new", "Add employee")],
    )


def _amounts_step(headcount: Headcount, with_amounts: int, missing: MissingBalances, year: int, path: str) -> SetupStep:
    count = missing.ir8a_income
    without_income = [f"{format_count(count, 'employee')} with wages, but no income for form IR8A"] if count else []
    return SetupStep(
        f"Paid in {year}",
        "What another payroll paid each employee this year: wages and CPF for the CPF ceilings, and the income by item "
        "for form IR8A. "
        "If nobody else paid an employee this year, save the form without amounts.",
        [f"{format_count(with_amounts, 'employee')} with amounts"] if with_amounts else [],
        [*_remaining(headcount, missing.amounts, "without amounts"), *without_income],
        [(f"{path}/settings/take_on/import", "Import a workbook"), ("#people", "Enter amounts below")],
    )


def _leave_step(headcount: Headcount, with_leave: int, missing: int, path: str) -> SetupStep:
    return SetupStep(
        "Leave",
        "The days of leave that each employee had left on the day before the first pay period here. "
        "Enter them with the amounts.",
        [f"{format_count(with_leave, 'employee')} with leave balances"] if with_leave else [],
        _remaining(headcount, missing, "without leave balances"),
        [("#people", "Enter days below"), (f"{path}/settings/leave_types", "Leave types and policies")],
    )


def _remaining(headcount: Headcount, count: int, description: str) -> list[str]:
    if not headcount.in_service:
        return ["Add employees first"]
    return [f"{format_count(count, 'employee')} in service {description}"] if count > 0 else []


def _first_run_step(listed: Sequence[RunSummary], path: str) -> SetupStep:
    finalised = [run for run in listed if run.finalised]
    return SetupStep(
        "First pay run",
        "Compare it with the last one of the other payroll before you finalise it.",
        [f"{format_count(len(finalised), 'pay run')} finalised"] if finalised else [],
        [] if finalised else ["The open pay run is not finalised" if listed else "No pay run yet"],
        [(f"{path}/payment_runs", "Pay runs")],
    )
