"""A full year of the demo company: every certificate equals the reference implementation."""

from collections.abc import Iterator
from typing import Any

import pytest

from gaji.core.settings import Settings
from tests.demo.demo_company import TODAY, create_demo_company
from tests.documents.tax_certificates.certificate_client import (
    find_amount,
    generate,
    generate_and_release,
    pdf_text,
    review,
)
from tests.documents.tax_certificates.reference_certificates import expected_boxes
from tests.payroll.payment_runs.runs import paid
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company
from tests.support.running import Member, running_service

pytestmark = pytest.mark.slow

EMPLOYEES, MONTHS = 12, 22
"""From January 2025 to October 2026: all of 2025, and most of the following year."""
DECLARED = "2025-12-20"
NOVEMBER = "2026-11-30"


@pytest.fixture(scope="module")
def company(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """The demo, with bonuses that were declared in 2025 and paid in November 2026."""
    today = {"GAJI_TODAY": TODAY.isoformat()}
    with (
        create_demo_company(settings, 9, EMPLOYEES, MONTHS) as demo_company,
        running_service(settings, tmp_path_factory.mktemp("demo"), today, ["--no-worker"]) as service,
    ):
        member = Member(service, demo_company.demo.email, demo_company.demo.api_key)
        waves: list[dict[str, Any]] = [
            element["wave"] for element in member.get(f"/clients/{demo_company.client_id}/waves").json()
        ]
        [monthly] = [wave["id"] for wave in waves if wave["length_months"] == 1 and not wave["interim_first_end_date"]]
        company = Company(member, demo_company.client_id, monthly)
        for index, employee_id in enumerate(monthly_employees(company)):
            slip = f"payslips/{draft(company, employee_id)}"
            enter(company, slip, "bonus", amount=f"{1000 + index}.55", declaration_date=DECLARED)
        paid(company, NOVEMBER)
        yield company


def monthly_employees(company: Company) -> list[int]:
    """Return the employees of the monthly wave who are in service."""
    return [
        employee["id"]
        for employee in company.listed()
        if employee["wave_id"] == company.wave_id and _is_in_service(company, employee["id"])
    ]


def _is_in_service(company: Company, employee_id: int) -> bool:
    return company.service_of(employee_id)[-1][1] is None


@pytest.mark.parametrize("year", [2025, 2026])
def test_every_certificate_equals_the_sum_of_the_payslips(company: Company, year: int) -> None:
    ids = generate(company, year)
    actual = {
        certificate["employee_id"]: {box: dollars for box, dollars in certificate["boxes"].items() if dollars}
        for certificate in company.member.get(f"/clients/{company.id}/tax_certificates?year={year}").json()
    }
    expected = {
        employee["id"]: boxes
        for employee in company.listed()
        if (boxes := expected_boxes(company.member, company.id, employee["id"], year))
    }
    assert actual == expected
    assert len(actual) == len(ids) >= EMPLOYEES - 2


def test_bonuses_are_on_the_certificates_of_the_year_of_payment(company: Company) -> None:
    generate(company, 2025)
    generate(company, 2026)
    for index, employee_id in enumerate(monthly_employees(company)):
        assert review(company, employee_id, 2026)["amounts"]["b.non_contractual"] == f"{1000 + index}.55"
        assert "b.non_contractual" not in review(company, employee_id, 2025)["amounts"]


def test_the_pdfs_have_the_same_amounts(company: Company) -> None:
    for certificate_id in generate_and_release(company, 2025):
        certificate = next(
            certificate
            for certificate in company.member.get(f"/clients/{company.id}/tax_certificates?year=2025").json()
            if certificate["id"] == certificate_id
        )
        text = pdf_text(company.member.get(f"/tax_certificates/{certificate_id}").content)
        assert find_amount(text, "Total of a, b, c and d") == f"{certificate['boxes']['total']:,}"
        assert find_amount(text, "Central Provident Fund") == f"{certificate['boxes']['cpf']:,}"
