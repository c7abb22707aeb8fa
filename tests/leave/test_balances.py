"""GET /employees/:id/leave_balances and GET /employees/:id/leave_movements."""

from itertools import accumulate

import pytest

from gaji.core import clock
from tests.leave.people import OnLeave
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors


def test_it_works(someone: OnLeave) -> None:
    answer = someone.member.get(someone.path("leave_balances"), params={"date": "2025-01-31"})
    assert answer.status_code == 200
    assert answer.headers["x-rules-version"]
    expected = dict.fromkeys(map(str, someone.types.values()), 0)
    expected |= {
        str(someone.types["annual_leave"]): 7,
        str(someone.types["sick_leave"]): 14,
        str(someone.types["hospitalisation_leave"]): 60,
    }
    assert answer.json() == expected


def test_the_date_is_today_where_none_is_given(someone: OnLeave) -> None:
    today = someone.member.get(someone.path("leave_balances"))
    given = someone.member.get(someone.path("leave_balances"), params={"date": str(clock.today())})
    assert today.json() == given.json()


@pytest.mark.parametrize("date", ["x", "2026-02-30", "20260101", ""])
def test_a_malformed_date_is_an_error_in_the_list(someone: OnLeave, date: str) -> None:
    answer = someone.member.get(someone.path("leave_balances"), params={"date": date})
    assert list(field_errors(answer)) == ["date"]


@pytest.mark.parametrize("date", ["0001-01-01", "1899-12-31", "2200-01-01", "9999-12-31"])
def test_an_implausible_date_is_an_error(someone: OnLeave, date: str) -> None:
    answer = someone.member.get(someone.path("leave_balances"), params={"date": date})
    assert field_errors(answer) == {"date": "must be from 1900-01-01 to 2199-12-31"}


