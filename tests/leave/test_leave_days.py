"""GET and POST /employees/:id/leave_days, POST …/create_multiple, …/delete_multiple, PATCH, DELETE /leave_days/:id."""

from typing import Any

import pytest

from tests.leave.people import FIVE_AND_A_HALF, OnLeave
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors

# 4 May 2026 is a Monday; 1 May, a Friday, is Labour Day.
MONDAY, TUESDAY, SATURDAY, LABOUR_DAY = "2026-05-04", "2026-05-05", "2026-05-09", "2026-05-01"


def test_it_works(someone: OnLeave) -> None:
    answer = someone.post(MONDAY)
    day_id = answer.json()["id"]
    assert answer.json() == {"message": "The leave day has been created", "id": day_id}
    assert someone.listed() == [
        {
            "id": day_id,
            "employee_id": someone.id,
            "type_id": someone.types["annual_leave"],
            "type": "annual_leave",
            "date": MONDAY,
            "hours": None,
            "days": 1,
            "payslip_id": None,
        }
    ]


def test_a_part_of_a_day(someone: OnLeave) -> None:
    before = someone.balance(MONDAY)
    someone.take(MONDAY, hours=4)
    [day] = someone.listed()
    assert (day["hours"], day["days"]) == (4, 0.5)
    assert someone.balance(MONDAY) == before - 0.5


def test_a_half_saturday_is_half_a_day(someone: OnLeave) -> None:
    someone.set_hours(**FIVE_AND_A_HALF)
    someone.take(SATURDAY)
    assert [day["days"] for day in someone.listed()] == [0.5]


def test_the_list_can_be_limited_to_dates(someone: OnLeave) -> None:
    for day in ("2026-05-04", "2026-05-05", "2026-05-06"):
        someone.take(day)
    assert [day["date"] for day in someone.listed(query="?from=2026-05-05")] == ["2026-05-05", "2026-05-06"]
    assert [day["date"] for day in someone.listed(query="?to=2026-05-05")] == ["2026-05-04", "2026-05-05"]
    assert [day["date"] for day in someone.listed(query="?from=2026-05-05&to=2026-05-05")] == ["2026-05-05"]
    assert [day["date"] for day in someone.listed(query="?page=2&per_page=2")] == ["2026-05-06"]
    answer = someone.member.get(someone.path("leave_days?from=x&to=2026-13-01"))
    assert field_errors(answer) == {
        "from": "must be a date such as 2026-03-31",
        "to": "2026-13-01 is not a valid calendar date",
    }


def test_a_day_knows_its_payslip(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2024-01-01")
    adjusted = someone.adjust("2024-01-01", 5)
    assert adjusted
    someone.take("2024-01-10")
    [payslip] = company.member.get(someone.path("payslips")).json()
    assert [day["payslip_id"] for day in someone.listed()] == [payslip["payslip"]["id"]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"date": "is required", "type_id": "is required"}),
        (
            {"date": "x", "type_id": "x", "hours": "x"},
            {
                "date": "must be a date such as 2026-03-31",
                "type_id": "must be an integer",
                "hours": "must be a number of hours such as 4.5",
            },
        ),
        ({"date": MONDAY, "type_id": 999_999_999}, {"type_id": "leave type 999999999 does not exist in this client"}),
        ({"date": MONDAY, "hours": 0}, {"type_id": "is required", "hours": "must be from 0.001 to 24"}),
        (
            {"date": SATURDAY, "type_id": 999_999_999},
            {
                "type_id": "leave type 999999999 does not exist in this client",
                "date": f"{SATURDAY} is not a working day of this employee",
            },
        ),
    ],
)
def test_every_error_is_reported(someone: OnLeave, given: dict[str, Any], expected: dict[str, str]) -> None:
    before = someone.member.service.fingerprint()
    assert field_errors(someone.member.post(someone.path("leave_days"), given)) == expected
    assert someone.member.service.fingerprint() == before


