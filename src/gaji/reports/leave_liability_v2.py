"""What the annual leave that is left on a day would cost: days, the gross rate for a day, and the two together."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from gaji.core.errors import INVALID, Errors, invalid
from gaji.core.law_loader import law
from gaji.core.validation import Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine.money import decimal_text
from gaji.law.parameters import MonthNotCovered
from gaji.law.quantities import MILLI
from gaji.leave.balances.columns import stand
from gaji.leave.types.queries import ANNUAL
from gaji.payroll.payslips.daily_rates import daily_rates
from gaji.people.service_periods.facts import Term
from gaji.reports.request_fields import DATE, EMPLOYEE_IDS, HUMANIZE, WAVE_IDS
from gaji.reports.employee_selection import Staff, serving
from gaji.reports.rows import Form, Piece, Table, money
from gaji.reports.rows import days as shown_days

ATTRIBUTES = (DATE, WAVE_IDS, EMPLOYEE_IDS, HUMANIZE)
FORM = Form(("employee", "Days", "Daily Rate", "Liability"))


@dataclass(frozen=True)
class Request:
    """What is asked for, found out."""

    date: date
    staff: Staff
    humanize: bool | None


async def read(tx: Transaction, client_id: int, record: Record, errors: Errors) -> Request:
    """Find out what is asked for."""
    return Request(record["date"], Staff.of(record), record["humanize"])


async def table(tx: Transaction, client_id: int, request: Request) -> Table:
    """The report."""
    return Table(FORM.keys, _pieces(tx, client_id, request))


async def _pieces(tx: Transaction, client_id: int, request: Request) -> AsyncIterator[Piece]:
    shown = money(request.humanize)
    versions = frozenset([law().rules_version])
    async for some in serving(tx, client_id, request.staff, request.date):
        days = await _annual_millidays(tx, client_id, some.terms, request.date)
        worth = await _worth(tx, client_id, days, some.waves, request.date)
        rows = []
        for employee_id, millidays in days.items():
            one_day, all_days = (shown(decimal_text(cents)) for cents in worth[employee_id])
            rows.append(FORM.row(json_text(some.numbers[employee_id]), shown_days(millidays), one_day, all_days))
        yield Piece(rows, versions)


async def _annual_millidays(tx: Transaction, client_id: int, terms: Sequence[Term], on: date) -> dict[int, int]:
    """By employee, the balance of annual leave in these services."""
    standing = await stand(tx, client_id, terms, on)
    days = np.zeros(len(terms), dtype=np.int64)
    for one in standing.types:
        if one.system_type == ANNUAL:
            days = standing.balance(one, np.full(len(terms), np.datetime64(on, "D")))
    return dict(zip((term.employee_id for term in terms), days.tolist(), strict=True))


async def _worth(
    tx: Transaction, client_id: int, days: Mapping[int, int], waves: Mapping[int, int], on: date
) -> dict[int, tuple[int, int]]:
    """By employee, the cents of one day and of all days; each is rounded once."""
    worth: dict[int, tuple[int, int]] = {}
    try:
        found = await daily_rates(tx, client_id, {one: waves[one] for one in days}, on)
    except MonthNotCovered as error:
        raise invalid("date", INVALID, reason=str(error)) from None
    for one in found:
        one_day = np.full(len(one.employee_ids), MILLI, dtype=np.int64)
        all_days = np.array([days[employee_id] for employee_id in one.employee_ids], dtype=np.int64)
        cents = zip(one.rates.cents(one_day).tolist(), one.rates.cents(all_days).tolist(), strict=True)
        worth.update(zip(one.employee_ids, cents, strict=True))
    return worth
