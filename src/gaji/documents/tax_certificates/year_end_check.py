"""What is still to be done before the certificates of a year are complete, for the company and for each employee."""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from gaji.company.clients.queries import load_employer
from gaji.company.clients.service import require_client
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.tax_certificates import repository
from gaji.documents.tax_certificates.certificate import (
    CertificateContent,
    IdentifiedContent,
    StoredCertificate,
    TaxCertificate,
    is_current,
)
from gaji.documents.tax_certificates.clearances import load_clearances
from gaji.documents.tax_certificates.current_certificates import load_current
from gaji.documents.tax_certificates.figures import BONUS, BONUS_PARTS, FEES
from gaji.payroll.payment_runs.queries import load_open_between
from gaji.people.employees.tax_identity import EmployeeParticulars, TaxIdentity, load_tax_identities
from gaji.people.service_periods.queries import count_in_service
from gaji.people.take_on.queries import find_without_ir8a_income

DECLARED_BONUS = f"{BONUS}.{BONUS_PARTS[False]}"


MANDATORY_EMPLOYEES = 5
"""From this number of employees in a year, submission is mandatory (since year of assessment 2022, grade B)."""


class CertificateState(StrEnum):
    """How far the certificate of an employee is."""

    MISSING = "missing"
    OUTDATED = "outdated"
    READY = "ready"
    RELEASED = "released"


@dataclass(frozen=True)
class OpenPoint:
    """Something that is still to be done."""

    code: str
    message: str

    def to_json(self) -> dict[str, str]:
        """Return the point as the API returns it."""
        return {"code": self.code, "message": self.message}


UEN_MISSING = OpenPoint("uen_missing", "The company has no UEN")
NOT_GENERATED = OpenPoint("certificates_not_generated", "The certificates of the year have not been generated")
STATE_POINTS = {
    CertificateState.MISSING: OpenPoint("certificate_missing", "The certificate has not been generated"),
    CertificateState.OUTDATED: OpenPoint("certificate_outdated", "The figures have changed; generate again"),
    CertificateState.READY: OpenPoint("certificate_not_released", "The certificate is not released"),
}
NO_INCOME = OpenPoint("income_missing", "There is no income to report any more; generate again")
IDENTIFIER_MISSING = OpenPoint("identifier_missing", "No identity number")
ADDRESS_MISSING = OpenPoint("address_missing", "No address")
JOB_TITLE_MISSING = OpenPoint("job_title_missing", "No job title")
DECLARATION_MISSING = OpenPoint("declaration_date_missing", "A bonus has no declaration date: enter it on the payslip")
TAKE_ON_INCOME_MISSING = OpenPoint(
    "take_on_income_missing", "The opening balances have wages, but no income for form IR8A"
)
APPROVAL_MISSING = OpenPoint("approval_date_missing", "A director's fee has no approval date: enter it on the payslip")


@dataclass(frozen=True)
class EmployeeCheck:
    """The certificate of an employee and what is still to be done for it."""

    employee_id: int
    number: str
    name: str
    certificate_id: int | None
    state: CertificateState
    points: Sequence[OpenPoint]

    def to_json(self) -> dict[str, Any]:
        """Return the employee as the API returns them."""
        return {
            "employee_id": self.employee_id,
            "number": self.number,
            "name": self.name,
            "certificate_id": self.certificate_id,
            "state": self.state,
            "points": [point.to_json() for point in self.points],
        }


