"""POST /clients/:client_id/reports/employee_tax_incentive."""

from typing import Any

import pytest

from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH, act, hired, opened, paid
from tests.payroll.payslips.slips import enter
from tests.reports.report_client import Rows, report_rows, run_report
from tests.support.company import Company
from tests.support.problems import field_errors
from tests.support.running import Service

REPORT = "employee_tax_incentive"
LAST_YEAR = ("2025-10-31", "2025-11-30", "2025-12-31")
INCREASE, SENIOR, TRANSITION = "Progressive Wage Credit", "Senior Employment Credit", "CPF Transition Offset"
SUSTAINED = "Progressive Wage Credit, last year's increase"
OCTOBER = {"appointment_date": "2025-10-01"}


@pytest.fixture(scope="module")
def people() -> dict[str, int]:
    """Employee IDs by name, filled by `company`."""
    return {}


@pytest.fixture(scope="module")
def company(service: Service, people: dict[str, int]) -> Company:
    """A company with three finalised months of 2025 and of 2026. One salary rises by 250 dollars in 2026."""
    company = Company.of(service.new_account())
    people["Aminah"] = hired(company, "2000.00", first_name="Aminah", **OCTOBER)
    people["Lim"] = hired(company, "2800.00", first_name="Lim", birthdate="1958-01-10", **OCTOBER)
    people["Gopal"] = hired(company, "6000.00", first_name="Gopal", birthdate="1970-01-10", **OCTOBER)
    people["Anna"] = hired(
        company,
        "2500.00",
        first_name="Anna",
        legal_status="FOREIGNER",
        nric=None,
        fin="G1234567X",
        nationality="MY",
        **OCTOBER,
    )
    for end in LAST_YEAR:
        paid(company, end)
    enter(company, f"employees/{people['Aminah']}", "basic_salary", fixed_amount="2250.00")
    for end in (JANUARY, FEBRUARY, MARCH):
        paid(company, end)
    return company


def estimates(rows: Rows) -> list[tuple[str, str, Any]]:
    """Return the month, scheme and estimate of each row."""
    return [(row["Month"], row["Scheme"], row["Estimate"]) for row in rows]


def rows_of_employee(company: Company, employee_id: int, **fields: Any) -> Rows:
    return report_rows(company, REPORT, **{"year": 2026, "employee_ids": [employee_id], **fields})


def test_an_increase_is_co_funded_in_every_month(company: Company, people: dict[str, int]) -> None:
    rows = rows_of_employee(company, people["Aminah"])
    assert estimates(rows) == [
        (month, scheme, amount)
        for month in ("2026-01", "2026-02", "2026-03")
        for scheme, amount in ((INCREASE, 75.0), (SUSTAINED, None))
    ]
    assert [row["Wage"] for row in rows] == [2250.0] * 6


def test_each_figure_is_explained(company: Company, people: dict[str, int]) -> None:
    [increase, sustained] = rows_of_employee(company, people["Aminah"], month=2)
    assert increase["Rate"] == "30 % up to 3000.00"
    assert increase["Reason"] == "the average rose by at least $100.00"
    assert increase["Calculation"] == (
        "choose(6750.00 ÷ 3 − 6000.00 ÷ 3; below 100.00: 0.00; "
        "otherwise: round_cents(0.30 × (min(6750.00 ÷ 3, 3000.00) − min(6000.00 ÷ 3, 3000.00)))) = 75.00"
    )
    assert increase["Rule"].startswith("Each month with CPF pays the rate of the increase")
    assert increase["Effective From"] == "2026-01-01"
    assert "IRAS" in increase["Source"]
    assert increase["Certainty"] == "C"
    assert sustained["Reason"].startswith("not estimated: fewer than 3 months with CPF are recorded for 2024")
    assert sustained["Calculation"] is None


def test_the_other_schemes_go_by_the_wage_of_the_month(company: Company, people: dict[str, int]) -> None:
    senior = rows_of_employee(company, people["Lim"], month=1)
    assert estimates(senior) == [("2026-01", INCREASE, 0.0), ("2026-01", SUSTAINED, None), ("2026-01", SENIOR, 112.0)]
    assert senior[0]["Reason"] == "the average rose by less than $100.00"
    assert estimates(rows_of_employee(company, people["Gopal"], month=1)) == [("2026-01", TRANSITION, 15.0)]


def test_foreigners_have_no_rows(company: Company, people: dict[str, int]) -> None:
    assert rows_of_employee(company, people["Anna"]) == []


def test_a_month_has_the_rows_of_the_year_for_it(company: Company) -> None:
    rows = report_rows(company, REPORT, year=2026)
    for month in range(1, 13):
        expected = [row for row in rows if row["Month"] == f"2026-{month:02d}"]
        assert report_rows(company, REPORT, year=2026, month=month) == expected


def test_without_last_year_nothing_is_estimated(company: Company, people: dict[str, int]) -> None:
    rows = rows_of_employee(company, people["Aminah"], year=2025)
    assert estimates(rows) == [(month, INCREASE, None) for month in ("2025-10", "2025-11", "2025-12")]


