"""GET and PUT /leave_types/:id/policy."""

from typing import Any

import pytest

from gaji.core import clock
from tests.leave.people import OnLeave
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors

LAW: dict[str, Any] = {
    "entitlement": [{"year": year, "days": 6 + year} for year in range(1, 9)],
    "accrual": "monthly",
    "least_months": 3,
    "first_year": None,
    "carry_over": {"limit": None, "expiry_months": 12},
    "prorate": True,
    "below_zero": False,
    "paid": True,
    "leave_year_start": None,
    "public_holidays_off": "none",
    "prorate_part_time": False,
    "full_time_week_hours": 44,
    "full_time_day_hours": 8,
    "effective_date": None,
}
OWN: dict[str, Any] = {
    "entitlement": [{"year": 1, "days": 14}, {"year": 3, "days": 16.5}],
    "accrual": "yearly",
    "least_months": 3,
    "first_year": [{"months": 3, "days": 7}, {"months": 6, "days": 14}],
    "carry_over": {"limit": 5.5, "expiry_months": 3},
    "prorate": False,
    "below_zero": True,
    "paid": True,
    "leave_year_start": None,
    "public_holidays_off": "none",
    "prorate_part_time": False,
    "full_time_week_hours": 44,
    "full_time_day_hours": 8,
    "effective_date": "2026-04-01",
}


def policy(someone: OnLeave, type: str = "annual_leave", query: str = "") -> dict[str, Any]:
    answer = someone.member.get(f"/leave_types/{someone.types[type]}/policy{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-rules-version"]
    found: dict[str, Any] = answer.json()["policy"]
    return found


def test_it_works(someone: OnLeave) -> None:
    assert policy(someone) == LAW
    answer = someone.put_policy(**OWN)
    assert answer.json() == {"message": "The leave policy has been saved", "id": someone.types["annual_leave"]}
    assert policy(someone, query="?date=2026-04-01") == OWN


def test_sick_leave_comes_in_the_steps_of_the_law(someone: OnLeave) -> None:
    sick = policy(someone, "sick_leave")
    assert sick["entitlement"] == [{"year": 1, "days": 14}]
    assert sick["first_year"] == [
        {"months": 3, "days": 5},
        {"months": 4, "days": 8},
        {"months": 5, "days": 11},
        {"months": 6, "days": 14},
    ]
    assert (sick["accrual"], sick["carry_over"]) == ("yearly", {"limit": 0, "expiry_months": None})


@pytest.mark.parametrize(
    ("type", "below_zero", "paid"),
    [
        ("childcare_leave", False, True),
        ("maternity_leave", False, True),
        ("infant_care_leave", False, False),
        ("national_service_leave", True, True),
        ("compassionate_leave", True, True),
        ("unpaid_leave", True, False),
    ],
)
def test_other_types_have_no_entitlement(someone: OnLeave, type: str, below_zero: bool, paid: bool) -> None:
    found = policy(someone, type)
    assert (found["accrual"], found["entitlement"]) == ("none", [])
    assert (found["below_zero"], found["paid"]) == (below_zero, paid)


def test_omitted_attributes_have_defaults_and_apply_from_today(someone: OnLeave) -> None:
    assert (
        someone.put_policy("childcare_leave", accrual="yearly", entitlement=[{"year": 1, "days": 6}]).status_code == 200
    )
    assert policy(someone, "childcare_leave") == {
        **LAW,
        "entitlement": [{"year": 1, "days": 6}],
        "accrual": "yearly",
        "least_months": 0,
        "carry_over": {"limit": None, "expiry_months": None},
        "effective_date": str(clock.today()),
    }


def test_a_policy_holds_from_its_date_and_the_one_before_until_then(someone: OnLeave) -> None:
    someone.put_policy(**OWN)
    assert policy(someone, query="?date=2026-03-31") == LAW
    assert policy(someone, query="?date=2026-04-01") == OWN
    again = OWN | {"below_zero": False}
    someone.put_policy(**again)
    assert policy(someone, query="?date=2026-04-01") == again


def test_a_change_of_policy_changes_no_balance_before_its_date(someone: OnLeave) -> None:
    before = [someone.balance(day) for day in ("2025-06-30", "2026-03-31")]
    answer = someone.put_policy(
        entitlement=[{"year": 1, "days": 24}], accrual="monthly", carry_over={"limit": 2}, effective_date="2026-04-01"
    )
    assert answer.status_code == 200
    assert [someone.balance(day) for day in ("2025-06-30", "2026-03-31")] == before
    assert someone.balance("2026-04-30") == before[1] + 2


@pytest.mark.parametrize(
    ("type", "given", "fault"),
    [
        (
            "annual_leave",
            {"accrual": "yearly", "entitlement": [{"year": 1, "days": 10}]},
            "grants 10 days in year 5 of service; the legal minimum is 11",
        ),
        ("annual_leave", {"accrual": "none"}, "grants 0 days in year 1 of service; the legal minimum is 7"),
        (
            "sick_leave",
            {"accrual": "yearly", "entitlement": [{"year": 1, "days": 13}]},
            "grants 13 days in year 1 of service; the legal minimum is 14",
        ),
        (
            "hospitalisation_leave",
            {"accrual": "yearly", "entitlement": [{"year": 1, "days": 46}]},
            "grants 46 days in year 1 of service; the legal minimum is 60",
        ),
    ],
)
def test_less_than_the_law_is_rejected_with_year_and_days(
    someone: OnLeave, type: str, given: dict[str, Any], fault: str
) -> None:
    before = someone.member.service.fingerprint()
    assert field_errors(someone.put_policy(type, **given)) == {"entitlement": fault}
    assert someone.member.service.fingerprint() == before


