"""Inherited calculations: GET, PATCH, and the employee POST; regular hours from a day on."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from tests.payroll.calculations.entered import draft, enter, entered, finalise, listed, mapped, one, profile
from tests.support.company import Company
from tests.support.problems import faults, refused

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


def change(company: Company, employee_id: int, effective_date: str | None = None, /, **details: Any) -> httpx.Response:
    body = {"calc_type": "week_hours", "calculation_details": details, "effective_date": effective_date}
    given = {name: value for name, value in body.items() if value is not None}
    return company.member.patch(f"/employees/{employee_id}/inherited_calculations", given)


def hours(company: Company, employee_id: int) -> dict[str, Any]:
    [found] = company.member.get(f"/employees/{employee_id}/inherited_calculations").json()
    assert company.member.get(f"/inherited_calculations/{found['id']}").json() == found
    shown: dict[str, Any] = found
    return shown


def history(company: Company, employee_id: int) -> dict[str, Any]:
    found: dict[str, Any] = hours(company, employee_id)["inputs_history"]
    return found


def test_it_works(company: Company) -> None:
    employee_id = company.hire()
    assert company.member.get(f"/employees/{employee_id}/inherited_calculations").json() == []
    answer = change(company, employee_id, **FIVE_DAYS, full_day_hours_input=8.5)
    assert answer.json() == {"message": "The calculation has been created", "id": answer.json()["id"]}
    found = hours(company, employee_id)
    assert list(found) == FIELDS
    assert (found["id"], found["employee_id"], found["short_name"]) == (answer.json()["id"], employee_id, "week_hours")
    assert (found["profile_id"], found["calculation_def_id"]) == (None, None)
    assert found["inputs"] == {**FIVE_DAYS, "full_day_hours_input": "8.5"}
    assert found["inputs_history"] == {"": found["inputs"]}


def test_the_employee_post_does_the_same(company: Company) -> None:
    employee_id = company.hire()
    inherited_id = entered(company, f"employees/{employee_id}", "week_hours", **FIVE_DAYS)
    assert hours(company, employee_id)["id"] == inherited_id
    body = {"calc_type": "week_hours", "calculation_details": {"works_sat": True}, "effective_date": "2027-01-01"}
    answer = company.member.post(f"/employees/{employee_id}/calculations", body)
    assert answer.json() == {
        "message": "The calculation has been updated with effect from 2027-01-01",
        "id": inherited_id,
    }


def test_in_lists_of_calculations_it_has_id_null(company: Company) -> None:
    employee_id = company.hire()
    change(company, employee_id, **FIVE_DAYS)
    for where in (f"employees/{employee_id}", f"payslips/{draft(company, employee_id)}"):
        [row] = listed(company, where)
        assert (row["id"], row["employee_id"], row["system_type"]) == (None, employee_id, "week_hours")
        assert row["inputs"] == FIVE_DAYS


def test_by_effective_date_the_history_holds_what_changed(company: Company) -> None:
    employee_id = company.hire()
    change(company, employee_id, **FIVE_DAYS)
    change(company, employee_id, "2020-05-01", works_mon=True, works_sat=True, day_type_sat="partial")
    change(company, employee_id, "2020-05-01", partial_hours_sat=4)
    change(company, employee_id, "2199-01-01", works_fri=None)
    saturday = {"works_sat": True, "day_type_sat": "partial", "partial_hours_sat": "4"}
    assert history(company, employee_id) == {
        "": FIVE_DAYS,
        "2020-05-01": saturday,
        "2199-01-01": {"works_fri": None},
    }
    assert hours(company, employee_id)["inputs"] == {**FIVE_DAYS, **saturday}


def test_a_change_between_others_leaves_the_later_ones(company: Company) -> None:
    employee_id = company.hire()
    change(company, employee_id, "2020-01-01", **FIVE_DAYS)
    change(company, employee_id, "2022-01-01", full_day_hours_input=7)
    change(company, employee_id, "2021-01-01", full_day_hours_input=6)
    change(company, employee_id, "2021-01-01", full_day_hours_input=None)
    assert history(company, employee_id) == {
        "2020-01-01": FIVE_DAYS,
        "2022-01-01": {"full_day_hours_input": "7"},
    }


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"works_mon": True}, {"works_mon": "is only possible when schedule is fixed"}),
        ({"schedule": "casual", "works_mon": True}, {"works_mon": "is only possible when schedule is fixed"}),
        (
            {"schedule": "fixed", "works_mon": False, "day_type_mon": "full", "day_type_tue": "full"},
            {
                "day_type_mon": "is only possible when works_mon is true",
                "day_type_tue": "is only possible when works_tue is true",
            },
        ),
        (
            {"schedule": "fixed", "works_mon": True, "day_type_mon": "full", "partial_hours_mon": 4},
            {"partial_hours_mon": "is only possible when day_type_mon is partial"},
        ),
        (
            {"schedule": "fixed", "day_type_mon": "partial", "partial_hours_mon": 4},
            {
                "day_type_mon": "is only possible when works_mon is true",
                "partial_hours_mon": "is only possible when day_type_mon is partial",
            },
        ),
        (
            {"schedule": "fixed", "leave_any_day": True},
            {"leave_any_day": "is only possible when the client has the feature leave_any_day"},
        ),
        ({"schedule": "flexible"}, {"schedule": "must be one of fixed, casual"}),
        ({"full_day_hours_input": 25}, {"full_day_hours_input": "must not be above 24"}),
        ({"full_days_per_week": 8}, {"full_days_per_week": "must not be above 7"}),
        ({"works_monday": True}, {"works_monday": "week_hours has no such input; did you mean works_mon?"}),
    ],
)
def test_what_does_not_apply_is_a_fault(company: Company, details: dict[str, Any], expected: dict[str, str]) -> None:
    employee_id = company.hire()
    before = company.member.service.fingerprint()
    found = faults(change(company, employee_id, **details))
    assert found == {f"calculation_details.{name}": fault for name, fault in expected.items()}
    assert company.member.service.fingerprint() == before


def test_what_no_longer_applies_is_dropped(company: Company) -> None:
    employee_id = company.hire()
    change(company, employee_id, **FIVE_DAYS, day_type_fri="partial", partial_hours_fri=4, full_days_per_week="4.5")
    change(company, employee_id, "2020-01-01", schedule="casual", full_days_per_week="")
    assert hours(company, employee_id)["inputs"] == {"schedule": "casual"}


def test_leave_on_any_day_needs_the_feature(company: Company) -> None:
    employee_id = company.hire()
    company.member.patch(f"/clients/{company.id}", {"features": {"leave_any_day": True}})
    assert change(company, employee_id, **FIVE_DAYS, leave_any_day=True).status_code == 200
    assert hours(company, employee_id)["inputs"]["leave_any_day"] is True


def test_the_schedule_may_come_from_a_level_above(company: Company) -> None:
    employee_id = company.hire()
    entered(company, f"clients/{company.id}", "week_hours", **FIVE_DAYS)
    mapped(company, employee_id, profile(company, week_hours={"full_day_hours_input": 9}))
    assert change(company, employee_id, works_sat=True).status_code == 200
    row = one(company, f"employees/{employee_id}", "week_hours")
    assert row["inputs"] == {**FIVE_DAYS, "full_day_hours_input": "9", "works_sat": True}
    change(company, employee_id, schedule="casual")
    assert one(company, f"employees/{employee_id}", "week_hours")["inputs"] == {
        "schedule": "casual",
        "full_day_hours_input": "9",
    }


def test_required_attributes_are_asked_for(company: Company) -> None:
    path = f"/employees/{company.hire()}/inherited_calculations"
    assert faults(company.member.patch(path, {})) == {
        "calc_type": "is required",
        "calculation_details": "is required",
    }
    body = {"calc_type": "basic_salary", "calculation_details": [], "effective_date": "2026-02-30"}
    assert faults(company.member.patch(path, body)) == {
        "calc_type": "'basic_salary' is no inherited calculation; the only one is week_hours",
        "calculation_details": "must be an object of inputs",
        "effective_date": "2026-02-30 is not a day of the calendar",
    }


def test_after_a_finalised_payslip_an_effective_date_is_required(company: Company) -> None:
    employee_id = company.hire()
    change(company, employee_id, **FIVE_DAYS)
    end = finalise(company, draft(company, employee_id))
    before = company.member.service.fingerprint()
    assert faults(change(company, employee_id, works_sat=True)) == {
        "effective_date": f"is required: the employee has a finalised payslip of {end}"
    }
    assert company.member.service.fingerprint() == before
    assert change(company, employee_id, str(end + timedelta(days=1)), works_sat=True).status_code == 200


def test_an_effective_date_inside_or_before_a_finalised_payslip_is_refused(company: Company) -> None:
    employee_id = company.hire()
    end = finalise(company, draft(company, employee_id))
    before = company.member.service.fingerprint()
    for day in (end, end - timedelta(days=400)):
        message = refused(change(company, employee_id, str(day), **FIVE_DAYS), 409)["message"]
        assert message == (
            f"effective_date {day} is inside or before the finalised payslip of {end}; "
            "choose a later day, or unfinalise that pay run first"
        )
    assert company.member.service.fingerprint() == before


def test_without_the_feature_regular_hours_are_an_ordinary_calculation(company: Company) -> None:
    employee_id = company.hire()
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": False}})
    assert faults(change(company, employee_id, **FIVE_DAYS)) == {
        "calc_type": "is an ordinary calculation, because the client lacks the feature regular_hours_v2"
    }
    where = f"employees/{employee_id}"
    calculation_id = entered(company, where, "week_hours", **FIVE_DAYS)
    assert one(company, where, "week_hours")["id"] == calculation_id
    assert company.member.get(f"/{where}/inherited_calculations").json() == []
    on_payslip = f"payslips/{draft(company, employee_id)}"
    entered(company, on_payslip, "week_hours", works_sat=True)
    assert one(company, on_payslip, "week_hours")["inputs"] == {**FIVE_DAYS, "works_sat": True}


def test_with_the_feature_a_payslip_has_no_regular_hours_of_its_own(company: Company) -> None:
    answer = enter(company, f"payslips/{draft(company, company.hire())}", "week_hours", **FIVE_DAYS)
    assert faults(answer) == {
        "calc_type": "is set for the employee with an effective_date, "
        "because the client has the feature regular_hours_v2"
    }


def test_what_was_entered_before_the_feature_came_or_went_still_holds(company: Company) -> None:
    employee_id = company.hire()
    where = f"employees/{employee_id}"
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": False}})
    old = entered(company, where, "week_hours", **FIVE_DAYS)
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": True}})
    assert change(company, employee_id, works_fri=False).status_code == 200
    assert one(company, where, "week_hours")["inputs"]["works_fri"] is False
    assert company.member.get(f"/calculations/{old}").json()["id"] == old
    company.member.patch(f"/clients/{company.id}", {"features": {"regular_hours_v2": False}})
    assert one(company, where, "week_hours")["inputs"]["works_fri"] is True


def test_an_employee_reads_their_own_hours_and_changes_nothing(company: Company) -> None:
    employee_id = company.hire()
    change(company, employee_id, **FIVE_DAYS)
    employee = company.member.colleague(company.id, "employee", employee_id)
    assert employee.get(f"/employees/{employee_id}/inherited_calculations").json() == [hours(company, employee_id)]
    body = {"calc_type": "week_hours", "calculation_details": {"works_mon": False}}
    refused(employee.post(f"/employees/{employee_id}/calculations", body), 403)
    refused(employee.patch(f"/employees/{employee_id}/inherited_calculations", body), 403)
