"""GET and POST /employees/:id/share_gains, PATCH and DELETE /share_gains/:id."""

from typing import Any

import pytest

from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Service, created

OPTION: dict[str, Any] = {
    "plan": "option",
    "company_name": "Merlion Holdings Ltd",
    "grant_date": "2024-03-01",
    "exercise_date": "2026-08-15",
    "market_value": "10",
    "price": "5",
    "shares": "100",
}
AWARD = {name: value for name, value in OPTION.items() if name != "exercise_date"} | {"plan": "award"}


@pytest.fixture(scope="module")
def company(service: Service) -> Company:
    """One company for all tests here."""
    return Company.of(service.new_account())


@pytest.fixture(scope="module")
def employee_id(company: Company) -> int:
    """An employee without records."""
    return company.hire()


def listed(company: Company, employee_id: int, query: str = "") -> list[dict[str, Any]]:
    answer = company.member.get(f"/employees/{employee_id}/share_gains{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-rules-version"]
    return [element["share_gain"] for element in answer.json()]


def post(company: Company, employee_id: int, body: dict[str, Any]) -> Any:
    return company.member.post(f"/employees/{employee_id}/share_gains", body)


def test_it_works(company: Company) -> None:
    employee_id = company.hire()
    answer = post(company, employee_id, {"share_gain": OPTION | {"market_value": 10, "shares": "100.50000"}})
    gain_id = answer.json()["id"]
    assert answer.json() == {"message": "The share gain has been created", "id": gain_id}
    [gain] = listed(company, employee_id)
    shown = {name: value for name, value in gain.items() if name not in ("created_at", "updated_at")}
    assert shown == {
        "id": gain_id,
        "employee_id": employee_id,
        **OPTION,
        "shares": "100.5",
        "company_number": None,
        "vesting_date": None,
        "restriction_end_date": None,
        "deemed": False,
        "income_date": "2026-08-15",
        "gain": "502.50",
        "section": "10(1)(b)",
        "rule": "The gain of an option is income of the year in which it is exercised. "
        "It is the market value on that day less the price paid, for each share.",
        "arithmetic": ["floor_cents(max(10 − 5, 0) × 100.5) = 502.50"],
    }
    path = f"/share_gains/{gain_id}"
    answer = company.member.patch(path, {"restriction_end_date": "2027-01-31"})
    assert answer.json() == {"message": "The share gain has been updated", "id": gain_id}
    assert listed(company, employee_id)[0]["income_date"] == "2027-01-31"
    assert listed(company, employee_id, "?year=2026") == []
    assert len(listed(company, employee_id, "?year=2027&page=1&per_page=1")) == 1
    assert company.member.delete(path).json() == {"message": "The share gain has been deleted"}
    assert listed(company, employee_id) == []


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        (
            {},
            dict.fromkeys(("plan", "company_name", "grant_date", "market_value", "price", "shares"), "is required"),
        ),
        (AWARD | {"plan": "option"}, {"exercise_date": "is required when plan is option"}),
        (OPTION | {"vesting_date": "2026-01-01"}, {"vesting_date": "is only allowed when plan is award"}),
        (OPTION | {"exercise_date": "2024-02-29"}, {"exercise_date": "must not be before grant_date 2024-03-01"}),
        (
            OPTION | {"restriction_end_date": "2026-08-14"},
            {"restriction_end_date": "must not be before exercise_date 2026-08-15"},
        ),
        (
            OPTION | {"market_value": "-1", "price": "0.123456", "shares": "1000000000"},
            {
                "market_value": "must not be negative",
                "price": "must have at most 5 decimals",
                "shares": "must be at most 999999999",
            },
        ),
        (
            OPTION | {"market_value": "1e3", "price": True, "shares": "-0"},
            {
                "market_value": "must be a number such as 12.5",
                "price": "must be a number such as 12.5",
                "shares": "must be more than 0",
            },
        ),
        (
            OPTION | {"market_value": "999999999", "shares": "999999999"},
            {"shares": "gives a gain of more than 999999999"},
        ),
    ],
)
def test_every_error_is_reported_and_nothing_is_saved(
    company: Company, employee_id: int, body: dict[str, Any], errors: dict[str, str]
) -> None:
    assert field_errors(post(company, employee_id, body)) == errors
    assert listed(company, employee_id) == []


def test_shares_of_a_leaver_count_as_exercised_a_month_before_the_last_day(company: Company) -> None:
    employee_id = company.hire()
    deemed = OPTION | {"deemed": True}
    assert field_errors(post(company, employee_id, deemed)) == {
        "deemed": "requires that the service was ended with ir21"
    }
    company.leave(employee_id, "2026-09-30", ir21=True)
    expected = "must be 2026-08-30: a month before the last day of service, or the grant if that is later"
    assert field_errors(post(company, employee_id, deemed)) == {"exercise_date": expected}
    assert field_errors(post(company, employee_id, AWARD | {"deemed": True})) == {"vesting_date": expected}
    assert post(company, employee_id, deemed | {"exercise_date": "2026-08-30"}).status_code == 200


def test_at_most_thirty_gains_in_a_year(company: Company) -> None:
    employee_id = company.hire()
    for _ in range(30):
        last = created(post(company, employee_id, OPTION))
    assert field_errors(post(company, employee_id, OPTION)) == {
        "grant_date": "an employee can have at most 30 share gains in 2026"
    }
    assert company.member.patch(f"/share_gains/{last}", {"shares": 1}).status_code == 200
    assert post(company, employee_id, AWARD).status_code == 200


def test_unknown_records_and_readers(company: Company, employee_id: int) -> None:
    assert_problem(company.member.get("/employees/999999999/share_gains"), 404)
    assert_problem(company.member.patch("/share_gains/999999999", {}), 404)
    assert_problem(company.member.delete("/share_gains/999999999"), 404)
    viewer = company.member.colleague(company.id, "viewer")
    assert_problem(viewer.post(f"/employees/{employee_id}/share_gains", OPTION), 403)