@dataclass(frozen=True)
class YearEndCheck:
    """The open points of a year."""

    year: int
    employee_count: int
    """Employees in service in the year, including those who left."""
    points: Sequence[OpenPoint]
    """Of the company."""
    employees: Sequence[EmployeeCheck]
    """Everyone with income to report, with a certificate, or whose income is missing in the opening balances."""

    @property
    def must_submit(self) -> bool:
        """Whether the employer must submit electronically. Below the number, IRAS may still ask for it."""
        return self.employee_count >= MANDATORY_EMPLOYEES

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to be done."""
        return not self.points and not any(employee.points for employee in self.employees)

    def count(self, state: CertificateState) -> int:
        """Return how many certificates are in a state."""
        return sum(employee.state == state for employee in self.employees)

    def to_json(self) -> dict[str, Any]:
        """Return the check as the API returns it."""
        return {
            "year": self.year,
            "complete": self.is_complete,
            "employee_count": self.employee_count,
            "must_submit": self.must_submit,
            "counts": {state: self.count(state) for state in CertificateState},
            "points": [point.to_json() for point in self.points],
            "employees": [employee.to_json() for employee in self.employees],
        }


async def check_year(tenant: Tenant, client_id: int, year: int) -> YearEndCheck:
    """Compare the certificates of a year with the current data and list what is still to be done."""
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        points = await _company_points(tx, client_id, year)
        stored = await repository.load_year(tx, client_id, year)
        generated = await load_current(tx, client_id, year, stored)
        employee_count = await count_in_service(tx, client_id, date(year, 1, 1), date(year, 12, 31))
        without_income = await _find_without_take_on_income(tx, client_id, year)
        without_certificate = sorted(without_income - generated.keys() - stored.keys())
        identities = await load_tax_identities(tx, client_id, without_certificate)
    employees = await asyncio.to_thread(_check_employees, generated, stored, without_income, identities)
    return YearEndCheck(year, employee_count, points, employees)


async def _find_without_take_on_income(tx: Transaction, client_id: int, year: int) -> set[int]:
    """Return the employees whose take-on balances have wages, but no income for the certificate of the year."""
    employee_ids = await find_without_ir8a_income(tx, client_id, year)
    clearances = await load_clearances(tx, client_id, employee_ids)
    return {employee_id for employee_id in employee_ids if not clearances.covers_take_on(employee_id, year)}


def _check_employees(
    generated: Mapping[int, IdentifiedContent],
    stored: Mapping[int, StoredCertificate],
    without_take_on_income: Collection[int],
    identities: Mapping[int, TaxIdentity],
) -> list[EmployeeCheck]:
    """Check everyone who has income to report or a certificate.

    Those whose income is missing in the opening balances may have neither. They are in `identities`.
    """
    points = {employee_id: [TAKE_ON_INCOME_MISSING] for employee_id in without_take_on_income}
    without_income = {
        employee_id: certificate.certificate
        for employee_id, certificate in stored.items()
        if employee_id not in generated
    }
    checks = [
        *(
            _check_employee(employee_id, content, stored.get(employee_id), points.get(employee_id, []))
            for employee_id, content in generated.items()
        ),
        *(
            _check_obsolete(certificate, points.get(employee_id, []))
            for employee_id, certificate in without_income.items()
        ),
        *(
            _check_without_certificate(employee_id, identity.particulars, points[employee_id])
            for employee_id, identity in identities.items()
        ),
    ]
    return sorted(checks, key=lambda check: check.employee_id)


async def _company_points(tx: Transaction, client_id: int, year: int) -> list[OpenPoint]:
    has_uen = bool((await load_employer(tx, client_id)).uen)
    open_runs = await load_open_between(tx, client_id, date(year, 1, 1), date(year, 12, 31))
    is_generated = year in await repository.list_years(tx, client_id)
    return [
        *([] if has_uen else [UEN_MISSING]),
        *(
            OpenPoint("run_open", f"The pay run to {end:%d %b %Y} ({run_id}) is not finalised")
            for run_id, end in open_runs.items()
        ),
        *([] if is_generated else [NOT_GENERATED]),
    ]


def _check_employee(
    employee_id: int, generated: IdentifiedContent, stored: StoredCertificate | None, points: Sequence[OpenPoint]
) -> EmployeeCheck:
    state, employee = _state(generated, stored), generated.content.employee
    points = [*points, *_content_points(generated.content, generated.identifier)]
    points += [STATE_POINTS[state]] if state in STATE_POINTS else []
    certificate_id = stored.certificate.id if stored else None
    return EmployeeCheck(employee_id, employee.number, employee.name, certificate_id, state, points)


def _check_obsolete(certificate: TaxCertificate, points: Sequence[OpenPoint]) -> EmployeeCheck:
    """Check a certificate of an employee who has no income to report any more."""
    employee, points = certificate.content.employee, [*points, NO_INCOME]
    return EmployeeCheck(
        certificate.employee_id, employee.number, employee.name, certificate.id, CertificateState.OUTDATED, points
    )


def _check_without_certificate(
    employee_id: int, employee: EmployeeParticulars, points: Sequence[OpenPoint]
) -> EmployeeCheck:
    """Check an employee who has no income to report yet."""
    return EmployeeCheck(employee_id, employee.number, employee.name, None, CertificateState.MISSING, points)


def _state(generated: IdentifiedContent, stored: StoredCertificate | None) -> CertificateState:
    if stored is None:
        return CertificateState.MISSING
    if not is_current(stored, generated):
        return CertificateState.OUTDATED
    return CertificateState.RELEASED if stored.certificate.released else CertificateState.READY


def _content_points(content: CertificateContent, identifier: str | None) -> Iterator[OpenPoint]:
    amounts: Mapping[str, int] = content.figures.amounts
    checks = (
        (IDENTIFIER_MISSING, not identifier),
        (ADDRESS_MISSING, not content.employee.address),
        (JOB_TITLE_MISSING, not content.employee.job_title),
        (DECLARATION_MISSING, DECLARED_BONUS in amounts and not content.figures.declared),
        (APPROVAL_MISSING, FEES in amounts and not content.figures.approved),
    )
    return (point for point, is_open in checks if is_open)
