"""Looking at payslips: one, those of a run beside the period before, and what a month comes to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime

from gaji.core.errors import NotFound
from gaji.db.json_lists import Page
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs.payslips import Run
from gaji.payroll.payslips.repository import summaries as store


@dataclass(frozen=True)
class Heading:
    """All about a payslip but its lines; money in cents."""

    id: int
    client_id: int
    employee_id: int
    wave_id: int
    start_date: date
    end_date: date
    pay_date: date
    special: bool
    dirty: bool
    finalised: bool
    released: bool
    payment_run_id: int | None
    nett_pay: int
    attention: Sequence[str]
    remarks: Sequence[str]
    rules_version: str | None


@dataclass(frozen=True)
class Sums:
    """What some payslips come to, in cents."""

    payslips: int = 0
    nett_pay: int = 0
    cpf_employee: int = 0
    cpf_employer: int = 0
    sdl: int = 0
    funds: int = 0
    levy: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def cpf(self) -> int:
        """Both shares."""
        return self.cpf_employee + self.cpf_employer

    @property
    def levies_and_funds(self) -> int:
        """What is paid beside wages and CPF."""
        return self.sdl + self.funds + self.levy

    @property
    def cost(self) -> int:
        """All that is paid out."""
        return self.nett_pay + self.cpf + self.levies_and_funds


@dataclass(frozen=True)
class Mover:
    """Someone whose nett pay is not what it was, in cents; None without a payslip."""

    employee_id: int
    payslip_id: int | None
    before: int | None
    now: int | None

    @property
    def difference(self) -> int:
        """By how much."""
        return (self.now or 0) - (self.before or 0)


@dataclass(frozen=True)
class NextPeriod:
    """The first period of a wave that is still to be paid."""

    wave_id: int
    offset: int
    end: date
    payslips: int
    attention: int
    pay_date: date


MOST_REMEMBERED = 10_000
_remembered: dict[tuple[int, int, datetime | None], Sums] = {}
"""By client, run and when it was finalised. Who asks has found the run in their own tenancy."""


async def latest(tx: Transaction, client_id: int) -> int | None:
    """The payslip of a client that was made last, a finalised one where there is any; None where there is none."""
    return await store.latest(tx, client_id)


async def heading(tx: Transaction, payslip_id: int) -> Heading:
    """All about a payslip but its lines; raises NotFound."""
    row = await store.heading(tx, payslip_id)
    if row is None:
        raise NotFound(f"There is no payslip {payslip_id}")
    return Heading(*row)


async def of_run(
    tx: Transaction, run: Run, page: Page, *, attention: bool = False
) -> tuple[list[tuple[Heading, int | None]], int]:
    """A page of the payslips of a run, each with the nett pay of the period before; and how many there are."""
    rows, total = await store.of_run(tx, run.client_id, run.id, attention, page)
    found = [Heading(*row) for row in rows]
    before: dict[int, int] = {}
    if not run.special:
        before = await store.nett_before(tx, run.client_id, *run.place, [one.employee_id for one in found])
    return [(one, before.get(one.employee_id)) for one in found], total


async def sums_of_period(tx: Transaction, run: Run) -> Sums:
    """What the period of a regular run comes to."""
    row = await store.sums_of_period(tx, run.client_id, *run.place)
    return Sums(*row)


async def sums_of_runs(tx: Transaction, client_id: int, finalised: Mapping[int, datetime | None]) -> dict[int, Sums]:
    """What finalised runs come to; by run, given when each was finalised, after which its payslips do not change."""
    wanted = {run_id: (client_id, run_id, at) for run_id, at in finalised.items()}
    if missing := [run_id for run_id, key in wanted.items() if key not in _remembered]:
        if len(_remembered) + len(missing) > MOST_REMEMBERED:
            _remembered.clear()
        added = {row["payment_run_id"]: Sums(*row[1:]) for row in await store.sums_of_runs(tx, client_id, missing)}
        _remembered.update({wanted[run_id]: added.get(run_id, Sums()) for run_id in missing})
    return {run_id: _remembered[key] for run_id, key in wanted.items()}


async def movers(tx: Transaction, run: Run, most: int = 10) -> list[Mover]:
    """Those of a regular run whose nett pay differs most from the period before."""
    return [Mover(*row) for row in await store.movers(tx, run.client_id, *run.place, most)]


async def next_periods(tx: Transaction, client_id: int) -> dict[int, NextPeriod]:
    """What is to be paid next, by wave."""
    return {row["wave_id"]: NextPeriod(*row) for row in await store.drafts(tx, client_id)}
