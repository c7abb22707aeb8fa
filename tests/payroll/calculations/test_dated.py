"""Recurring calculations with dates: `valid_from`, `as_of`, the history, and what payslips show."""

from typing import Any

import httpx
import pytest

from tests.payroll.calculations.requests import (
    assign_profile,
    create_calculation,
    create_profile,
    list_calculations,
    post_calculation,
)
from tests.payroll.payment_runs.runs import done, hired, paid
from tests.payroll.payslips.slips import detail, draft
from tests.support.company import WEEKLY, Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import created


@pytest.fixture
def employee_id(company: Company) -> int:
    """An employee with a salary of 4,400 whose January 2026 is finalised. February has 20 working days."""
    employee_id = hired(company, "4400.00")
    paid(company)
    return employee_id


def change(
    company: Company, employee_id: int, calc_type: str, valid_from: str | None, **details: Any
) -> httpx.Response:
    """Post a calculation of an employee with a date."""
    body = {"calc_type": calc_type, "calculation_details": details, "valid_from": valid_from}
    return company.member.post(f"/employees/{employee_id}/calculations", body)


def income(company: Company, employee_id: int) -> dict[str, str]:
    """The income of the draft."""
    return dict(detail(company, draft(company, employee_id))["income"])


def history(company: Company, path: str) -> dict[str, list[tuple[str | None, str | None, dict[str, str]]]]:
    """The dates and inputs of each calculation."""
    answer = company.member.get(f"/{path}/calculation_history")
    assert answer.status_code == 200, answer.text
    return {
        element["system_type"]: [
            (values["valid_from"], values["valid_to"], values["inputs"]) for values in element["values"]
        ]
        for element in answer.json()
    }


def salary(company: Company, employee_id: int, as_of: str = "") -> str | None:
    """The basic salary in the list of calculations."""
    query = f"?as_of={as_of}" if as_of else ""
    answer = company.member.get(f"/employees/{employee_id}/calculations{query}")
    rows = [row for row in answer.json() if row.get("system_type") == "basic_salary"]
    return rows[0]["inputs"]["fixed_amount"] if rows else None


def test_an_increment_within_the_period_pays_both_parts(company: Company, employee_id: int) -> None:
    answer = change(company, employee_id, "basic_salary", "2026-02-16", fixed_amount=5000)
    assert answer.json().keys() == {"message", "id"}
    assert income(company, employee_id)["basic_salary"] == "4700.00"
    explanation = company.member.get(f"/payslips/{draft(company, employee_id)}/explanation").json()["explanation"]
    [line] = [line for line in explanation if line["item"] == "basic_salary"]
    assert line["arithmetic"] == [
        "4400.00 × 10 = 44000.00",
        "5000.00 × 10 = 50000.00",
        "round_cents((44000.00 + 50000.00) ÷ 20) = 4700.00",
    ]
    assert line["inputs"] == {
        "2026-02-01 to 2026-02-15": "4400.00 a period, 10 working days",
        "2026-02-16 to 2026-02-28": "5000.00 a period, 10 working days",
        "working days of the period": "20",
    }


def test_without_a_date_a_change_holds_from_the_start_of_the_draft(company: Company, employee_id: int) -> None:
    create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=5000)
    assert income(company, employee_id)["basic_salary"] == "5000.00"
    assert history(company, f"employees/{employee_id}") == {
        "basic_salary": [
            (None, "2026-01-31", {"fixed_amount": "4400.00"}),
            ("2026-02-01", None, {"fixed_amount": "5000.00"}),
        ]
    }


def test_without_finalised_payslips_a_change_has_no_date(company: Company) -> None:
    employee_id = hired(company, "4400.00")
    create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=5000)
    assert history(company, f"employees/{employee_id}") == {"basic_salary": [(None, None, {"fixed_amount": "5000.00"})]}


def test_a_new_item_does_not_exist_before_its_date(company: Company, employee_id: int) -> None:
    created(change(company, employee_id, "other_allowance", "2026-02-16", amount=200))
    assert income(company, employee_id)["other_allowance"] == "100.00"
    employee = f"employees/{employee_id}"
    types = [
        [row.get("system_type") for row in company.member.get(f"/{employee}/calculations?as_of={day}").json()]
        for day in ("2026-02-15", "2026-02-16")
    ]
    assert ["other_allowance" in listed for listed in types] == [False, True]
    assert history(company, employee)["other_allowance"] == [("2026-02-16", None, {"amount": "200.00"})]


