"""Finalised payslips with what they were calculated from, for comparison with today's knowledge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import asyncpg
import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.engine.money import to_cents
from gaji.engine.past_months import MonthFigures
from gaji.engine.payslip_input import MonthToDate, PayslipInput, decode_payslip_input
from gaji.law.months import Month
from gaji.payroll.payslips.draft_periods import PeriodKey
from gaji.payroll.payslips.queries import StoredLines

MAX_PERIODS = 24
"""How many finalised payslips of an employee are compared, the latest first."""
FIGURES = MonthToDate.__struct_fields__


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
    first, last = (date((month + -1).year, 1, 1), month.last_day) if month else (date.min, date.max)
    rows = await tx.fetch(
        "SELECT p.* FROM unnest($2::bigint[]) AS e(id) CROSS JOIN LATERAL ("
        "SELECT id, employee_id, wave_id, period_offset, special, date, finalised_at, inputs, lines, "
        f"catalogue_version, previous_month, past_months, {', '.join(FIGURES)} FROM payslips "
        "WHERE client_id = $1 AND employee_id = e.id AND finalised AND inputs IS NOT NULL AND date BETWEEN $4 AND $5 "
        "ORDER BY date DESC, finalised_at DESC, id DESC LIMIT $3) p "
        "ORDER BY p.employee_id, p.date, p.finalised_at, p.id",
        client_id,
        employee_ids,
        None if month else MAX_PERIODS,
        first,
        last,
    )
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
        lines={item: to_cents(amount) for item, amount in amounts.items()},
        months=own_months(row["date"], {name: row[name] for name in FIGURES}, previous, past),
    )


def own_months(
    day: date, totals: Mapping[str, int], previous: Mapping[str, int], past: Mapping[str, Mapping[str, int]]
) -> MonthFigures:
    """Divide the figures of a payslip between its month and the one before, without corrections of earlier months."""
    month = Month.from_date(day)
    current = {
        name: cents - previous.get(name, 0) - sum(figures.get(name, 0) for figures in past.values())
        for name, cents in totals.items()
    }
    return {month + -1: dict(previous), month: current} if previous else {month: current}


_decode_lines = msgspec.json.Decoder(StoredLines).decode
_decode_figures = msgspec.json.Decoder(dict[str, int]).decode
_decode_months = msgspec.json.Decoder(dict[str, dict[str, int]]).decode
