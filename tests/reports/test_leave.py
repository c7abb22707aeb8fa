"""comparison_leave and leave_liability_v2: leave types, services and liabilities."""

from tests.leave.people import OnLeave
from tests.payroll.payment_runs.runs import hired
from tests.payroll.payslips.slips import enter
from tests.reports.report_client import report_rows, run_report
from tests.reports.sample_payroll import SamplePayroll
from tests.support.company import Company
from tests.support.problems import field_errors

QUARTER = {"start_date": "2026-01-01", "end_date": "2026-03-31"}


def test_selected_leave_types_have_rows_for_all_employees(payroll: SamplePayroll) -> None:
    chosen = [payroll.leave_types["paternity_leave"], payroll.leave_types["annual_leave"]]
    rows = report_rows(payroll.company, "comparison_leave", **QUARTER, leave_types=chosen)
    assert [row["leave_type"] for row in rows] == ["annual_leave", "paternity_leave"] * len(payroll.people)
    paternity = [row for row in rows if row["leave_type"] == "paternity_leave"]
    assert all(row["Entitlement"] is None and row["Balance"] == 0 for row in paternity)


def test_without_a_selection_only_types_with_values_have_rows(payroll: SamplePayroll) -> None:
    rows = report_rows(payroll.company, "comparison_leave", **QUARTER, employee_ids=[payroll.people["Mei"]])
    assert [row["leave_type"] for row in rows] == [
        *("annual_leave", "sick_leave", "hospitalisation_leave", "national_service_leave", "unpaid_leave")
    ]
    annual = rows[0]
    assert annual == {
        "employee": payroll.number("Mei"),
        "leave_type": "annual_leave",
        "Date": "2026-03-31",
        "Accrual": 2,
        "Entitlement": 7,
        "Taken": 1.5,
        "Adjustment": 4.5,
        "Balance": 5,
    }


def test_unknown_leave_types_are_listed(payroll: SamplePayroll) -> None:
    answer = run_report(payroll.company, "comparison_leave", **QUARTER, leave_types=[10**12])
    assert field_errors(answer) == {"leave_types": f"leave type not found in this client: {10**12}"}


def test_each_service_has_its_own_rows(company: Company) -> None:
    employee = OnLeave.hired(company, appointment_date="2024-01-01")
    company.leave(employee.id, "2026-01-31")
    assert company.act(employee.id, "reinstate", appointment_date="2026-03-01").status_code == 200
    annual = employee.types["annual_leave"]
    rows = report_rows(company, "comparison_leave", **QUARTER, leave_types=[annual])
    assert [(row["Date"], row["Balance"], row["Entitlement"]) for row in rows] == [
        ("2026-01-31", 0, 9),
        ("2026-03-31", 0, 7),
    ]
    assert rows[0]["Taken"] > 0  # the balance was paid out


def test_take_on_leave_is_an_adjustment(company: Company) -> None:
    employee = OnLeave.hired(company, appointment_date="2024-01-01")
    annual = employee.types["annual_leave"]
    balances = {"year": 2026, "leave": {str(annual): "11.5"}}
    answer = company.member.call("PUT", f"/employees/{employee.id}/take_on_balances", json=balances)
    assert answer.status_code == 200, answer.text
    [row] = report_rows(company, "comparison_leave", **QUARTER, leave_types=[annual])
    assert row["Adjustment"] == 11.5
    assert row["Balance"] == row["Adjustment"] + row["Accrual"] - row["Taken"]


def test_the_liability_is_rounded_once(company: Company) -> None:
    employee = hired(company, "3333.33", appointment_date="2024-01-01")
    [row] = report_rows(company, "leave_liability_v2", date="2026-06-30")
    assert row["Daily Rate"] == 153.85  # 12 × 3,333.33 ÷ 260 = 153.8460
    assert row["Liability"] == round(row["Days"] * 12 * 3333.33 / 260, 2)
    company.leave(employee, "2026-06-30")
    assert report_rows(company, "leave_liability_v2", date="2026-07-01") == []


def test_a_negative_balance_is_a_negative_liability(company: Company) -> None:
    employee = OnLeave.hired(company, appointment_date="2026-01-01")
    enter(company, f"employees/{employee.id}", "basic_salary", fixed_amount="2600.00")
    employee.adjust("2026-01-05", -3, reason="Taken in advance")
    [row] = report_rows(company, "leave_liability_v2", date="2026-01-31", humanize=True)
    assert (row["Days"], row["Daily Rate"], row["Liability"]) == (-3, "$120.00", "-$360.00")


def test_leave_without_pay_costs_nothing(company: Company) -> None:
    OnLeave.hired(company, appointment_date="2024-01-01")
    [row] = report_rows(company, "leave_liability_v2", date="2026-06-30")
    assert row["Days"] > 0
    assert (row["Daily Rate"], row["Liability"]) == (0, 0)


def test_a_date_outside_the_law_is_an_error(payroll: SamplePayroll) -> None:
    assert list(field_errors(run_report(payroll.company, "leave_liability_v2", date="2150-01-31"))) == ["date"]
