"""PATCH and DELETE /waves/:id: what can change, and what cannot while the wave has employees."""

from typing import Any

import pytest

from tests.support.company import MONTHLY, TWICE_A_MONTH, WEEKLY, Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member

RELATIVE = {"enabled": True, "type": "relative", "days_offset": 3, "when": "after"}


@pytest.fixture
def featured(company: Company) -> Company:
    """The company with both features of waves enabled."""
    features(company, True)
    return company


def features(company: Company, on: bool) -> None:
    answer = company.member.patch(f"/clients/{company.id}", {"features": {"custom_wave_names": on, "pay_dates": on}})
    assert answer.status_code == 200


def wave(company: Company, wave_id: int) -> dict[str, Any]:
    element: dict[str, Any] = company.member.get(f"/waves/{wave_id}").json()["wave"]
    return element


def test_it_works(company: Company) -> None:
    where = f"/waves/{company.wave_id}"
    assert company.member.patch(where, {"last_day_of_month": 20, "first_end_date": "2024-01-20"}).json() == {
        "message": "The wave has been updated",
        "id": company.wave_id,
    }
    assert wave(company, company.wave_id)["name"] == "Monthly, ending on day 20"
    assert company.member.delete(where).json() == {"message": "The wave has been deleted"}
    assert_problem(company.member.get(where), 404)


def test_only_what_is_supplied_changes(featured: Company) -> None:
    wave_id = featured.wave(**TWICE_A_MONTH, custom_name="Crew", pay_dates=RELATIVE)
    before = wave(featured, wave_id)
    featured.member.patch(f"/waves/{wave_id}", {"pay_dates": {"days_offset": 5}})
    after = wave(featured, wave_id)
    assert after.pop("pay_dates") == {**RELATIVE, "days_offset": 5}
    assert after.pop("updated_at") > before.pop("updated_at")
    del before["pay_dates"]
    assert after == before


def test_null_clears_what_is_optional(featured: Company) -> None:
    wave_id = featured.wave(**WEEKLY, custom_name="Crew", pay_dates=RELATIVE)
    featured.member.patch(f"/waves/{wave_id}", {"custom_name": None, "pay_dates": None})
    assert (wave(featured, wave_id)["custom_name"], wave(featured, wave_id)["pay_dates"]) == (None, {"enabled": False})


def test_the_rules_hold_for_the_merged_record(featured: Company) -> None:
    wave_id = featured.wave(**WEEKLY, pay_dates=RELATIVE)
    where = f"/waves/{wave_id}"
    assert field_errors(featured.member.patch(where, {"frequency": "monthly"})) == {
        "last_day_of_month": "is required when frequency is monthly"
    }
    assert field_errors(featured.member.patch(where, {"pay_dates": {"type": "fixed", "day": 5, "when": "next"}})) == {
        "pay_dates.type": "must be relative when frequency is weekly"
    }
    assert field_errors(featured.member.patch(where, {"frequency": None})) == {"frequency": "is required"}


def test_another_type_of_pay_dates_drops_what_no_longer_applies(featured: Company) -> None:
    wave_id = featured.wave(**MONTHLY, pay_dates=RELATIVE)
    featured.member.patch(f"/waves/{wave_id}", {"pay_dates": {"type": "fixed", "day": 5, "when": "next"}})
    assert wave(featured, wave_id)["pay_dates"] == {"enabled": True, "type": "fixed", "day": 5, "when": "next"}


def test_existing_values_may_stay_when_the_feature_is_switched_off(featured: Company) -> None:
    wave_id = featured.wave(**WEEKLY, custom_name="Crew", pay_dates=RELATIVE)
    other = featured.wave(**WEEKLY)
    features(featured, False)
    assert featured.member.patch(f"/waves/{wave_id}", {"first_end_date": "2024-01-06"}).status_code == 200
    assert wave(featured, wave_id)["custom_name"] == "Crew"
    assert set(field_errors(featured.member.patch(f"/waves/{other}", {"custom_name": "x", "pay_dates": RELATIVE}))) == {
        "custom_name",
        "pay_dates",
    }


@pytest.mark.parametrize(
    "change",
    [
        {"last_day_of_month": 20, "first_end_date": "2024-01-20"},
        {"first_end_date": "2024-02-29"},
        {"frequency": "weekly"},
        {"interim_day_of_month": 4},
    ],
)
def test_the_periods_of_a_wave_that_has_employees_cannot_change(company: Company, change: dict[str, Any]) -> None:
    company.hire()
    before = company.member.service.fingerprint()
    message = assert_problem(company.member.patch(f"/waves/{company.wave_id}", change), 409)["message"]
    assert message == (
        f"Wave {company.wave_id} has employees, so its schedule cannot change; create another wave instead"
    )
    assert company.member.service.fingerprint() == before


def test_the_name_and_pay_dates_of_a_wave_that_has_employees_can(featured: Company) -> None:
    featured.hire()
    change = {"custom_name": "Crew", "pay_dates": RELATIVE, "last_day_of_month": 31}
    assert featured.member.patch(f"/waves/{featured.wave_id}", change).status_code == 200
    assert wave(featured, featured.wave_id)["custom_name"] == "Crew"


def test_a_wave_in_use_cannot_be_deleted(company: Company) -> None:
    employee_id = company.hire()
    before = company.member.service.fingerprint()
    message = assert_problem(company.member.delete(f"/waves/{company.wave_id}"), 409)["message"]
    assert message == f"Wave {company.wave_id} is in use by employees and cannot be deleted"
    assert company.member.service.fingerprint() == before
    assert company.member.delete(f"/employees/{employee_id}").status_code == 200
    assert company.member.delete(f"/waves/{company.wave_id}").status_code == 200


def test_a_wave_that_someone_was_paid_by_earlier_is_in_use(company: Company) -> None:
    employee_id = company.hire()
    assert company.patch(employee_id, wave_id=company.wave(**WEEKLY)).status_code == 200
    assert_problem(company.member.delete(f"/waves/{company.wave_id}"), 409)


def test_a_wave_that_was_read_can_be_sent_back_as_it_was(company: Company) -> None:
    wave_id = company.wave(**MONTHLY)
    where = f"/waves/{wave_id}"
    read = company.member.get(where).json()["wave"]
    assert company.member.patch(where, read).status_code == 200
    again = company.member.get(where).json()["wave"]
    assert {**again, "updated_at": None} == {**read, "updated_at": None}


def test_pay_dates_that_are_off_need_nothing_else(account: Member) -> None:
    company = Company.of(account, features={"pay_dates": True})
    wave_id = company.wave(**MONTHLY, pay_dates={"enabled": False, "type": "fixed"})
    assert account.get(f"/waves/{wave_id}").json()["wave"]["pay_dates"] == {"enabled": False}
