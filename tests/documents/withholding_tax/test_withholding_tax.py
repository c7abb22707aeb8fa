"""Fees of directors who are not tax residents: the deduction, its explanation, what is due, and the certificate."""

from typing import Any

import pytest

from tests.documents.tax_certificates.certificate_client import generate, review
from tests.payroll.payment_runs.runs import hired, paid
from tests.payroll.payslips.slips import detail, draft, enter
from tests.support.company import Company
from tests.support.problems import field_errors

DIRECTOR: dict[str, Any] = {
    "legal_status": "FD_OTHER",
    "nric": None,
    "passport_number": "K1234567P",
    "nationality": "JP",
    "race": "OTHER",
    "sdl_exempt": True,
}
FEE = {"amount": "10000.00", "approval_date": "2026-01-15"}


def deductions(company: Company, payslip_id: int) -> dict[str, str]:
    return dict(detail(company, payslip_id)["deduction"])


def taxes(company: Company, query: str = "") -> list[dict[str, Any]]:
    answer = company.member.get(f"/clients/{company.id}/withholding_tax{query}")
    assert answer.status_code == 200, answer.text
    return [element["withholding_tax"] for element in answer.json()]


def test_tax_is_withheld_on_the_fees_of_a_director_who_is_not_resident(company: Company) -> None:
    director = hired(company, "3000.00", **DIRECTOR, tax_resident=False, days_in_singapore={"2026": 100})
    slip = draft(company, director)
    enter(company, f"payslips/{slip}", "directors_fee", **FEE)
    assert deductions(company, slip) == {"withholding_tax": "2400.00", "total": "2400.00"}
    lines = company.member.get(f"/payslips/{slip}/explanation").json()["explanation"]
    [explained] = [line for line in lines if line["item"] == "withholding_tax"]
    assert explained["arithmetic"] == ["round_cents(0.24 × 10000.00) = 2400.00"]
    assert explained["branch"] == "not a tax resident; to be paid to IRAS by 15 March 2026"
    assert taxes(company) == []
    paid(company)
    assert taxes(company) == [
        {
            "payslip_id": slip,
            "employee_id": director,
            "directors_fee": 10000.0,
            "tax": 2400.0,
            "date_of_payment": "2026-01-15",
            "due_date": "2026-03-15",
        }
    ]
    assert taxes(company, "?year=2025") == []
    generate(company)
    certificate = review(company, director)
    assert (certificate["boxes"]["a"], certificate["boxes"]["c"], certificate["section_45"]) == (3000, 10000, True)


@pytest.mark.parametrize(
    "residence",
    [{}, {"tax_resident": True}, {"tax_resident": False, "days_in_singapore": {"2026": 183}}],
)
def test_nothing_is_withheld_from_residents_and_from_183_days_on(company: Company, residence: dict[str, Any]) -> None:
    director = hired(company, "3000.00", **DIRECTOR, **residence)
    slip = draft(company, director)
    enter(company, f"payslips/{slip}", "directors_fee", **FEE)
    assert "withholding_tax" not in deductions(company, slip)


def test_a_director_with_fees_only_has_no_certificate(company: Company) -> None:
    director = company.hire(**DIRECTOR, appointment_date="2026-01-01", tax_resident=False)
    enter(company, f"payslips/{draft(company, director)}", "directors_fee", **FEE)
    paid(company)
    assert len(taxes(company)) == 1
    assert generate(company) == []


def test_a_change_of_residence_recalculates_the_draft(company: Company) -> None:
    director = hired(company, "3000.00", **DIRECTOR)
    slip = draft(company, director)
    enter(company, f"payslips/{slip}", "directors_fee", **FEE)
    company.patch(director, tax_resident=False)
    assert deductions(company, slip)["withholding_tax"] == "2400.00"
    company.patch(director, days_in_singapore={"2026": 200})
    assert "withholding_tax" not in deductions(company, slip)


def test_days_are_merged_by_year_and_cleared_by_null(company: Company) -> None:
    employee_id = company.hire(days_in_singapore={"2025": 200, "2026": "90"})
    assert company.employee(employee_id)["tax_resident"] is True
    assert company.employee(employee_id)["days_in_singapore"] == {"2025": 200, "2026": 90}
    company.patch(employee_id, days_in_singapore={"2026": 95, "2025": None})
    assert company.employee(employee_id)["days_in_singapore"] == {"2026": 95}
    company.patch(employee_id, days_in_singapore=None)
    assert company.employee(employee_id)["days_in_singapore"] == {}


@pytest.mark.parametrize(
    ("days", "path"),
    [
        ({"2026": 367}, "days_in_singapore.2026"),
        ({"2026": -1}, "days_in_singapore.2026"),
        ({"soon": 3}, "days_in_singapore"),
        ([90], "days_in_singapore"),
        ("many", "days_in_singapore"),
    ],
)
def test_invalid_days_are_rejected(company: Company, days: object, path: str) -> None:
    employee_id = company.hire()
    assert field_errors(company.patch(employee_id, days_in_singapore=days)).keys() == {path}
