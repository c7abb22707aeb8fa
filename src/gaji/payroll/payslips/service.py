"""Payslip use cases."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import asyncpg
import msgspec

from gaji.core.errors import Conflict, NotFound
from gaji.core.law_loader import current_law
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.record_changes import ChangedRecords, ChangeRequest, load_changed_records, with_elements
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine import batch, explanations
from gaji.engine.catalogue import Catalogue
from gaji.engine.explanations import ExplainedLine
from gaji.engine.payslip_input import PastDifference, PayslipInput
from gaji.law.parameters import MonthNotCovered
from gaji.law.registry import Law
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips.build_inputs import build_inputs
from gaji.payroll.payslips.calculation import EMPTY_LINES
from gaji.payroll.payslips.catalogues import load_captions, load_catalogue_version
from gaji.payroll.payslips.draft_periods import PeriodKey
from gaji.payroll.payslips.drafts import Draft
from gaji.payroll.payslips.employment_context import load_context
from gaji.payroll.payslips.rendering import add_data, detail_json
from gaji.payroll.payslips.replay import load_law_version
from gaji.payroll.payslips.repository import elements
from gaji.people.employees.access import is_erased, require_followable_employee, require_readable_employee
from gaji.people.employees.recent_payslips import CalculationPending

MAX_RECENT = 12
INPUTS_ERASED = (
    "What this payslip was calculated from was erased with the employee's personal data. Its amounts are in its PDF"
)


@dataclass
class RecentPayslipList:
    """The recent payslips of employees as JSON, and their rules versions."""

    by_employee: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    rules_versions: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class CalculationBasis:
    """What a payslip is calculated from."""

    law: Law
    catalogue: Catalogue
    inputs: PayslipInput


@dataclass(frozen=True)
class ExplainedPayslip:
    """A payslip with the explanation of each line."""

    lines: str
    explanation: Sequence[ExplainedLine]
    attention: Sequence[str]
    remarks: Sequence[str]
    rules_version: str
    employee_remarks: Sequence[str] = ()
    """The remarks that concern the employee."""
    past_differences: Sequence[PastDifference] = ()
    """The differences of finalised payslips that it pays."""
    basis: CalculationBasis | None = None
    """None if there is no explanation."""


async def list_payslips(
    tenant: Tenant, employee_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[tuple[list[str], int], set[str]]:
    """List the payslips of an employee as JSON, with the total count and their rules versions."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        rows, total = await elements.list_of_employee(tx, client_id, employee_id, page, filters)
    return ([row["element"] for row in rows], total), {row["rules_version"] for row in rows} - {None}


async def list_changed_payslips(
    tenant: Tenant, employee_id: int, request: ChangeRequest
) -> tuple[ChangedRecords, set[str]]:
    """List the payslips of an employee that changed after a position as JSON, and their rules versions.

    The last page also has every draft, because recalculations are not tracked.
    """
    versions: set[str] = set()
    async with tenant.read_only() as tx:
        client_id = await require_followable_employee(tx, employee_id)
        scope = {"client_id": client_id, "employee_id": employee_id}

        async def load_elements(filters: Filters) -> list[str]:
            rows, _ = await elements.list_of_employee(tx, client_id, employee_id, None, filters)
            versions.update(row["rules_version"] for row in rows if row["rules_version"])
            return [row["element"] for row in rows]

        changed = await load_changed_records(tx, scope, "payslip", request, lambda ids: load_elements({"ids": ids}))
        if not changed.has_more:
            changed = with_elements(changed, await load_elements({"finalised": False}))
    return changed, versions


async def read_payslip(tenant: Tenant, payslip_id: int) -> tuple[str, str]:
    """Return the detail form of a payslip, and its rules version."""
    async with tenant.read_only() as tx:
        row = await _load_calculation(tx, payslip_id)
        if row["dirty"]:
            now = calculate_payslip(current_law(), *await _build_current_input(tx, payslip_id, row))
            return detail_json(payslip_id, now.lines), now.rules_version
    return detail_json(payslip_id, row["lines"]), row["rules_version"]


