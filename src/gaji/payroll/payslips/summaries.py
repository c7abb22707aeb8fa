"""Payslip summaries: one payslip, the costs of runs and periods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime

from gaji.core.errors import NotFound
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs.payslips import COUNTED, PayslipCounts, RunKey
from gaji.payroll.payslips.repository import summaries as repository


@dataclass(frozen=True)
class PayslipSummary:
    """A payslip without its lines. Money is in cents."""

    id: int
    client_id: int
    employee_id: int
    wave_id: int
    start_date: date
    end_date: date
    payment_date: date
    """The day on which it was paid, or is to be paid."""
    paid: bool
    """Whether its payment was recorded. A payment that is withheld for tax clearance is not."""
    special: bool
    corrects: int | None
    """The payslip that it corrects."""
    dirty: bool
    finalised: bool
    released: bool
    payment_run_id: int | None
    nett_pay: int
    attention: Sequence[str]
    remarks: Sequence[str]
    rules_version: str | None


@dataclass(frozen=True)
class CostSummary:
    """The cost of some payslips, in cents."""

    payslips: int = 0
    nett_pay: int = 0
    cpf_employee: int = 0
    cpf_employer: int = 0
    sdl: int = 0
    funds: int = 0
    levy: int = 0

    def __add__(self, other: "CostSummary") -> "CostSummary":
        names = [field.name for field in fields(self)]
        return CostSummary(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def cpf(self) -> int:
        """Both shares of CPF."""
        return self.cpf_employee + self.cpf_employer

    @property
    def levies_and_funds(self) -> int:
        """Levies and self-help funds."""
        return self.sdl + self.funds + self.levy

    @property
    def cost(self) -> int:
        """The total cost."""
        return self.nett_pay + self.cpf + self.levies_and_funds


@dataclass(frozen=True)
class NextPeriod:
    """The first unpaid period of a wave."""

    wave_id: int
    offset: int
    end: date
    payslips: int
    attention: int
    pay_date: date


MAX_CACHED = 10_000
_cost_cache: dict[tuple[int, int, datetime | None], CostSummary] = {}
"""By client, run and time of finalisation. The caller has already found the run in its own tenancy."""


async def load_latest_id(tx: Transaction, client_id: int) -> int | None:
    """Return the id of the client's newest payslip, preferably a finalised one, or None."""
    return await repository.load_latest_id(tx, client_id)


async def load_summary(tx: Transaction, payslip_id: int) -> PayslipSummary:
    """Load the summary of a payslip. Raises NotFound."""
    row = await repository.load_summary(tx, payslip_id)
    if row is None:
        raise NotFound(f"Payslip {payslip_id} does not exist")
    return PayslipSummary(**row)


async def load_counts_and_costs(tx: Transaction, run: RunKey) -> tuple[PayslipCounts, CostSummary]:
    """Count the payslips of a run by state, and load their cost."""
    row = dict(await repository.load_counts_and_costs(tx, run.client_id, run.id))
    counts = PayslipCounts(**{name: row[name] for name in COUNTED})
    return counts, CostSummary(**{item.name: row[item.name] for item in fields(CostSummary)})


async def load_run_costs(
    tx: Transaction, client_id: int, finalised: Mapping[int, datetime | None]
) -> dict[int, CostSummary]:
    """Load the cost of finalised runs. `finalised` maps each run to its time of finalisation, for the cache."""
    keys = {run_id: (client_id, run_id, at) for run_id, at in finalised.items()}
    if missing := [run_id for run_id, key in keys.items() if key not in _cost_cache]:
        if len(_cost_cache) + len(missing) > MAX_CACHED:
            _cost_cache.clear()
        added = await repository.load_run_costs(tx, client_id, missing)
        _cost_cache.update({keys[run_id]: CostSummary(**added.get(run_id, {})) for run_id in missing})
    return {run_id: _cost_cache[key] for run_id, key in keys.items()}


async def load_unpaid_periods(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[NextPeriod]]:
    """Load the unpaid periods of each client by pay date. Clients without one are left out."""
    periods: dict[int, list[NextPeriod]] = {}
    for row in map(dict, await repository.load_unpaid_periods(tx, client_ids)):
        periods.setdefault(row.pop("client_id"), []).append(NextPeriod(**row))
    return periods


async def load_last_days(tx: Transaction, periods: Sequence[tuple[int, NextPeriod]]) -> dict[tuple[int, int], date]:
    """Load the last day for which the wave pays the employees of unpaid periods, by wave and period offset.

    Each period has its client. The day is `date.max` if an employee stays.
    """
    client_ids = [client_id for client_id, _ in periods]
    waves, offsets = [period.wave_id for _, period in periods], [period.offset for _, period in periods]
    rows = await repository.load_last_days(tx, client_ids, waves, offsets)
    return {(row["wave_id"], row["period_offset"]): row["last_day"] for row in rows}


async def load_next_periods(tx: Transaction, client_id: int) -> dict[int, NextPeriod]:
    """Load the first unpaid period of each wave."""
    return {row["wave_id"]: NextPeriod(**row) for row in await repository.load_next_periods(tx, client_id)}