def test_a_future_change_is_listed_and_can_be_removed(company: Company, employee_id: int) -> None:
    before = detail(company, draft(company, employee_id))
    calculation_id = created(change(company, employee_id, "basic_salary", "2099-01-01", fixed_amount=9000))
    assert salary(company, employee_id) == "4400.00"
    assert salary(company, employee_id, "2099-01-01") == "9000.00"
    [element] = company.member.get(f"/employees/{employee_id}/calculation_history").json()
    assert [values["state"] for values in element["values"]] == ["current", "future"]
    path = f"/calculations/{calculation_id}/changes/2099-01-01"
    assert company.member.delete(path).json() == {"message": "The change of 2099-01-01 has been removed"}
    assert_problem(company.member.delete(path), 404)
    assert salary(company, employee_id, "2099-01-01") == "4400.00"
    assert detail(company, draft(company, employee_id)) == before


def test_a_future_item_can_be_read_and_deleted(company: Company, employee_id: int) -> None:
    calculation_id = created(change(company, employee_id, "union_fee", "2099-01-01", amount=9))
    row = company.member.get(f"/calculations/{calculation_id}").json()
    assert (row["inputs"], row["valid_from"]) == ({"amount": "9.00"}, "2099-01-01")
    assert company.member.delete(f"/calculations/{calculation_id}").status_code == 200
    assert_problem(company.member.get(f"/calculations/{calculation_id}"), 404)
    assert "union_fee" not in history(company, f"employees/{employee_id}")


def test_the_same_date_again_replaces_the_values_that_are_sent(company: Company, employee_id: int) -> None:
    for details in ({"amount": 100, "prorate": True}, {"amount": 150}):
        created(change(company, employee_id, "transport_allowance", "2026-02-16", **details))
    inputs = {"amount": "150.00", "prorate": "true"}
    assert history(company, f"employees/{employee_id}")["transport_allowance"] == [("2026-02-16", None, inputs)]


def test_a_date_in_a_closed_period_leaves_its_payslip_as_it_is(company: Company, employee_id: int) -> None:
    [closed] = [slip for slip in payslip_ids(company, employee_id) if slip != draft(company, employee_id)]
    before = [company.member.get(f"/payslips/{closed}{form}").content for form in ("", "/calculations", "/explanation")]
    answer = change(company, employee_id, "basic_salary", "2026-01-16", fixed_amount=5000)
    assert answer.json()["warnings"] == {
        "valid_from": "Finalised payslips are not changed. The last one ends on 2026-01-31."
    }
    after = [company.member.get(f"/payslips/{closed}{form}").content for form in ("", "/calculations", "/explanation")]
    assert after == before
    assert income(company, employee_id)["basic_salary"] == "5000.00"


def payslip_ids(company: Company, employee_id: int) -> list[int]:
    """The payslips of an employee."""
    return [element["payslip"]["id"] for element in company.member.get(f"/employees/{employee_id}/payslips").json()]


def test_deleting_ends_an_item_at_the_start_of_the_draft(company: Company, employee_id: int) -> None:
    calculation_id = created(change(company, employee_id, "union_fee", "2025-01-01", amount=9))
    assert company.member.delete(f"/calculations/{calculation_id}").json() == {
        "message": "The calculation has been deleted"
    }
    assert_problem(company.member.get(f"/calculations/{calculation_id}"), 404)
    assert_problem(company.member.patch(f"/calculations/{calculation_id}", {"skip": True}), 404)
    assert_problem(company.member.delete(f"/calculations/{calculation_id}"), 404)
    assert history(company, f"employees/{employee_id}")["union_fee"] == [
        ("2025-01-01", "2026-01-31", {"amount": "9.00"}),
        ("2026-02-01", None, {}),
    ]


def test_an_item_can_end_on_a_date_and_begin_again(company: Company, employee_id: int) -> None:
    employee = f"employees/{employee_id}"
    calculation_id = created(change(company, employee_id, "other_allowance", "2026-01-01", amount=200, prorate=True))
    answer = company.member.delete(f"/calculations/{calculation_id}?valid_from=2026-02-16")
    assert answer.status_code == 200, answer.text
    assert income(company, employee_id)["other_allowance"] == "100.00"
    assert created(change(company, employee_id, "other_allowance", "2026-02-23", amount=400)) == calculation_id
    assert income(company, employee_id)["other_allowance"] == "200.00"
    assert history(company, employee)["other_allowance"] == [
        ("2026-01-01", "2026-02-15", {"amount": "200.00", "prorate": "true"}),
        ("2026-02-16", "2026-02-22", {}),
        ("2026-02-23", None, {"amount": "400.00"}),
    ]
    company.member.delete(f"/calculations/{calculation_id}/changes/2026-02-16")
    assert income(company, employee_id)["other_allowance"] == "250.00"


