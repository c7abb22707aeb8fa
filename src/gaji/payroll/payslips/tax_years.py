"""Finalised payslips for a year of income tax: their lines, payment dates and entries."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import asyncpg
import msgspec
import numpy as np

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import StoredValue
from gaji.engine.money import to_cents
from gaji.law.months import Month
from gaji.law.registry import Law
from gaji.law.self_help_funds import mosque_share_cents
from gaji.payroll.payslips.queries import StoredLines
from gaji.payroll.payslips.repository import tax_years as repository


@dataclass(frozen=True, slots=True)
class TaxablePayslip:
    """A finalised payslip."""

    employee_id: int
    start: date
    end: date
    pay_date: date
    cents: Mapping[str, int]
    """Amounts by item."""
    entered: Mapping[str, Mapping[str, StoredValue]]
    """Inputs by calculation."""
    mosque_cents: int = 0
    """The part of the MBMF contribution for the Mosque Building Fund."""
    rules_version: str | None = None


class _Entry(msgspec.Struct):
    inputs: dict[str, StoredValue] = {}


class _MonthToDate(msgspec.Struct):
    fund_wages: int = 0
    mbmf: int = 0


class _StoredInput(msgspec.Struct):
    """The parts of stored payslip inputs that are needed here."""

    calculations: dict[str, _Entry] = {}
    earlier: _MonthToDate = msgspec.field(default_factory=_MonthToDate)


_decode_lines = msgspec.json.Decoder(StoredLines).decode
_decode_input = msgspec.json.Decoder(_StoredInput).decode


async def iterate_year(
    tx: Transaction, client_id: int, year: int, dated_by: Sequence[str], employee_ids: Sequence[int] | None = None
) -> AsyncIterator[list[TaxablePayslip]]:
    """Yield the payslips paid in a year, and those with a date of that year in one of these inputs, by employee."""
    async for rows in repository.iterate_year(tx, client_id, year, dated_by, employee_ids):
        yield _slips(rows)


async def load_run_employees(
    tx: Transaction, client_id: int, payment_run_id: int, year: int, dated_by: Sequence[str]
) -> list[int]:
    """Return the employees whose payslip in a run concerns a year in the same way."""
    return await repository.load_run_employees(tx, client_id, payment_run_id, year, dated_by)


def _slips(rows: Sequence[asyncpg.Record]) -> list[TaxablePayslip]:
    inputs = [_decode_input(row["inputs"]) if row["inputs"] else _StoredInput() for row in rows]
    contributions = [
        MbmfContribution(row["date"], stored.earlier.fund_wages, stored.earlier.mbmf, row["fund_wages"], row["mbmf"])
        for row, stored in zip(rows, inputs, strict=True)
    ]
    return [
        TaxablePayslip(
            row["employee_id"],
            row["start_date"],
            row["date"],
            row["pay_date"],
            {item: to_cents(amount) for item, amount in _decode_lines(row["lines"]).amounts_by_item().items()},
            {name: entry.inputs for name, entry in stored.calculations.items()},
            mosque,
            row["rules_version"],
        )
        for row, stored, mosque in zip(rows, inputs, mosque_shares_cents(current_law(), contributions), strict=True)
    ]


class MbmfContribution(NamedTuple):
    """The MBMF contribution of a payslip in cents, and that of the earlier payslips of the month."""

    day: date
    wages_before: int
    before: int
    wages: int
    amount: int


def mosque_shares_cents(law: Law, contributions: Sequence[MbmfContribution]) -> list[int]:
    """Return the part of each MBMF contribution for the Mosque Building Fund.

    Contributions are monthly: a later payslip of a month takes the month-to-date amount less what was taken before. The
    mosque's part is computed in the same way.
    """
    by_month: dict[Month, list[int]] = {}
    for index, contribution in enumerate(contributions):
        if contribution.amount:
            by_month.setdefault(Month.from_date(contribution.day), []).append(index)
    parts = [0] * len(contributions)
    for month, indexes in by_month.items():
        wages_before, before, wages, amount = np.array(
            [contributions[index][1:] for index in indexes], dtype=np.int64
        ).T
        month_to_date = mosque_share_cents(law.self_help_funds, month, wages_before + wages, before + amount)
        mosque = month_to_date - mosque_share_cents(law.self_help_funds, month, wages_before, before)
        for index, part in zip(indexes, mosque.tolist(), strict=True):
            parts[index] = part
    return parts
