"""Accounting use cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg
import msgspec

from gaji.company.clients.service import require_client
from gaji.core.errors import Conflict, NotFound, invalid
from gaji.core.validation import Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.journal import JournalLine
from gaji.engine.ledger import Ledger, accounts_json
from gaji.engine.money import decimal_text
from gaji.identity.roles import require_writer
from gaji.payroll.accounting import account_overrides, queries, repository, splits
from gaji.payroll.accounting.rules import (
    BY_EMPLOYEE,
    DUPLICATE_SPLIT_NAME,
    parse_shares,
    percent_text,
)
from gaji.payroll.accounting.run_journal import load_run_journal, not_ready
from gaji.payroll.accounting.schemas import SPLITS, SplitInput
from gaji.payroll.accounting.splits import JournalSplits
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payment_runs.queries import load_run_status
from gaji.people.employees.access import lock_employee, require_readable_employee


async def list_accounts(tenant: Tenant, client_id: int) -> list[str]:
    """Return the accounts of every item of a client as JSON."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        ledger = await _load_ledger(tx, client_id)
    return [json_text({"item": item, **accounts_json(accounts)}) for item, accounts in ledger.items.items()]


async def replace_accounts(tenant: Tenant, client_id: int, body: object) -> dict[str, str]:
    """Replace the client's accounts and return warnings. Items that are left out get the catalogue's defaults."""
    elements = account_overrides.unwrap_accounts(body)
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        ledger, warnings = account_overrides.parse_ledger(elements, await load_catalogue(tx, client_id))
        await repository.replace_account_overrides(tx, client_id, ledger.overrides)
    return warnings


async def read_splits(tenant: Tenant, client_id: int) -> Record:
    """Return how the journals of a client are divided."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        settings = await splits.load_split_settings(tx, client_id)
        return {"mode": settings.mode, "splits": _splits_json(settings.names)}


async def replace_splits(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[list[Record], dict[str, str]]:
    """Change how the journals of a client are divided. Returns the resulting splits and warnings."""
    try:
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            await repository.lock_mode(tx, client_id)
            current = await repository.load_splits(tx, client_id)
            validated = SPLITS.parse_create(body)
            mode, requested = validated.data.mode, validated.data.splits or []
            await repository.update_mode(tx, client_id, mode)
            if mode == BY_EMPLOYEE:
                await _save_splits(tx, client_id, current, requested)
            elif requested:
                validated.warnings["splits"] = f"Ignored: splits apply only if the mode is {BY_EMPLOYEE}."
            return _splits_json((await splits.load_split_settings(tx, client_id)).names), validated.warnings
    except asyncpg.ExclusionViolationError:
        raise invalid("splits", DUPLICATE_SPLIT_NAME) from None
    except asyncpg.ForeignKeyViolationError:
        raise Conflict("An employee was just assigned to a split that is left out; please try again") from None


async def read_employee_splits(tenant: Tenant, employee_id: int) -> Record:
    """Return the percentages of an employee by split. Empty for an employee who is not divided."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        shares = await repository.load_shares(tx, client_id, [employee_id])
    return {split_id: _raw(percent_text(share)) for split_id, share in shares.get(employee_id, {}).items()}


async def replace_employee_splits(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> None:
    """Divide an employee over splits."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee(tx, employee_id)
        mode = await repository.load_mode(tx, client_id)
        if mode != BY_EMPLOYEE:
            raise Conflict(
                f"The accounting splits of client {client_id} have the mode {mode}; "
                f"employees can be divided only if the mode is {BY_EMPLOYEE}"
            )
        shares = parse_shares(body, await repository.lock_split_keys(tx, client_id))
        await repository.replace_shares(tx, client_id, employee_id, shares)


@dataclass(frozen=True)
class JournalDocument:
    """The journal of a pay run as JSON, and the versions of the rules that its payslips were calculated with."""

    journal_json: Record
    rules_versions: frozenset[str]
    captions: Mapping[str, str]
    """The captions of its items. Custom items appear under their names."""


async def read_journal(tenant: Tenant, payment_run_id: int) -> JournalDocument:
    """Return the journal of a pay run, with whether it was posted."""
    async with tenant.read_only() as tx:
        run = await load_run_status(tx, payment_run_id)
        if run is None:
            raise NotFound(f"Payment run {payment_run_id} does not exist")
        if run.opening:
            raise not_ready(f"Payment run {payment_run_id} is still being opened")
        journal = await load_run_journal(tx, run.client_id, payment_run_id)
    journal_json = {
        "posted_to_accounting_system": run.posted_to_accounting_system,
        "finalised": run.finalised,
        "accounting_splits": _splits_json(journal.splits.names),
        "debit": [_posting_json(line, journal.splits) for line in journal.lines.debit],
        "credit": [_posting_json(line, journal.splits) for line in journal.lines.credit],
    }
    return JournalDocument(journal_json, journal.rules_versions, journal.captions)


async def _load_ledger(tx: Transaction, client_id: int) -> Ledger:
    return await queries.load_ledger(tx, client_id, await load_catalogue(tx, client_id))


async def _save_splits(
    tx: Transaction, client_id: int, current: Mapping[str, str], requested: Sequence[SplitInput]
) -> None:
    """Rename, add and remove splits. A split that an employee has a share in cannot be removed."""
    names: dict[str, str] = {}
    chosen_ids = {split.id for split in requested}
    for split in requested:
        split_id = split.id
        while split_id is None:
            number = await repository.draw_split_key(tx)
            split_id = None if number in current or number in chosen_ids else number
        names[split_id] = split.name
    removed_ids = [split_id for split_id in current if split_id not in names]
    if used_ids := await repository.load_used_split_keys(tx, client_id, removed_ids):
        used = ", ".join(f"{current[split_id]} ({split_id})" for split_id in used_ids)
        raise Conflict(f"Employees are assigned to {used}; assign them to other splits before removing it")
    await repository.delete_splits(tx, client_id, removed_ids)
    await repository.rename_splits(tx, client_id, {key: name for key, name in names.items() if key in current})
    await repository.insert_splits(tx, client_id, {key: name for key, name in names.items() if key not in current})


def _splits_json(names: Mapping[str, str]) -> list[Record]:
    return [{"id": split_id, "name": name} for split_id, name in names.items()]


def _posting_json(line: JournalLine, journal_splits: JournalSplits) -> Record:
    amounts = zip(journal_splits.keys, line.amounts_cents.tolist(), strict=True)
    return {
        "category": line.category,
        "line_item": line.line_item,
        "label": line.account,
        "amount": {key: _raw(decimal_text(amount)) for key, amount in amounts},
    }


def _raw(number: str) -> msgspec.Raw:
    """Return a decimal string as an exact JSON number."""
    return msgspec.Raw(number.encode())
