"""What leave came to from one day to another, type by type: one row for each employee and type."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.core.errors import Errors
from gaji.core.law_loader import law
from gaji.core.validation import Attribute, Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.leave.balances.period_summary import Span, spans
from gaji.leave.types.queries import types_of
from gaji.reports.request_fields import (
    EMPLOYEE_IDS,
    END_DATE,
    HUMANIZE,
    START_DATE,
    WAVE_IDS,
    Ids,
    in_order,
    refuse_unknown,
)
from gaji.reports.employee_selection import Staff, served
from gaji.reports.rows import Form, Piece, Table, days

ATTRIBUTES = (
    START_DATE,
    END_DATE,
    WAVE_IDS,
    EMPLOYEE_IDS,
    Attribute("leave_types", Ids(), "Only these leave types; unless given, all of which there is anything."),
    HUMANIZE,
)
FORM = Form(("employee", "leave_type", "Date", "Accrual", "Entitlement", "Taken", "Adjustment", "Balance"))
NULL = "null"


@dataclass(frozen=True)
class Request:
    """What is asked for, found out."""

    first: date
    last: date
    staff: Staff
    type_ids: Sequence[int]


async def read(tx: Transaction, client_id: int, record: Record, errors: Errors) -> Request:
    """Find out what is asked for; names what is wrong with it."""
    in_order(record, errors)
    wanted = record["leave_types"] or []
    known = {one.id for one in await types_of(tx, client_id)}
    refuse_unknown("leave_types", "leave type", [one for one in wanted if one not in known], errors)
    return Request(record["start_date"], record["end_date"], Staff.of(record), wanted)


async def table(tx: Transaction, client_id: int, request: Request) -> Table:
    """The report."""
    return Table(FORM.keys, _pieces(tx, client_id, request))


async def _pieces(tx: Transaction, client_id: int, request: Request) -> AsyncIterator[Piece]:
    versions = frozenset([law().rules_version])
    async for some in served(tx, client_id, request.staff, request.first, request.last):
        found = await spans(tx, client_id, [one.term for one in some], request.first, [one.last for one in some])
        chosen = [span for span in found if not request.type_ids or span.type.id in request.type_ids]
        columns = [_cells(span, everyone=bool(request.type_ids)) for span in chosen]
        rows = [
            FORM.row(one.number, name, f'"{one.last}"', *cells)
            for place, one in enumerate(some)
            for name, of_type in columns
            if (cells := of_type[place]) is not None
        ]
        yield Piece(rows, versions)


def _cells(span: Span, *, everyone: bool) -> tuple[str, list[tuple[str, ...] | None]]:
    """The name of a type, and for each service its cells where there is anything to tell, or for all of them."""
    shown = [everyone or told for told in span.shown.tolist()]
    columns = (span.accrual, span.entitlement, span.taken, span.adjustment, span.balance)
    rows: Iterator[tuple[int, ...]] = zip(*(column.tolist() for column in columns), strict=True)
    return json_text(span.type.name), [
        _row(row, entitled) if told else None
        for row, entitled, told in zip(rows, span.entitled.tolist(), shown, strict=True)
    ]


def _row(millidays: tuple[int, ...], entitled: bool) -> tuple[str, ...]:
    accrual, entitlement, *rest = map(days, millidays)
    return accrual, entitlement if entitled else NULL, *rest
