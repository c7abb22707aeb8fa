"""What finalised payslips came to: one row for each, with the accounts and fields that are asked for."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from gaji.core.errors import Errors
from gaji.core.validation import Attribute, Record
from gaji.db.tenancy import Transaction
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips import history
from gaji.payroll.payslips.history import NOTHING, Selection
from gaji.reports.accounts import FIXED_KEYS, Account, accounts
from gaji.reports.request_fields import (
    EMPLOYEE_IDS,
    END_DATE,
    HUMANIZE,
    START_DATE,
    WAVE_IDS,
    ListOfNames,
    Unsplit,
    in_order,
    refuse_unknown,
)
from gaji.reports.choices import Named, Names
from gaji.reports.employee_fields import Told, cells, fields
from gaji.reports.rows import Form, Piece, Table, money

ATTRIBUTES = (
    START_DATE,
    END_DATE,
    WAVE_IDS,
    EMPLOYEE_IDS,
    Attribute(
        "account_names",
        ListOfNames(),
        "Which items of payslips, by what people read or by their names; all that there are unless given.",
        example=["Basic salary", "Nett pay"],
    ),
    Attribute(
        "custom_fields",
        ListOfNames(),
        "What to tell of employees: first_name, last_name, pay_point_id, appointment_date, or custom fields by name "
        "or number.",
        example=["first_name", "last_name"],
    ),
    HUMANIZE,
)


@dataclass(frozen=True)
class Request:
    """What is asked for, found out."""

    selection: Selection
    accounts: Sequence[Account] | None
    """None: all that occur."""
    fields: Sequence[Told]
    humanize: bool | None


async def read(tx: Transaction, client_id: int, record: Record, errors: Errors) -> Request:
    """Find out what is asked for; names what is wrong with it."""
    in_order(record, errors)
    known = accounts(await load_catalogue(tx, client_id))
    chosen = _picked("account_names", "account", Names(one.named for one in known), record, errors)
    choices = await fields(tx, client_id, (*FIXED_KEYS, *(one.named.key for one in known)))
    told = _picked("custom_fields", "field", Names(one.named for one in choices), record, errors)
    return Request(
        Selection(record["start_date"], record["end_date"], record["wave_ids"] or None, record["employee_ids"] or None),
        [one for name in chosen for one in known if one.named == name] or None,
        [one for name in told for one in choices if one.named == name],
        record["humanize"],
    )


async def table(tx: Transaction, client_id: int, request: Request) -> Table:
    """The report."""
    chosen = request.accounts
    if chosen is None:
        occurring = await history.items_of_finalised(tx, client_id, request.selection)
        chosen = [one for one in accounts(await load_catalogue(tx, client_id)) if one.named.id in occurring]
    keys = [*FIXED_KEYS, *(one.named.key for one in chosen), *(one.named.key for one in request.fields)]
    return Table(keys, _pieces(tx, client_id, request, chosen, Form(keys)))


async def _pieces(
    tx: Transaction, client_id: int, request: Request, chosen: Sequence[Account], form: Form
) -> AsyncIterator[Piece]:
    shown = money(request.humanize)
    nothing = shown(NOTHING)
    items = [one.item for one in chosen]
    async for slips in history.finalised(tx, client_id, request.selection):
        people = await cells(tx, client_id, {slip.employee_id for slip in slips}, request.fields)
        rows = []
        for slip in slips:
            who, found = people[slip.employee_id], slip.amounts
            amounts = [shown(found[item]) if item in found else nothing for item in items]
            rows.append(form.row(who.number, f'"{slip.date}"', *amounts, *who.told))
        yield Piece(rows, frozenset(slip.rules_version for slip in slips if slip.rules_version))


def _picked(field: str, what: str, names: Names, record: Record, errors: Errors) -> list[Named]:
    given = record[field] or []
    if isinstance(given, Unsplit):
        given = [name for text in given for name in names.split(text)]
    found, unknown = names.pick(given)
    refuse_unknown(field, what, unknown, errors)
    return found
