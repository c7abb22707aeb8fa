"""Drafts of form IR21, for employees who leave and whose tax is to be cleared.

A draft is made of what is there at the time and is kept nowhere: the employer files the form, and not Gaji.
"""

from typing import NamedTuple

from gaji.company.clients import queries as clients
from gaji.company.clients.service import require_client
from gaji.core.constants import LISTS
from gaji.core.errors import Forbidden, NotFound
from gaji.core.vault import masked
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.pdf_client import render_pdf
from gaji.documents.tax_certificates import pdf_context
from gaji.documents.tax_certificates.figures import IncomeFigures
from gaji.documents.tax_certificates.generate_certificates import incomes
from gaji.documents.tax_certificates.pdf_context import Clearance
from gaji.people.employees import tax_identity
from gaji.people.employees.access import require_readable_employee
from gaji.people.service_periods.queries import TerminatedService, find_ir21_termination

REASONS = {entry.value: entry.name for entry in LISTS["termination_code"]}


class Draft(NamedTuple):
    """A draft that was made."""

    pdf: bytes
    number: str
    """Of the employee."""
    rules_versions: set[str]


async def read_ir21(tenant: Tenant, employee_id: int) -> Draft:
    """The draft of an employee's form IR21 as PDF."""
    async with tenant.snapshot() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        await _require_officer(tx, client_id)
        leaving = await find_ir21_termination(tx, client_id, employee_id)
        if leaving is None:
            raise NotFound(f"Employee {employee_id} has no service that was ended with ir21 true")
        leaver, versions = await _leaver(tx, client_id, employee_id, leaving)
    # The same draft is the same bytes, whenever it is asked for.
    pdf = await render_pdf("ir21", pdf_context.ir21(leaver), leaving.end)
    return Draft(pdf, leaver.employee.number, versions)


async def _leaver(
    tx: Transaction, client_id: int, employee_id: int, leaving: TerminatedService
) -> tuple[Clearance, set[str]]:
    figures: list[IncomeFigures] = []
    versions: set[str] = set()
    for year in (leaving.end.year, leaving.end.year - 1):
        income = (await incomes(tx, client_id, year, [employee_id])).get(employee_id)
        figures.append(income.figures if income else IncomeFigures())
        versions |= income.rules_versions if income else set()
    who = (await tax_identity.load_tax_identities(tx, client_id, [employee_id]))[employee_id]
    identifier = masked(who.identifier) if who.identifier and tx.caller.hide_identifiers else who.identifier
    return (
        Clearance(
            await clients.load_employer(tx, client_id),
            who.particulars,
            identifier,
            leaving.start,
            leaving.end,
            REASONS[leaving.termination_code],
            figures,
        ),
        versions,
    )


async def _require_officer(tx: Transaction, client_id: int) -> None:
    """Refuse whoever sees a record only because it is their own."""
    try:
        await require_client(tx, client_id)
    except NotFound:
        raise Forbidden(
            "The role employee may read its own record but not what is drafted for the tax authority"
        ) from None
