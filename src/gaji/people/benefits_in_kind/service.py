"""Benefit in kind use cases."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from gaji.core.errors import NotFound
from gaji.core.law_loader import current_law
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.money import decimal_text
from gaji.law import benefits_in_kind
from gaji.law.parameters import MonthNotCovered
from gaji.people.benefits_in_kind import repository
from gaji.people.benefits_in_kind.rules import residences_rule
from gaji.people.benefits_in_kind.schemas import BENEFIT_IN_KIND, BenefitInput, to_api_values
from gaji.people.employees.access import lock_employee, require_readable_employee
from gaji.people.employees.events import TaxRecordsChanged


async def list_benefits(
    tenant: Tenant, employee_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the benefits of an employee as JSON, with the total count."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        rows, total = await repository.list_rows(tx, client_id, employee_id, page, filters)
    return [json_text(_element(row)) for row in rows], total


async def create_benefit(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[BenefitInput]]:
    """Record a benefit of an employee."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee(tx, employee_id)
        residences = await repository.count_residences(tx, client_id, employee_id)
        validated = BENEFIT_IN_KIND.parse_create(body, residences_rule(residences))
        benefit_id = await repository.insert(tx, client_id, employee_id, validated.data)
        _emit(tx, client_id, employee_id, validated.data)
        return benefit_id, validated


async def update_benefit(tenant: Tenant, benefit_id: int, body: Mapping[str, Any]) -> ValidatedInput[BenefitInput]:
    """Update a benefit."""
    async with tenant.transaction() as tx:
        row = await _lock_benefit(tx, benefit_id)
        client_id, employee_id, current = row["client_id"], row["employee_id"], repository.to_input(row)
        residences = await repository.count_residences(tx, client_id, employee_id, benefit_id)
        validated = BENEFIT_IN_KIND.parse_update(body, to_api_values(current), residences_rule(residences))
        await repository.update(tx, client_id, benefit_id, validated.data)
        _emit(tx, client_id, employee_id, current, validated.data)
        return validated


async def delete_benefit(tenant: Tenant, benefit_id: int) -> None:
    """Delete a benefit."""
    async with tenant.transaction() as tx:
        row = await _lock_benefit(tx, benefit_id)
        await repository.delete(tx, row["client_id"], benefit_id)
        _emit(tx, row["client_id"], row["employee_id"], repository.to_input(row))


def _emit(tx: Transaction, client_id: int, employee_id: int, *benefits: BenefitInput) -> None:
    years = frozenset(benefit.provided_to.year for benefit in benefits)
    tx.emit(TaxRecordsChanged(client_id, employee_id, years))
    tx.emit(ResourceEvent(EventType.EMPLOYEE_UPDATED, client_id, (employee_id,)))


def _element(row: asyncpg.Record) -> dict[str, Any]:
    data = repository.to_input(row)
    try:
        explanation = benefits_in_kind.explain(current_law().benefits_in_kind, data.benefit)
    except MonthNotCovered:
        explanation = None
    return {
        "id": row["id"],
        "employee_id": row["employee_id"],
        **to_api_values(data),
        "taxable_value": explanation and decimal_text(explanation.amount_cents),
        "rule": explanation and explanation.rule,
        "arithmetic": list(explanation.arithmetic) if explanation else [],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }


async def _lock_benefit(tx: Transaction, benefit_id: int) -> asyncpg.Record:
    """Lock the employee of a benefit, then load the benefit again."""
    row = await repository.load(tx, benefit_id)
    if row is not None:
        await lock_employee(tx, row["employee_id"])
        row = await repository.load(tx, benefit_id)
    if row is None:
        raise NotFound(f"Benefit in kind {benefit_id} does not exist")
    return row
