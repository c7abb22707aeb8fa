"""variance: changes from one period to the next."""

from typing import Any

from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, hired, opened, paid
from tests.payroll.payslips.slips import draft, enter
from tests.reports.report_client import report_rows, run_report, run_report_by_query
from tests.reports.sample_payroll import JANUARY_OFFSET, SamplePayroll
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors

FEBRUARY_OFFSET = JANUARY_OFFSET + 1


def load_changes(company: Company) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the amounts before and after that differ, by employee and item."""
    changes: dict[str, dict[str, tuple[float, float]]] = {}
    for row in report_rows(company, "variance", wave_id=company.wave_id, period_offset=FEBRUARY_OFFSET):
        assert round(row["Selected"] - row["Previous"], 2) == row["Variance"]
        if row["Variance"]:
            item = row["Transaction"]["name"]
            changes.setdefault(row["employee"], {})[item] = (row["Previous"], row["Selected"])
    return changes


def test_joiners_leavers_raises_and_bonuses_are_the_only_changes(company: Company) -> None:
    steady, leaver, raised, lucky = (hired(company, salary) for salary in ("5000.00", "3000.00", "4000.00", "6000.00"))
    company.leave(leaver, "2026-01-31")
    paid(company, JANUARY)
    joiner = hired(company, "3500.00", appointment_date="2026-02-01")
    enter(company, f"employees/{raised}", "basic_salary", fixed_amount="4400.00")
    enter(company, f"payslips/{draft(company, lucky)}", "annual_bonus", amount="1000.00")
    paid(company, FEBRUARY)

    def number(employee_id: int) -> str:
        return str(company.employee(employee_id)["number"])

    changes = load_changes(company)
    assert set(changes) == {number(employee_id) for employee_id in (joiner, leaver, raised, lucky)}
    assert number(steady) not in changes
    joined, left = changes[number(joiner)], changes[number(leaver)]
    assert joined["basic_salary"] == (0, 3500)
    assert joined["nett_pay"] == (0, 3500 - 700 - 1)
    assert all(before == 0 for before, _ in joined.values())
    assert left["basic_salary"] == (3000, 0)
    assert all(after == 0 for _, after in left.values())
    assert changes[number(raised)]["basic_salary"] == (4000, 4400)
    assert changes[number(raised)]["cpf_employee"] == (800, 880)
    assert changes[number(lucky)]["annual_bonus"] == (0, 1000)
    assert "basic_salary" not in changes[number(lucky)]
    assert set(changes[number(lucky)]) == {
        *("annual_bonus", "cpf_employee", "cpf_employer", "total_income", "total_deduction", "nett_pay")
    }


def test_types_of_items(payroll: SamplePayroll) -> None:
    fields: dict[str, Any] = {"wave_id": payroll.company.wave_id, "period_offset": JANUARY_OFFSET + 2}
    types = {row["Transaction"]["name"]: row["Type"] for row in report_rows(payroll.company, "variance", **fields)}
    assert types["basic_salary"] == "Income"
    assert types["loan"] == "Deduction"
    assert types["unpaid_leave"] == "Taxable income deduction"
    assert types["cpf_employer"] == "Employer contribution"
    assert types["benefit_in_kind"] == "Benefit"
    assert types["total_income"] == types["total_deduction"] == "Total"
    assert types["nett_pay"] == "Summary"


def test_a_custom_item_is_described_with_its_number(payroll: SamplePayroll) -> None:
    fields = {"wave_id": payroll.company.wave_id, "period_offset": FEBRUARY_OFFSET}
    number = payroll.items["Night shift"]
    described = [row["Transaction"] for row in report_rows(payroll.company, "variance", **fields)]
    assert {"name": str(number), "caption": "Night shift", "calculation_def_id": number} in described
    assert {"name": "basic_salary", "caption": "Basic salary"} in described


def test_drafts_are_compared_before_they_are_finalised(company: Company) -> None:
    employee_id = hired(company)
    paid(company, JANUARY)
    enter(company, f"payslips/{draft(company, employee_id)}", "bonus", amount="700.00")
    [change] = load_changes(company).values()
    assert change["bonus"] == (0, 700)
    opened(company, FEBRUARY)
    assert load_changes(company) == {str(company.employee(employee_id)["number"]): change}


def test_special_payslips_are_left_out(company: Company) -> None:
    employee_id = hired(company)
    paid(company, JANUARY)
    paid(company, FEBRUARY)
    before = report_rows(company, "variance", wave_id=company.wave_id, period_offset=FEBRUARY_OFFSET)
    run_id = opened(company, FEBRUARY, special=True, employee_ids=[employee_id])
    slip = company.member.get(f"/payment_runs/{run_id}/payslips").json()[0]["payslip"]["id"]
    enter(company, f"payslips/{slip}", "bonus", amount="700.00")
    assert company.member.post(f"/payment_runs/{run_id}/finalise").status_code == 200
    assert report_rows(company, "variance", wave_id=company.wave_id, period_offset=FEBRUARY_OFFSET) == before


def test_dirty_payslips_are_a_conflict(company: Company) -> None:
    employee_id = hired(company)
    paid(company, JANUARY)
    slip = draft(company, employee_id)
    company.member.service.as_owner("UPDATE payslips SET dirty = true WHERE id = $1", slip)
    answer = run_report(company, "variance", wave_id=company.wave_id, period_offset=FEBRUARY_OFFSET)
    assert "1 payslip of these periods is waiting to be calculated" in assert_problem(answer, 409)["message"]
    assert answer.headers["retry-after"] == "2"


def test_periods_out_of_range_are_errors(payroll: SamplePayroll) -> None:
    for offset in (191, -5, 10**6, 10**12):
        answer = run_report(payroll.company, "variance", wave_id=payroll.company.wave_id, period_offset=offset)
        assert list(field_errors(answer)) == ["period_offset"]
        query = run_report_by_query(payroll.company, "variance", wave_id=payroll.company.wave_id, period_offset=offset)
        assert field_errors(query) == field_errors(answer)


def test_the_first_period_has_no_previous_amounts(payroll: SamplePayroll) -> None:
    rows = report_rows(payroll.company, "variance", wave_id=payroll.company.wave_id, period_offset=JANUARY_OFFSET)
    assert rows
    assert all(row["Previous"] == 0 and row["Variance"] == row["Selected"] for row in rows)