def test_every_error_is_reported(someone: OnLeave) -> None:
    answer = someone.put_policy(
        accrual="weekly",
        entitlement=[{"year": 2, "days": 5}, {"year": 2, "days": 4}, {"days": -1}, "x"],
        least_months=12,
        first_year=[],
        carry_over={"limit": -1, "expiry_months": 13},
        prorate="perhaps",
        below_zero=1,
        paid=[],
        effective_date="2026-02-30",
    )
    assert field_errors(answer) == {
        "accrual": "must be one of monthly, yearly, none",
        "entitlement.0.year": "must be 1",
        "entitlement.1.year": "must be greater than the previous step, 2",
        "entitlement.1.days": "must not be less than the previous step, 5",
        "entitlement.2.year": "is required",
        "entitlement.2.days": "must be from 0 to 1000",
        "entitlement.3": "must be an object",
        "least_months": "must be from 0 to 11",
        "first_year": "must have at least one step",
        "carry_over.limit": "must be from 0 to 1000",
        "carry_over.expiry_months": "must be from 1 to 12",
        "prorate": "must be true or false",
        "below_zero": "must be true or false",
        "paid": "must be true or false",
        "effective_date": "2026-02-30 is not a valid calendar date",
    }


def test_an_entitlement_begins_with_the_first_year_and_is_needed_to_accrue(someone: OnLeave) -> None:
    answer = someone.put_policy("childcare_leave", accrual="monthly")
    assert field_errors(answer) == {"entitlement": "is required when accrual is monthly"}
    answer = someone.put_policy("childcare_leave", accrual="monthly", entitlement=[{"year": 2, "days": 5}])
    assert field_errors(answer) == {"entitlement.0.year": "must be 1"}
    answer = someone.put_policy("childcare_leave", accrual="none", first_year=[{"months": 3, "days": 2}])
    assert field_errors(answer) == {"first_year": "is only allowed when accrual is yearly"}


def test_a_wrapper_is_accepted_and_unknown_attributes_are_named(someone: OnLeave) -> None:
    answer = someone.put_policy("unpaid_leave", policy={"accrual": "none", "paid": False, "colour": 1})
    assert answer.json()["warnings"] == {"colour": "Unknown attribute, ignored."}


@pytest.mark.parametrize("date", ["x", "2026-02-30", ""])
def test_a_malformed_date_is_an_error_in_the_list(someone: OnLeave, date: str) -> None:
    answer = someone.member.get(f"/leave_types/{someone.types['sick_leave']}/policy?date={date}")
    assert list(field_errors(answer)) == ["date"]


def test_types_that_do_not_exist_are_a_404_and_viewers_do_not_write(someone: OnLeave) -> None:
    assert_problem(someone.member.get("/leave_types/999999999/policy"), 404)
    assert_problem(someone.member.call("PUT", "/leave_types/999999999/policy", json=OWN), 404)
    viewer = someone.member.colleague(someone.company.id, "viewer")
    where = f"/leave_types/{someone.types['annual_leave']}/policy"
    assert viewer.get(where).status_code == 200
    assert_problem(viewer.call("PUT", where, json=OWN), 403)


def test_leave_years_can_begin_in_january(company: Company) -> None:
    person = OnLeave.hired(company, appointment_date="2026-03-15")
    given: dict[str, Any] = {"accrual": "yearly", "entitlement": [{"year": 1, "days": 14}], "leave_year_start": 1}
    assert person.put_policy(effective_date="2026-01-01", **given).status_code == 200
    assert policy(person)["leave_year_start"] == 1
    assert [person.balance(day) for day in ("2026-03-15", "2026-12-31", "2027-01-01")] == [11, 11, 25]
    movements = person.listed("leave_movements", f"?to=2027-01-01&type_id={person.types['annual_leave']}")
    assert [movement["reason"] for movement in movements] == [
        "Entitlement of the leave year from 15 March 2026: 14 days a year, for 9 months",
        "Entitlement of the leave year from 1 January 2027: 14 days",
    ]


def test_only_annual_leave_and_added_types_give_days_in_lieu(someone: OnLeave) -> None:
    given: dict[str, Any] = {"accrual": "yearly", "entitlement": [{"year": 1, "days": 60}]}
    assert field_errors(someone.put_policy("sick_leave", **given, public_holidays_off="pay")) == {
        "public_holidays_off": "is only allowed for annual leave and for leave types that were added"
    }
    assert "public_holidays_off" in field_errors(someone.put_policy(**given, public_holidays_off="sometimes"))


def test_sick_leave_follows_the_service(someone: OnLeave) -> None:
    steps = [{"months": 3, "days": 14}]
    given: dict[str, Any] = {"accrual": "yearly", "entitlement": [{"year": 1, "days": 14}], "leave_year_start": 1}
    assert field_errors(someone.put_policy("sick_leave", **given, first_year=steps)) == {
        "leave_year_start": "is not allowed for this leave type: the law counts its days by service",
        "first_year": "is not allowed with leave_year_start",
    }
