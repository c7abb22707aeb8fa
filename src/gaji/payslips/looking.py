"""Looking at payslips: one, those of a run beside the period before, and what a month comes to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.elements import Page
from gaji.errors import NotFound
from gaji.payslips.runs import Run
from gaji.payslips.store import looking as store


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


async def compared(tx: Transaction, run: Run) -> tuple[Sums, Sums]:
    """What the period of a regular run comes to, and the one before."""
    rows = await store.sums_of_periods(tx, run.client_id, *run.place)
    found = {row["period_offset"]: Sums(*row[1:]) for row in rows}
    return found.get(run.place.offset, Sums()), found.get(run.place.offset - 1, Sums())


async def movers(tx: Transaction, run: Run, most: int = 10) -> list[Mover]:
    """Those of a regular run whose nett pay differs most from the period before."""
    return [Mover(*row) for row in await store.movers(tx, run.client_id, *run.place, most)]


async def months(tx: Transaction, client_id: int, first: date) -> dict[date, Sums]:
    """What finalised payslips come to, by the first day of each month."""
    return {row["month"]: Sums(*row[1:]) for row in await store.months(tx, client_id, first)}


async def next_periods(tx: Transaction, client_id: int) -> dict[int, NextPeriod]:
    """What is to be paid next, by wave."""
    return {row["wave_id"]: NextPeriod(*row) for row in await store.drafts(tx, client_id)}
