"""variance: what changed from one period to the next."""

from typing import Any

from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, hired, opened, paid
from tests.payroll.payslips.slips import draft, enter
from tests.reports.asking import ask, queried, rows
from tests.reports.payroll import JANUARY_OFFSET, Payroll
from tests.support.company import Company
from tests.support.problems import faults, refused

FEBRUARY_OFFSET = JANUARY_OFFSET + 1


def changed(company: Company) -> dict[str, dict[str, tuple[float, float]]]:
    """By employee and item the amounts before and after, where they differ."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for row in rows(company, "variance", wave_id=company.wave_id, period_offset=FEBRUARY_OFFSET):
        assert round(row["Selected"] - row["Previous"], 2) == row["Variance"]
        if row["Variance"]:
            item = row["Transaction"]["name"]
            found.setdefault(row["employee"], {})[item] = (row["Previous"], row["Selected"])
    return found


def test_a_joiner_a_leaver_a_raise_and_a_bonus_are_four_stories_and_nothing_else_is(company: Company) -> None:
    steady, leaver, raised, lucky = (hired(company, salary) for salary in ("5000.00", "3000.00", "4000.00", "6000.00"))
    company.leave(leaver, "2026-01-31")
    paid(company, JANUARY)
    joiner = hired(company, "3500.00", appointment_date="2026-02-01")
    enter(company, f"employees/{raised}", "basic_salary", fixed_amount="4400.00")
    enter(company, f"payslips/{draft(company, lucky)}", "annual_bonus", amount="1000.00")
    paid(company, FEBRUARY)

    def number(employee_id: int) -> str:
        return str(company.employee(employee_id)["number"])

    stories = changed(company)
    assert set(stories) == {number(one) for one in (joiner, leaver, raised, lucky)}
    assert number(steady) not in stories
    joined, left = stories[number(joiner)], stories[number(leaver)]
    assert joined["basic_salary"] == (0, 3500)
    assert joined["nett_pay"] == (0, 3500 - 700 - 1)
    assert all(before == 0 for before, _ in joined.values())
    assert left["basic_salary"] == (3000, 0)
    assert all(after == 0 for _, after in left.values())
    assert stories[number(raised)]["basic_salary"] == (4000, 4400)
    assert stories[number(raised)]["cpf_employee"] == (800, 880)
    assert stories[number(lucky)]["annual_bonus"] == (0, 1000)
    assert "basic_salary" not in stories[number(lucky)]
    assert set(stories[number(lucky)]) == {
        *("annual_bonus", "cpf_employee", "cpf_employer", "total_income", "total_deduction", "nett_pay")
    }


def test_types_say_what_an_item_is(payroll: Payroll) -> None:
    fields: dict[str, Any] = {"wave_id": payroll.company.wave_id, "period_offset": JANUARY_OFFSET + 2}
    types = {row["Transaction"]["name"]: row["Type"] for row in rows(payroll.company, "variance", **fields)}
    assert types["basic_salary"] == "Income"
    assert types["loan"] == "Deduction"
    assert types["unpaid_leave"] == "Taxable income deduction"
    assert types["cpf_employer"] == "Employer contribution"
    assert types["benefit_in_kind"] == "Benefit"
    assert types["total_income"] == types["total_deduction"] == "Total"
    assert types["nett_pay"] == "Summary"


def test_a_custom_item_is_described_with_its_number(payroll: Payroll) -> None:
    fields = {"wave_id": payroll.company.wave_id, "period_offset": FEBRUARY_OFFSET}
    number = payroll.items["Night shift"]
    described = [row["Transaction"] for row in rows(payroll.company, "variance", **fields)]
    assert {"name": str(number), "caption": "Night shift", "calculation_def_id": number} in described
    assert {"name": "basic_salary", "caption": "Basic salary"} in described


def test_drafts_are_compared_before_they_are_finalised(company: Company) -> None:
    someone = hired(company)
    paid(company, JANUARY)
    enter(company, f"payslips/{draft(company, someone)}", "bonus", amount="700.00")
    [story] = changed(company).values()
    assert story["bonus"] == (0, 700)
    opened(company, FEBRUARY)
    assert changed(company) == {str(company.employee(someone)["number"]): story}


def test_once_off_payslips_are_left_out(company: Company) -> None:
    someone = hired(company)
    paid(company, JANUARY)
    paid(company, FEBRUARY)
    before = rows(company, "variance", wave_id=company.wave_id, period_offset=FEBRUARY_OFFSET)
    run_id = opened(company, FEBRUARY, special=True, employee_ids=[someone])
    slip = company.member.get(f"/payment_runs/{run_id}/payslips").json()[0]["payslip"]["id"]
    enter(company, f"payslips/{slip}", "bonus", amount="700.00")
    assert company.member.post(f"/payment_runs/{run_id}/finalise").status_code == 200
    assert rows(company, "variance", wave_id=company.wave_id, period_offset=FEBRUARY_OFFSET) == before


def test_payslips_that_wait_for_calculation_are_not_reported_as_they_were(company: Company) -> None:
    someone = hired(company)
    paid(company, JANUARY)
    slip = draft(company, someone)
    company.member.service.as_owner("UPDATE payslips SET dirty = true WHERE id = $1", slip)
    answer = ask(company, "variance", wave_id=company.wave_id, period_offset=FEBRUARY_OFFSET)
    assert "1 payslip of these periods waits for calculation" in refused(answer, 409)["message"]
    assert answer.headers["retry-after"] == "2"


def test_a_period_before_the_first_of_the_wave_or_beyond_all_calendars_is_a_fault(payroll: Payroll) -> None:
    for offset in (191, -5, 10**6, 10**12):
        answer = ask(payroll.company, "variance", wave_id=payroll.company.wave_id, period_offset=offset)
        assert list(faults(answer)) == ["period_offset"]
        query = queried(payroll.company, "variance", wave_id=payroll.company.wave_id, period_offset=offset)
        assert faults(query) == faults(answer)


def test_the_first_period_has_nothing_before_it(payroll: Payroll) -> None:
    found = rows(payroll.company, "variance", wave_id=payroll.company.wave_id, period_offset=JANUARY_OFFSET)
    assert found
    assert all(row["Previous"] == 0 and row["Variance"] == row["Selected"] for row in found)
