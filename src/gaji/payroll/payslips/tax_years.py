"""Finalised payslips for a year of income tax: their lines, payment dates and entries."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import asyncpg
import msgspec
import numpy as np

from gaji.core.law_loader import current_law
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import StoredValue
from gaji.engine.earned_shares import earned_shares
from gaji.engine.money import to_cents
from gaji.engine.payslip_input import PastDifference, PayPeriod, PayslipInput, decode_payslip_input
from gaji.engine.served_days import served_millidays
from gaji.law.months import Month
from gaji.law.registry import Law
from gaji.law.self_help_funds import mosque_share_cents
from gaji.payroll.payslips.queries import StoredLines
from gaji.payroll.payslips.repository import tax_years as repository


@dataclass(frozen=True, slots=True)
class TaxablePayslip:
    """A finalised payslip."""

    id: int
    employee_id: int
    start: date
    end: date
    pay_date: date
    cents: Mapping[str, int]
    """Amounts by item."""
    entered: Mapping[str, Mapping[str, StoredValue]]
    """Inputs by calculation."""
    last_service_date: date | None = None
    working_days_by_year: Mapping[int, int] = field(default_factory=dict)
    """The working days in service, in thousandths, if the period spans two years."""
    earned_by_year: Mapping[str, Mapping[int, Fraction]] = field(default_factory=dict)
    """By line, what the days of each year earned, if the period spans two years and the values of the line change, or
    the days of an absence in each year."""
    mosque_cents: int = 0
    """The part of the MBMF contribution for the Mosque Building Fund."""
    rules_version: str | None = None
    past_differences: Sequence[PastDifference] = ()
    """The arrears and corrections of earlier periods."""
    past_months: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """The contributions of earlier months (`2026-01`) among its amounts, by item."""
    past_mosque_cents: Mapping[str, int] = field(default_factory=dict)
    """The part of earlier months' MBMF contributions for the Mosque Building Fund, by month."""


class _Entry(msgspec.Struct):
    inputs: dict[str, StoredValue] = {}


class _MonthToDate(msgspec.Struct):
    fund_wages: int = 0
    mbmf: int = 0


class _PreviousMonth(msgspec.Struct):
    earlier: _MonthToDate = msgspec.field(default_factory=_MonthToDate)


class _StoredInput(msgspec.Struct):
    """The parts of stored payslip inputs that are needed here."""

    calculations: dict[str, _Entry] = {}
    last_service_date: date | None = msgspec.field(default=None, name="leaving")
    earlier: _MonthToDate = msgspec.field(default_factory=_MonthToDate)
    previous_month: _PreviousMonth = msgspec.field(default_factory=_PreviousMonth)
    arrears: list[PastDifference] = []


_decode_lines = msgspec.json.Decoder(StoredLines).decode
_decode_input = msgspec.json.Decoder(_StoredInput).decode
_decode_figures = msgspec.json.Decoder(dict[str, int]).decode
_decode_months = msgspec.json.Decoder(dict[str, dict[str, int]]).decode

_decode_values = msgspec.json.Decoder(dict[str, StoredValue]).decode

ONE_DAY = timedelta(days=1)
LATE_DATES = ("declaration_date", "approval_date")
"""Inputs that no amount of a certificate depends on, only its year. They count also if they are entered later."""
LateDates = Mapping[int, Mapping[str, Mapping[str, StoredValue]]]
"""Dates that were entered after payslips were finalised: by payslip, calculation and input."""
NO_LATE_DATES: LateDates = MappingProxyType({})


async def iterate_year(
    tx: Transaction, client_id: int, year: int, dated_by: Sequence[str], employee_ids: Sequence[int] | None = None
) -> AsyncIterator[list[TaxablePayslip]]:
    """Yield the payslips that may have income of a year, by employee. `dated_by` are inputs that may set the year."""
    late_dates = await _load_late_dates(tx, client_id, employee_ids)
    late_ids = list(late_dates)
    async for rows in repository.iterate_year(tx, client_id, year, dated_by, employee_ids, late_ids):
        yield await run_in_thread_if_many(len(rows), partial(_slips, rows, late_dates))


async def load_with_item(tx: Transaction, client_id: int, item: str) -> list[TaxablePayslip]:
    """Load the payslips that have an amount of an item, by employee."""
    return [slip for slip in _slips(await repository.load_with_item(tx, client_id, item)) if slip.cents.get(item)]


async def load_run_employees(
    tx: Transaction, client_id: int, payment_run_id: int, year: int, dated_by: Sequence[str]
) -> list[int]:
    """Return the employees whose payslip in a run concerns a year in the same way."""
    return await repository.load_run_employees(tx, client_id, payment_run_id, year, dated_by)


async def _load_late_dates(tx: Transaction, client_id: int, employee_ids: Sequence[int] | None) -> LateDates:
    """Load the dates that were entered after payslips were finalised."""
    late_dates: dict[int, dict[str, dict[str, StoredValue]]] = defaultdict(dict)
    for row in await repository.load_late_inputs(tx, client_id, LATE_DATES, employee_ids):
        inputs = _decode_values(row["inputs"])
        late_dates[row["payslip_id"]][row["type"]] = {name: inputs[name] for name in LATE_DATES if name in inputs}
    return late_dates


