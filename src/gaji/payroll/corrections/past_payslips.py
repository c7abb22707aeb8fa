"""Finalised payslips with what they were calculated from, for comparison with today's knowledge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import asyncpg
import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.engine.line_decoder import stored_cents
from gaji.engine.past_months import MonthFigures
from gaji.engine.payslip_input import PayslipInput, decode_payslip_input
from gaji.law.months import Month
from gaji.payroll.corrections import repository
from gaji.payroll.payslips.draft_periods import PeriodKey
from gaji.payroll.payslips.queries import StoredLines

MAX_PERIODS = 24
"""How many finalised payslips of an employee are compared, the latest first."""


@dataclass(frozen=True)
class PastPayslip:
    """A finalised payslip."""

    id: int
    employee_id: int
    period: PeriodKey
    special: bool
    stored: PayslipInput
    catalogue_version: str
    lines: Mapping[str, int]
    """Cents by item."""
    months: MonthFigures
    """The figures of the months that its own period has wages of."""

    @property
    def start(self) -> date:
        """The first day of the period."""
        return self.stored.period.start

    @property
    def end(self) -> date:
        """The last day of the period."""
        return self.stored.period.end


async def load_past_payslips(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], month: Month | None = None
) -> list[PastPayslip]:
    """Load the last finalised payslips of employees, by employee and in order of time.

    With a month, they are the payslips of the month and all that its contributions depend on: those since the start of
    the year of the month before.
    """
    first, last = (date((month - 1).year, 1, 1), month.last_day) if month else (date.min, date.max)
    limit = None if month else MAX_PERIODS
    rows = await repository.load_last_finalised(tx, client_id, employee_ids, first, last, limit)
    return await run_in_thread_if_many(len(rows), lambda: [_past_payslip(row) for row in rows])


def _past_payslip(row: asyncpg.Record) -> PastPayslip:
    amounts = _decode_lines(row["lines"]).amounts_by_item()
    previous = _decode_figures(row["previous_month"]) if row["previous_month"] else {}
    past = _decode_months(row["past_months"]) if row["past_months"] else {}
    return PastPayslip(
        id=row["id"],
        employee_id=row["employee_id"],
        period=PeriodKey(row["wave_id"], row["period_offset"]),
        special=row["special"],
        stored=decode_payslip_input(row["inputs"]),
        catalogue_version=row["catalogue_version"],
        lines={item: stored_cents(amount) for item, amount in amounts.items()},
        months=own_months(row["date"], {name: row[name] for name in repository.FIGURES}, previous, past),
    )


def own_months(
    day: date, totals: Mapping[str, int], previous: Mapping[str, int], past: Mapping[str, Mapping[str, int]]
) -> MonthFigures:
    """Divide the figures of a payslip between its month and the one before, without corrections of earlier months."""
    month = Month.from_date(day)
    if not previous and not past:
        return {month: dict(totals)}
    current = {
        name: cents - previous.get(name, 0) - sum(figures.get(name, 0) for figures in past.values())
        for name, cents in totals.items()
    }
    return {month - 1: dict(previous), month: current} if previous else {month: current}


_decode_lines = msgspec.json.Decoder(StoredLines).decode
_decode_figures = msgspec.json.Decoder(dict[str, int]).decode
_decode_months = msgspec.json.Decoder(dict[str, dict[str, int]]).decode
