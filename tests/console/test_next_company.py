"""When a company is finished, pages lead to the next one that needs attention."""

import pytest

from tests.console.company_steps_pages import CPF_EMPLOYER, two_companies
from tests.console.console_user import page_text, signed_in_user
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, opened, paid, until_ready
from tests.payroll.payslips.slips import enter
from tests.support.company import Company
from tests.support.running import Service


@pytest.fixture
def companies(service: Service) -> tuple[Company, Company]:
    """Two companies of one account, each with an employee who was not paid yet."""
    return two_companies(service)


def test_the_next_company_is_shown_once_nothing_is_left_to_do(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    user = signed_in_user(bakery.member)
    clinic.member.patch(f"/clients/{clinic.id}", CPF_EMPLOYER)
    [employee] = clinic.listed()
    clinic.leave(employee["id"], JANUARY)
    bakery_run, run_id = f"/payment_runs/{opened(bakery)}", opened(clinic)
    run = f"/payment_runs/{run_id}"
    for step, page in (("calculate", run), ("finalise", f"{run}/finalise"), ("unfinalise", f"{run}/unfinalise")):
        until_ready(clinic, run_id)
        assert user.post(f"{run}/{step}", page=page).status_code == 303
        assert "Next:" not in page_text(user.get(run))
    until_ready(clinic, run_id)
    done(clinic, run_id, "finalise")
    done(clinic, run_id, "mark_paid")
    assert user.post(f"{run}/release", page=f"{run}/release").status_code == 303
    assert "Next:" not in page_text(user.get(run))
    filings = f"/companies/{clinic.id}/filings?month="
    assert "Next:" not in page_text(user.get(f"/companies/{bakery.id}/filings"))  # its pay run is not finalised
    assert "Next:" not in page_text(user.get(f"{filings}soon"))
    assert "Next:" not in page_text(user.get(f"{filings}2026-01"))
    assert user.get(f"{filings}2026-01&download=cpf").status_code == 200
    assert "Next: Tampines Bakery – pay run due on 31 Jan 2026" in page_text(user.get(f"{filings}2026-01"))
    # After the last company comes the first one.
    assert user.post(f"{run}/posted", page=f"{run}/accounting").status_code == 303
    finished_page = user.get(run)
    assert "All done" in page_text(finished_page)
    assert "Next: Tampines Bakery – pay run due on 31 Jan 2026" in page_text(finished_page)
    assert f'Next: <a href="{bakery_run}">' in finished_page.text
    assert "Next:" not in page_text(user.get(run))
    assert user.post(f"{bakery_run}/delete", page=f"{bakery_run}/delete").status_code == 303
    assert "Next:" not in page_text(user.get(f"/companies/{bakery.id}/payment_runs"))


def test_what_is_late_in_the_company_itself_comes_first(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    user, home = signed_in_user(bakery.member), f"/companies/{bakery.id}"
    bakery.member.patch(home.replace("companies", "clients"), CPF_EMPLOYER)
    run_ids = [paid(bakery, end) for end in (JANUARY, FEBRUARY)]
    filing = f"{home}/filings?month=2026-01"
    assert user.get(f"{filing}&download=cpf").status_code == 200
    page = user.get(filing)
    assert "Next in this company: pay run due on 31 Mar 2026" in page_text(page)
    assert f'Next in this company: <a href="{home}/payment_runs">' in page.text
    [employee] = bakery.listed()
    bakery.leave(employee["id"], FEBRUARY)
    assert user.get(f"{home}/filings?month=2026-02&download=cpf").status_code == 200
    for run_id in run_ids:
        done(bakery, run_id, "mark_paid")
    done(bakery, run_ids[0], "release")
    assert "Next in this company: payslips of 28 Feb 2026 are not released" in page_text(user.get(filing))
    done(bakery, run_ids[1], "release")
    posted = {"posted_to_accounting_system": True}
    assert bakery.member.patch(f"/payment_runs/{run_ids[0]}", posted).status_code == 200
    assert "Next in this company: journal of 28 Feb 2026 is not posted" in page_text(user.get(filing))
    assert bakery.member.patch(f"/payment_runs/{run_ids[1]}", posted).status_code == 200
    assert "Next: Yishun Clinic – pay run due on" in page_text(user.get(filing))
    # What may wait for weeks does not keep users in the company.
    assert bakery.member.patch(f"/clients/{bakery.id}", {"uen": "202699999A"}).status_code == 200
    assert "Check the" in page_text(user.get("/companies"))
    assert "Next: Yishun Clinic – pay run due on" in page_text(user.get(filing))


def test_the_dashboard_leads_to_the_next_company_after_the_first_steps(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    user = signed_in_user(bakery.member)
    new = Company.of(bakery.member, name="Bedok Tailors")
    text = page_text(user.get(f"/companies/{new.id}"))
    assert "Get started" in text
    assert "Next:" not in text
    new.member.patch(f"/clients/{new.id}", CPF_EMPLOYER)
    leaver = hired(new)
    new.leave(leaver, JANUARY)
    run_id = paid(new)
    for step in ("mark_paid", "release"):
        done(new, run_id, step)
    assert "Next:" not in page_text(user.get(f"/companies/{new.id}"))
    assert user.get(f"/companies/{new.id}/filings?month=2026-01&download=cpf").status_code == 200
    assert "Next: Tampines Bakery" in page_text(user.get(f"/companies/{new.id}"))


def test_a_refund_of_cpf_does_not_keep_users_in_the_company(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    user, filing = signed_in_user(bakery.member), f"/companies/{bakery.id}/filings?month="
    bakery.member.patch(f"/clients/{bakery.id}", CPF_EMPLOYER)
    [employee] = bakery.listed()
    january = paid(bakery)
    assert user.get(f"{filing}2026-01&download=cpf").status_code == 200
    done(bakery, january, "unfinalise")
    enter(bakery, f"employees/{employee['id']}", "basic_salary", fixed_amount="3900.00")
    done(bakery, january, "finalise")
    bakery.leave(employee["id"], FEBRUARY)
    february = paid(bakery, FEBRUARY)
    assert user.get(f"{filing}2026-02&download=cpf").status_code == 200
    for run_id in (january, february):
        done(bakery, run_id, "mark_paid")
        done(bakery, run_id, "release")
        posted = {"posted_to_accounting_system": True}
        assert bakery.member.patch(f"/payment_runs/{run_id}", posted).status_code == 200
    assert "CPF Jan 2026, refund" in page_text(user.get("/companies"))
    assert "Next: Yishun Clinic – pay run due on" in page_text(user.get(f"{filing}2026-02"))