def _slips(rows: Sequence[asyncpg.Record], late_dates: LateDates = NO_LATE_DATES) -> list[TaxablePayslip]:
    inputs = [_decode_input(row["inputs"]) if row["inputs"] else _StoredInput() for row in rows]
    previous = [_decode_figures(row["previous_month"]) if row["previous_month"] else {} for row in rows]
    past = [_decode_months(row["past_months"]) if row["past_months"] else {} for row in rows]
    contributions = [
        _contribution(
            row["date"],
            stored.earlier,
            row["fund_wages"] - figures.get("fund_wages", 0) - _sum(months, "fund_wages"),
            row["mbmf"] - figures.get("mbmf", 0) - _sum(months, "mbmf"),
        )
        for row, stored, figures, months in zip(rows, inputs, previous, past, strict=True)
    ]
    contributions += [
        _contribution(
            row["date"].replace(day=1) - ONE_DAY,
            stored.previous_month.earlier,
            figures.get("fund_wages", 0),
            figures.get("mbmf", 0),
        )
        for row, stored, figures in zip(rows, inputs, previous, strict=True)
    ]
    earned = _earned_by_year(rows)
    shares = mosque_shares_cents(current_law(), contributions)
    mosque_cents = [current + before for current, before in zip(shares[: len(rows)], shares[len(rows) :], strict=True)]
    return [
        TaxablePayslip(
            id=row["id"],
            employee_id=row["employee_id"],
            start=row["start_date"],
            end=row["date"],
            pay_date=row["pay_date"],
            cents={item: to_cents(amount) for item, amount in _decode_lines(row["lines"]).amounts_by_item().items()},
            entered=_with_late_dates(stored.calculations, late_dates.get(row["id"], {})),
            last_service_date=stored.last_service_date,
            working_days_by_year=_working_days_by_year(row),
            earned_by_year=earned.get(row["id"], {}),
            mosque_cents=mosque,
            rules_version=row["rules_version"],
            past_differences=stored.arrears,
            past_months=months,
            past_mosque_cents=_past_mosque_cents(stored.arrears),
        )
        for row, stored, mosque, months in zip(rows, inputs, mosque_cents, past, strict=True)
    ]


def _with_late_dates(
    entries: Mapping[str, _Entry], late_dates: Mapping[str, Mapping[str, StoredValue]]
) -> dict[str, Mapping[str, StoredValue]]:
    """Return the inputs of a payslip by calculation, with the dates that were entered later."""
    return {name: {**entry.inputs, **late_dates.get(name, {})} for name, entry in entries.items()}


def _sum(months: Mapping[str, Mapping[str, int]], name: str) -> int:
    return sum(figures.get(name, 0) for figures in months.values())


def _past_mosque_cents(differences: Sequence[PastDifference]) -> dict[str, int]:
    """The part of MBMF contributions of earlier months for the Mosque Building Fund, by month."""
    contributions = [
        (month, MbmfContribution(Month.parse(month).last_day, wages.paid, mbmf.paid, wages.accepted, mbmf.accepted))
        for difference in differences
        for month, figures in difference.months.items()
        if (mbmf := figures.get("mbmf")) and (wages := figures.get("fund_wages"))
    ]
    shares = mosque_shares_cents(current_law(), [contribution for _, contribution in contributions])
    by_month: dict[str, int] = defaultdict(int)
    for (month, _), share in zip(contributions, shares, strict=True):
        by_month[month] += share
    return by_month


def _working_days_by_year(row: asyncpg.Record) -> dict[int, int]:
    """Count the working days in service in each year of a period that spans two."""
    first, last = row["start_date"], row["date"]
    if first.year == last.year or not row["inputs"]:
        return {}
    payslip = decode_payslip_input(row["inputs"])
    return {
        year: served_millidays(current_law(), payslip, max(first, date(year, 1, 1)), min(last, date(year, 12, 31)))
        for year in range(first.year, last.year + 1)
    }


def _earned_by_year(rows: Sequence[asyncpg.Record]) -> dict[int, dict[str, dict[int, Fraction]]]:
    """Compute what each year earned of lines whose values change within a period that spans two, by payslip."""
    by_period: dict[PayPeriod, dict[int, PayslipInput]] = defaultdict(dict)
    for row in rows:
        if row["start_date"].year != row["date"].year and row["inputs"]:
            payslip = decode_payslip_input(row["inputs"])
            by_period[payslip.period][row["id"]] = payslip
    earned: dict[int, dict[str, dict[int, Fraction]]] = {}
    for period, payslips in by_period.items():
        years = range(period.start.year, period.end.year + 1)
        ranges = [(max(period.start, date(y, 1, 1)), min(period.end, date(y, 12, 31))) for y in years]
        shares = earned_shares(current_law(), list(payslips.values()), ranges)
        for payslip_id, by_line in zip(payslips, shares, strict=True):
            earned[payslip_id] = {line: dict(zip(years, parts, strict=True)) for line, parts in by_line.items()}
    return earned


def _contribution(day: date, earlier: _MonthToDate, wages: int, amount: int) -> "MbmfContribution":
    return MbmfContribution(day, earlier.fund_wages, earlier.mbmf, wages, amount)


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
