"""The foreign worker levy of leavers ends with the work pass: on the employee's page and in pay runs."""

import pytest

from tests.console.company_steps_pages import reviewed
from tests.console.console_user import ConsoleUser, page_text
from tests.payroll.payment_runs.runs import hired, opened
from tests.payroll.payslips.slips import enter, slips
from tests.support.company import Company

WORKER = {
    "legal_status": "FOREIGNER_WP",
    "nric": None,
    "fin": "G1612350T",
    "nationality": "IN",
    "race": "OTHER",
    "first_name": "Priya",
    "last_name": "Ismail",
}
LAST_DAY = "2026-01-16"
ENDS_WITH_PASS = "The foreign worker levy ends with the work pass, not with the last day of service."
BLANK = "“Pass valid to” is blank, so the whole month is charged."
CHARGED = "The foreign worker levy of 1 employee who leaves is charged beyond the last day of service"


@pytest.fixture
def worker_id(company: Company) -> int:
    """A holder of a work permit, with the levy."""
    employee_id = hired(company, "2300.00", **WORKER)
    enter(company, f"employees/{employee_id}", "foreign_worker_levy", sector="services", tier="1", skill="R2")
    return employee_id


def levy(company: Company, employee_id: int) -> str:
    """The levy of the first payslip."""
    [payslip] = slips(company, employee_id)
    sideline = dict(company.member.get(f"/payslips/{payslip['id']}").json()["payslip"]["sideline"])
    return str(dict(sideline["employer_contribution"])["foreign_worker_levy"])


def set_pass_to(company: Company, employee_id: int, day: str | None) -> None:
    assert company.member.patch(f"/employees/{employee_id}", {"pass_to": day}).status_code == 200


def test_the_form_to_end_the_service_says_until_when_the_levy_is_charged(
    owner: ConsoleUser, company: Company, worker_id: int
) -> None:
    page = f"/employees/{worker_id}"
    text = page_text(owner.get(page))
    assert ENDS_WITH_PASS in text
    assert BLANK in text
    assert f'href="{page}/edit#pass_to"' in owner.get(page).text
    set_pass_to(company, worker_id, "2027-03-31")
    text = page_text(owner.get(page))
    assert "in which its period ends, up to “Pass valid to” (31 Mar 2027)." in text
    assert BLANK not in text
    assert ENDS_WITH_PASS not in page_text(owner.get(f"{page}?tab=pay"))
    assert ENDS_WITH_PASS not in page_text(owner.get(f"/employees/{hired(company)}"))


def test_the_page_of_a_leaver_says_that_the_levy_is_charged_after_the_last_day(
    owner: ConsoleUser, company: Company, worker_id: int
) -> None:
    company.leave(worker_id, LAST_DAY, notice_date="2026-01-02", ir21=False)
    tab = f"/employees/{worker_id}?tab=pay"
    assert BLANK in page_text(owner.get(tab))
    assert page_text(owner.get(f"/employees/{worker_id}")).count(ENDS_WITH_PASS) == 1
    set_pass_to(company, worker_id, "2026-01-20")
    assert "up to “Pass valid to” (20 Jan 2026)." in page_text(owner.get(tab))
    set_pass_to(company, worker_id, LAST_DAY)
    assert ENDS_WITH_PASS not in page_text(owner.get(tab))


def test_a_pay_run_names_leavers_whose_levy_is_charged_after_the_last_day(
    owner: ConsoleUser, company: Company, worker_id: int
) -> None:
    company.leave(worker_id, LAST_DAY, notice_date="2026-01-02", ir21=False)
    run_id = opened(company)
    pages = f"/payment_runs/{run_id}", f"/payment_runs/{run_id}/finalise"
    assert levy(company, worker_id) == "450.00"
    for page in pages:
        text = page_text(owner.get(page))
        assert f"{CHARGED}." in text, page
        assert "Priya Ismail : last day 16 Jan 2026, pass valid to not recorded, levy $450.00" in text, page
        assert f'href="/employees/{worker_id}/edit#pass_to"' in owner.get(page).text
    assert CHARGED in page_text(reviewed(owner, "finalise", company))
    set_pass_to(company, worker_id, LAST_DAY)
    assert levy(company, worker_id) == "236.80"
    for page in pages:
        assert CHARGED not in page_text(owner.get(page)), page


def test_a_pay_run_does_not_name_leavers_whose_levy_was_entered(
    owner: ConsoleUser, company: Company, worker_id: int
) -> None:
    company.leave(worker_id, LAST_DAY, notice_date="2026-01-02", ir21=False)
    [draft] = slips(company, worker_id)
    enter(company, f"payslips/{draft['id']}", "foreign_worker_levy", amount="236.80")
    assert CHARGED not in page_text(owner.get(f"/payment_runs/{opened(company)}"))