def test_movements_explain_a_balance(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-01")
    someone.take("2026-05-04")
    someone.take("2026-05-05", hours=4)
    someone.adjust("2026-05-06", 1.5, reason="Worked on a Sunday")
    found = someone.listed("leave_movements", f"?to=2026-05-31&type_id={someone.types['annual_leave']}")
    assert found[0] == {
        "date": "2026-03-31",
        "type_id": someone.types["annual_leave"],
        "type": "annual_leave",
        "kind": "accrual",
        "days": 2,
        "balance": 2,
        "reason": "3 completed months of year 1 of service at 7 days a year",
    }
    told = [(one["date"], one["kind"], one["days"], one["balance"], one["reason"]) for one in found[1:]]
    assert told == [
        ("2026-05-04", "taken", -1, 1, "annual_leave"),
        ("2026-05-05", "taken", -0.5, 0.5, "annual_leave, 4 hours"),
        ("2026-05-06", "adjustment", 1.5, 2, "Worked on a Sunday"),
        ("2026-05-31", "accrual", 1, 3, "5 completed months of year 1 of service at 7 days a year"),
    ]


def test_movements_of_all_types_are_in_chronological_order(someone: OnLeave) -> None:
    someone.take("2026-05-04", "unpaid_leave")
    someone.take("2026-05-05", "sick_leave")
    found = someone.listed("leave_movements", "?to=2026-12-31")
    assert [one["date"] for one in found] == sorted(one["date"] for one in found)
    assert {one["type"] for one in found} == {"annual_leave", "sick_leave", "hospitalisation_leave", "unpaid_leave"}
    sick = [(one["type"], one["reason"]) for one in found if one["date"] == "2026-05-05"]
    assert sick == [("sick_leave", "sick_leave"), ("hospitalisation_leave", "sick_leave, which it includes")]


def test_a_balance_is_the_sum_of_its_movements_on_every_date(someone: OnLeave) -> None:
    for day in ("2024-06-03", "2025-03-03", "2026-05-04"):
        someone.take(day)
    someone.adjust("2025-07-01", 3)
    someone.put_policy(
        accrual="yearly",
        entitlement=[{"year": 1, "days": 18}],
        carry_over={"limit": 4, "expiry_months": 6},
        effective_date="2026-03-01",
    )
    for type, type_id in someone.types.items():
        found = someone.listed("leave_movements", f"?to=2027-12-31&type_id={type_id}")
        assert [one["balance"] for one in found] == list(accumulate(one["days"] for one in found))
        for date in ("2024-02-01", "2025-01-31", "2025-07-01", "2026-01-31", "2026-02-28", "2026-05-04", "2027-12-31"):
            assert someone.balance(date, type) == sum(one["days"] for one in found if one["date"] <= date)


def test_movements_can_be_limited_to_dates(someone: OnLeave) -> None:
    everything = someone.listed("leave_movements", "?to=2026-12-31")
    some = someone.listed("leave_movements", "?from=2025-02-01&to=2026-01-31")
    assert some == [one for one in everything if "2025-02-01" <= one["date"] <= "2026-01-31"]
    until_today = someone.listed("leave_movements")
    assert max(one["date"] for one in until_today) <= str(clock.today())
    answer = someone.member.get(someone.path("leave_movements?from=x&to=y&type_id=z"))
    assert field_errors(answer) == {
        "from": "must be a date such as 2026-03-31",
        "to": "must be a date such as 2026-03-31",
        "type_id": "must be an integer",
    }
    answer = someone.member.get(someone.path("leave_movements?type_id=999999999"))
    assert field_errors(answer) == {"type_id": "leave type 999999999 does not exist in this client"}


def test_a_leaver_is_paid_out_and_a_reinstated_employee_begins_again(someone: OnLeave) -> None:
    someone.company.leave(someone.id, "2025-06-30")
    last = someone.movements("2025-12-31")[-2:]
    assert last == [("2025-05-31", "accrual", 1), ("2025-06-30", "encashment", -10)]
    assert someone.movements("2025-12-31", "sick_leave")[-1] == ("2025-07-01", "end_of_service", -14)
    assert someone.company.act(someone.id, "reinstate", appointment_date="2025-09-01").status_code == 200
    assert someone.balances("2025-11-29") == {}
    assert someone.balances("2025-11-30") == {"annual_leave": 2, "sick_leave": 5, "hospitalisation_leave": 15}


def test_dismissal_for_misconduct_loses_annual_leave(someone: OnLeave) -> None:
    someone.company.leave(someone.id, "2025-06-30", code=3)
    assert someone.movements("2025-12-31")[-1] == ("2025-06-30", "forfeiture", -10)


def test_a_take_on_balance_replaces_earlier_movements(someone: OnLeave) -> None:
    body = {"year": 2026, "leave": {str(someone.types["annual_leave"]): "3.5"}}
    assert someone.member.call("PUT", someone.path("take_on_balances"), json=body).status_code == 200
    assert someone.balance("2025-12-31") == 0
    assert someone.balance("2026-01-01") == 3.5
    assert someone.movements("2026-01-31") == [("2026-01-01", "take_on", 3.5), ("2026-01-31", "accrual", 1)]
    assert someone.balance("2026-01-01", "sick_leave") == 14


def test_a_take_on_balance_counts_from_the_day_of_the_switch(company: Company) -> None:
    wave_id = company.wave(frequency="monthly", last_day_of_month=31, first_end_date="2026-07-31")
    someone = OnLeave.hired(company, wave_id=wave_id)
    body = {"year": 2026, "leave": {str(someone.types["annual_leave"]): "3.5"}}
    assert someone.member.call("PUT", someone.path("take_on_balances"), json=body).status_code == 200
    assert someone.movements("2026-07-31")[0] == ("2026-07-01", "take_on", 3.5)


def test_employees_see_their_own_balances_as_the_company_does(someone: OnLeave) -> None:
    someone.take("2026-05-04")
    body = {"year": 2026, "leave": {str(someone.types["annual_leave"]): "3.5"}}
    assert someone.member.call("PUT", someone.path("take_on_balances"), json=body).status_code == 200
    employee = someone.member.colleague(someone.company.id, "employee", someone.id)
    for what in ("leave_balances?date=2026-12-31", "leave_movements?to=2026-12-31", "leave_days", "leave_adjustments"):
        answer = employee.get(someone.path(what))
        assert answer.status_code == 200, answer.text
        assert answer.json() == someone.member.get(someone.path(what)).json()
    other = OnLeave.hired(someone.company)
    for what in ("leave_balances", "leave_movements", "leave_days", "leave_adjustments"):
        assert_problem(employee.get(other.path(what)), 404)


def test_an_employee_who_does_not_exist_is_a_404(someone: OnLeave) -> None:
    assert_problem(someone.member.get("/employees/999999999/leave_balances"), 404)
    assert_problem(someone.member.get("/employees/999999999/leave_movements"), 404)
