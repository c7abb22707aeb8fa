"""Generate the certificates of a year for all employees of a client from the current data."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from gaji.company.clients.queries import Employer, load_employer
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates.appendix_8a import load_benefit_lines
from gaji.documents.tax_certificates.appendix_8b import load_share_gain_lines
from gaji.documents.tax_certificates.certificate import (
    CertificateContent,
    IdentifiedContent,
    start_and_end_in_year,
    worked_period,
)
from gaji.documents.tax_certificates.clearances import TaxClearances, load_clearances
from gaji.documents.tax_certificates.figures import (
    BoxRoute,
    IncomeAccumulator,
    IncomeFigures,
    box_routes,
    tax_year_inputs,
)
from gaji.engine.payslip_input import ServiceInterval
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips import tax_years
from gaji.payroll.payslips.tax_years import TaxablePayslip
from gaji.people.employees.tax_identity import EmployeeParticulars, load_tax_identities
from gaji.people.service_periods.queries import load_service_intervals
from gaji.people.take_on.queries import load_ir8a_amounts


class EmployeeIncome(NamedTuple):
    """The income of an employee in a year."""

    figures: IncomeFigures
    take_on_cents: Mapping[str, int]
    rules_versions: frozenset[str]


async def load_incomes(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> dict[int, EmployeeIncome]:
    """Return the income of a year by employee, whether or not it was cleared. Employees without income are omitted."""
    return await _add_up(tx, client_id, year, employee_ids, TaxClearances({}))


async def _add_up(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None, clearances: TaxClearances
) -> dict[int, EmployeeIncome]:
    """Return the income of a year by employee, without what was cleared with an IR21."""
    catalogue = await load_catalogue(tx, client_id)
    routes = box_routes(catalogue)
    take_on = {
        employee_id: cents
        for employee_id, cents in (await load_ir8a_amounts(tx, client_id, year, employee_ids)).items()
        if not clearances.covers_take_on(employee_id, year)
    }
    accumulators = {employee_id: IncomeAccumulator(year, cents) for employee_id, cents in take_on.items()}
    await _add_records(tx, client_id, year, employee_ids, clearances, accumulators)
    versions: dict[int, set[str]] = {}
    async for payslips in tax_years.iterate_year(tx, client_id, year, tax_year_inputs(catalogue), employee_ids):
        reported = [
            payslip for payslip in payslips if not clearances.covers_payslip(payslip.employee_id, payslip.end, year)
        ]
        await asyncio.to_thread(_accumulate, reported, year, routes, accumulators)
        for payslip in reported:
            versions.setdefault(payslip.employee_id, set()).add(payslip.rules_version or "")

    def collect() -> dict[int, EmployeeIncome]:
        return {
            employee_id: EmployeeIncome(
                figures, take_on.get(employee_id, {}), frozenset(versions.get(employee_id, set()) - {""})
            )
            for employee_id, accumulator in sorted(accumulators.items())
            if (figures := accumulator.figures())
        }

    return await run_in_thread_if_many(len(accumulators), collect)


async def _add_records(
    tx: Transaction,
    client_id: int,
    year: int,
    employee_ids: Sequence[int] | None,
    clearances: TaxClearances,
    accumulators: dict[int, IncomeAccumulator],
) -> None:
    """Add the benefits in kind and share gains of a year that were not cleared."""
    for employee_id, benefits in (await load_benefit_lines(tx, client_id, year, employee_ids)).items():
        reported = [line for line in benefits if not clearances.covers_payslip(employee_id, line.last, year)]
        _accumulator(accumulators, employee_id, year).add_benefits(reported)
    for employee_id, gains in (await load_share_gain_lines(tx, client_id, year, employee_ids)).items():
        lines = [line for line in gains if not clearances.covers_payslip(employee_id, line.income_date, year)]
        _accumulator(accumulators, employee_id, year).add_share_gains(lines)


def _accumulator(accumulators: dict[int, IncomeAccumulator], employee_id: int, year: int) -> IncomeAccumulator:
    if employee_id not in accumulators:
        accumulators[employee_id] = IncomeAccumulator(year)
    return accumulators[employee_id]


def _accumulate(
    payslips: Sequence[TaxablePayslip],
    year: int,
    routes: Mapping[str, BoxRoute],
    accumulators: dict[int, IncomeAccumulator],
) -> None:
    for payslip in payslips:
        _accumulator(accumulators, payslip.employee_id, year).add(payslip, routes)


async def generate_certificates(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> dict[int, IdentifiedContent]:
    """Return the certificates of a year by employee, for some employees or all.

    Income that was cleared with an IR21 is on no certificate.
    """
    clearances = await load_clearances(tx, client_id, employee_ids)
    incomes = {
        employee_id: income
        for employee_id, income in (await _add_up(tx, client_id, year, employee_ids, clearances)).items()
        if income.figures.is_reported
    }
    employer = await load_employer(tx, client_id)
    identities = await load_tax_identities(tx, client_id, list(incomes))
    services = await load_service_intervals(tx, client_id, list(incomes))

    def build(employee_id: int, income: EmployeeIncome) -> IdentifiedContent:
        identity, cleared = identities[employee_id], clearances.covered_ends(employee_id, year)
        content = _content(employer, identity.particulars, services[employee_id], year, income, cleared)
        return IdentifiedContent(content, identity.identifier)

    return await run_in_thread_if_many(
        len(incomes), lambda: {employee_id: build(employee_id, income) for employee_id, income in incomes.items()}
    )


def _content(
    employer: Employer,
    employee: EmployeeParticulars,
    services: Sequence[ServiceInterval],
    year: int,
    income: EmployeeIncome,
    cleared: list[date],
) -> CertificateContent:
    # A service that was cleared with an IR21 is not reported, unless there is no other one.
    reported = [service for service in services if service.end not in cleared] or services
    worked_from, worked_to = worked_period(reported, year)
    commenced, ceased = start_and_end_in_year(reported, year)
    return CertificateContent(
        employer=employer,
        employee=employee,
        worked_from=worked_from,
        worked_to=worked_to,
        commenced=commenced,
        ceased=ceased,
        figures=income.figures,
        take_on_cents=dict(income.take_on_cents),
        rules_versions=sorted(income.rules_versions),
        cleared=cleared,
    )
