"""What employees owe and have saved at the end of a day: loans and advances, savings, garnishees."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.core.errors import Errors
from gaji.core.validation import Record
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.engine.money import to_cents, decimal_text
from gaji.payroll.calculations.resolve import resolve_entries
from gaji.payroll.calculations.inheritance import InputValues
from gaji.payroll.payslips import history
from gaji.reports.request_fields import DATE, EMPLOYEE_IDS, HUMANIZE, WAVE_IDS
from gaji.reports.employee_selection import Staff, staff
from gaji.reports.rows import Form, Piece, Table, money

ATTRIBUTES = (DATE, WAVE_IDS, EMPLOYEE_IDS, HUMANIZE)
COLUMNS: Mapping[str, Sequence[str]] = {
    "Loans": ("loan", "salary_advance"),
    "Savings": ("savings",),
    "Garnishees": ("garnishee",),
}
"""The items of each column."""
ITEMS = [item for items in COLUMNS.values() for item in items]
FORM = Form(("employee", *COLUMNS))


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
    async for some in staff(tx, client_id, request.staff, request.date):
        outstanding = await _outstanding(tx, client_id, list(some), request.date)
        rows = [
            FORM.row(one.number, *(shown(decimal_text(amount)) for amount in amounts))
            for employee_id, one in some.items()
            if any(amounts := outstanding.get(employee_id, NOTHING)) or one.serves
        ]
        yield Piece(rows)


async def _outstanding(tx: Transaction, client_id: int, employee_ids: Sequence[int], on: date) -> dict[int, list[int]]:
    """By employee the cents of each column; of those for whom anything is entered."""
    slips = [(None, employee_id, False) for employee_id in employee_ids]
    entered = dict(zip(employee_ids, await resolve_entries(tx, client_id, slips, on, ITEMS), strict=True))
    begun = {
        (employee_id, item): entry.inputs
        for employee_id, own in entered.items()
        for item, entry in own.items()
        if (_start(entry.inputs) or on) <= on
    }
    tracked = [(employee_id, item, _start(inputs)) for (employee_id, item), inputs in begun.items()]
    moved = await history.moved(tx, client_id, tracked, on)
    balances = {key: _balance(key[1], inputs, moved.get(key, 0)) for key, inputs in begun.items()}
    return {
        employee_id: [sum(balances.get((employee_id, item), 0) for item in items) for items in COLUMNS.values()]
        for employee_id, own in entered.items()
        if own
    }


def _balance(item: str, inputs: InputValues, moved: int) -> int:
    """The opening balance and what was saved, or what of it is still owed."""
    opening = to_cents(str(inputs.get("balance", 0)))
    return opening + moved if SYSTEM_TYPES[item].tracked == "saved" else max(opening - moved, 0)


def _start(inputs: InputValues) -> date | None:
    given = inputs.get("start_date")
    return date.fromisoformat(str(given)) if given else None


NOTHING = [0] * len(COLUMNS)
