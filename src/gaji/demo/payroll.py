"""The payroll of the demo: runs that are opened, finalised and released one after the other, as an officer does it.

Each step is a transaction of its own, and what is done is not done again: a payroll that was cut short goes on.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import msgspec

from gaji.company.waves.facts import WaveFacts
from gaji.company.waves.facts import waves as wave_facts
from gaji.core import clock
from gaji.core.law_loader import law
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant
from gaji.demo.calendar import paid
from gaji.demo.calculations import enter_varying, terms_of
from gaji.demo.pay import Terms, varying
from gaji.demo.people import Body
from gaji.demo.progress import Progress
from gaji.payroll.payment_runs import service as payment_runs
from gaji.payroll.payment_runs.finalise import finalise_run
from gaji.payroll.payment_runs.open_run import open_run
from gaji.payroll.payment_runs.populate import take_up_waiting
from gaji.payroll.payment_runs import payslips
from gaji.payroll.payslips.recalculation import calculate_some
from gaji.payroll.payslips.rules import Place
from gaji.people.employees import service as employees

AT_ONCE = 5000
"""Employees for whom something is entered together."""
A_PAGE = 20_000
"""Employees that are read together: a page costs as much as all before it."""
A_MOMENT_S = 0.05
JOB = ("job_title", "wave_id")
"""What varying pay depends on."""


@dataclass(frozen=True, slots=True)
class Payee:
    """One of the company's people."""

    place: int
    """Among all."""
    employee_id: int
    job: Body


@dataclass(frozen=True)
class Payroll:
    """The payroll of one company."""

    tenant: Tenant
    client_id: int
    seed: int
    terms: Terms
    waves: Mapping[int, WaveFacts]
    payees: Mapping[int, Sequence[Payee]]
    """By wave."""

    async def open(self, wave_id: int, end: date) -> int | None:
        """Open the run of a period, with what is paid in that period alone; none when nobody is paid in it."""
        async with self.tenant.transaction() as tx:
            place = Place(wave_id, self.waves[wave_id].schedule.offset(end))
            if not await payslips.waiting(tx, self.client_id, place):
                return None
        await self._enter(wave_id, end)
        body = {"wave_id": wave_id, "period_end_date": end.isoformat()}
        run_id, _ = await open_run(self.tenant, self.client_id, body)
        return run_id

    async def finish(self, run_id: int) -> None:
        """Finalise and release a run, as far as that is not done."""
        while (run := msgspec.json.decode(await payment_runs.read_run(self.tenant, run_id)))["state"] != "ready":
            if run["state"] == "opening":
                await take_up_waiting(self.tenant.transaction, self.client_id)
            else:
                await self.calculate()
            await asyncio.sleep(A_MOMENT_S)  # a worker may be at it
        if not run["finalised"]:
            await finalise_run(self.tenant, run_id)
        if not run["released"]:
            await payment_runs.release_run(self.tenant, run_id)

    async def calculate(self) -> None:
        """Calculate the drafts that wait for it."""
        done = 1
        while done:
            async with self.tenant.transaction() as tx:
                done = await calculate_some(tx, self.client_id)

    async def _enter(self, wave_id: int, end: date) -> None:
        payees = self.payees.get(wave_id, ())
        for start in range(0, len(payees), AT_ONCE):
            found = {
                one.employee_id: entered
                for one in payees[start : start + AT_ONCE]
                if (entered := varying(self.seed, one.place, one.job, end, self.terms))
            }
            async with self.tenant.transaction() as tx:
                await enter_varying(tx, self.client_id, end, found)


async def pay_everyone(tenant: Tenant, client_id: int, seed: int, progress: Progress) -> None:
    """Pay the company's people for every period up to the last complete month, and calculate what comes next."""
    async with tenant.reading() as tx:
        waves = await wave_facts(tx, client_id)
        terms = await terms_of(tx, client_id)
    payroll = Payroll(tenant, client_id, seed, terms, waves, await _payees(tenant, client_id))
    known = await _known_runs(tenant, client_id)
    periods = paid(waves, clock.today(), law().holidays.covered_until)
    for count, (end, wave_id) in enumerate(periods, start=1):
        run_id = known.get((end.isoformat(), wave_id)) or await payroll.open(wave_id, end)
        if run_id is not None:
            await payroll.finish(run_id)
        progress.made("Payment runs", count, len(periods))
    await payroll.calculate()


async def _payees(tenant: Tenant, client_id: int) -> Mapping[int, Sequence[Payee]]:
    found: dict[int, list[Payee]] = defaultdict(list)
    page, place = 1, 0
    while elements := (await employees.list_employees(tenant, client_id, set(), Page(page, A_PAGE))).elements:
        for element in map(msgspec.json.decode, elements):
            job = {name: element[name] for name in JOB}
            found[element["wave_id"]].append(Payee(place, element["id"], job))
            place += 1
        page += 1
    return found


async def _known_runs(tenant: Tenant, client_id: int) -> dict[tuple[str, int], int]:
    """The regular runs that there are, by the end of their period and their wave."""
    elements, _ = await payment_runs.list_runs(tenant, client_id, None)
    found = map(msgspec.json.decode, elements)
    return {(run["period_end_date"], run["wave_id"]): run["id"] for run in found if not run["special"]}
