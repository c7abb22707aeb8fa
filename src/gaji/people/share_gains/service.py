"""Share gain use cases."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from gaji.core.errors import NotFound
from gaji.core.law_loader import current_law
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.validation import Rule, ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.money import decimal_text
from gaji.law import share_gains
from gaji.people.employees.access import lock_employee, require_readable_employee
from gaji.people.employees.events import TaxRecordsChanged
from gaji.people.service_periods.queries import find_ir21_termination
from gaji.people.share_gains import repository
from gaji.people.share_gains.rules import deemed_rule, gains_rule
from gaji.people.share_gains.schemas import SHARE_GAIN, ShareGainInput, to_api_values


async def list_gains(
    tenant: Tenant, employee_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the gains of an employee as JSON, with the total count."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        rows, total = await repository.list_rows(tx, client_id, employee_id, page, filters)
    return [json_text(_element(row)) for row in rows], total


async def create_gain(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[ShareGainInput]]:
    """Record a gain of an employee."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee(tx, employee_id)
        validated = SHARE_GAIN.parse_create(body, *await _load_rules(tx, client_id, employee_id))
        gain_id = await repository.insert(tx, client_id, employee_id, validated.data)
        _emit(tx, client_id, employee_id, validated.data)
        return gain_id, validated


async def update_gain(tenant: Tenant, gain_id: int, body: Mapping[str, Any]) -> ValidatedInput[ShareGainInput]:
    """Update a gain."""
    async with tenant.transaction() as tx:
        row = await _lock_gain(tx, gain_id)
        client_id, employee_id, current = row["client_id"], row["employee_id"], repository.to_input(row)
        rules = await _load_rules(tx, client_id, employee_id, gain_id)
        validated = SHARE_GAIN.parse_update(body, to_api_values(current), *rules)
        await repository.update(tx, client_id, gain_id, validated.data)
        _emit(tx, client_id, employee_id, current, validated.data)
        return validated


async def delete_gain(tenant: Tenant, gain_id: int) -> None:
    """Delete a gain."""
    async with tenant.transaction() as tx:
        row = await _lock_gain(tx, gain_id)
        await repository.delete(tx, row["client_id"], gain_id)
        _emit(tx, row["client_id"], row["employee_id"], repository.to_input(row))


async def _load_rules(
    tx: Transaction, client_id: int, employee_id: int, gain_id: int | None = None
) -> tuple[Rule, Rule]:
    """Return the checks that depend on the other records of an employee."""
    counts = await repository.count_gains(tx, client_id, employee_id, gain_id)
    termination = await find_ir21_termination(tx, client_id, employee_id)
    return gains_rule(counts), deemed_rule(termination.end if termination else None)


def _emit(tx: Transaction, client_id: int, employee_id: int, *gains: ShareGainInput) -> None:
    years = frozenset(share_gains.income_date(data.gain).year for data in gains)
    tx.emit(TaxRecordsChanged(client_id, employee_id, years))
    tx.emit(ResourceEvent(EventType.EMPLOYEE_UPDATED, client_id, (employee_id,)))


def _element(row: asyncpg.Record) -> dict[str, Any]:
    data, law = repository.to_input(row), current_law().share_gains
    explanation = share_gains.explain(law, data.gain)
    return {
        "id": row["id"],
        "employee_id": row["employee_id"],
        **to_api_values(data),
        "income_date": share_gains.income_date(data.gain),
        "gain": decimal_text(explanation.amount_cents),
        "section": share_gains.income_section(law, data.gain),
        "rule": explanation.rule,
        "arithmetic": list(explanation.arithmetic),
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }


async def _lock_gain(tx: Transaction, gain_id: int) -> asyncpg.Record:
    """Lock the employee of a gain, then load the gain again."""
    row = await repository.load(tx, gain_id)
    if row is not None:
        await lock_employee(tx, row["employee_id"])
        row = await repository.load(tx, gain_id)
    if row is None:
        raise NotFound(f"Share gain {gain_id} does not exist")
    return row
