"""comparison_leave and leave_liability_v2: types, services and days that are valued."""

from tests.leave.people import OnLeave
from tests.payroll.payment_runs.runs import hired
from tests.payroll.payslips.slips import enter
from tests.reports.asking import ask, rows
from tests.reports.payroll import Payroll
from tests.support.company import Company
from tests.support.problems import faults

QUARTER = {"start_date": "2026-01-01", "end_date": "2026-03-31"}


def test_leave_types_choose_and_are_then_told_of_everyone(payroll: Payroll) -> None:
    chosen = [payroll.leave_types["paternity_leave"], payroll.leave_types["annual_leave"]]
    found = rows(payroll.company, "comparison_leave", **QUARTER, leave_types=chosen)
    assert [row["leave_type"] for row in found] == ["annual_leave", "paternity_leave"] * len(payroll.people)
    paternity = [row for row in found if row["leave_type"] == "paternity_leave"]
    assert all(row["Entitlement"] is None and row["Balance"] == 0 for row in paternity)


def test_without_types_only_those_are_told_of_which_there_is_anything(payroll: Payroll) -> None:
    found = rows(payroll.company, "comparison_leave", **QUARTER, employee_ids=[payroll.people["Mei"]])
    assert [row["leave_type"] for row in found] == [
        *("annual_leave", "sick_leave", "hospitalisation_leave", "unpaid_leave")
    ]
    annual = found[0]
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


def test_unknown_leave_types_are_listed(payroll: Payroll) -> None:
    answer = ask(payroll.company, "comparison_leave", **QUARTER, leave_types=[10**12])
    assert faults(answer) == {"leave_types": f"there is no leave type {10**12} in this client"}


def test_each_service_has_its_own_rows(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2024-01-01")
    company.leave(someone.id, "2026-01-31")
    assert company.act(someone.id, "reinstate", appointment_date="2026-03-01").status_code == 200
    annual = someone.types["annual_leave"]
    found = rows(company, "comparison_leave", **QUARTER, leave_types=[annual])
    assert [(row["Date"], row["Balance"], row["Entitlement"]) for row in found] == [
        ("2026-01-31", 0, 9),
        ("2026-03-31", 0, 7),
    ]
    assert found[0]["Taken"] > 0  # what was left is paid out


def test_leave_that_was_taken_on_is_an_adjustment(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2024-01-01")
    annual = someone.types["annual_leave"]
    balances = {"year": 2026, "leave": {str(annual): "11.5"}}
    answer = company.member.call("PUT", f"/employees/{someone.id}/take_on_balances", json=balances)
    assert answer.status_code == 200, answer.text
    [row] = rows(company, "comparison_leave", **QUARTER, leave_types=[annual])
    assert row["Adjustment"] == 11.5
    assert row["Balance"] == row["Adjustment"] + row["Accrual"] - row["Taken"]


def test_the_liability_is_rounded_once_as_the_encashment_would_be(company: Company) -> None:
    someone = hired(company, "3333.33", appointment_date="2024-01-01")
    [row] = rows(company, "leave_liability_v2", date="2026-06-30")
    assert row["Daily Rate"] == 153.85  # 12 × 3,333.33 ÷ 260 = 153.8460
    assert row["Liability"] == round(row["Days"] * 12 * 3333.33 / 260, 2)
    company.leave(someone, "2026-06-30")
    assert rows(company, "leave_liability_v2", date="2026-07-01") == []


def test_leave_beyond_the_balance_is_a_liability_below_nothing(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-01")
    enter(company, f"employees/{someone.id}", "basic_salary", fixed_amount="2600.00")
    someone.adjust("2026-01-05", -3, reason="Taken in advance")
    [row] = rows(company, "leave_liability_v2", date="2026-01-31", humanize=True)
    assert (row["Days"], row["Daily Rate"], row["Liability"]) == (-3, "$120.00", "-$360.00")


def test_someone_without_pay_has_days_that_cost_nothing(company: Company) -> None:
    OnLeave.hired(company, appointment_date="2024-01-01")
    [row] = rows(company, "leave_liability_v2", date="2026-06-30")
    assert row["Days"] > 0
    assert (row["Daily Rate"], row["Liability"]) == (0, 0)


def test_a_day_outside_of_the_law_is_a_fault_where_days_are_valued(payroll: Payroll) -> None:
    assert list(faults(ask(payroll.company, "leave_liability_v2", date="2150-01-31"))) == ["date"]
