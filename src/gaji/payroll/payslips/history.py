"""Amounts of many past payslips, read in chunks."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import asyncpg
import msgspec

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.queries import StoredLines
from gaji.payroll.payslips.repository import history as repository

TOTAL = "total"
TOTAL_INCOME = "total_income"
TOTAL_DEDUCTION = "total_deduction"
"""Names for the two totals, which are both called `total` on a payslip."""
ZERO = "0.00"

Amounts = Mapping[str | int, str]
"""Decimal strings by item. Custom items have their number as the key."""
TrackedItem = tuple[int, str, date | None]
"""An employee, a tracked item, and the day from which it counts."""

_decode = msgspec.json.Decoder(StoredLines).decode


@dataclass(frozen=True, slots=True)
class PayslipFilter:
    """A filter for payslips. None means no restriction."""

    first: date
    last: date
    wave_ids: Sequence[int] | None = None
    employee_ids: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class FinalisedPayslip:
    """The amounts of a finalised payslip."""

    employee_id: int
    date: date
    rules_version: str | None
    amounts: Amounts


@dataclass(frozen=True, slots=True)
class PeriodComparison:
    """The amounts of an employee in a period and in the previous one. None without a payslip."""

    employee_id: int
    before: Amounts | None
    selected: Amounts | None
    rules_versions: frozenset[str]


@dataclass(frozen=True, slots=True)
class InstalmentTotal:
    """What finalised payslips took for a tracked item."""

    cents: int
    rules_versions: frozenset[str]

    def __add__(self, other: "InstalmentTotal") -> "InstalmentTotal":
        return InstalmentTotal(self.cents + other.cents, self.rules_versions | other.rules_versions)


NO_INSTALMENTS = InstalmentTotal(0, frozenset())


async def iterate_finalised(
    tx: Transaction, client_id: int, selection: PayslipFilter
) -> AsyncIterator[list[FinalisedPayslip]]:
    """Yield the finalised payslips of a selection, by employee and date."""
    days = (selection.first, selection.last)
    async for rows in repository.finalised(tx, client_id, days, selection.wave_ids, selection.employee_ids):
        yield await asyncio.to_thread(_finalised_payslips, rows)


async def load_finalised_items(tx: Transaction, client_id: int, selection: PayslipFilter) -> set[str]:
    """Return every item that occurs on the finalised payslips of a selection."""
    items: set[str | int] = set()
    days = (selection.first, selection.last)
    async for rows in repository.lines_of_finalised(tx, client_id, days, selection.wave_ids, selection.employee_ids):
        items |= await asyncio.to_thread(_list_items, rows)
    return {str(item) for item in items}


async def iterate_two_periods(
    tx: Transaction, client_id: int, wave_id: int, offset: int, employee_ids: Sequence[int] | None
) -> AsyncIterator[list[PeriodComparison]]:
    """Yield the regular payslips of a period next to those of the previous one, by employee."""
    async for rows in repository.of_two_periods(tx, client_id, wave_id, offset, employee_ids):
        yield await asyncio.to_thread(_period_comparisons, rows)


async def count_dirty(
    tx: Transaction, client_id: int, wave_id: int, offset: int, employee_ids: Sequence[int] | None
) -> int:
    """Count the payslips of a period and the previous one that wait for calculation."""
    return await repository.count_dirty(tx, client_id, wave_id, offset, employee_ids)


async def load_instalment_totals(
    tx: Transaction, client_id: int, tracked: Sequence[TrackedItem], until: date
) -> dict[tuple[int, str], InstalmentTotal]:
    """Return what finalised payslips took for tracked items up to a day, by employee and item."""
    employee_ids, items, starts = zip(*tracked, strict=True) if tracked else ((), (), ())
    rows = await repository.load_instalment_totals(tx, client_id, employee_ids, items, starts, until)
    totals: dict[tuple[int, str], InstalmentTotal] = {}
    for row in rows:
        key = (row["employee_id"], row["item"])
        versions = frozenset(version for version in (row["rules_version"],) if version)
        totals[key] = totals.get(key, NO_INSTALMENTS) + InstalmentTotal(row["cents"], versions)
    return totals


def _finalised_payslips(rows: Sequence[asyncpg.Record]) -> list[FinalisedPayslip]:
    return [
        FinalisedPayslip(row["employee_id"], row["date"], row["rules_version"], amounts_by_item(row["lines"]))
        for row in rows
    ]


def _list_items(rows: Sequence[asyncpg.Record]) -> set[str | int]:
    return {item for row in rows for item in amounts_by_item(row["lines"])}


def _period_comparisons(rows: Sequence[asyncpg.Record]) -> list[PeriodComparison]:
    return [
        PeriodComparison(
            row["employee_id"],
            None if row["before"] is None else amounts_by_item(row["before"]),
            None if row["selected"] is None else amounts_by_item(row["selected"]),
            frozenset(version for version in (row["rules_before"], row["rules_selected"]) if version),
        )
        for row in rows
    ]


def amounts_by_item(lines: str) -> Amounts:
    """Return the amount of each item of a payslip, including the totals and nett pay."""
    stored = _decode(lines)
    amounts: dict[str | int, str] = dict(stored.income)
    amounts[TOTAL_INCOME] = amounts.pop(TOTAL, ZERO)
    amounts.update(stored.deduction)
    amounts[TOTAL_DEDUCTION] = amounts.pop(TOTAL, ZERO)
    amounts.update(stored.grand_total)
    for _, group in stored.sideline:
        amounts.update(group)
    return amounts
