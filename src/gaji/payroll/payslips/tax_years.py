"""What finalised payslips mean for a year of income tax: their lines, when they were paid, what was entered."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import asyncpg
import msgspec
import numpy as np

from gaji.core.law_loader import law
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import StoredValue
from gaji.engine.money import to_cents
from gaji.law.months import Month
from gaji.law.registry import Law
from gaji.law.self_help_funds import mosque_share_cents
from gaji.payroll.payslips.queries import Lines
from gaji.payroll.payslips.repository import tax_years as store


@dataclass(frozen=True, slots=True)
class TaxedSlip:
    """A finalised payslip."""

    employee_id: int
    start: date
    end: date
    pay_date: date
    cents: Mapping[str, int]
    """By line."""
    entered: Mapping[str, Mapping[str, StoredValue]]
    """By calculation, what was entered for it."""
    mosque_cents: int = 0
    """Of the contribution to MBMF, what is for the Mosque Building Fund."""
    rules_version: str | None = None


class _Entered(msgspec.Struct):
    inputs: dict[str, StoredValue] = {}


class _EarlierInMonth(msgspec.Struct):
    fund_wages: int = 0
    mbmf: int = 0


class _Case(msgspec.Struct):
    """What of a payslip's case matters here."""

    calculations: dict[str, _Entered] = {}
    earlier: _EarlierInMonth = msgspec.field(default_factory=_EarlierInMonth)


_lines = msgspec.json.Decoder(Lines).decode
_case = msgspec.json.Decoder(_Case).decode


async def of_year(
    tx: Transaction, client_id: int, year: int, dated_by: Sequence[str], employee_ids: Sequence[int] | None = None
) -> AsyncIterator[list[TaxedSlip]]:
    """The payslips that were paid in a year, and those for which one of these inputs is a date in it, by employee."""
    async for rows in store.of_year(tx, client_id, year, dated_by, employee_ids):
        yield _slips(rows)


async def employees_of_run(
    tx: Transaction, client_id: int, payment_run_id: int, year: int, dated_by: Sequence[str]
) -> list[int]:
    """The employees whose payslip of a run has to do with a year in the same way."""
    return await store.employees_of_run(tx, client_id, payment_run_id, year, dated_by)


def _slips(rows: Sequence[asyncpg.Record]) -> list[TaxedSlip]:
    cases = [_case(row["inputs"]) if row["inputs"] else _Case() for row in rows]
    given = [
        Contribution(row["date"], case.earlier.fund_wages, case.earlier.mbmf, row["fund_wages"], row["mbmf"])
        for row, case in zip(rows, cases, strict=True)
    ]
    return [
        TaxedSlip(
            row["employee_id"],
            row["start_date"],
            row["date"],
            row["pay_date"],
            {item: to_cents(amount) for item, amount in _lines(row["lines"]).amounts().items()},
            {name: entry.inputs for name, entry in case.calculations.items()},
            mosque,
            row["rules_version"],
        )
        for row, case, mosque in zip(rows, cases, mosque_parts(law(), given), strict=True)
    ]


class Contribution(NamedTuple):
    """What a payslip took for MBMF, in cents, after the earlier payslips of the same month."""

    day: date
    wages_before: int
    before: int
    wages: int
    amount: int


def mosque_parts(law: Law, given: Sequence[Contribution]) -> list[int]:
    """Of each contribution to MBMF the cents for the Mosque Building Fund.

    The contribution is the month's: a later payslip of the month has what the month so far comes to, less what it came
    to before. So has the mosque's part of it.
    """
    by_month: dict[Month, list[int]] = {}
    for place, one in enumerate(given):
        if one.amount:
            by_month.setdefault(Month.from_date(one.day), []).append(place)
    parts = [0] * len(given)
    for month, places in by_month.items():
        wages_before, before, wages, amount = np.array([given[place][1:] for place in places], dtype=np.int64).T
        so_far = mosque_share_cents(law.self_help_funds, month, wages_before + wages, before + amount)
        mosque = so_far - mosque_share_cents(law.self_help_funds, month, wages_before, before)
        for place, part in zip(places, mosque.tolist(), strict=True):
            parts[place] = part
    return parts
