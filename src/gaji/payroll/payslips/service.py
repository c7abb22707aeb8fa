"""What can be asked about payslips."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import asyncpg
import msgspec

from gaji.core.errors import NotFound
from gaji.core.law_loader import law
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine import batch, explanations
from gaji.engine.catalogue import Catalogue
from gaji.engine.payslip_input import PayslipInput
from gaji.law.parameters import MonthNotCovered
from gaji.law.registry import Law
from gaji.payroll.calculations import resolve as calculations
from gaji.payroll.payslips import build_inputs
from gaji.payroll.payslips import employment_context
from gaji.payroll.payslips.calculation import NOTHING
from gaji.payroll.payslips.catalogues import catalogue_of
from gaji.payroll.payslips.drafts import Draft
from gaji.payroll.payslips.rendering import captions, detail_form, with_data
from gaji.payroll.payslips.replay import law_of
from gaji.payroll.payslips.rules import Place
from gaji.payroll.payslips.repository import elements
from gaji.people.employees.recent_payslips import StillCalculating
from gaji.people.employees.identity import readable_employee

MOST_RECENT = 12


@dataclass
class Recent:
    """The recent payslips of employees."""

    by_employee: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    rules_versions: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Explained:
    """A payslip and why it is what it is."""

    lines: str
    explanation: list[dict[str, Any]]
    attention: Sequence[str]
    remarks: Sequence[str]
    rules_version: str


async def list_payslips(tenant: Tenant, employee_id: int, page: Page | None) -> tuple[tuple[list[str], int], set[str]]:
    """The payslips of an employee as JSON and how many there are in all; and their rules versions."""
    async with tenant.reading() as tx:
        client_id = await readable_employee(tx, employee_id)
        rows, total = await elements.of_employee(tx, client_id, employee_id, page)
    return ([row["element"] for row in rows], total), {row["rules_version"] for row in rows} - {None}


async def read_payslip(tenant: Tenant, payslip_id: int) -> tuple[str, str]:
    """The detail form of a payslip, and its rules version."""
    async with tenant.reading() as tx:
        kept = await _kept(tx, payslip_id)
        if kept["dirty"]:
            now = calculated(law(), *await _case_now(tx, payslip_id, kept))
            return detail_form(payslip_id, now.lines), now.rules_version
    return detail_form(payslip_id, kept["lines"]), kept["rules_version"]


async def explain_payslip(tenant: Tenant, payslip_id: int) -> Explained:
    """Why each line of a payslip is what it is, from what is kept with it."""
    async with tenant.reading() as tx:
        kept = await _kept(tx, payslip_id)
        if kept["dirty"]:
            return told(law(), *await _case_now(tx, payslip_id, kept))
        of_then = await law_of(tx, kept["rules_version"])
        items = await catalogue_of(tx, kept["client_id"], kept["catalogue_version"])
    return told(of_then, items, msgspec.json.decode(kept["inputs"], type=PayslipInput))


async def as_now(tx: Transaction, payslip_id: int) -> tuple[str, Catalogue, PayslipInput, Law]:
    """The lines of a draft that waits for calculation, as they are now, with what they were calculated from."""
    items, case = await _case_now(tx, payslip_id, await _kept(tx, payslip_id))
    return calculated(law(), items, case).lines, items, case, law()


async def recent(tx: Transaction, client_id: int, employee_ids: Sequence[int], data: bool = False) -> Recent:
    """The last payslips of employees, with their items where wanted; raises StillCalculating while some wait."""
    found = Recent()
    names = captions(await calculations.catalogue(tx, client_id)) if data else {}
    for row in await elements.recent(tx, client_id, employee_ids, MOST_RECENT):
        element = row["element"]
        if data:
            if row["dirty"]:
                raise StillCalculating
            element = with_data(element, row["lines"], names)
        found.by_employee[row["employee_id"]].append(element)
        if row["rules_version"]:
            found.rules_versions.add(row["rules_version"])
    return found


def calculated(law: Law, items: Catalogue, case: PayslipInput) -> Explained:
    """A payslip without its explanation."""
    try:
        slips = batch.calculate(law, items, [case])
    except MonthNotCovered as error:
        return Explained(NOTHING, [], [str(error)], [], law.rules_version)
    return Explained(slips.lines_json[0], [], slips.attention.get(0, []), slips.remarks.get(0, []), law.rules_version)


def told(law: Law, items: Catalogue, case: PayslipInput) -> Explained:
    """A payslip and its explanation."""
    found = calculated(law, items, case)
    try:
        return replace(found, explanation=explanations.explain(law, items, case))
    except MonthNotCovered:
        return found


async def _kept(tx: Transaction, payslip_id: int) -> asyncpg.Record:
    found = await elements.kept(tx, payslip_id)
    if found is None:
        raise NotFound(f"There is no payslip {payslip_id}")
    return found


async def _case_now(tx: Transaction, payslip_id: int, kept: asyncpg.Record) -> tuple[Catalogue, PayslipInput]:
    """The case of a draft that waits for calculation, as it is now: whoever asks does not have to wait."""
    client_id, employee_id = kept["client_id"], kept["employee_id"]
    draft = Draft(payslip_id, employee_id, Place(kept["wave_id"], kept["period_offset"]), kept["special"])
    items = await calculations.catalogue(tx, client_id)
    found = await employment_context.load(tx, client_id, [employee_id])
    [case] = await build_inputs.build(tx, client_id, items, [draft], found)
    return items, case
