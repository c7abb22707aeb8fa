"""Drafts of form IR21 for leavers whose tax must be cleared.

A draft is rendered from the current data and is not stored. The employer files the form, not Gaji.
"""

from collections.abc import Sequence, Set
from datetime import date
from typing import NamedTuple

from gaji.company.clients.queries import load_employer
from gaji.company.clients.service import require_officer
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import NotFound
from gaji.core.identifier_reads import note_identifier_read
from gaji.core.law_loader import current_law
from gaji.core.vault import mask
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.pdf_client import render_pdf
from gaji.documents.tax_certificates.boxes import TOTAL, dollars_by_box
from gaji.documents.tax_certificates.figures import IncomeFigures
from gaji.documents.tax_certificates.generate_certificates import load_incomes
from gaji.documents.tax_certificates.pdf_context import TaxClearance, ir21_data
from gaji.law.parameters import MonthNotCovered
from gaji.law.rounding import CENTS_PER_DOLLAR
from gaji.law.tax import ServiceYear, clearance_exemption, clearance_filing_due, first_year_on_clearance
from gaji.payroll.payslips.queries import list_draft_ends
from gaji.payroll.withheld_payments.queries import find_last_payment, load_clearance_payments
from gaji.people.employees.access import require_readable_employee
from gaji.people.employees.tax_identity import load_tax_identities
from gaji.people.service_periods.queries import TerminatedService, find_ir21_termination
from gaji.people.take_on.queries import find_without_ir8a_income

SHOWN_YEARS, EXEMPTION_YEARS = 2, 3
"""The years on the form, and the years that an exemption may depend on."""
NOT_DRAFTS = "Employees can read their own record but not drafts for the tax authority"
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
        await require_officer(tx, client_id, NOT_DRAFTS)
        termination = await find_ir21_termination(tx, client_id, employee_id)
        if termination is None:
            raise NotFound(f"Employee {employee_id} has no service that was ended with `ir21` set to true")
        clearance, rules_versions = await _load_clearance(tx, client_id, employee_id, termination)
    # The creation date is the end of service, so that the same draft always gives the same bytes.
    pdf = await render_pdf(tenant.caller.account_id, "ir21", ir21_data(clearance), termination.end)
    return Ir21Draft(pdf, clearance.employee.number, rules_versions)


async def lacks_take_on_income(tx: Transaction, client_id: int, employee_id: int, last_day: date) -> bool:
    """Return whether take-on balances of a year on the draft have wages, but no income for it."""
    return bool(await _years_without_take_on_income(tx, client_id, employee_id, last_day.year, SHOWN_YEARS))


async def _years_without_take_on_income(
    tx: Transaction, client_id: int, employee_id: int, last_year: int, number: int
) -> set[int]:
    years = range(last_year, last_year - number, -1)
    return {year for year in years if await find_without_ir8a_income(tx, client_id, year, [employee_id])}


async def _load_clearance(
    tx: Transaction, client_id: int, employee_id: int, termination: TerminatedService
) -> tuple[TaxClearance, set[str]]:
    figures: list[IncomeFigures] = []
    rules_versions: set[str] = set()
    for year in range(termination.end.year, termination.end.year - EXEMPTION_YEARS, -1):
        income = (await load_incomes(tx, client_id, year, [employee_id])).get(employee_id)
        figures.append(income.figures if income else IncomeFigures())
        rules_versions |= income.rules_versions if income else set()
    last_day = termination.end
    draft_ends = await list_draft_ends(tx, client_id, employee_id, last_day)
    unknown_years = await _years_without_take_on_income(tx, client_id, employee_id, last_day.year, EXEMPTION_YEARS)
    unknown_years |= {min(end, last_day).year for end in draft_ends}
    identity = (await load_tax_identities(tx, client_id, [employee_id]))[employee_id]
    identifier = identity.identifier
    if identifier and tx.caller.hide_identifiers:
        identifier = mask(identifier)
    elif identifier:
        note_identifier_read(f"/clients/{client_id}/tax_certificates")
    clearance = TaxClearance(
        employer=await load_employer(tx, client_id),
        employee=identity.particulars,
        identifier=identifier,
        commenced=termination.start,
        ceased=termination.end,
        reason=REASONS[termination.termination_code],
        figures=figures[:SHOWN_YEARS],
        notice_date=termination.notice_date,
        filing_due=_filing_due(termination),
        exemption=_exemption(termination, figures, unknown_years, is_director=identity.is_director),
        first_year=first_year_on_clearance(current_law().tax, termination.end),
        payments=await load_clearance_payments(tx, client_id, employee_id),
        last_payment=await find_last_payment(tx, client_id, employee_id),
    )
    return clearance, rules_versions


def _filing_due(termination: TerminatedService) -> date | None:
    if termination.notice_date is None:
        return None
    return clearance_filing_due(current_law().tax, termination.notice_date, termination.end)


def _exemption(
    termination: TerminatedService, figures: Sequence[IncomeFigures], unknown_years: Set[int], *, is_director: bool
) -> str | None:
    """Return why tax clearance may not be required, from the days and the income of the years of service.

    In `unknown_years`, some of the income is not on the draft.
    """
    years = []
    for year, income in zip(range(termination.end.year, termination.start.year - 1, -1), figures, strict=False):
        first, last = max(termination.start, date(year, 1, 1)), min(termination.end, date(year, 12, 31))
        income_cents = dollars_by_box(income.amounts)[TOTAL] * CENTS_PER_DOLLAR
        known_cents = None if year in unknown_years else income_cents
        years.append(ServiceYear(year, (last - first).days + 1, known_cents))
    try:
        return clearance_exemption(current_law().tax, years[::-1], is_director=is_director)
    except MonthNotCovered:
        return None
