"""What can be asked about accounting."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg
import msgspec

from gaji.company.clients.service import require_client
from gaji.core.errors import INVALID, Conflict, NotFound, invalid
from gaji.core.validation import Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine import journal as engine
from gaji.engine.journal import JournalLine
from gaji.engine.ledger import Ledger, accounts_json
from gaji.engine.money import decimal_text
from gaji.identity.service import require_writer
from gaji.payroll.accounting import splits as dividing
from gaji.payroll.accounting import queries
from gaji.payroll.accounting import account_overrides
from gaji.payroll.accounting import repository
from gaji.payroll.accounting.splits import Divided
from gaji.payroll.accounting.rules import BY_EMPLOYEE, SPLITS, own_splits, percent_text, read_shares
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payment_runs.queries import run_facts
from gaji.payroll.payslips.run_lines import run_lines
from gaji.people.employees.identity import readable_employee, writable_employee

FEW = 200
"""The journal of so many payslips is made sooner than handed to a thread."""


async def list_accounts(tenant: Tenant, client_id: int) -> list[str]:
    """The accounts of every item of a client as JSON."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        found = await _ledger(tx, client_id)
    return [json_text({"item": item, **accounts_json(accounts)}) for item, accounts in found.items.items()]


async def replace_accounts(tenant: Tenant, client_id: int, body: object) -> dict[str, str]:
    """Let a client name these accounts; items that are left out go back to those of the catalogue."""
    elements = account_overrides.elements_of(body)
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        ledger, warnings = account_overrides.read(elements, await load_catalogue(tx, client_id))
        await repository.replace_accounts(tx, client_id, ledger.overrides)
    return warnings


async def account_outputs(tx: Transaction, client_id: int, lines: Mapping[str, str]) -> dict[str, str]:
    """Amounts of items, as they stand on a payslip, by the ledger account that each is known by."""
    return (await _ledger(tx, client_id)).amounts_by_account(lines)


async def read_splits(tenant: Tenant, client_id: int) -> Record:
    """Over what the journals of a client are divided."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        mode = await repository.mode(tx, client_id)
        return {"mode": mode, "splits": _listed(await dividing.splits(tx, client_id, mode))}


async def replace_splits(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[list[Record], dict[str, str]]:
    """Divide the journals of a client in this way; says what the splits are then, and what was ignored."""
    try:
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            await repository.hold_mode(tx, client_id)
            known = await repository.splits(tx, client_id)
            reading = SPLITS.parse_create(body, own_splits(known.keys()))
            mode, splits = reading.record["mode"], reading.record["splits"] or []
            await repository.set_mode(tx, client_id, mode)
            if mode == BY_EMPLOYEE:
                await _change_splits(tx, client_id, known, splits)
            elif splits:
                reading.warnings["splits"] = f"Ignored: splits are named only with the mode {BY_EMPLOYEE}."
            return _listed(await dividing.splits(tx, client_id, mode)), reading.warnings
    except asyncpg.ExclusionViolationError:
        raise invalid("splits", INVALID, reason="two of them have the same name") from None
    except asyncpg.ForeignKeyViolationError:
        raise Conflict("Employees have just been divided over a split that is left out; please try again") from None


async def read_employee_splits(tenant: Tenant, employee_id: int) -> Record:
    """The percentages of an employee by split; nothing for someone who is not divided."""
    async with tenant.reading() as tx:
        client_id = await readable_employee(tx, employee_id)
        shares = await dividing.shares_of(tx, client_id, [employee_id])
    return {str(split_id): _raw(percent_text(share)) for split_id, share in shares.get(employee_id, {}).items()}


async def replace_employee_splits(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> None:
    """Divide an employee over splits."""
    async with tenant.transaction() as tx:
        client_id = await writable_employee(tx, employee_id)
        mode = await repository.mode(tx, client_id)
        if mode != BY_EMPLOYEE:
            raise Conflict(
                f"The accounting splits of client {client_id} have the mode {mode}; "
                f"employees are divided only with the mode {BY_EMPLOYEE}"
            )
        shares = read_shares(body, await repository.keep_splits(tx, client_id))
        await repository.replace_shares(tx, client_id, employee_id, shares)


@dataclass(frozen=True)
class RunJournal:
    """The journal of a run as the API shows it, and the rules that its payslips were calculated by."""

    journal_json: Record
    rules_versions: frozenset[str]


async def read_journal(tenant: Tenant, payment_run_id: int) -> RunJournal:
    """The journal of a run, with whether it was posted."""
    async with tenant.reading() as tx:
        run = await run_facts(tx, payment_run_id)
        if run is None:
            raise NotFound(f"There is no payment run {payment_run_id}")
        if run.opening:
            raise _later(f"Payment run {payment_run_id} is still being opened")
        found = await journal(tx, run.client_id, payment_run_id)
    posted = {"posted_to_accounting_system": run.posted_to_accounting_system}
    return RunJournal({**posted, **found.journal_json}, found.rules_versions)


async def journal(tx: Transaction, client_id: int, payment_run_id: int) -> RunJournal:
    """What the payslips of a run come to in the client's ledger, for each split."""
    lines = await run_lines(tx, client_id, payment_run_id)
    if lines.waiting:
        noun = "payslip waits" if lines.waiting == 1 else "payslips wait"
        raise _later(f"{lines.waiting} {noun} for calculation")
    ledger = await _ledger(tx, client_id)
    divided = await dividing.divided(tx, client_id, lines.employee_ids)
    arguments = ledger, lines.forms, divided.division
    if len(lines.forms) > FEW:
        found = await asyncio.to_thread(engine.build_journal, *arguments)
    else:
        found = engine.build_journal(*arguments)
    shape = {
        "accounting_splits": _listed(divided.splits),
        "debit": [_posting(one, divided) for one in found.debit],
        "credit": [_posting(one, divided) for one in found.credit],
    }
    return RunJournal(shape, lines.rules_versions)


def _later(reason: str) -> Conflict:
    return Conflict(f"{reason}; the journal can be made after that", headers={"Retry-After": "2"})


async def _ledger(tx: Transaction, client_id: int) -> Ledger:
    return await queries.load_ledger(tx, client_id, await load_catalogue(tx, client_id))


async def _change_splits(tx: Transaction, client_id: int, known: Mapping[int, str], splits: Sequence[Record]) -> None:
    """Let these be the splits of a client: rename, add, and remove those that nobody has a share in."""
    kept = {one["id"]: one["name"] for one in splits if one["id"] is not None}
    dropped = [split_id for split_id in known if split_id not in kept]
    if used := await repository.used_splits(tx, client_id, dropped):
        told = ", ".join(f"{known[split_id]} ({split_id})" for split_id in used)
        raise Conflict(f"Employees are divided over {told}; divide them over others before it is removed")
    await repository.delete_splits(tx, client_id, dropped)
    await repository.rename_splits(tx, client_id, kept)
    await repository.insert_splits(tx, client_id, [one["name"] for one in splits if one["id"] is None])


def _listed(splits: Mapping[int, str]) -> list[Record]:
    return [{"id": str(split_id), "name": name} for split_id, name in splits.items()]


def _posting(one: JournalLine, divided: Divided) -> Record:
    amounts = zip(divided.keys, one.amounts_cents.tolist(), strict=True)
    return {
        "category": one.category,
        "line_item": one.line_item,
        "label": one.account,
        "amount": {key: _raw(decimal_text(amount)) for key, amount in amounts},
    }


def _raw(number: str) -> msgspec.Raw:
    """A decimal text as a JSON number, exact."""
    return msgspec.Raw(number.encode())
