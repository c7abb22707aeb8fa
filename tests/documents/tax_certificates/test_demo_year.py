"""A full year of the demo company: every certificate equals a plain sum over the payslips that the API shows."""

from collections.abc import Iterator
from typing import Any

import pytest

from gaji.core.settings import Settings
from tests.demo.made import TODAY, made_company
from tests.documents.tax_certificates import plain
from tests.documents.tax_certificates.asking import figure, generate, released, reviewed, text_of
from tests.payroll.payment_runs.runs import paid
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company
from tests.support.running import Member, running_service

EMPLOYEES, MONTHS = 12, 22
"""From January 2025 to October 2026: all of 2025, and some of the year in which more of it is paid."""
DECLARED = "2025-12-20"
NOVEMBER = "2026-11-30"


@pytest.fixture(scope="module")
def company(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """The demo, with bonuses that were declared in 2025 and paid in November 2026."""
    with (
        made_company(settings, 9, EMPLOYEES, MONTHS) as made,
        running_service(settings, tmp_path_factory.mktemp("demo"), {"GAJI_TODAY": TODAY.isoformat()}) as service,
    ):
        member = Member(service, made.made.email, made.made.api_key)
        waves: list[dict[str, Any]] = [one["wave"] for one in member.get(f"/clients/{made.client_id}/waves").json()]
        [monthly] = [one["id"] for one in waves if one["length_months"] == 1 and not one["interim_first_end_date"]]
        company = Company(member, made.client_id, monthly)
        for place, employee_id in enumerate(monthly_paid(company)):
            slip = f"payslips/{draft(company, employee_id)}"
            enter(company, slip, "bonus", amount=f"{1000 + place}.55", declaration_date=DECLARED)
        paid(company, NOVEMBER)
        yield company


def monthly_paid(company: Company) -> list[int]:
    """Those whom the monthly wave pays and who are still there."""
    return [one["id"] for one in company.listed() if one["wave_id"] == company.wave_id and _serves(company, one["id"])]


def _serves(company: Company, employee_id: int) -> bool:
    return company.service_of(employee_id)[-1][1] is None


@pytest.mark.parametrize("year", [2025, 2026])
def test_every_certificate_is_the_sum_of_the_payslips(company: Company, year: int) -> None:
    ids = generate(company, year)
    found = {
        one["employee_id"]: {box: dollars for box, dollars in one["boxes"].items() if dollars}
        for one in company.member.get(f"/clients/{company.id}/tax_certificates?year={year}").json()
    }
    expected = {
        one["id"]: boxes
        for one in company.listed()
        if (boxes := plain.boxes(company.member, company.id, one["id"], year))
    }
    assert found == expected
    assert len(found) == len(ids) >= EMPLOYEES - 2


def test_the_bonuses_are_on_the_certificates_of_the_year_in_which_they_were_declared(company: Company) -> None:
    generate(company, 2025)
    generate(company, 2026)
    for place, employee_id in enumerate(monthly_paid(company)):
        assert reviewed(company, employee_id, 2025)["amounts"]["b.non_contractual"] == f"{1000 + place}.55"
        assert "b.non_contractual" not in reviewed(company, employee_id, 2026)["amounts"]


def test_the_pdfs_say_the_same(company: Company) -> None:
    for certificate_id in released(company, 2025):
        shown = next(
            one
            for one in company.member.get(f"/clients/{company.id}/tax_certificates?year=2025").json()
            if one["id"] == certificate_id
        )
        text = text_of(company.member.get(f"/tax_certificates/{certificate_id}").content)
        assert figure(text, "Total of a, b, c and d") == f"{shown['boxes']['total']:,}"
        assert figure(text, "Central Provident Fund") == f"{shown['boxes']['cpf']:,}"
