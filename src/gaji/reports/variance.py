"""What changed from one period to the next: the regular payslips of a period against those of the one before."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gaji.company.waves.facts import WaveFacts, waves
from gaji.core.errors import INVALID, Conflict, Errors
from gaji.core.validation import Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine.money import decimal_text
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips import history
from gaji.payroll.payslips.history import Amounts, Pair
from gaji.people.employees import facts as employees
from gaji.reports.accounts import Account, accounts
from gaji.reports.request_fields import EMPLOYEE_IDS, HUMANIZE, LAST_DAY, PERIOD_OFFSET, WAVE_ID
from gaji.reports.rows import Form, Money, Piece, Table, money

ATTRIBUTES = (WAVE_ID, PERIOD_OFFSET, EMPLOYEE_IDS, HUMANIZE)
KEYS = ("employee", "Type", "Transaction", "Previous", "Selected", "Variance")
NOBODY: Amounts = {}


@dataclass(frozen=True)
class Request:
    """What is asked for, found out."""

    wave_id: int
    offset: int
    employee_ids: Sequence[int] | None
    humanize: bool | None


async def read(tx: Transaction, client_id: int, record: Record, errors: Errors) -> Request:
    """Find out what is asked for; names what is wrong with it."""
    known = await waves(tx, client_id)
    wave_id, offset = record["wave_id"], record["period_offset"]
    if wave_id in known and offset is not None:
        _check_offset(known[wave_id], offset, errors)
    return Request(wave_id, offset, record["employee_ids"] or None, record["humanize"])


async def table(tx: Transaction, client_id: int, request: Request) -> Table:
    """The report; refused while payslips of the periods wait for calculation and show what was."""
    waiting = await history.waiting(tx, client_id, request.wave_id, request.offset, request.employee_ids)
    if waiting:
        subject = "1 payslip of these periods waits" if waiting == 1 else f"{waiting:,} payslips of these periods wait"
        raise Conflict(f"{subject} for calculation; please try again shortly", headers={"Retry-After": "2"})
    rows = [_Row(one, money(request.humanize)) for one in accounts(await load_catalogue(tx, client_id))]
    return Table(KEYS, _pieces(tx, client_id, request, rows))


async def _pieces(tx: Transaction, client_id: int, request: Request, rows: "Sequence[_Row]") -> AsyncIterator[Piece]:
    async for pairs in history.two_periods(tx, client_id, request.wave_id, request.offset, request.employee_ids):
        numbers = await employees.numbers(tx, client_id, [pair.employee_id for pair in pairs])
        yield Piece(
            [row for pair in pairs for row in _rows(rows, pair, numbers)],
            frozenset(version for pair in pairs for version in pair.rules_versions),
        )


def _rows(rows: "Sequence[_Row]", pair: Pair, numbers: Mapping[int, str]) -> Iterator[str]:
    """The rows of one employee: every account with an amount in one of the two periods."""
    number = json_text(numbers[pair.employee_id])
    before, selected = pair.before or NOBODY, pair.selected or NOBODY
    for one in rows:
        previous, now = _cents(before.get(one.item)), _cents(selected.get(one.item))
        if previous or now:
            yield one.of(number, previous, now)


class _Row:
    """The rows of one account."""

    def __init__(self, account: Account, shown: Money) -> None:
        self.item = account.item
        self._type = json_text(account.type)
        self._transaction = json_text(_transaction(account))
        self._shown = shown

    def of(self, number: str, previous: int, selected: int) -> str:
        """The row of an employee."""
        amounts = (self._shown(decimal_text(amount)) for amount in (previous, selected, selected - previous))
        return FORM.row(number, self._type, self._transaction, *amounts)


def _transaction(account: Account) -> dict[str, str | int]:
    """The item as rows describe it; a custom one by its number too."""
    described: dict[str, str | int] = {"name": account.named.id, "caption": account.named.key}
    return {**described, "calculation_def_id": account.item} if isinstance(account.item, int) else described


def _check_offset(wave: WaveFacts, offset: int, errors: Errors) -> None:
    last = wave.schedule.offset_containing(LAST_DAY)
    if not wave.first_offset <= offset <= last:
        errors.add(
            "period_offset",
            INVALID,
            reason=f"must be from {wave.first_offset}, the first period of this wave, to {last}",
        )


def _cents(amount: str | None) -> int:
    return 0 if amount is None else int(amount.replace(".", ""))


FORM = Form(KEYS)