@pytest.mark.parametrize(
    ("date", "fault"),
    [
        ("2024-01-31", "2024-01-31 is outside the service of this employee"),
        (SATURDAY, f"{SATURDAY} is not a working day of this employee"),
        (LABOUR_DAY, f"{LABOUR_DAY} is a public holiday: Labour Day"),
        ("2028-05-02", "2028-05-02 is not between 2016-01 and 2027-12, for which public holidays are known"),
    ],
)
def test_dates_on_which_no_leave_can_be_taken(someone: OnLeave, date: str, fault: str) -> None:
    before = someone.member.service.fingerprint()
    assert field_errors(someone.post(date, "unpaid_leave")) == {"date": fault}
    assert someone.member.service.fingerprint() == before


def test_no_leave_after_the_last_day_of_service(someone: OnLeave) -> None:
    someone.company.leave(someone.id, "2026-05-04")
    someone.take("2026-05-04", "unpaid_leave")
    answer = someone.post("2026-05-05", "unpaid_leave")
    assert field_errors(answer) == {"date": "2026-05-05 is outside the service of this employee"}


def test_more_hours_than_the_day_has(someone: OnLeave) -> None:
    assert field_errors(someone.post(MONDAY, hours=8.5)) == {"hours": f"{MONDAY} has 8 hours, less than 8.5"}


def test_the_same_day_twice(someone: OnLeave) -> None:
    someone.take(MONDAY)
    for more in ({}, {"hours": 1}):
        answer = someone.post(MONDAY, "sick_leave", **more)
        assert field_errors(answer) == {"date": f"{MONDAY} already has 8 hours of leave and 8 working hours in total"}


def test_two_halves_of_a_day_can_be_of_two_types_but_there_is_no_third(someone: OnLeave) -> None:
    someone.take(MONDAY, hours=4)
    someone.take(MONDAY, "sick_leave", hours=4)
    assert [day["days"] for day in someone.listed()] == [0.5, 0.5]
    answer = someone.post(MONDAY, "unpaid_leave", hours=0.5)
    assert field_errors(answer) == {"date": f"{MONDAY} already has 8 hours of leave and 8 working hours in total"}


def test_leave_on_any_day_where_the_client_has_that(someone: OnLeave) -> None:
    someone.member.patch(f"/clients/{someone.company.id}", {"features": {"leave_any_day": True}})
    someone.take(SATURDAY)
    someone.take(LABOUR_DAY)
    assert [day["days"] for day in someone.listed()] == [1, 1]


def test_an_employee_can_be_kept_from_leave_on_any_day(someone: OnLeave) -> None:
    someone.member.patch(f"/clients/{someone.company.id}", {"features": {"leave_any_day": True}})
    someone.set_hours(schedule="fixed", works_mon=True, leave_any_day=False)
    assert list(field_errors(someone.post(SATURDAY))) == ["date"]
    someone.set_hours(leave_any_day=True)
    someone.take(SATURDAY)


