"""Drafts of form IR21 for leavers whose tax must be cleared.

A draft is rendered from the current data and is not stored. The employer files the form, not Gaji.
"""

from typing import NamedTuple

from gaji.company.clients.queries import load_employer
from gaji.company.clients.service import require_client
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import Forbidden, NotFound
from gaji.core.vault import mask
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.pdf_client import render_pdf
from gaji.documents.tax_certificates.figures import IncomeFigures
from gaji.documents.tax_certificates.generate_certificates import load_incomes
from gaji.documents.tax_certificates.pdf_context import TaxClearance, ir21_data
from gaji.people.employees.access import require_readable_employee
from gaji.people.employees.tax_identity import load_tax_identities
from gaji.people.service_periods.queries import TerminatedService, find_ir21_termination

REASONS = {entry.value: entry.name for entry in CONSTANT_LISTS["termination_code"]}


class Ir21Draft(NamedTuple):
    """A rendered draft."""

    pdf: bytes
    employee_number: str
    rules_versions: set[str]


async def read_ir21(tenant: Tenant, employee_id: int) -> Ir21Draft:
    """Return the draft of an employee's form IR21 as PDF."""
    async with tenant.snapshot() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        await _require_officer(tx, client_id)
        termination = await find_ir21_termination(tx, client_id, employee_id)
        if termination is None:
            raise NotFound(f"Employee {employee_id} has no service that was ended with `ir21` set to true")
        clearance, rules_versions = await _load_clearance(tx, client_id, employee_id, termination)
    # The creation date is the end of service, so that the same draft always gives the same bytes.
    pdf = await render_pdf("ir21", ir21_data(clearance), termination.end)
    return Ir21Draft(pdf, clearance.employee.number, rules_versions)


async def _load_clearance(
    tx: Transaction, client_id: int, employee_id: int, termination: TerminatedService
) -> tuple[TaxClearance, set[str]]:
    figures: list[IncomeFigures] = []
    rules_versions: set[str] = set()
    for year in (termination.end.year, termination.end.year - 1):
        income = (await load_incomes(tx, client_id, year, [employee_id])).get(employee_id)
        figures.append(income.figures if income else IncomeFigures())
        rules_versions |= income.rules_versions if income else set()
    identity = (await load_tax_identities(tx, client_id, [employee_id]))[employee_id]
    identifier = identity.identifier
    if identifier and tx.caller.hide_identifiers:
        identifier = mask(identifier)
    clearance = TaxClearance(
        employer=await load_employer(tx, client_id),
        employee=identity.particulars,
        identifier=identifier,
        commenced=termination.start,
        ceased=termination.end,
        reason=REASONS[termination.termination_code],
        figures=figures,
    )
    return clearance, rules_versions


async def _require_officer(tx: Transaction, client_id: int) -> None:
    """Raise Forbidden for employees, who can read their own record but not the client."""
    try:
        await require_client(tx, client_id)
    except NotFound:
        raise Forbidden("Employees can read their own record but not drafts for the tax authority") from None