def test_deductions_have_the_value_of_the_last_day(company: Company, employee_id: int) -> None:
    created(change(company, employee_id, "union_fee", None, amount=9))
    created(change(company, employee_id, "union_fee", "2026-02-28", amount=12))
    assert ["union_fee", "12.00"] in detail(company, draft(company, employee_id))["deduction"]
    created(change(company, employee_id, "union_fee", "2026-03-01", amount=20))
    assert ["union_fee", "12.00"] in detail(company, draft(company, employee_id))["deduction"]


def test_values_after_the_last_day_of_service_do_not_count(company: Company, employee_id: int) -> None:
    created(change(company, employee_id, "basic_salary", "2026-02-16", fixed_amount=8000))
    created(change(company, employee_id, "union_fee", "2026-02-16", amount=12))
    body = {"employee_action": {"termination_date": "2026-02-13", "termination_code": 1}}
    assert company.member.post(f"/employees/{employee_id}/service_periods/end_service", body).status_code == 200
    assert income(company, employee_id)["basic_salary"] == "2200.00"
    assert "union_fee" not in dict(detail(company, draft(company, employee_id))["deduction"])


def test_a_change_of_the_payslip_applies_to_all_parts(company: Company, employee_id: int) -> None:
    created(change(company, employee_id, "basic_salary", "2026-02-16", fixed_amount=5000))
    create_calculation(company, f"payslips/{draft(company, employee_id)}", "basic_salary", fixed_amount=3000)
    assert income(company, employee_id)["basic_salary"] == "3000.00"


def test_a_weekly_wave_pays_the_parts_of_a_week(company: Company) -> None:
    wave_id = company.wave(**{**WEEKLY, "first_end_date": "2026-01-11"})
    employee_id = company.hire(wave_id=wave_id, appointment_date="2026-01-01")
    create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=500)
    created(change(company, employee_id, "basic_salary", "2026-01-08", fixed_amount=600))
    assert income(company, employee_id)["basic_salary"] == "540.00"


def test_a_profile_has_dated_values(company: Company, employee_id: int) -> None:
    profile_id = create_profile(company, other_allowance={"amount": 200})
    assign_profile(company, employee_id, profile_id)
    body = {"calculations": {"other_allowance": {"amount": 400}}, "valid_from": "2026-02-16"}
    assert company.member.patch(f"/profiles/{profile_id}", body).status_code == 200
    assert income(company, employee_id)["other_allowance"] == "300.00"
    assert history(company, f"profiles/{profile_id}") == {
        "other_allowance": [(None, "2026-02-15", {"amount": "200.00"}), ("2026-02-16", None, {"amount": "400.00"})]
    }
    assert (
        history(company, f"employees/{employee_id}")["other_allowance"]
        == history(company, f"profiles/{profile_id}")["other_allowance"]
    )
    removed = {"calculations": {"other_allowance": None}}
    assert company.member.patch(f"/profiles/{profile_id}", removed).status_code == 200
    assert "other_allowance" not in income(company, employee_id)
    assert history(company, f"profiles/{profile_id}")["other_allowance"] == [
        (None, "2026-01-31", {"amount": "200.00"}),
        ("2026-02-01", None, {}),
    ]


def test_a_profile_calculation_can_be_changed_by_its_id(company: Company, employee_id: int) -> None:
    profile_id = create_profile(company, other_allowance={"amount": 200})
    assign_profile(company, employee_id, profile_id)
    [element] = company.member.get(f"/profiles/{profile_id}/calculation_history").json()
    body = {"calculation_details": {"amount": 400}, "valid_from": "2026-02-16"}
    path = f"/calculations/{element['calculation_id']}"
    assert company.member.patch(path, body).status_code == 200
    assert income(company, employee_id)["other_allowance"] == "300.00"
    assert company.member.delete(f"{path}/changes/2026-02-16").status_code == 200
    assert income(company, employee_id)["other_allowance"] == "200.00"


def test_bulk_input_takes_a_date(company: Company, employee_id: int) -> None:
    entities = [
        {
            "id": str(employee_id),
            "valid_from": "2026-02-16",
            "attributes": {"calc.basic_salary.fixed_amount": "5000", "calc.union_fee.amount": "9"},
        }
    ]
    [result] = company.member.post(f"/clients/{company.id}/bulk_input", {"entities": entities}).json()
    assert result["success"] == "true", result
    assert income(company, employee_id)["basic_salary"] == "4700.00"


