"""Inherited calculations: GET, PATCH and the POST of employees."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from tests.payroll.calculations.requests import (
    assign_profile,
    create_calculation,
    create_profile,
    draft_id,
    finalise,
    find_calculation,
    list_calculations,
    post_calculation,
)
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors

FIVE_DAYS = {"schedule": "fixed", **{f"works_{day}": True for day in ("mon", "tue", "wed", "thu", "fri")}}
WEEK = {
    "full_day_hours_input": "8",
    "schedule": "fixed",
    **{f"works_{day}": "true" for day in ("mon", "tue", "wed", "thu", "fri")},
    "works_sat": "false",
    "works_sun": "false",
}
"""The default week."""
FIELDS = [
    "id",
    "profile_id",
    "employee_id",
    "short_name",
    "calculation_def_id",
    "created_at",
    "updated_at",
    "inputs",
    "inputs_history",
]


def patch_hours(
    company: Company, employee_id: int, effective_date: str | None = None, /, **details: Any
) -> httpx.Response:
    attributes = {"calc_type": "week_hours", "calculation_details": details, "effective_date": effective_date}
    body = {name: value for name, value in attributes.items() if value is not None}
    return company.member.patch(f"/employees/{employee_id}/inherited_calculations", body)


def read_hours(company: Company, employee_id: int) -> dict[str, Any]:
    hours: dict[str, Any]
    [hours] = company.member.get(f"/employees/{employee_id}/inherited_calculations").json()
    assert company.member.get(f"/inherited_calculations/{hours['id']}").json() == hours
    return hours


def read_history(company: Company, employee_id: int) -> dict[str, Any]:
    history: dict[str, Any] = read_hours(company, employee_id)["inputs_history"]
    return history


def test_every_employee_has_the_default_week_from_the_start(company: Company) -> None:
    employee_id = company.hire()
    hours = read_hours(company, employee_id)
    assert list(hours) == FIELDS
    assert (hours["employee_id"], hours["short_name"]) == (employee_id, "week_hours")
    assert (hours["profile_id"], hours["calculation_def_id"]) == (None, None)
    assert hours["inputs"] == WEEK
    assert hours["inputs_history"] == {"": WEEK}


def test_lists_of_calculations_show_regular_hours_with_a_null_id(company: Company) -> None:
    employee_id = company.hire()
    for owner in (f"employees/{employee_id}", f"payslips/{draft_id(company, employee_id)}"):
        [row] = list_calculations(company, owner, regular_hours=True)
        assert (row["id"], row["employee_id"], row["system_type"]) == (None, employee_id, "week_hours")
        assert row["inputs"] == WEEK


def test_an_update_changes_only_what_is_supplied(company: Company) -> None:
    employee_id = company.hire()
    answer = patch_hours(company, employee_id, works_sat=True)
    assert answer.json() == {
        "message": "The calculation has been updated",
        "id": read_hours(company, employee_id)["id"],
    }
    assert read_hours(company, employee_id)["inputs"] == {**WEEK, "works_sat": "true"}
    assert read_history(company, employee_id) == {"": {**WEEK, "works_sat": "true"}}
    patch_hours(company, employee_id, full_day_hours_input=8.5)
    assert read_hours(company, employee_id)["inputs"] == {**WEEK, "works_sat": "true", "full_day_hours_input": "8.5"}


def test_a_saturday_is_added_to_the_pay_of_a_leaver(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-02-01")
    create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=2500)
    patch_hours(company, employee_id, schedule="fixed", works_sat=True)
    body = {"employee_action": {"termination_date": "2024-02-10", "termination_code": 1}}
    assert company.member.post(f"/employees/{employee_id}/service_periods/end_service", body).status_code == 200
    detail = company.member.get(f"/payslips/{draft_id(company, employee_id)}").json()["payslip"]
    # 9 of 25 days: 1, 2, 3, 5 to 10 February 2024.
    assert dict(detail["income"])["basic_salary"] == "900.00"


def test_each_date_counts_by_the_hours_in_force_on_it(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-02-05")
    create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=2300)
    patch_hours(company, employee_id, "2024-02-12", works_sat=True)
    path = f"/payslips/{draft_id(company, employee_id)}"
    # 21 weekdays and the Saturdays 17 and 24 February. From the 5th on, 19 weekdays and these Saturdays.
    assert dict(company.member.get(path).json()["payslip"]["income"])["basic_salary"] == "2100.00"
    body = {"employee_action": {"termination_date": "2024-02-09", "termination_code": 3}}
    assert company.member.post(f"/employees/{employee_id}/service_periods/end_service", body).status_code == 200
    # The change is after the last day of service: 5 of 21 days.
    assert dict(company.member.get(path).json()["payslip"]["income"])["basic_salary"] == "547.62"


def test_a_cycle_replaces_the_days_of_the_week(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-19")
    create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=2500)
    weeks = [[8, 8, 8, 8, 8, "8.0", 0], [8, 8, 8, 8, 8, 0, 0]]
    assert patch_hours(company, employee_id, cycle=weeks, cycle_start="2026-01-03").status_code == 200
    inputs = read_hours(company, employee_id)["inputs"]
    cycle = {"cycle": "8 8 8 8 8 8 0 / 8 8 8 8 8 0 0", "cycle_start": "2026-01-03"}
    assert inputs == {"full_day_hours_input": "8", "schedule": "fixed", **cycle}
    body = {"employee_action": {"termination_date": "2026-01-31", "termination_code": 1}}
    assert company.member.post(f"/employees/{employee_id}/service_periods/end_service", body).status_code == 200
    detail = company.member.get(f"/payslips/{draft_id(company, employee_id)}").json()["payslip"]
    # 11 of 25 days: ten weekdays and Saturday, 31 January.
    assert dict(detail["income"])["basic_salary"] == "1100.00"
    assert patch_hours(company, employee_id, cycle=None).status_code == 200
    assert read_hours(company, employee_id)["inputs"] == WEEK


@pytest.mark.parametrize(
    "cycle",
    [
        "8 8 8 8 8 0 0",
        "8 8 8 8 8 0 / 8 8 8 8 8 0 0",
        "0 0 0 0 0 0 0 / 0 0 0 0 0 0 0",
        "25 8 8 8 8 0 0 / 8 8 8 8 8 0 0",
        " / ".join(["8 8 8 8 8 0 0"] * 7),
        [[8, 8, 8, 8, 8, 0, 0], None],
        [[8, 8, 8, 8, 8, 0, 0], [8, 8, 8, 8, 8, -1, {}]],
        {"weeks": 2},
        5,
    ],
)
def test_an_invalid_cycle_is_rejected(company: Company, cycle: Any) -> None:
    answer = patch_hours(company, company.hire(), cycle=cycle, cycle_start="2026-01-03")
    problem = assert_problem(answer, 422)
    assert list(problem["errors"]) == ["calculation_details.cycle"]
    assert problem["error_details"][0]["code"] == "not_a_cycle"


def test_a_cycle_needs_a_start_and_no_days_of_a_week(company: Company) -> None:
    employee_id = company.hire()
    cycle = "8 8 8 8 8 8 0 / 8 8 8 8 8 0 0"
    assert field_errors(patch_hours(company, employee_id, cycle=cycle, works_sat=True)) == {
        "calculation_details.cycle_start": "is required when cycle is entered",
        "calculation_details.works_sat": "is only allowed when cycle is blank",
    }
    assert field_errors(patch_hours(company, employee_id, cycle_start="2026-01-05")) == {
        "calculation_details.cycle_start": "is only allowed when cycle is entered"
    }
    assert field_errors(
        patch_hours(company, employee_id, schedule="casual", cycle=cycle, cycle_start="2026-01-05")
    ) == {
        "calculation_details.cycle": "is only allowed when schedule is fixed",
        "calculation_details.cycle_start": "is only allowed when cycle is entered",
    }


def test_sending_back_what_was_read_changes_nothing(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, works_fri=True, day_type_fri="partial", partial_hours_fri="4.5")
    patch_hours(company, employee_id, "2020-01-01", full_day_hours_input=7)
    before = read_hours(company, employee_id)
    assert patch_hours(company, employee_id, **before["inputs"]).status_code == 200
    assert {**read_hours(company, employee_id), "updated_at": None} == {**before, "updated_at": None}


def test_posting_a_calculation_of_the_employee_does_the_same(company: Company) -> None:
    employee_id = company.hire()
    inherited_id = create_calculation(company, f"employees/{employee_id}", "week_hours", **FIVE_DAYS)
    assert read_hours(company, employee_id)["id"] == inherited_id
    body = {"calc_type": "week_hours", "calculation_details": {"works_sat": True}, "effective_date": "2027-01-01"}
    answer = company.member.post(f"/employees/{employee_id}/calculations", body)
    assert answer.json() == {
        "message": "The calculation has been updated with effect from 2027-01-01",
        "id": inherited_id,
    }


def test_the_history_has_the_changes_by_effective_date(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, works_sun="true")
    patch_hours(company, employee_id, "2020-05-01", works_mon=True, works_sat=True, day_type_sat="partial")
    patch_hours(company, employee_id, "2020-05-01", partial_hours_sat=4)
    patch_hours(company, employee_id, "2199-01-01", works_sun=None, works_fri=False)
    saturday = {"works_sat": "true", "day_type_sat": "partial", "partial_hours_sat": "4"}
    assert read_history(company, employee_id) == {
        "": {**WEEK, "works_sun": "true"},
        "2020-05-01": saturday,
        "2199-01-01": {"works_sun": None, "works_fri": "false"},
    }
    assert read_hours(company, employee_id)["inputs"] == {**WEEK, "works_sun": "true", **saturday}


def test_a_first_change_with_a_date_keeps_the_initial_inputs(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, "2020-05-01", works_sat=True)
    assert read_history(company, employee_id) == {"": WEEK, "2020-05-01": {"works_sat": "true"}}


def test_a_change_between_others_keeps_the_later_ones(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, "2020-01-01", works_sat=True)
    patch_hours(company, employee_id, "2022-01-01", full_day_hours_input=7)
    patch_hours(company, employee_id, "2021-01-01", full_day_hours_input=6)
    patch_hours(company, employee_id, "2021-01-01", full_day_hours_input=None)
    assert read_history(company, employee_id) == {
        "": WEEK,
        "2020-01-01": {"works_sat": "true"},
        "2022-01-01": {"full_day_hours_input": "7"},
    }


def test_a_change_without_a_date_changes_what_is_in_force_today(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, "2020-01-01", full_day_hours_input=7)
    patch_hours(company, employee_id, "2199-01-01", full_day_hours_input=6)
    patch_hours(company, employee_id, full_day_hours_input=9, works_sat=True)
    assert read_hours(company, employee_id)["inputs"] == {**WEEK, "full_day_hours_input": "9", "works_sat": "true"}
    assert read_history(company, employee_id) == {
        "": {**WEEK, "works_sat": "true"},
        "2020-01-01": {"full_day_hours_input": "9"},
        "2199-01-01": {"full_day_hours_input": "6"},
    }


@pytest.mark.parametrize("effective_date", [None, "2020-01-01"])
def test_a_casual_schedule_and_back_loses_nothing(company: Company, effective_date: str | None) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, works_sat=True, day_type_sat="partial", partial_hours_sat=4)
    before = read_hours(company, employee_id)["inputs"]
    patch_hours(company, employee_id, effective_date, schedule="casual")
    assert read_hours(company, employee_id)["inputs"] == {"full_day_hours_input": "8", "schedule": "casual"}
    patch_hours(company, employee_id, schedule="fixed")
    assert read_hours(company, employee_id)["inputs"] == before


def test_hours_of_every_level_are_read_through_the_inherited_calculation(company: Company) -> None:
    employee_id = company.hire()
    create_calculation(company, f"clients/{company.id}", "week_hours", full_day_hours_input=9, works_fri=False)
    assert read_hours(company, employee_id)["inputs"] == {**WEEK, "full_day_hours_input": "9", "works_fri": "false"}
    profile_id = create_profile(company, week_hours={"works_fri": True, "works_sat": True})
    mapping_id = assign_profile(company, employee_id, profile_id)
    hours = read_hours(company, employee_id)
    assert (hours["profile_id"], hours["inputs_history"]) == (profile_id, {"": WEEK})
    assert hours["inputs"] == {**WEEK, "full_day_hours_input": "9", "works_sat": "true"}
    patch_hours(company, employee_id, works_sat=False)
    assert read_hours(company, employee_id)["inputs"] == {**WEEK, "full_day_hours_input": "9"}
    row = find_calculation(company, f"employees/{employee_id}", "week_hours")
    assert (row["id"], row["profile_id"], row["inputs"]) == (None, profile_id, {**WEEK, "full_day_hours_input": "9"})
    patch_hours(company, employee_id, works_sat=None)
    assert read_hours(company, employee_id)["inputs"]["works_sat"] == "true"
    company.member.delete(f"/profile_mappings/{mapping_id}")
    hours = read_hours(company, employee_id)
    assert hours["inputs"] == {**WEEK, "full_day_hours_input": "9", "works_fri": "false"}
    assert hours["profile_id"] is None


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"schedule": "casual", "works_mon": True}, {"works_mon": "is only allowed when schedule is fixed"}),
        (
            {"schedule": "fixed", "works_mon": False, "day_type_mon": "full", "day_type_sat": "full"},
            {
                "day_type_mon": "is only allowed when works_mon is true",
                "day_type_sat": "is only allowed when works_sat is true",
            },
        ),
        (
            {"schedule": "fixed", "works_mon": True, "day_type_mon": "full", "partial_hours_mon": 4},
            {"partial_hours_mon": "is only allowed when day_type_mon is partial"},
        ),
        (
            {"schedule": "fixed", "day_type_sat": "partial", "partial_hours_sat": 4},
            {
                "day_type_sat": "is only allowed when works_sat is true",
                "partial_hours_sat": "is only allowed when day_type_sat is partial",
            },
        ),
        (
            {"schedule": "fixed", "leave_any_day": True},
            {"leave_any_day": "is only allowed when the client has the feature leave_any_day"},
        ),
        ({"schedule": "flexible"}, {"schedule": "must be one of fixed, casual"}),
        ({"full_day_hours_input": 25}, {"full_day_hours_input": "must be at most 24"}),
        ({"full_day_hours_input": 0}, {"full_day_hours_input": "must be more than 0"}),
        ({"full_days_per_week": 8}, {"full_days_per_week": "must be at most 7"}),
        ({"full_days_per_week": "4.5"}, {"full_days_per_week": "must be an integer"}),
        ({"works_monday": True}, {"works_monday": "is not an input of week_hours; did you mean works_mon?"}),
    ],
)
def test_inputs_that_do_not_apply_are_rejected(
    company: Company, details: dict[str, Any], expected: dict[str, str]
) -> None:
    employee_id = company.hire()
    before = company.member.service.fingerprint()
    errors = field_errors(patch_hours(company, employee_id, **details))
    assert errors == {f"calculation_details.{name}": message for name, message in expected.items()}
    assert company.member.service.fingerprint() == before


@pytest.mark.parametrize("blank", [None, "", " "])
def test_the_days_of_a_week_are_blank_or_a_whole_number(company: Company, blank: str | None) -> None:
    employee_id = company.hire()
    for number in (5, "5", 6.0, "0"):
        assert patch_hours(company, employee_id, full_days_per_week=number).status_code == 200
    patch_hours(company, employee_id, full_days_per_week=blank)
    assert read_hours(company, employee_id)["inputs"] == WEEK


def test_leave_on_any_day_needs_the_feature(company: Company) -> None:
    employee_id = company.hire()
    company.member.patch(f"/clients/{company.id}", {"features": {"leave_any_day": True}})
    assert patch_hours(company, employee_id, **FIVE_DAYS, leave_any_day=True).status_code == 200
    assert read_hours(company, employee_id)["inputs"]["leave_any_day"] == "true"


def test_required_attributes_are_reported(company: Company) -> None:
    path = f"/employees/{company.hire()}/inherited_calculations"
    assert field_errors(company.member.patch(path, {})) == {
        "calc_type": "is required",
        "calculation_details": "is required",
    }
    body = {"calc_type": "basic_salary", "calculation_details": [], "effective_date": "2026-02-30"}
    assert field_errors(company.member.patch(path, body)) == {
        "calc_type": "'basic_salary' is not an inherited calculation; the only one is week_hours",
        "calculation_details": "must be an object",
        "effective_date": "2026-02-30 is not a valid calendar date",
    }


def test_an_effective_date_is_required_after_a_finalised_payslip(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, **FIVE_DAYS)
    end = finalise(company, draft_id(company, employee_id))
    before = company.member.service.fingerprint()
    assert field_errors(patch_hours(company, employee_id, works_sat=True)) == {
        "effective_date": f"is required, because the employee has a finalised payslip of {end}"
    }
    assert company.member.service.fingerprint() == before
    assert patch_hours(company, employee_id, str(end + timedelta(days=1)), works_sat=True).status_code == 200


def test_an_effective_date_must_be_after_the_last_finalised_payslip(company: Company) -> None:
    employee_id = company.hire()
    end = finalise(company, draft_id(company, employee_id))
    before = company.member.service.fingerprint()
    for day in (end, end - timedelta(days=400)):
        message = assert_problem(patch_hours(company, employee_id, str(day), **FIVE_DAYS), 409)["message"]
        assert message == (
            f"effective_date {day} is not after the finalised payslip of {end}; "
            "choose a later date, unfinalise that pay run first, or record this as late"
        )
    assert company.member.service.fingerprint() == before


def test_without_the_feature_regular_hours_are_an_ordinary_calculation(company: Company) -> None:
    employee_id = company.hire()
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": False}})
    assert field_errors(patch_hours(company, employee_id, **FIVE_DAYS)) == {
        "calc_type": "is an ordinary calculation, because the client does not have the feature regular_hours_v2"
    }
    owner = f"employees/{employee_id}"
    calculation_id = create_calculation(company, owner, "week_hours", **FIVE_DAYS)
    assert find_calculation(company, owner, "week_hours")["id"] == calculation_id
    assert company.member.get(f"/{owner}/inherited_calculations").json() == []
    on_payslip = f"payslips/{draft_id(company, employee_id)}"
    create_calculation(company, on_payslip, "week_hours", works_sat=True)
    assert find_calculation(company, on_payslip, "week_hours")["inputs"] == {**WEEK, "works_sat": "true"}


def test_with_the_feature_a_payslip_cannot_have_regular_hours(company: Company) -> None:
    answer = post_calculation(company, f"payslips/{draft_id(company, company.hire())}", "week_hours", **FIVE_DAYS)
    assert field_errors(answer) == {
        "calc_type": "is set on the employee with an effective_date, "
        "because the client has the feature regular_hours_v2"
    }


def test_switching_the_feature_keeps_earlier_regular_hours(company: Company) -> None:
    employee_id = company.hire()
    owner = f"employees/{employee_id}"
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": False}})
    calculation_id = create_calculation(company, owner, "week_hours", **FIVE_DAYS)
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": True}})
    assert patch_hours(company, employee_id, works_fri=False).status_code == 200
    assert find_calculation(company, owner, "week_hours")["inputs"]["works_fri"] == "false"
    assert company.member.get(f"/calculations/{calculation_id}").json()["id"] == calculation_id
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": False}})
    assert find_calculation(company, owner, "week_hours")["inputs"]["works_fri"] == "true"


def test_switching_the_feature_on_gives_every_employee_the_record(company: Company) -> None:
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": False}})
    employee_id = company.hire()
    path = f"/employees/{employee_id}/inherited_calculations"
    assert company.member.get(path).json() == []
    assert list_calculations(company, f"employees/{employee_id}", regular_hours=True) == []
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": True}})
    hours = read_hours(company, employee_id)
    assert hours["inputs_history"] == {"": WEEK}
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": False}})
    assert_problem(company.member.get(f"/inherited_calculations/{hours['id']}"), 404)


def test_switching_the_feature_recalculates_the_drafts(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-02-12")
    create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=2500)
    patch_hours(company, employee_id, works_sat=True)
    path = f"/payslips/{draft_id(company, employee_id)}"
    with_feature = dict(company.member.get(path).json()["payslip"]["income"])["basic_salary"]
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": False}})
    without = dict(company.member.get(path).json()["payslip"]["income"])["basic_salary"]
    # From 12 February 2024: 16 of 25 days with Saturdays, 14 of 21 without.
    assert (with_feature, without) == ("1600.00", "1666.67")


def test_an_employee_can_read_but_not_change_their_hours(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, **FIVE_DAYS)
    assign_profile(company, employee_id, create_profile(company, week_hours={"works_sat": True}))
    employee = company.member.colleague(company.id, "employee", employee_id)
    hours = read_hours(company, employee_id)
    assert hours["inputs"]["works_sat"] == "true"
    assert employee.get(f"/employees/{employee_id}/inherited_calculations").json() == [hours]
    assert employee.get(f"/inherited_calculations/{hours['id']}").json() == hours
    other = read_hours(company, company.hire())
    assert_problem(employee.get(f"/inherited_calculations/{other['id']}"), 404)
    body = {"calc_type": "week_hours", "calculation_details": {"works_mon": False}}
    assert_problem(employee.post(f"/employees/{employee_id}/calculations", body), 403)
    assert_problem(employee.patch(f"/employees/{employee_id}/inherited_calculations", body), 403)
