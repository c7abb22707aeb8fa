"""Totals of finalised payslips for CPF and bank files."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime

from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs.queries import FinalisedRunKey
from gaji.payroll.payslips.repository import statutory_totals as repository


@dataclass(frozen=True, slots=True)
class MonthTotals:
    """The totals of one employee's wages and contributions of a month, in cents, whichever payslips they are on."""

    employee_id: int
    ordinary: int
    additional: int
    cpf: int
    """Both shares."""
    mbmf: int
    sinda: int
    cdac: int
    ecf: int
    levy: int
    sdl: int
    finalised_at: datetime
    """When the last of the payslips was finalised."""
    rules_versions: Sequence[str]


@dataclass(frozen=True, slots=True)
class Contributions:
    """The contributions of all employees for a month, in cents."""

    cpf_employee: int = 0
    cpf_employer: int = 0
    sdl: int = 0
    funds: int = 0
    levy: int = 0

    def __add__(self, other: "Contributions") -> "Contributions":
        names = [field.name for field in fields(self)]
        return Contributions(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def cpf(self) -> int:
        """Both shares of CPF."""
        return self.cpf_employee + self.cpf_employer


@dataclass(frozen=True, slots=True)
class CpfMonth:
    """The wages of one employee in a month with CPF contributions, from finalised payslips, in cents."""

    employee_id: int
    month: date
    """The first day of the month."""
    ordinary: int
    additional: int
    wave_ids: Sequence[int]
    """The waves that paid in the month."""


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """A draft that belongs to no run."""

    payslip_id: int
    employee_id: int
    period_end: date


@dataclass(frozen=True, slots=True)
class UnfinalisedPeriod:
    """A pay period with drafts."""

    wave_id: int
    period_end: date
    payment_run_id: int | None
    """The open run that has the drafts."""
    payslips: int


@dataclass(frozen=True, slots=True)
class NettPay:
    """The payment of a finalised payslip."""

    payslip_id: int
    employee_id: int
    cents: int
    period_end: date
    pay_date: date
    finalised_at: datetime

    def paid_on(self, day: date) -> "NettPay":
        """Return the payment on another day. Large runs have many, and `dataclasses.replace` is slower."""
        return NettPay(self.payslip_id, self.employee_id, self.cents, self.period_end, day, self.finalised_at)


MAX_CACHED = 10_000
_contributions_cache: dict[FinalisedRunKey, dict[date, Contributions]] = {}
"""By run and time of finalisation. The caller has already found the run in its own tenancy."""


async def load_month_totals(tx: Transaction, client_id: int, first: date, last: date) -> list[MonthTotals]:
    """Load the totals of the finalised payslips for a month, by employee."""
    rows = await repository.load_month_totals(tx, client_id, first, last)
    return await run_in_thread_if_many(len(rows), lambda: [MonthTotals(**row) for row in rows])


async def load_contributions(tx: Transaction, runs: Iterable[FinalisedRunKey]) -> dict[int, dict[date, Contributions]]:
    """Load the contributions of finalised runs by client and by the first day of the month that they are for."""
    months_by_run = await _load_run_contributions(tx, runs)
    totals: dict[int, dict[date, Contributions]] = defaultdict(dict)
    for run, months in months_by_run.items():
        of_client = totals[run.client_id]
        for month, contributions in months.items():
            of_client[month] = of_client.get(month, Contributions()) + contributions
    return dict(totals)


async def load_contribution_times(tx: Transaction, runs: Iterable[FinalisedRunKey]) -> dict[tuple[int, date], datetime]:
    """Load when the last run with contributions for a month was finalised, by client and first day of the month."""
    times: dict[tuple[int, date], datetime] = {}
    for run, months in (await _load_run_contributions(tx, runs)).items():
        for month in months:
            key = (run.client_id, month)
            times[key] = max(run.finalised_at, times.get(key, run.finalised_at))
    return times


async def load_levy_runs(tx: Transaction, runs: Iterable[FinalisedRunKey]) -> dict[tuple[int, date], list[int]]:
    """Load the runs with foreign worker levy for a month, by client and first day of the month."""
    run_ids: dict[tuple[int, date], list[int]] = defaultdict(list)
    for run, months in (await _load_run_contributions(tx, runs)).items():
        for month, contributions in months.items():
            if contributions.levy:
                run_ids[run.client_id, month].append(run.id)
    return run_ids


async def _load_run_contributions(
    tx: Transaction, runs: Iterable[FinalisedRunKey]
) -> dict[FinalisedRunKey, dict[date, Contributions]]:
    cached = {run: _contributions_cache.get(run) for run in runs}
    missing = {run.id: run for run, months in cached.items() if months is None}
    added: dict[FinalisedRunKey, dict[date, Contributions]] = {run: {} for run in missing.values()}
    if missing:
        client_ids = sorted({run.client_id for run in added})
        for row in map(dict, await repository.load_run_contributions(tx, client_ids, list(missing))):
            run, month = missing[row.pop("payment_run_id")], row.pop("month")
            added[run][month] = Contributions(**row)
        if len(_contributions_cache) + len(added) > MAX_CACHED:
            _contributions_cache.clear()
        _contributions_cache.update(added)
    return {run: added[run] if months is None else months for run, months in cached.items()}


async def load_deduction_totals(tx: Transaction, client_id: int, item: str, first: date, last: date) -> dict[int, int]:
    """Load the cents of a deduction on the finalised payslips of a month, by employee."""
    rows = await repository.load_deduction_totals(tx, client_id, item, first, last)
    return {row["employee_id"]: row["cents"] for row in rows}


async def load_open_drafts(tx: Transaction, client_id: int, first: date, last: date) -> list[OpenDraft]:
    """Load the drafts of periods with some of these days that no run has, by employee."""
    return [OpenDraft(**row) for row in await repository.load_open_drafts(tx, client_id, first, last)]


async def load_open_periods(tx: Transaction, client_id: int, last: date) -> list[UnfinalisedPeriod]:
    """Load the periods with drafts that start on a day or earlier, by wave.

    A wave has drafts for its next period only. If that is an earlier one, the later ones are not paid either.
    """
    return [UnfinalisedPeriod(**row) for row in await repository.load_open_periods(tx, client_id, last)]


async def load_cpf_months(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], first: date, last: date
) -> list[CpfMonth]:
    """Load the months with CPF contributions of these employees, by employee and month."""
    rows = await repository.load_cpf_months(tx, client_id, employee_ids, first, last)
    return [CpfMonth(**row) for row in rows]


async def load_employer_cpf(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], first: date, last: date
) -> dict[tuple[int, date], int]:
    """Load the employer's CPF of months with finalised payslips, by employee and first day of the month."""
    rows = await repository.load_employer_cpf(tx, client_id, employee_ids, first, last)
    return {(row["employee_id"], row["month"]): row["cpf_employer_cents"] for row in rows}


async def load_draft_nett_pays(tx: Transaction, client_id: int, payment_run_id: int) -> list[NettPay]:
    """Load what a run would pay if it were finalised now, by employee."""
    rows = await repository.load_draft_nett_pays(tx, client_id, payment_run_id)
    return await run_in_thread_if_many(len(rows), lambda: [NettPay(**row) for row in rows])


async def load_nett_pays(tx: Transaction, client_id: int, payment_run_id: int) -> list[NettPay]:
    """Load the payments of a finalised run, by employee."""
    rows = await repository.load_nett_pays(tx, client_id, payment_run_id)
    return await run_in_thread_if_many(len(rows), lambda: [NettPay(**row) for row in rows])