def test_bulk_input_rejects_a_date_that_nothing_uses(company: Company, employee_id: int) -> None:
    attributes = ({"first_name": "Mei"}, {"calc.basic_salary.overtime_hours_input": "2"})
    entities: list[dict[str, Any]] = [
        {"id": employee_id, "valid_from": "2026-02-16", "attributes": attributes[0]},
        {"id": employee_id, "valid_from": "2026-02-16", "payslip_date": "2026-02-28", "attributes": attributes[1]},
    ]
    results = company.member.post(f"/clients/{company.id}/bulk_input", {"entities": entities}).json()
    message = "is only allowed with inputs of the employee's recurring calculations, without a payslip"
    assert [result["errors"] for result in results] == [{"valid_from": message}] * 2


@pytest.mark.parametrize("valid_from", ["2026-02-30", "tomorrow", "1899-12-31", "2200-01-01", 5])
def test_a_bad_date_is_rejected_and_nothing_is_saved(company: Company, employee_id: int, valid_from: Any) -> None:
    before = company.member.service.fingerprint()
    assert field_errors(change(company, employee_id, "bonus", valid_from, amount=5)).keys() == {"valid_from"}
    calculation_id = company.member.get(f"/employees/{employee_id}/calculation_history").json()[0]["calculation_id"]
    assert_problem(company.member.delete(f"/calculations/{calculation_id}?valid_from={valid_from}"), 422)
    assert company.member.service.fingerprint() == before


def test_a_date_on_other_levels_is_ignored_with_a_warning(company: Company, employee_id: int) -> None:
    body = {"calc_type": "bonus", "calculation_details": {"amount": 5}, "valid_from": "2026-02-16"}
    warning = {"valid_from": "Ignored: only the calculations of employees and profiles have dated values."}
    for owner in (f"payslips/{draft(company, employee_id)}", f"clients/{company.id}"):
        assert company.member.post(f"/{owner}/calculations", body).json()["warnings"] == warning


def test_an_effective_date_is_still_ignored_with_a_warning(company: Company, employee_id: int) -> None:
    body = {"calc_type": "bonus", "calculation_details": {"amount": 5}, "effective_date": "2026-02-16"}
    answer = company.member.post(f"/employees/{employee_id}/calculations", body)
    assert answer.json()["warnings"] == {
        "effective_date": "Ignored: only inherited calculations have an effective date."
    }


def test_a_finalised_payslip_shows_the_inputs_as_they_were(company: Company, employee_id: int) -> None:
    created(change(company, employee_id, "basic_salary", "2026-02-16", fixed_amount=5000))
    payslip_id = draft(company, employee_id)
    run_id = paid(company, "2026-02-28")
    before = [row["inputs"] for row in list_calculations(company, f"payslips/{payslip_id}")]
    assert {"fixed_amount": "5000.00"} in before
    calculation_id = created(post_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=6000))
    company.member.delete(f"/calculations/{calculation_id}/changes/2026-02-16")
    assert [row["inputs"] for row in list_calculations(company, f"payslips/{payslip_id}")] == before
    assert dict(detail(company, payslip_id)["income"])["basic_salary"] == "4700.00"
    done(company, run_id, "unfinalise")
    assert dict(detail(company, payslip_id)["income"])["basic_salary"] == "4400.00"


TWO_HUNDRED_CHANGES = (
    "UPDATE calculations SET history = (SELECT jsonb_object_agg(day::date, '{\"inputs\": {}}'::jsonb) "
    "FROM generate_series('2000-01-01'::date, '2000-07-18'::date, '1 day') day) "
)


def test_too_many_changes_are_rejected(company: Company, employee_id: int) -> None:
    statement = f"{TWO_HUNDRED_CHANGES} WHERE employee_id = $1 AND type = 'basic_salary' RETURNING id"
    company.member.service.as_owner(statement, employee_id)
    answer = change(company, employee_id, "basic_salary", "2026-02-16", fixed_amount=5000)
    assert field_errors(answer) == {"valid_from": "a calculation can have at most 200 dated changes"}
    assert change(company, employee_id, "basic_salary", "2000-01-01", fixed_amount=5000).status_code == 200


def test_too_many_changes_of_a_profile_are_rejected(company: Company) -> None:
    profile_id = create_profile(company, meal_allowance={"amount": 50}, transport_allowance={"amount": 50})
    statement = f"{TWO_HUNDRED_CHANGES} WHERE profile_id = $1 AND type = 'meal_allowance' RETURNING id"
    company.member.service.as_owner(statement, profile_id)
    both = {"meal_allowance": {"amount": 60}, "transport_allowance": {"amount": 60}}
    patch = {"calculations": both, "valid_from": "2026-02-16"}
    answer = company.member.patch(f"/profiles/{profile_id}", patch)
    assert field_errors(answer) == {"calculations.meal_allowance": "a calculation can have at most 200 dated changes"}
    ending = {"calculations": {"meal_allowance": None}, "valid_from": "2026-02-16"}
    assert company.member.patch(f"/profiles/{profile_id}", ending).status_code == 200
