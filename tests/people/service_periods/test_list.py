"""GET /employees/:employee_id/service_periods: the fields of a service period."""

import pytest

from tests.support.company import Company
from tests.support.problems import assert_problem

FIELDS = {
    "id",
    "employee_id",
    "start_date",
    "end_date",
    "negative",
    "created_at",
    "updated_at",
    "attribs",
    "termination_code",
    "notice_date",
    "ir21_filed_on",
}


def test_it_works(company: Company) -> None:
    employee_id = company.hire()
    [element] = company.member.get(f"/employees/{employee_id}/service_periods").json()
    assert list(element) == ["service_period"]
    period = element["service_period"]
    assert set(period) == FIELDS
    for name in ("created_at", "updated_at"):
        assert period.pop(name).endswith("+08:00")
    assert isinstance(period.pop("id"), int)
    assert period == {
        "employee_id": employee_id,
        "start_date": "2024-02-01",
        "end_date": None,
        "negative": False,
        "attribs": None,
        "termination_code": None,
        "notice_date": None,
        "ir21_filed_on": None,
    }


@pytest.mark.parametrize("ir21", [True, False])
def test_a_terminated_period_has_its_code_and_whether_an_ir21_is_required(company: Company, ir21: bool) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30", code=4, ir21=ir21)
    [element] = company.member.get(f"/employees/{employee_id}/service_periods").json()
    period = element["service_period"]
    assert (period["end_date"], period["termination_code"]) == ("2025-06-30", 4)
    assert period["attribs"] == {"ir21": ir21}
    assert period["negative"] is False


def test_all_periods_are_listed_in_ascending_id_order(company: Company) -> None:
    employee_id = company.hire()
    for last_day, again in (("2024-06-30", "2024-09-01"), ("2025-03-31", "2025-08-01")):
        company.leave(employee_id, last_day)
        company.act(employee_id, "reinstate", appointment_date=again)
    assert company.service_of(employee_id) == [
        ("2024-02-01", "2024-06-30"),
        ("2024-09-01", "2025-03-31"),
        ("2025-08-01", None),
    ]
    periods = company.member.get(f"/employees/{employee_id}/service_periods").json()
    ids = [element["service_period"]["id"] for element in periods]
    assert ids == sorted(ids)
    assert [element["service_period"]["attribs"] for element in periods] == [{"ir21": False}, {"ir21": False}, None]


def test_an_employee_who_does_not_exist_is_a_404(company: Company) -> None:
    assert_problem(company.member.get("/employees/999999999/service_periods"), 404)


def test_the_list_can_be_had_in_pages(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    company.act(employee_id, "reinstate", appointment_date="2025-08-01")
    answer = company.member.get(f"/employees/{employee_id}/service_periods?page=2&per_page=1")
    assert [element["service_period"]["start_date"] for element in answer.json()] == ["2025-08-01"]
    assert answer.headers["x-total-count"] == "2"
    assert 'rel="prev"' in answer.headers["link"]
