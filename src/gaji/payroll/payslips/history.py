"""What payslips have shown, for those who look back at many of them: a chunk at a time, never all at once."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import msgspec

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.queries import Lines
from gaji.payroll.payslips.repository import history as store

TOTAL = "total"
TOTAL_INCOME = "total_income"
TOTAL_DEDUCTION = "total_deduction"
"""What the two totals are called here, which on a payslip have one and the same name."""
NOTHING = "0.00"

Amounts = Mapping[str | int, str]
"""By item a decimal text; custom items by their number."""
Tracked = tuple[int, str, date | None]
"""An employee, a tracked item, and the day from which it counts."""

_decode = msgspec.json.Decoder(Lines).decode


@dataclass(frozen=True, slots=True)
class Selection:
    """Which payslips are looked at; none of the ids means any."""

    first: date
    last: date
    wave_ids: Sequence[int] | None = None
    employee_ids: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Slip:
    """A finalised payslip."""

    employee_id: int
    date: date
    rules_version: str | None
    amounts: Amounts


@dataclass(frozen=True, slots=True)
class Pair:
    """What an employee gets in a period and got in the one before; None without a payslip."""

    employee_id: int
    before: Amounts | None
    selected: Amounts | None
    rules_versions: frozenset[str]


async def finalised(tx: Transaction, client_id: int, of: Selection) -> AsyncIterator[list[Slip]]:
    """The finalised payslips that are dated in a selection, by employee and date."""
    async for rows in store.finalised(tx, client_id, (of.first, of.last), of.wave_ids, of.employee_ids):
        yield [Slip(employee_id, day, version, amounts_of(lines)) for employee_id, day, version, lines in rows]


async def items_of_finalised(tx: Transaction, client_id: int, of: Selection) -> set[str]:
    """Every item that stands on one of these payslips."""
    found: set[str | int] = set()
    async for rows in store.lines_of_finalised(tx, client_id, (of.first, of.last), of.wave_ids, of.employee_ids):
        for (lines,) in rows:
            found.update(amounts_of(lines))
    return {str(item) for item in found}


async def two_periods(
    tx: Transaction, client_id: int, wave_id: int, offset: int, employee_ids: Sequence[int] | None
) -> AsyncIterator[list[Pair]]:
    """The regular payslips of a period beside those of the one before, by employee."""
    async for rows in store.of_two_periods(tx, client_id, wave_id, offset, employee_ids):
        yield [
            Pair(
                employee_id,
                None if before is None else amounts_of(before),
                None if selected is None else amounts_of(selected),
                frozenset(version for version in versions if version),
            )
            for employee_id, before, selected, *versions in rows
        ]


async def waiting(
    tx: Transaction, client_id: int, wave_id: int, offset: int, employee_ids: Sequence[int] | None
) -> int:
    """How many of the payslips of these two periods wait for calculation: they show what was, not what is."""
    return await store.waiting(tx, client_id, wave_id, offset, employee_ids)


async def moved(tx: Transaction, client_id: int, tracked: Sequence[Tracked], until: date) -> dict[tuple[int, str], int]:
    """By employee and tracked item, the cents that finalised payslips took up to a day."""
    employee_ids, items, starts = zip(*tracked, strict=True) if tracked else ((), (), ())
    rows = await store.moved(tx, client_id, employee_ids, items, starts, until)
    return {(row["employee_id"], row["item"]): row["cents"] for row in rows}


def amounts_of(lines: str) -> Amounts:
    """What each item of a payslip came to, the totals and nett pay among them."""
    form = _decode(lines)
    found: dict[str | int, str] = dict(form.income)
    found[TOTAL_INCOME] = found.pop(TOTAL, NOTHING)
    found.update(form.deduction)
    found[TOTAL_DEDUCTION] = found.pop(TOTAL, NOTHING)
    found.update(form.grand_total)
    for _, group in form.sideline:
        found.update(group)
    return found