async def explain_payslip(tenant: Tenant, payslip_id: int) -> ExplainedPayslip:
    """Explain each line of a payslip from its stored inputs."""
    async with tenant.read_only() as tx:
        row = await _load_calculation(tx, payslip_id)
        if row["dirty"]:
            return await asyncio.to_thread(explain, current_law(), *await _build_current_input(tx, payslip_id, row))
        if await is_erased(tx, row["client_id"], row["employee_id"]):
            raise Conflict(INPUTS_ERASED)
        law = await load_law_version(tx, row["rules_version"])
        catalogue = await load_catalogue_version(tx, row["client_id"], row["catalogue_version"])
    return await asyncio.to_thread(explain, law, catalogue, msgspec.json.decode(row["inputs"], type=PayslipInput))


async def calculate_now(tx: Transaction, payslip_id: int) -> tuple[str, Catalogue, PayslipInput, Law]:
    """Return the current lines of a dirty draft, with the catalogue, inputs and law that they come from."""
    catalogue, payslip_input = await _build_current_input(tx, payslip_id, await _load_calculation(tx, payslip_id))
    return calculate_payslip(current_law(), catalogue, payslip_input).lines, catalogue, payslip_input, current_law()


async def load_recent(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], data: bool = False
) -> RecentPayslipList:
    """Load the last payslips of employees, with their items if `data` is set.

    Raises CalculationPending while the items of some are not calculated.
    """
    recent = RecentPayslipList()
    rows = await elements.list_recent(tx, client_id, employee_ids, MAX_RECENT)
    captions = await load_captions(tx, client_id, [row["catalogue_version"] for row in rows]) if data else {}
    for row in rows:
        element = row["element"]
        if data:
            if row["dirty"]:
                raise CalculationPending
            element = add_data(element, row["lines"], captions[row["catalogue_version"]])
        recent.by_employee[row["employee_id"]].append(element)
        if row["rules_version"]:
            recent.rules_versions.add(row["rules_version"])
    return recent


def calculate_payslip(law: Law, catalogue: Catalogue, payslip_input: PayslipInput) -> ExplainedPayslip:
    """Calculate one payslip, without its explanation."""
    try:
        result = batch.calculate(law, catalogue, [payslip_input])
    except MonthNotCovered as error:
        return ExplainedPayslip(EMPTY_LINES, [], [error.sentence], [], law.rules_version)
    return ExplainedPayslip(
        result.lines_json[0], [], result.attention.get(0, []), result.remarks.get(0, []), law.rules_version
    )


def explain(law: Law, catalogue: Catalogue, payslip_input: PayslipInput) -> ExplainedPayslip:
    """Calculate and explain one payslip."""
    payslip = calculate_payslip(law, catalogue, payslip_input)
    try:
        return replace(
            payslip,
            explanation=explanations.explain(law, catalogue, payslip_input),
            employee_remarks=batch.employee_remarks(law, catalogue, payslip_input),
            past_differences=payslip_input.past_differences,
            basis=CalculationBasis(law, catalogue, payslip_input),
        )
    except MonthNotCovered:
        return payslip


async def _load_calculation(tx: Transaction, payslip_id: int) -> asyncpg.Record:
    row = await elements.load_calculation(tx, payslip_id)
    if row is None:
        raise NotFound(f"Payslip {payslip_id} does not exist")
    return row


async def _build_current_input(tx: Transaction, payslip_id: int, row: asyncpg.Record) -> tuple[Catalogue, PayslipInput]:
    """Build the current inputs of a dirty draft, so that a reader does not have to wait for its calculation."""
    client_id, employee_id = row["client_id"], row["employee_id"]
    period = PeriodKey(row["wave_id"], row["period_offset"])
    draft = Draft(payslip_id, employee_id, period, row["special"], row["corrects"])
    catalogue = await load_catalogue(tx, client_id)
    context = await load_context(tx, client_id, [employee_id])
    [payslip_input] = await build_inputs(tx, client_id, catalogue, [draft], context)
    return catalogue, payslip_input