def test_leave_beyond_the_balance_is_rejected_where_the_policy_says_so(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-02")
    before = someone.member.service.fingerprint()
    answer = someone.post("2026-03-30")
    assert field_errors(answer) == {"date": "the annual_leave balance would be -1 days on 2026-03-30 (0 available)"}
    assert someone.member.service.fingerprint() == before
    someone.take("2026-04-02")
    someone.take("2026-04-06", hours=8)
    answer = someone.post("2026-04-07", hours=2)
    assert field_errors(answer) == {"date": "the annual_leave balance would be -0.25 days on 2026-04-07 (0 available)"}


def test_leave_that_later_leave_needs_is_rejected(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-02")
    someone.take("2026-04-06")
    someone.take("2026-04-07")
    answer = someone.post("2026-04-02")
    assert field_errors(answer) == {"date": "the annual_leave balance would be -1 days on 2026-04-07 (0 available)"}


def test_a_policy_may_allow_a_balance_below_zero(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-02")
    entitlement = [{"year": 1, "days": 14}]
    answer = someone.put_policy(
        accrual="monthly", entitlement=entitlement, below_zero=True, effective_date="2026-01-01"
    )
    assert answer.status_code == 200, answer.text
    someone.take("2026-01-05")
    assert someone.balance("2026-01-05") == -1


def test_sick_leave_counts_against_hospitalisation_leave_too(someone: OnLeave) -> None:
    someone.adjust("2026-02-01", -59, "hospitalisation_leave")
    assert someone.balance("2026-02-01", "sick_leave") == 14
    someone.take("2026-02-02", "sick_leave")
    assert someone.balance("2026-02-02", "hospitalisation_leave") == 0
    assert someone.post("2026-02-03", "sick_leave").json()["warnings"] == {
        "date": "The limit is passed: the hospitalisation_leave balance is -1 days on 2026-02-03."
    }


def test_create_multiple(someone: OnLeave) -> None:
    annual, sick = someone.types["annual_leave"], someone.types["sick_leave"]
    answer = someone.post_many(
        [
            {"date": MONDAY, "hours": None, "type_id": annual},
            {"date": TUESDAY, "hours": 4, "type_id": annual},
            {"date": TUESDAY, "hours": "4", "type_id": str(sick)},
        ]
    )
    assert answer.status_code == 200, answer.text
    listed = someone.listed()
    assert answer.json() == {"message": "3 leave days have been created", "ids": [day["id"] for day in listed]}
    assert [(day["date"], day["type"], day["days"]) for day in listed] == [
        (MONDAY, "annual_leave", 1),
        (TUESDAY, "annual_leave", 0.5),
        (TUESDAY, "sick_leave", 0.5),
    ]


def test_create_multiple_names_the_unknown_attributes_of_each_date(someone: OnLeave) -> None:
    """A misspelled `hours` records the whole day, so the caller must hear of it."""
    annual = someone.types["annual_leave"]
    day = {"date": TUESDAY, "type_id": annual, "huors": 4, "type": "annual_leave"}
    answer = someone.post_many([{"date": MONDAY, "type_id": annual}, day])
    assert answer.json()["warnings"] == {"dates.1.huors": "Unknown attribute, ignored. Did you mean hours?"}


def test_create_multiple_reports_every_error_and_saves_nothing(someone: OnLeave) -> None:
    annual = someone.types["annual_leave"]
    before = someone.member.service.fingerprint()
    answer = someone.post_many(
        [
            {"date": MONDAY, "type_id": annual},
            {"date": MONDAY, "hours": 1, "type_id": annual},
            {"date": SATURDAY, "type_id": 999_999_999},
            {"type_id": annual, "hours": -1},
            "x",
        ]
    )
    assert field_errors(answer) == {
        "dates.1.date": f"{MONDAY} already has 8 hours of leave and 8 working hours in total",
        "dates.2.type_id": "leave type 999999999 does not exist in this client",
        "dates.2.date": f"{SATURDAY} is not a working day of this employee",
        "dates.3.date": "is required",
        "dates.3.hours": "must be from 0.001 to 24",
        "dates.4": "must be an object",
    }
    assert someone.member.service.fingerprint() == before


def test_create_multiple_names_the_days_beyond_the_balance(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-02")
    annual = someone.types["annual_leave"]
    dates = ["2026-04-06", "2026-04-07", "2026-04-08", "2026-04-09"]
    answer = someone.post_many([{"date": date, "type_id": annual} for date in dates])
    assert field_errors(answer) == {
        "dates.2.date": "the annual_leave balance would be -1 days on 2026-04-08 (2 available)",
        "dates.3.date": "the annual_leave balance would be -1 days on 2026-04-09 (2 available)",
    }


def test_the_available_days_are_those_of_the_date_in_the_error(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-02")
    someone.adjust("2026-04-08", 1)
    annual = someone.types["annual_leave"]
    dates = ["2026-04-06", "2026-04-07", "2026-04-08", "2026-04-09"]
    answer = someone.post_many([{"date": date, "type_id": annual} for date in dates])
    assert field_errors(answer) == {
        "dates.3.date": "the annual_leave balance would be -1 days on 2026-04-09 (3 available)"
    }
    someone.take("2026-04-01")
    answer = someone.post_many([{"date": date, "type_id": annual} for date in dates])
    assert field_errors(answer) == {
        "dates.1.date": "the annual_leave balance would be -1 days on 2026-04-07 (1 available)",
        "dates.3.date": "the annual_leave balance would be -1 days on 2026-04-09 (2 available)",
    }


@pytest.mark.parametrize("resource", ["leave_days/create_multiple", "leave_requests", "leave_requests/preview"])
def test_dates_after_the_known_public_holidays_are_rejected(someone: OnLeave, resource: str) -> None:
    dates = ["2027-12-31", "2028-01-03", "2028-01-04"]
    body = {"dates": [{"date": date, "type_id": someone.types["unpaid_leave"]} for date in dates]}
    answer = someone.member.post(someone.path(resource), body)
    assert answer.status_code == 422
    assert field_errors(answer) == {
        f"dates.{index}.date": f"{dates[index]} is not between 2016-01 and 2027-12, for which public holidays are known"
        for index in (1, 2)
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"dates": "is required"}),
        ({"dates": []}, {"dates": "must be an array of 1 to 366 dates"}),
        ({"dates": "x"}, {"dates": "must be an array of 1 to 366 dates"}),
        ({"dates": [{}] * 367}, {"dates": "must be an array of 1 to 366 dates"}),
    ],
)
def test_create_multiple_needs_dates(someone: OnLeave, given: dict[str, Any], expected: dict[str, str]) -> None:
    assert field_errors(someone.member.post(someone.path("leave_days/create_multiple"), given)) == expected


def test_a_day_can_be_changed(someone: OnLeave) -> None:
    day_id = someone.take(MONDAY)
    answer = someone.member.patch(f"/leave_days/{day_id}", {"leave_day": {"date": TUESDAY, "hours": 2}})
    assert answer.json() == {"message": "The leave day has been updated", "id": day_id}
    [day] = someone.listed()
    assert (day["date"], day["hours"], day["days"]) == (TUESDAY, 2, 0.25)
    assert someone.member.patch(f"/leave_days/{day_id}", {"hours": None}).status_code == 200
    sick = someone.types["sick_leave"]
    assert someone.member.patch(f"/leave_days/{day_id}", {"type_id": sick, "days": 9}).status_code == 200
    [day] = someone.listed()
    assert (day["type"], day["hours"], day["days"]) == ("sick_leave", None, 1)


def test_a_change_is_checked_as_a_new_day_is(someone: OnLeave) -> None:
    day_id, other = someone.take(MONDAY), someone.take(TUESDAY)
    before = someone.member.service.fingerprint()
    for changes, attribute in (({"date": SATURDAY}, "date"), ({"hours": 9}, "hours"), ({"date": TUESDAY}, "date")):
        assert list(field_errors(someone.member.patch(f"/leave_days/{day_id}", changes))) == [attribute]
    assert someone.member.service.fingerprint() == before
    assert someone.member.patch(f"/leave_days/{other}", {"date": TUESDAY}).status_code == 200


def test_a_day_can_be_deleted(someone: OnLeave) -> None:
    day_id = someone.take(MONDAY)
    assert someone.member.delete(f"/leave_days/{day_id}").json() == {"message": "The leave day has been deleted"}
    assert someone.listed() == []
    assert_problem(someone.member.delete(f"/leave_days/{day_id}"), 404)


def test_regular_hours_that_change_measure_later_days_again(someone: OnLeave) -> None:
    someone.take("2026-05-04", hours=4)
    someone.take("2026-05-05")
    someone.take("2026-05-06")
    someone.set_hours(
        works_wed=False, works_thu=False, works_fri=False, full_day_hours_input=5, effective_date="2026-05-05"
    )
    assert [day["days"] for day in someone.listed()] == [0.5, 1, 0]
    someone.take("2026-05-11", hours=2)
    assert someone.listed()[-1]["days"] == 0.4


def test_records_that_do_not_exist_are_a_404(someone: OnLeave) -> None:
    assert_problem(someone.member.get("/employees/999999999/leave_days"), 404)
    assert_problem(someone.member.post("/employees/999999999/leave_days", {}), 404)
    assert_problem(someone.member.post("/employees/999999999/leave_days/create_multiple", {}), 404)
    assert_problem(someone.member.patch("/leave_days/999999999", {}), 404)
    assert_problem(someone.member.delete("/leave_days/999999999"), 404)


def test_a_viewer_reads_and_does_not_write(someone: OnLeave) -> None:
    day_id = someone.take(MONDAY)
    viewer = someone.member.colleague(someone.company.id, "viewer")
    assert viewer.get(someone.path("leave_days")).json() == someone.member.get(someone.path("leave_days")).json()
    before = someone.member.service.fingerprint()
    assert_problem(viewer.post(someone.path("leave_days"), {}), 403)
    assert_problem(viewer.post(someone.path("leave_days/create_multiple"), {}), 403)
    assert_problem(viewer.patch(f"/leave_days/{day_id}", {"hours": 1}), 403)
    assert_problem(viewer.delete(f"/leave_days/{day_id}"), 403)
    assert someone.member.service.fingerprint() == before


def delete_many(someone: OnLeave, ids: object) -> Any:
    """Ask to delete several days."""
    return someone.member.post(someone.path("leave_days/delete_multiple"), {"ids": ids})


def test_several_days_are_deleted_at_once(someone: OnLeave) -> None:
    before = someone.balance(MONDAY)
    ids = [someone.take(day) for day in (MONDAY, TUESDAY, "2026-05-06")]
    assert delete_many(someone, [ids[0], str(ids[2]), ids[0]]).json() == {"message": "2 leave days have been deleted"}
    assert [day["id"] for day in someone.listed()] == [ids[1]]
    assert delete_many(someone, [ids[1]]).json() == {"message": "1 leave day has been deleted"}
    assert someone.balance(MONDAY) == before


def test_either_all_days_are_deleted_or_none(someone: OnLeave, company: Company) -> None:
    day_id, other_id = someone.take(MONDAY), OnLeave.hired(company, first_name="Other").take(MONDAY)
    assert field_errors(delete_many(someone, [day_id, other_id, "x"])) == {
        "ids.1": f"leave day {other_id} of this employee does not exist",
        "ids.2": "must be an integer",
    }
    assert field_errors(delete_many(someone, [])) == {"ids": "must be an array of 1 to 366 leave day IDs"}
    assert [day["id"] for day in someone.listed()] == [day_id]


def test_sick_leave_beyond_the_limit_is_recorded_with_a_warning(someone: OnLeave) -> None:
    assert "warnings" not in someone.post(MONDAY, "sick_leave").json()
    someone.adjust(MONDAY, -13, "sick_leave")
    answer = someone.post(TUESDAY, "sick_leave").json()
    assert answer["warnings"] == {"date": "The limit is passed: the sick_leave balance is -1 days on 2026-05-05."}
    assert len(someone.listed()) == 2
    assert [someone.balance(day, "sick_leave") for day in ("2027-01-31", "2027-02-01")] == [-1, 14]
    [excess] = [movement for movement in someone.movements("2027-02-01", "sick_leave") if movement[2] == 1]
    assert excess == ("2027-02-01", "carry_over_expiry", 1)


def test_sick_leave_beyond_the_limit_is_rejected_if_the_policy_says_so(someone: OnLeave) -> None:
    steps = [{"months": 3, "days": 5}, {"months": 4, "days": 8}, {"months": 5, "days": 11}, {"months": 6, "days": 14}]
    policy: dict[str, Any] = {"accrual": "yearly", "entitlement": [{"year": 1, "days": 14}], "first_year": steps}
    policy |= {"below_zero": False, "carry_over": {"limit": 0}, "effective_date": "2024-01-01"}
    assert someone.put_policy("sick_leave", **policy).status_code == 200
    someone.adjust(MONDAY, -14, "sick_leave")
    assert field_errors(someone.post(MONDAY, "sick_leave")) == {
        "date": "the sick_leave balance would be -1 days on 2026-05-04 (0 available)"
    }


def test_approving_a_request_warns_if_the_limit_is_passed(someone: OnLeave) -> None:
    someone.adjust(MONDAY, -14, "sick_leave")
    dates = {"dates": [{"date": MONDAY, "type_id": someone.types["sick_leave"]}]}
    passed = {"dates.0.date": "The limit is passed: the sick_leave balance is -1 days on 2026-05-04."}
    asked = someone.member.post(someone.path("leave_requests"), dates).json()
    approved = someone.member.post(f"/leave_requests/{asked['id']}/approve").json()
    assert (asked["warnings"], approved["warnings"]) == (passed, passed)
