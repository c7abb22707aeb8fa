"""Making the certificates of a year: the figures of all employees of a client at once, from what is there now."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gaji.company.clients import queries as clients
from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates.certificate import Content, begun_and_ended, worked
from gaji.documents.tax_certificates.figures import IncomeFigures, YearOfIncome, dates_that_decide, routes
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips import tax_years
from gaji.people.employees import tax_identity
from gaji.people.service_periods import queries as service_periods
from gaji.people.take_on import queries as take_on


class Income(NamedTuple):
    """What an employee had of a year."""

    figures: IncomeFigures
    taken_on: Mapping[str, int]
    rules_versions: frozenset[str]


class Made(NamedTuple):
    """A certificate that was made, with the identity number."""

    content: Content
    identifier: str | None


async def incomes(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> dict[int, Income]:
    """By employee what a year came to, of those who have anything of it."""
    items = await load_catalogue(tx, client_id)
    by_line = routes(items)
    taken_on = await take_on.load_ir8a_amounts(tx, client_id, year, employee_ids)
    years = {employee_id: YearOfIncome(year, given) for employee_id, given in taken_on.items()}
    versions: dict[int, set[str]] = {}
    async for slips in tax_years.iterate_year(tx, client_id, year, dates_that_decide(items), employee_ids):
        for slip in slips:
            if slip.employee_id not in years:
                years[slip.employee_id] = YearOfIncome(year)
            years[slip.employee_id].add(slip, by_line)
            versions.setdefault(slip.employee_id, set()).add(slip.rules_version or "")
    return {
        employee_id: Income(figures, taken_on.get(employee_id, {}), frozenset(versions.get(employee_id, set()) - {""}))
        for employee_id, one in sorted(years.items())
        if (figures := one.figures())
    }


async def make(tx: Transaction, client_id: int, year: int) -> dict[int, Made]:
    """The certificates of a year by employee."""
    found = await incomes(tx, client_id, year)
    employee_ids = list(found)
    employer = await clients.load_employer(tx, client_id)
    people = await tax_identity.load_tax_identities(tx, client_id, employee_ids)
    services = await service_periods.load_service_intervals(tx, client_id, employee_ids)
    return {
        employee_id: Made(
            Content(
                employer,
                people[employee_id].particulars,
                *worked(services[employee_id], year),
                *begun_and_ended(services[employee_id], year),
                income.figures,
                dict(income.taken_on),
                sorted(income.rules_versions),
            ),
            people[employee_id].identifier,
        )
        for employee_id, income in found.items()
    }
