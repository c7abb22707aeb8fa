"""The register of a payment run: every employee with gross pay, deductions, nett pay and employer cost."""

from collections.abc import AsyncIterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import asyncpg

from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository import pay_register as repository
from gaji.payroll.payslips.repository.pay_register import (
    AMOUNTS,
    ITEM_PREFIX,
    ITEM_SECTIONS,
    ROW_FILTERS,
    SORT_KEYS,
    RegisterItem,
    RegisterSelection,
)
from gaji.people.employees.display_name import EmployeeLabel, employee_label

__all__ = [
    "AMOUNTS",
    "ITEM_PREFIX",
    "ITEM_SECTIONS",
    "ROW_FILTERS",
    "SORT_KEYS",
    "PayRegister",
    "RegisterItem",
    "RegisterRow",
    "RegisterSelection",
    "RegisterTotal",
]


TOTAL_COUNTS = ("rows", "payslips", "dirty", "attention", "blank", "without_hours")


@dataclass(frozen=True)
class RegisterRow:
    """An employee in the register. Without a payslip ID, the employee was paid in the previous period only."""

    payslip_id: int | None
    employee_id: int
    employee: EmployeeLabel
    pay_point: str | None
    dirty: bool
    attention: Sequence[str]
    remarks: Sequence[str]
    is_new: bool
    """Whether there is no payslip in the previous period."""
    is_blank: bool
    """Whether the payslip is calculated and pays nothing."""
    lacks_hours: bool
    """Whether the draft pays the regular hours, because the employee is paid by the hour and none were entered."""
    fund: str | None
    """The self-help fund that was deducted."""
    cents: Mapping[str, int]
    """By the names of `AMOUNTS`, and by the columns of the items that were selected."""


@dataclass(frozen=True)
class RegisterTotal:
    """The sums of some rows. Rows that wait for calculation count as zero."""

    pay_point: str | None = None
    rows: int = 0
    payslips: int = 0
    dirty: int = 0
    """How many payslips wait for calculation."""
    attention: int = 0
    """How many of the others cannot be finalised."""
    blank: int = 0
    """How many of the others pay nothing."""
    without_hours: int = 0
    """How many of the others pay regular hours because none were entered."""
    cents: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(AMOUNTS, 0))

    def __add__(self, other: "RegisterTotal") -> "RegisterTotal":
        names = {**self.cents, **other.cents}
        cents = {name: self.cents.get(name, 0) + other.cents.get(name, 0) for name in names}
        counts = {name: getattr(self, name) + getattr(other, name) for name in TOTAL_COUNTS}
        return RegisterTotal(pay_point=self.pay_point, cents=cents, **counts)


@dataclass(frozen=True)
class PayRegister:
    """A page of a register, with the totals of all selected rows."""

    rows: Sequence[RegisterRow]
    pay_points: Sequence[RegisterTotal]
    total: RegisterTotal


async def load_register(tx: Transaction, selection: RegisterSelection, page: ListPage) -> PayRegister:
    """Load a page of the register of a run."""
    pay_points, total = await load_register_totals(tx, selection)
    rows = [_register_row(row, selection) for row in await repository.load_page(tx, selection, page)]
    return PayRegister(rows, pay_points, total)


async def load_register_totals(
    tx: Transaction, selection: RegisterSelection
) -> tuple[list[RegisterTotal], RegisterTotal]:
    """Load the totals by pay point of the register of a run, and that of all rows."""
    totals: dict[str | None, RegisterTotal] = {}
    for row in await repository.load_totals(tx, selection):
        pay_point = row["pay_point"]
        totals[pay_point] = _register_total(row, selection) + totals.get(pay_point, RegisterTotal(pay_point))
    total = sum(totals.values(), RegisterTotal())
    if selection.previous_offset is not None and selection.compares_page_only:
        change = total.cents["nett_pay"] - selection.previous_nett_pay
        total = replace(total, cents={**total.cents, "change": change})
    return list(totals.values()), total


async def iterate_register(tx: Transaction, selection: RegisterSelection) -> AsyncIterator[list[RegisterRow]]:
    """Yield all rows of the register of a run in chunks."""
    async for rows in repository.iterate_rows(tx, selection):
        yield [_register_row(row, selection) for row in rows]


async def load_item_names(tx: Transaction, client_id: int, run_id: int) -> Set[str]:
    """Load the names of the pay items on the payslips of a run. Reads all lines, so it takes time for large runs."""
    return frozenset(await repository.load_item_names(tx, client_id, run_id))


def _register_row(row: asyncpg.Record, selection: RegisterSelection) -> RegisterRow:
    return RegisterRow(
        payslip_id=row["id"],
        employee_id=row["employee_id"],
        employee=employee_label(row),
        pay_point=row["pay_point"],
        dirty=row["dirty"],
        attention=row["attention"] or (),
        remarks=row["remarks"] or (),
        is_new=row["is_new"],
        is_blank=row["is_blank"],
        lacks_hours=row["lacks_hours"],
        fund=row["fund"],
        cents={name: row[name] for name in selection.amounts},
    )


def _register_total(row: asyncpg.Record, selection: RegisterSelection) -> RegisterTotal:
    cents = {name: 0 if row["dirty"] else row[name] for name in selection.amounts}
    counts = {name: row[f"{name}_count"] for name in TOTAL_COUNTS}
    return RegisterTotal(pay_point=row["pay_point"], cents=cents, **counts)