def test_humanized_is_the_same_as_humanize(company: Company, people: dict[str, int]) -> None:
    rows = rows_of_employee(company, people["Aminah"], humanized=True)
    assert rows == rows_of_employee(company, people["Aminah"], humanize=True)
    assert {row["Estimate"] for row in rows} == {"$75.00", None}


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"year": 2020}, {"year": "must be from 2021 to 2028"}),
        ({"year": 2029}, {"year": "must be from 2021 to 2028"}),
        ({"year": 2026, "month": 13}, {"month": "must be from 1 to 12"}),
        ({"year": "x", "month": "y"}, {"year": "must be an integer", "month": "must be an integer"}),
    ],
)
def test_years_and_months_out_of_range(company: Company, fields: dict[str, Any], errors: dict[str, str]) -> None:
    assert field_errors(run_report(company, REPORT, **fields)) == errors


def test_only_finalised_payslips_count(service: Service) -> None:
    company = Company.of(service.new_account())
    employee_id = hired(company, "2000.00", **OCTOBER)
    for end in (*LAST_YEAR, JANUARY):
        paid(company, end)
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="2400.00")
    paid(company, FEBRUARY)
    march = opened(company, MARCH)
    rows = rows_of_employee(company, employee_id)
    assert {row["Month"] for row in rows} == {"2026-01", "2026-02"}
    assert {(row["Estimate"], row["Reason"]) for row in rows if row["Scheme"] == INCREASE} == {
        (0.0, "2 months with CPF in 2026 so far; 3 are required")
    }
    assert act(company, march, "finalise").status_code == 200
    # An average of (2,000 + 2,400 + 2,400) ÷ 3, less 2,000: 266.67 at 30 per cent.
    increases = [row["Estimate"] for row in rows_of_employee(company, employee_id) if row["Scheme"] == INCREASE]
    assert increases == [80.0] * 3
    assert act(company, march, "unfinalise").status_code == 200
    assert rows_of_employee(company, employee_id) == rows


ENABLING, UPLIFTING = "Enabling Employment Credit", "Uplifting Employment Credit"


@pytest.fixture
def small_company(service: Service) -> Company:
    return Company.of(service.new_account())


def credits(company: Company, employee_id: int) -> list[tuple[str, str, Any]]:
    rows = rows_of_employee(company, employee_id)
    return [row for row in estimates(rows) if row[1] in (ENABLING, UPLIFTING)]


def test_the_enabling_credit_counts_from_its_date_on(small_company: Company) -> None:
    employee_id = hired(small_company, "2500.00", enabling_employment_credit_from="2026-02-15")
    for end in (JANUARY, FEBRUARY, MARCH):
        paid(small_company, end)
    assert credits(small_company, employee_id) == [("2026-02", ENABLING, 400.0), ("2026-03", ENABLING, 400.0)]
    small_company.patch(employee_id, enabling_new_hire=True)
    assert credits(small_company, employee_id) == [("2026-02", ENABLING, 800.0), ("2026-03", ENABLING, 800.0)]
    [*_, row] = rows_of_employee(small_company, employee_id, month=3)
    assert row["Reason"].endswith("and this is one of the first 9 months of employment")
    assert row["Certainty"] == "B"


def test_the_uplifting_credit_is_for_the_hire_of_its_date(small_company: Company) -> None:
    employee_id = hired(small_company, "2500.00", uplifting_employment_credit_from="2026-01-01")
    paid(small_company, JANUARY)
    assert credits(small_company, employee_id) == [("2026-01", UPLIFTING, 500.0)]
    left = {"employee_action": {"termination_date": FEBRUARY, "termination_code": 1}}
    employee = f"/employees/{employee_id}/service_periods"
    assert small_company.member.post(f"{employee}/end_service", left).status_code == 200
    paid(small_company, FEBRUARY)
    again = {"employee_action": {"appointment_date": "2026-03-01"}}
    assert small_company.member.post(f"{employee}/reinstate", again).status_code == 200
    paid(small_company, MARCH)
    assert [month for month, *_ in credits(small_company, employee_id)] == ["2026-01", "2026-02"]
    small_company.patch(employee_id, uplifting_employment_credit_from="2026-03-01")
    assert [month for month, *_ in credits(small_company, employee_id)] == ["2026-03"]


def test_owners_have_no_progressive_wage_or_senior_employment_credit(small_company: Company) -> None:
    employee_id = hired(small_company, "2800.00", birthdate="1958-01-10", business_owner=True)
    paid(small_company, JANUARY)
    assert rows_of_employee(small_company, employee_id) == []
    small_company.patch(employee_id, business_owner=False)
    assert [row["Scheme"] for row in rows_of_employee(small_company, employee_id)] == [INCREASE, SENIOR]


def test_a_new_hire_needs_the_date_of_the_credit(small_company: Company) -> None:
    employee_id = hired(small_company)
    errors = field_errors(small_company.patch(employee_id, enabling_new_hire=True))
    assert errors == {"enabling_employment_credit_from": "is required when enabling_new_hire is true"}
    early = field_errors(small_company.patch(employee_id, uplifting_employment_credit_from="1980-01-01"))
    assert list(early) == ["uplifting_employment_credit_from"]
