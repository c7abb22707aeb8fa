"""Profiles."""

from typing import Any

import pytest

from tests.console.console_user import ConsoleUser, page_text
from tests.console.test_step_up import form_values
from tests.support.company import Company
from tests.support.running import created


@pytest.fixture
def profiles(company: Company) -> str:
    """Where the profiles of the company are."""
    return f"/companies/{company.id}/settings/profiles"


def listed(company: Company) -> list[dict[str, Any]]:
    """The profiles as the API shows them."""
    return [mapping["profile"] for mapping in company.member.get(f"/clients/{company.id}/profiles").json()]


def drivers(company: Company) -> int:
    """A profile with an allowance."""
    body = {"name": "Drivers", "calculations": {"transport_allowance": {"amount": "150.00", "prorate": True}}}
    return created(company.member.post(f"/clients/{company.id}/profiles", body))


def test_a_profile_is_created_with_pay_items(owner: ConsoleUser, company: Company, profiles: str) -> None:
    assert owner.post(f"{profiles}/new", {"name": "Drivers"}).status_code == 303
    [element] = listed(company)
    page = f"{profiles}/{element['id']}/edit"
    assert "Transport allowance" in page_text(owner.get(page))
    entry = owner.get(f"{page}?enter=transport_allowance")
    assert 'name="calculation_details.amount"' in entry.text
    data = {"name": "Drivers", "calc_type": "transport_allowance", "calculation_details.amount": "150"}
    assert owner.post(page, data).status_code == 303
    assert listed(company)[0]["calculations"] == {"transport_allowance": {"amount": "150.00"}}
    assert f"Drivers {element['id']} Transport allowance (amount 150.00)" in page_text(owner.get(profiles))


def test_a_profile_stores_only_what_was_entered(owner: ConsoleUser, company: Company, profiles: str) -> None:
    page = f"{profiles}/{drivers(company)}/edit"
    form = form_values(owner.get(f"{page}?enter=basic_salary"))
    entered = {"calc_type": "basic_salary", "calculation_details.fixed_amount": "3000"}
    assert owner.post(page, {**form, **entered}).status_code == 303
    assert listed(company)[0]["calculations"]["basic_salary"] == {"fixed_amount": "3000.00"}


def test_a_profile_has_a_week_of_working_hours(owner: ConsoleUser, company: Company, profiles: str) -> None:
    page = f"{profiles}/{drivers(company)}/edit"
    form = owner.get(f"{page}?enter=week_hours").text
    assert form.count("Working day</option>") == 7
    days = {f"calculation_details.works_{day}": "true" for day in ("mon", "tue", "wed", "thu", "fri")}
    week = {**days, "calculation_details.works_sun": "false", "calculation_details.full_day_hours_input": "8"}
    fixed = {**week, "calculation_details.schedule": "fixed", "name": "Drivers", "calc_type": "week_hours"}
    saturday = {"calculation_details.works_sat": "true", "calculation_details.partial_hours_sat": "4"}
    assert owner.post(page, {**fixed, **saturday}).status_code == 303
    entered = {"works_sat": "true", "day_type_sat": "partial", "partial_hours_sat": "4"}
    assert listed(company)[0]["calculations"]["week_hours"] == entered
    wrong = {"calculation_details.works_sat": "false", "calculation_details.partial_hours_sat": "5"}
    answer = owner.post(page, {**fixed, **wrong})
    assert answer.status_code == 422
    assert 'id="calculation_details-partial_hours_sat-error"' in answer.text


def test_clearing_an_input_removes_it_and_keeps_other_pay_items(
    owner: ConsoleUser, company: Company, profiles: str
) -> None:
    profile_id = drivers(company)
    page = f"{profiles}/{profile_id}/edit"
    data = {"name": "Drivers", "calc_type": "transport_allowance", "calculation_details.amount": "200"}
    assert owner.post(page, data).status_code == 303
    assert listed(company)[0]["calculations"] == {"transport_allowance": {"amount": "200.00"}}
    meal = {"name": "Drivers", "calc_type": "meal_allowance", "calculation_details.amount": "80"}
    assert owner.post(page, meal).status_code == 303
    assert set(listed(company)[0]["calculations"]) == {"transport_allowance", "meal_allowance"}
    gone = owner.post(f"{profiles}/{profile_id}/calculations/meal_allowance/delete", page=page)
    assert gone.status_code == 303
    assert set(listed(company)[0]["calculations"]) == {"transport_allowance"}


def test_all_errors_are_listed_and_input_is_kept(owner: ConsoleUser, company: Company, profiles: str) -> None:
    profile_id = drivers(company)
    created(company.member.post(f"/clients/{company.id}/profiles", {"name": "Shop"}))
    data = {"name": "shop", "calc_type": "transport_allowance", "calculation_details.amount": "much"}
    answer = owner.post(f"{profiles}/{profile_id}/edit", data)
    assert answer.status_code == 422
    assert 'id="name-error"' in answer.text
    assert 'id="calculation_details-amount-error"' in answer.text
    assert 'value="much"' in answer.text
    assert listed(company)[0]["name"] == "Drivers"


def test_a_profile_with_employees_cannot_be_deleted(owner: ConsoleUser, company: Company, profiles: str) -> None:
    profile_id = drivers(company)
    employee_id = company.hire()
    created(company.member.post(f"/employees/{employee_id}/profile_mappings", {"profile_id": profile_id}))
    page = f"{profiles}/{profile_id}"
    refused = owner.post(f"{page}/delete", page=f"{page}/edit")
    assert refused.status_code == 409
    assert "remove it from them first" in page_text(refused)


def test_an_unknown_pay_item_is_not_found(owner: ConsoleUser, company: Company, profiles: str) -> None:
    page = f"{profiles}/{drivers(company)}/edit"
    assert owner.get(f"{page}?enter=nonsense").status_code == 404
    assert owner.post(page, {"name": "Drivers", "calc_type": "nonsense"}).status_code == 404


def test_viewers_cannot_change_profiles(viewer: ConsoleUser, company: Company, profiles: str) -> None:
    page = f"{profiles}/{drivers(company)}"
    assert viewer.get(profiles).status_code == 200
    assert viewer.get(f"{page}/edit").status_code == 403
    for path in ("edit", "delete", "calculations/transport_allowance/delete"):
        assert viewer.post(f"{page}/{path}", {"name": "Changed"}, page="/password").status_code == 403
    assert listed(company)[0]["name"] == "Drivers"
