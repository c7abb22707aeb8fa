"""POST /clients/:client_id/reports/government_paid_leave."""

from dataclasses import replace
from typing import Any

import pytest

from tests.leave.people import OnLeave, leave_types
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH, hired, paid
from tests.reports.report_client import Rows, report_rows
from tests.support.company import MONTHLY, Company
from tests.support.running import Service, created

REPORT = "government_paid_leave"
FIRST_QUARTER = {"start_date": "2026-01-01", "end_date": "2026-03-31"}


def new_company(service: Service) -> Company:
    """A company whose payroll starts in January 2026."""
    company = Company.of(service.new_account())
    return replace(company, wave_id=company.wave(**{**MONTHLY, "first_end_date": JANUARY}))


def employee(company: Company, salary: str, child: dict[str, Any] | None, **attributes: Any) -> OnLeave:
    """Hire someone with a child who is a citizen."""
    employee_id = hired(company, salary, appointment_date="2024-02-01", **attributes)
    someone = OnLeave(company, employee_id, leave_types(company.member, company.id))
    if child:
        body = {"name": "Wei Ming", "citizenship": "CITIZEN", **child}
        created(company.member.post(someone.path("children"), body))
    return someone


@pytest.fixture(scope="module")
def people() -> dict[str, OnLeave]:
    """Employees by name, filled by `company`."""
    return {}


@pytest.fixture(scope="module")
def company(service: Service, people: dict[str, OnLeave]) -> Company:
    """A company that paid the first quarter of 2026, with leave of each kind."""
    company = new_company(service)
    mother = employee(company, "5200.00", {"birthdate": "2023-05-10"})
    for day in ("2026-01-12", "2026-01-13", "2026-01-14", "2026-02-09", "2026-04-06"):
        mother.take(day, "childcare_leave")
    father = employee(company, "13000.00", {"birthdate": "2026-01-26"}, gender="M")
    for day in ("26", "27", "28", "29", "30"):
        father.take(f"2026-01-{day}", "paternity_leave")
    serviceman = employee(company, "4200.00", None, gender="M")
    for day in ("2026-03-02", "2026-03-03", "2026-03-19", "2026-03-20", "2026-03-23"):
        serviceman.take(day, "national_service_leave")
    unknown = employee(company, "4200.00", None, gender="M")
    unknown.adjust("2026-01-01", 2, "paternity_leave")
    unknown.take("2026-03-02", "paternity_leave")
    people |= {"mother": mother, "father": father, "serviceman": serviceman, "unknown": unknown}
    for end in (JANUARY, FEBRUARY, MARCH):
        paid(company, end)
    return company


def rows_of(company: Company, person: OnLeave, **fields: Any) -> Rows:
    return report_rows(company, REPORT, **{**FIRST_QUARTER, "employee_ids": [person.id], **fields})


def figures(row: dict[str, Any]) -> dict[str, Any]:
    """The figures of a row without those that are null."""
    names = ("Days", "Daily Rate", "Gross Pay", "Employer CPF", "Cap", "Cap Used", "Claim", "Claim By")
    return {name: row[name] for name in names if row[name] is not None}


def test_childcare_leave_from_the_fourth_day(company: Company, people: dict[str, OnLeave]) -> None:
    [february] = rows_of(company, people["mother"])
    assert (february["Leave"], february["Month"], february["Child"]) == ("childcare_leave", "2026-02", None)
    assert (february["From"], february["To"]) == ("2026-02-09", "2026-02-09")
    # 12 × 5,200 ÷ 260 = 240; the employer's CPF of 5,200 is 884, and 12 × 884 ÷ 260 = 40.80.
    assert figures(february) == {
        "Days": 1,
        "Daily Rate": 240.0,
        "Gross Pay": 240.0,
        "Employer CPF": 40.8,
        "Cap": 500.0,
        "Cap Used": 0.0,
        "Claim": 280.8,
        "Claim By": "2027-03-31",
    }
    assert february["Reason"] == "Leave of 2026; the employer pays the first 3 days"
    assert february["Calculation"] == (
        "min(round_cents(12 × 884.00 × 1 ÷ (52 × 5)), 884.00) = 40.80; 240.00 + 40.80 = 280.80; "
        "min(280.80, 500.00) = 280.80"
    )
    assert february["Certainty"] == "C"
    assert "Co-Savings" in february["Source"]


def test_a_month_that_is_not_paid_yet_has_no_claim(company: Company, people: dict[str, OnLeave]) -> None:
    [april] = rows_of(company, people["mother"], start_date="2026-04-01", end_date="2026-04-30")
    assert figures(april) == {"Days": 1, "Daily Rate": 240.0, "Gross Pay": 240.0, "Claim By": "2027-03-31"}
    assert april["Reason"].endswith("No payslip of April 2026 is finalised: pay the employee first")


def test_paternity_leave_is_capped_by_the_week(company: Company, people: dict[str, OnLeave]) -> None:
    [january] = rows_of(company, people["father"])
    # 12 × 13,000 ÷ 260 × 5 = 3,000; CPF on the ceiling of 8,000 is 1,360, of which 12 × 1,360 ÷ 260 × 5 = 313.85.
    assert figures(january) == {
        "Days": 5,
        "Daily Rate": 600.0,
        "Gross Pay": 3000.0,
        "Employer CPF": 313.85,
        "Cap": 2500.0,
        "Cap Used": 0.0,
        "Claim": 2500.0,
        "Claim By": "2026-04-30",
    }
    assert january["Child"] == "2026-01-26"


def test_national_service_is_the_income_lost(company: Company, people: dict[str, OnLeave]) -> None:
    [march] = rows_of(company, people["serviceman"])
    # Five days and Hari Raya Puasa of 21 March, a Saturday, which is no working day. March 2026 has 22 working days.
    assert figures(march) == {"Days": 5, "Employer CPF": 0.0, "Claim": 954.55}
    assert march["Calculation"] == "round_cents((12 × 4200.00 + 0.00) × 5 ÷ (12 × 22)) = 954.55"
    assert march["Claim By"] is None
    assert march["Reason"].startswith("Income lost by the wages of January 2026.")


def test_national_service_is_not_claimed_outside_the_direct_scheme(service: Service) -> None:
    company = new_company(service)
    assert company.member.patch(f"/clients/{company.id}", {"ns_direct_scheme": False}).status_code == 200
    serviceman = employee(company, "4200.00", None, gender="M")
    serviceman.take("2026-03-02", "national_service_leave")
    assert report_rows(company, REPORT, **FIRST_QUARTER) == []


def test_leave_without_a_child_on_record_is_listed_without_a_claim(
    company: Company, people: dict[str, OnLeave]
) -> None:
    [march] = rows_of(company, people["unknown"])
    assert march["Claim"] is None
    assert march["Reason"] == "No child on record gives this leave, so the claim cannot be calculated"
