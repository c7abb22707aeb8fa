"""Run the payroll of the demo: open, finalise, release and pay one payment run after the other, as an officer would.

Each step is its own transaction. Completed steps are skipped, so an interrupted payroll continues where it stopped.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.company.waves.queries import PayCalendar, load_pay_calendars
from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant
from gaji.demo.calculations import enter_period_pay, load_pay_terms
from gaji.demo.calendar import paid_periods
from gaji.demo.pay import CompanyPayTerms, plan_period_pay
from gaji.demo.people import EmployeeBody
from gaji.demo.progress import Progress
from gaji.payroll.payment_runs import payslips
from gaji.payroll.payment_runs import service as payment_runs
from gaji.payroll.payment_runs.finalise import finalise_run
from gaji.payroll.payment_runs.open_run import open_run
from gaji.payroll.payment_runs.populate import populate_opening_runs
from gaji.payroll.payslips.draft_periods import PeriodKey
from gaji.payroll.payslips.recalculation import calculate_dirty_chunk
from gaji.people.employees import service as employees

ENTRY_BATCH_SIZE = 5000
"""Employees whose pay is entered together."""
PAGE_SIZE = 20_000
"""Employees that are listed together. Large, because a page costs as much as all pages before it."""
POLL_INTERVAL_S = 0.05
JOB_ATTRIBUTES = ("job_title", "wave_id")
"""The attributes that the pay of a period depends on."""


@dataclass(frozen=True, slots=True)
class DemoEmployee:
    """An employee of the demo company."""

    index: int
    """The position among all employees, counted from 0."""
    employee_id: int
    job: EmployeeBody


@dataclass(frozen=True)
class DemoPayroll:
    """The payroll of the demo company."""

    tenant: Tenant
    client_id: int
    seed: int
    terms: CompanyPayTerms
    calendars: Mapping[int, PayCalendar]
    employees: Mapping[int, Sequence[DemoEmployee]]
    """By wave."""

    async def open_run(self, wave_id: int, end: date) -> int | None:
        """Open the run of a period after entering its pay. Returns None if the period has no payslips."""
        async with self.tenant.transaction() as tx:
            period = PeriodKey(wave_id, self.calendars[wave_id].schedule.offset(end))
            if not await payslips.count_waiting(tx, self.client_id, period):
                return None
        await self._enter_pay(wave_id, end)
        body = {"wave_id": wave_id, "period_end_date": end.isoformat()}
        run_id, _ = await open_run(self.tenant, self.client_id, body)
        return run_id

    async def finish_run(self, run_id: int) -> None:
        """Finalise and release a run and mark it as paid on its payment date, unless that is done or still to come."""
        while (run := await self._read_run(run_id))["state"] == "calculating":
            await populate_opening_runs(self.tenant.transaction, self.client_id)
            await self.calculate_drafts()
            await asyncio.sleep(POLL_INTERVAL_S)  # a worker may be busy with the run
        if not run["finalised"]:
            await finalise_run(self.tenant, run_id)
        if not run["released"]:
            await payment_runs.release_run(self.tenant, run_id)
        if not run["paid_at"] and date.fromisoformat(run["payment_date"]) <= clock.today():
            await payment_runs.mark_paid(self.tenant, run_id, {})

    async def _read_run(self, run_id: int) -> dict[str, Any]:
        element, _ = await payment_runs.read_run(self.tenant, run_id)
        run: dict[str, Any] = msgspec.json.decode(element)
        return run

    async def calculate_drafts(self) -> None:
        """Calculate the drafts that are waiting."""
        done = 1
        while done:
            async with self.tenant.transaction() as tx:
                done = await calculate_dirty_chunk(tx, self.client_id)

    async def _enter_pay(self, wave_id: int, end: date) -> None:
        employees = self.employees.get(wave_id, ())
        for start in range(0, len(employees), ENTRY_BATCH_SIZE):
            calculations = {
                employee.employee_id: plan
                for employee in employees[start : start + ENTRY_BATCH_SIZE]
                if (plan := plan_period_pay(self.seed, employee.index, employee.job, end, self.terms))
            }
            async with self.tenant.transaction() as tx:
                await enter_period_pay(tx, self.client_id, end, calculations)


async def run_payroll(tenant: Tenant, client_id: int, seed: int, progress: Progress) -> None:
    """Pay all periods up to the last complete month, and calculate the drafts of the next one."""
    async with tenant.read_only() as tx:
        calendars = await load_pay_calendars(tx, client_id)
        terms = await load_pay_terms(tx, client_id)
    payroll = DemoPayroll(tenant, client_id, seed, terms, calendars, await _load_employees(tenant, client_id))
    run_ids = await _load_run_ids(tenant, client_id)
    periods = paid_periods(calendars, clock.today(), current_law().holidays.covered_until)
    for count, (end, wave_id) in enumerate(periods, start=1):
        run_id = run_ids.get((end.isoformat(), wave_id)) or await payroll.open_run(wave_id, end)
        if run_id is not None:
            await payroll.finish_run(run_id)
        progress.update("Payment runs", count, len(periods))
    await payroll.calculate_drafts()


async def _load_employees(tenant: Tenant, client_id: int) -> Mapping[int, Sequence[DemoEmployee]]:
    """Return the employees by wave."""
    by_wave: dict[int, list[DemoEmployee]] = defaultdict(list)
    page, index = 1, 0
    while elements := (await employees.list_employees(tenant, client_id, set(), ListPage(page, PAGE_SIZE))).elements:
        for element in map(msgspec.json.decode, elements):
            job = {name: element[name] for name in JOB_ATTRIBUTES}
            by_wave[element["wave_id"]].append(DemoEmployee(index, element["id"], job))
            index += 1
        page += 1
    return by_wave


async def _load_run_ids(tenant: Tenant, client_id: int) -> dict[tuple[str, int], int]:
    """Return the existing regular runs, by the end of their period and their wave."""
    (elements, _), _ = await payment_runs.list_runs(tenant, client_id, None)
    runs = map(msgspec.json.decode, elements)
    return {(run["period_end_date"], run["wave_id"]): run["id"] for run in runs if not run["special"]}
