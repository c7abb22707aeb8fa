"""Employees of a profile."""

from typing import Any

import pytest

from tests.console.console_user import ConsoleUser, page_forms, page_text
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company
from tests.support.running import created

DRIVERS = {
    "name": "Drivers",
    "calculations": {"transport_allowance": {"amount": "150.00"}, "meal_allowance": {"amount": "80.00"}},
}


@pytest.fixture
def profile_id(company: Company) -> int:
    """A profile with two calculations."""
    return created(company.member.post(f"/clients/{company.id}/profiles", DRIVERS))


@pytest.fixture
def mappings(company: Company, profile_id: int) -> str:
    """Where those who have it are."""
    return f"/companies/{company.id}/settings/profiles/{profile_id}/mappings"


def list_mappings(company: Company, employee_id: int) -> list[dict[str, Any]]:
    """The profiles of an employee as the API shows them."""
    result = company.member.get(f"/employees/{employee_id}/profile_mappings").json()
    return [element["profile_mapping"] for element in result]


def add_mapping(company: Company, employee_id: int, profile_id: int) -> int:
    """That an employee has a profile."""
    return created(company.member.post(f"/employees/{employee_id}/profile_mappings", {"profile_id": profile_id}))


def test_an_employee_is_added_to_a_profile_changed_and_removed(
    owner: ConsoleUser, company: Company, profile_id: int, mappings: str
) -> None:
    employee_id = hired(company, first_name="Aisha")
    hired(company, first_name="Wei Jie")
    assert owner.post(mappings, {"employee": "aisha"}).status_code == 303
    [item] = list_mappings(company, employee_id)
    assert item["calculations"] == {"transport_allowance": True, "meal_allowance": True}
    assert "Aisha Tan" in page_text(owner.get(mappings))
    page = f"{mappings}/{item['id']}"
    assert owner.post(f"{page}/edit", {"calculations.meal_allowance": "true"}).status_code == 303
    [item] = list_mappings(company, employee_id)
    assert item["calculations"] == {"transport_allowance": False, "meal_allowance": True}
    assert "Transport allowance Pay items" in page_text(owner.get(mappings))
    assert "1 employee" in page_text(owner.get(mappings.replace("mappings", "edit")))
    text = owner.get(f"/employees/{employee_id}?tab=pay")
    assert f'href="{page}/edit">Drivers</a>' in text.text
    assert owner.post(f"{page}/delete", page=f"{page}/edit").status_code == 303
    assert list_mappings(company, employee_id) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "Is required"), ("nobody", "Matches no employee"), ("tan", "Matches 2 employees")],
)
def test_an_ambiguous_employee_is_rejected(
    owner: ConsoleUser, company: Company, mappings: str, text: str, message: str
) -> None:
    people = [hired(company), hired(company)]
    answer = owner.post(mappings, {"employee": text})
    assert answer.status_code == 422
    assert message in page_text(answer)
    assert [list_mappings(company, user) for user in people] == [[], []]


def test_an_exact_employee_number_wins_over_partial_matches(
    owner: ConsoleUser, company: Company, mappings: str
) -> None:
    people = [company.hire(first_name=f"Z{index}", number=number) for index, number in enumerate(("71", "17", "7"))]
    assert owner.post(mappings, {"employee": "7"}).status_code == 303
    assert [len(list_mappings(company, user)) for user in people] == [0, 0, 1]


def test_an_employee_cannot_have_a_profile_twice(
    owner: ConsoleUser, company: Company, profile_id: int, mappings: str
) -> None:
    add_mapping(company, hired(company, first_name="Aisha"), profile_id)
    answer = owner.post(mappings, {"employee": "aisha"})
    assert answer.status_code == 422
    assert "Already has this profile" in page_text(answer)


def test_mappings_of_other_profiles_and_companies_are_not_found(
    owner: ConsoleUser, company: Company, profile_id: int, mappings: str
) -> None:
    other = created(company.member.post(f"/clients/{company.id}/profiles", {"name": "Cooks"}))
    mapping_id = add_mapping(company, hired(company), other)
    for path in ("edit", "delete"):
        assert owner.post(f"{mappings}/{mapping_id}/{path}", page="/password").status_code == 404
    assert owner.get(f"{mappings}/{mapping_id}/edit").status_code == 404
    elsewhere = Company.of(company.member)
    moved = mappings.replace(f"/companies/{company.id}/", f"/companies/{elsewhere.id}/")
    assert owner.get(moved).status_code == 404
    assert owner.post(moved, {"employee": "tan"}, page="/password").status_code == 404
    assert len(company.member.get(f"/clients/{company.id}/profiles").json()) == 2


def test_viewers_cannot_change_profile_mappings(
    viewer: ConsoleUser, company: Company, profile_id: int, mappings: str
) -> None:
    employee_id = hired(company)
    mapping_id = add_mapping(company, employee_id, profile_id)
    page = viewer.get(mappings)
    assert "Mei Ling Tan" in page_text(page)
    assert [form for form in page_forms(page) if form[0] == "post"] == []
    for path in ("", f"/{mapping_id}/edit", f"/{mapping_id}/delete"):
        assert viewer.post(mappings + path, {"employee": "tan"}, page="/password").status_code == 403
    assert len(list_mappings(company, employee_id)) == 1
