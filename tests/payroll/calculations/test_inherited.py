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


def test_regular_hours_are_created_and_read(company: Company) -> None:
    employee_id = company.hire()
    assert company.member.get(f"/employees/{employee_id}/inherited_calculations").json() == []
    answer = patch_hours(company, employee_id, **FIVE_DAYS, full_day_hours_input=8.5)
    assert answer.json() == {"message": "The calculation has been created", "id": answer.json()["id"]}
    hours = read_hours(company, employee_id)
    assert list(hours) == FIELDS
    assert (hours["id"], hours["employee_id"], hours["short_name"]) == (answer.json()["id"], employee_id, "week_hours")
    assert (hours["profile_id"], hours["calculation_def_id"]) == (None, None)
    assert hours["inputs"] == {**FIVE_DAYS, "full_day_hours_input": "8.5"}
    assert hours["inputs_history"] == {"": hours["inputs"]}


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


def test_lists_of_calculations_show_regular_hours_with_a_null_id(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, **FIVE_DAYS)
    for owner in (f"employees/{employee_id}", f"payslips/{draft_id(company, employee_id)}"):
        [row] = list_calculations(company, owner)
        assert (row["id"], row["employee_id"], row["system_type"]) == (None, employee_id, "week_hours")
        assert row["inputs"] == FIVE_DAYS


def test_the_history_has_the_changes_by_effective_date(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, **FIVE_DAYS)
    patch_hours(company, employee_id, "2020-05-01", works_mon=True, works_sat=True, day_type_sat="partial")
    patch_hours(company, employee_id, "2020-05-01", partial_hours_sat=4)
    patch_hours(company, employee_id, "2199-01-01", works_fri=None)
    saturday = {"works_sat": True, "day_type_sat": "partial", "partial_hours_sat": "4"}
    assert read_history(company, employee_id) == {
        "": FIVE_DAYS,
        "2020-05-01": saturday,
        "2199-01-01": {"works_fri": None},
    }
    assert read_hours(company, employee_id)["inputs"] == {**FIVE_DAYS, **saturday}


def test_a_change_between_others_keeps_the_later_ones(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, "2020-01-01", **FIVE_DAYS)
    patch_hours(company, employee_id, "2022-01-01", full_day_hours_input=7)
    patch_hours(company, employee_id, "2021-01-01", full_day_hours_input=6)
    patch_hours(company, employee_id, "2021-01-01", full_day_hours_input=None)
    assert read_history(company, employee_id) == {
        "2020-01-01": FIVE_DAYS,
        "2022-01-01": {"full_day_hours_input": "7"},
    }


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"works_mon": True}, {"works_mon": "is only allowed when schedule is fixed"}),
        ({"schedule": "casual", "works_mon": True}, {"works_mon": "is only allowed when schedule is fixed"}),
        (
            {"schedule": "fixed", "works_mon": False, "day_type_mon": "full", "day_type_tue": "full"},
            {
                "day_type_mon": "is only allowed when works_mon is true",
                "day_type_tue": "is only allowed when works_tue is true",
            },
        ),
        (
            {"schedule": "fixed", "works_mon": True, "day_type_mon": "full", "partial_hours_mon": 4},
            {"partial_hours_mon": "is only allowed when day_type_mon is partial"},
        ),
        (
            {"schedule": "fixed", "day_type_mon": "partial", "partial_hours_mon": 4},
            {
                "day_type_mon": "is only allowed when works_mon is true",
                "partial_hours_mon": "is only allowed when day_type_mon is partial",
            },
        ),
        (
            {"schedule": "fixed", "leave_any_day": True},
            {"leave_any_day": "is only allowed when the client has the feature leave_any_day"},
        ),
        ({"schedule": "flexible"}, {"schedule": "must be one of fixed, casual"}),
        ({"full_day_hours_input": 25}, {"full_day_hours_input": "must be at most 24"}),
        ({"full_days_per_week": 8}, {"full_days_per_week": "must be at most 7"}),
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


def test_inputs_that_no_longer_apply_are_dropped(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(
        company, employee_id, **FIVE_DAYS, day_type_fri="partial", partial_hours_fri=4, full_days_per_week="4.5"
    )
    patch_hours(company, employee_id, "2020-01-01", schedule="casual", full_days_per_week="")
    assert read_hours(company, employee_id)["inputs"] == {"schedule": "casual"}


def test_leave_on_any_day_needs_the_feature(company: Company) -> None:
    employee_id = company.hire()
    company.member.patch(f"/clients/{company.id}", {"features": {"leave_any_day": True}})
    assert patch_hours(company, employee_id, **FIVE_DAYS, leave_any_day=True).status_code == 200
    assert read_hours(company, employee_id)["inputs"]["leave_any_day"] is True


def test_the_schedule_can_be_inherited(company: Company) -> None:
    employee_id = company.hire()
    create_calculation(company, f"clients/{company.id}", "week_hours", **FIVE_DAYS)
    assign_profile(company, employee_id, create_profile(company, week_hours={"full_day_hours_input": 9}))
    assert patch_hours(company, employee_id, works_sat=True).status_code == 200
    row = find_calculation(company, f"employees/{employee_id}", "week_hours")
    assert row["inputs"] == {**FIVE_DAYS, "full_day_hours_input": "9", "works_sat": True}
    patch_hours(company, employee_id, schedule="casual")
    assert find_calculation(company, f"employees/{employee_id}", "week_hours")["inputs"] == {
        "schedule": "casual",
        "full_day_hours_input": "9",
    }


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
            "choose a later date, or unfinalise that pay run first"
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
    assert find_calculation(company, on_payslip, "week_hours")["inputs"] == {**FIVE_DAYS, "works_sat": True}


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
    assert find_calculation(company, owner, "week_hours")["inputs"]["works_fri"] is False
    assert company.member.get(f"/calculations/{calculation_id}").json()["id"] == calculation_id
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": False}})
    assert find_calculation(company, owner, "week_hours")["inputs"]["works_fri"] is True


def test_an_employee_can_read_but_not_change_their_hours(company: Company) -> None:
    employee_id = company.hire()
    patch_hours(company, employee_id, **FIVE_DAYS)
    employee = company.member.colleague(company.id, "employee", employee_id)
    assert employee.get(f"/employees/{employee_id}/inherited_calculations").json() == [read_hours(company, employee_id)]
    body = {"calc_type": "week_hours", "calculation_details": {"works_mon": False}}
    assert_problem(employee.post(f"/employees/{employee_id}/calculations", body), 403)
    assert_problem(employee.patch(f"/employees/{employee_id}/inherited_calculations", body), 403)
