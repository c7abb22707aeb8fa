"""Retention periods in the console: shorter ones are confirmed, and the page shows what is due."""

import pytest

from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.support.company import Company

PERIODS = {"years_after_leaving": "3", "tax_years": "7", "certificate_years": "4"}
LONG_AGO = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2018-12-31"}


def retention_path(company: Company) -> str:
    """The path of the page."""
    return f"/companies/{company.id}/settings/retention"


def saved(company: Company) -> dict[str, object]:
    """The settings as the API returns them."""
    settings: dict[str, object] = company.member.get(f"/clients/{company.id}/retention").json()["retention"]
    return settings


@pytest.fixture
def leaver_id(company: Company) -> int:
    """Someone who left in 2018 and was never paid here."""
    employee_id = company.hire(wave_id=company.wave(**LONG_AGO), appointment_date="2018-12-01")
    company.leave(employee_id, "2018-12-31")
    return employee_id


def test_an_owner_keeps_records_longer_without_a_question(owner: ConsoleUser, company: Company) -> None:
    page = retention_path(company)
    assert page in owner.get(f"/companies/{company.id}/settings").text
    assert owner.post(page, {**PERIODS, "confirmed": ""}).headers["location"] == page
    assert {name: saved(company)[name] for name in PERIODS} == {name: int(years) for name, years in PERIODS.items()}
    assert "It has not run yet" in page_text(owner.get(page))


def test_a_shorter_period_is_confirmed_first(owner: ConsoleUser, company: Company) -> None:
    page = retention_path(company)
    owner.post(page, PERIODS)
    shorter = {**PERIODS, "tax_years": "6"}
    question = owner.post(page, {**shorter, "confirmed": ""})
    assert "Keep records for a shorter time?" in page_text(question)
    assert saved(company)["tax_years"] == 7
    assert owner.post(page, shorter).status_code == 303
    assert saved(company)["tax_years"] == 6


def test_turning_it_on_says_what_is_erased_tonight(owner: ConsoleUser, company: Company, leaver_id: int) -> None:
    page = retention_path(company)
    assert "Former employees 1 31 Dec 2018" in page_text(owner.get(page))
    turned_on = {"years_after_leaving": "1", "tax_years": "5", "certificate_years": "2", "enabled": "true"}
    question = owner.post(page, {**turned_on, "confirmed": ""})
    assert "1 former employee will be erased tonight" in page_text(question)
    assert saved(company)["enabled"] is False
    assert owner.post(page, turned_on).status_code == 303
    assert saved(company)["enabled"] is True
    assert "These are erased tonight" in page_text(owner.get(page))
    company.member.patch(f"/clients/{company.id}/retention", {"enabled": False})


def test_a_period_below_the_statutory_one_is_rejected(owner: ConsoleUser, company: Company) -> None:
    answer = owner.post(retention_path(company), {**PERIODS, "tax_years": "4"})
    assert answer.status_code == 422
    assert 'value="4"' in answer.text
    assert saved(company)["tax_years"] == 5


def test_others_see_the_periods_and_cannot_change_them(company: Company) -> None:
    page = retention_path(company)
    officer = signed_in_user(company.member.colleague(company.id, "payroll"))
    assert "Only an owner can change this" in page_text(officer.get(page))
    assert officer.post(page, PERIODS, page="/password").status_code == 403
    assert saved(company)["tax_years"] == 5
