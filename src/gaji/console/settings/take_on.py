"""Moving in: the way of a company that was paid elsewhere this year to its first pay run here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from gaji.company.clients import service as clients
from gaji.company.clients.service import ClientOfCaller
from gaji.company.waves.queries import waves
from gaji.console.pagination import build_pager
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.payroll.payment_runs import overview as runs
from gaji.payroll.payment_runs.overview import Listed
from gaji.people.employees import directory
from gaji.people.employees.directory import Heads
from gaji.people.take_on import service
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
NEEDED = {"uen": "UEN", "cpf_submission_number": "CPF submission number", "bank_account": "Bank account"}


@dataclass(frozen=True)
class Step:
    """A part of the way."""

    title: str
    about: str
    done: Sequence[str]
    missing: Sequence[str]
    links: Sequence[tuple[str, str]]
    """For those who may change the company: where it is done, and what that is called."""

    @property
    def state(self) -> str:
        """How far it is."""
        if not self.missing:
            return "Done"
        return "Partly done" if self.done else "To do"


@router.get("/companies/{client_id}/settings/take_on")
async def show_way(request: PageRequest) -> HttpResponse:
    """The steps, what is done and what is missing of each; and what people were paid elsewhere."""
    company = await request.company(request.ids["client_id"])
    year, page = clock.today().year, request.list_page(PER_PAGE)
    people, total = await directory.search(request.tenant, company.id, "", page, state="serving")
    told = await service.told_of(request.tenant, company.id, year, [one.id for one in people])
    steps = await _steps(request, company, year)
    return request.render(
        "settings_take_on.html",
        company=company,
        here="Settings",
        steps=steps,
        now=next((place for place, step in enumerate(steps) if step.missing), None),
        year=year,
        people=people,
        told=told,
        pages=build_pager(request, page, total),
    )


async def _steps(request: PageRequest, company: ClientOfCaller, year: int) -> list[Step]:
    client: Mapping[str, Any] = msgspec.json.decode(await clients.read_client(request.tenant, company.id))
    async with request.tenant.reading() as tx:
        frequencies = len(await waves(tx, company.id))
        heads = await directory.heads(tx, company.id)
        listed = await runs.list_runs(tx, company.id)
    balances, leave = await service.counts(request.tenant, company.id, year)
    address = f"/companies/{company.id}"
    return [
        _company(client, frequencies, address),
        _employees(heads, address),
        _amounts(heads, balances, year),
        _leave(heads, leave, address),
        _first_run(listed, address),
    ]


def _company(client: Mapping[str, Any], frequencies: int, address: str) -> Step:
    given = [name for key, name in NEEDED.items() if client[key]]
    missing = [name for key, name in NEEDED.items() if not client[key]]
    return Step(
        "Company",
        "Who pays, from which account and how often. A pay frequency begins with the first period that you pay here.",
        [*given, format_count(frequencies, "pay frequency", "pay frequencies")] if frequencies else given,
        missing if frequencies else [*missing, "A pay frequency"],
        [(f"{address}/details", "Company details"), (f"{address}/waves/new", "Add a pay frequency")],
    )


def _employees(heads: Heads, address: str) -> Step:
    return Step(
        "Employees",
        "With the day on which each really began, and what they are paid. Many come in with one workbook.",
        [f"{format_count(heads.everyone, 'employee')}, {heads.serving:,} in service"] if heads.everyone else [],
        [] if heads.everyone else ["Nobody is here yet"],
        [(f"{address}/employees/import", "Bring in a workbook"), (f"{address}/employees/new", "Add one")],
    )


def _amounts(heads: Heads, balances: int, year: int) -> Step:
    left = heads.serving - balances
    return Step(
        f"Paid in {year}",
        "What each was paid elsewhere this year: CPF ceilings and the forms IR8A go on from there. "
        "Whoever was paid nothing elsewhere this year needs none.",
        [f"{format_count(balances, 'employee')} with amounts"] if balances else [],
        _left(heads, left, "without amounts"),
        [("#people", "Enter amounts below")],
    )


def _leave(heads: Heads, leave: int, address: str) -> Step:
    left = heads.serving - leave
    return Step(
        "Leave",
        "The days that each had left when you moved in, entered beside the amounts.",
        [f"{format_count(leave, 'employee')} with leave left over"] if leave else [],
        _left(heads, left, "without leave left over"),
        [("#people", "Enter days below"), (f"{address}/settings/leave_types", "Leave types and policies")],
    )


def _left(heads: Heads, left: int, without: str) -> list[str]:
    if not heads.serving:
        return ["Employees come first"]
    return [f"{format_count(left, 'employee')} in service {without}"] if left > 0 else []


def _first_run(listed: Sequence[Listed], address: str) -> Step:
    finalised = [run for run in listed if run.finalised]
    return Step(
        "First run",
        "Compare it with the last one elsewhere before you finalise it.",
        [f"{format_count(len(finalised), 'run')} finalised"] if finalised else [],
        [] if finalised else ["The open run is not finalised" if listed else "No run yet"],
        [(f"{address}/payment_runs", "Pay runs")],
    )
