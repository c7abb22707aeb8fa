"""PATCH /employees/:id: only supplied attributes change, null clears, and rules apply to the merged record."""

import json
from typing import Any

import pytest

from tests.support.company import BANK_ACCOUNT, STATUSES, WEEKLY, Company, attributes, new_nric, of_status
from tests.support.problems import assert_problem, field_errors
from tests.support.races import at_once, while_changing
from tests.support.running import Service, created


def refusal(company: Company, employee_id: int, **change: Any) -> dict[str, str]:
    """Return the errors of an update that is rejected, after checking that it changed nothing."""
    before = company.member.service.fingerprint()
    errors = field_errors(company.patch(employee_id, **change))
    assert company.member.service.fingerprint() == before
    return errors


def audited(service: Service, employee_id: int) -> list[dict[str, Any]]:
    """Return the changes to an employee in the audit log, oldest first."""
    rows = service.as_owner(
        "SELECT after FROM audit_log WHERE action = 'employees.update' AND row_id = $1 ORDER BY id", employee_id
    )
    return [json.loads(row["after"]) for row in rows]


def test_it_works(company: Company) -> None:
    employee_id = company.hire()
    assert company.patch(employee_id, first_name="Mei Fen").json() == {
        "message": "The employee has been saved",
        "id": employee_id,
        "number": "1",
    }
    assert company.employee(employee_id)["first_name"] == "Mei Fen"


def test_the_message_is_the_same_text_on_create_and_on_update(company: Company) -> None:
    made = company.post(of_status("CITIZEN"))
    assert company.patch(made.json()["id"]).json()["message"] == made.json()["message"]


def test_only_what_is_supplied_changes(company: Company) -> None:
    employee_id = company.hire(payment_method="eft_manual", bank_account=BANK_ACCOUNT, email="a@example.com")
    before = company.employee(employee_id)
    company.patch(employee_id, job_title="Accountant", bank_account={"branch_code": "006"})
    after = company.employee(employee_id)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"job_title", "bank_account", "updated_at"}
    assert after["bank_account"] == {**BANK_ACCOUNT, "branch_code": "006"}


def test_the_audit_log_shows_only_what_changed(company: Company) -> None:
    employee_id = company.hire(payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    company.patch(employee_id)
    company.patch(employee_id, job_title="Accountant", bank_account=BANK_ACCOUNT)
    company.patch(employee_id, bank_account={"account_number": "9988776655"})
    assert audited(company.member.service, employee_id) == [
        {"job_title": "Accountant"},
        {"account_number_sealed": "hidden", "account_number_masked": "******6655"},
    ]


def test_what_was_read_can_be_sent_back_without_warnings(company: Company) -> None:
    field_id = company.field(name="Locker", type="text")
    for legal_status in STATUSES:
        supplied = of_status(legal_status, custom_fields={str(field_id): "1"}, physical_address={"type": "F"})
        if "nric" in supplied:
            supplied["nric"] = new_nric()
        employee_id = created(company.post(supplied))
        read = company.member.get(f"/employees/{employee_id}").json()
        answer = company.member.patch(f"/employees/{employee_id}", read)
        assert set(answer.json()) == {"message", "id", "number"}
        after = company.employee(employee_id)
        assert {**after, "updated_at": ""} == {**read["employee"], "updated_at": ""}


def test_what_is_included_in_lists_can_be_sent_back_too(company: Company) -> None:
    employee_id = company.hire()
    [read] = company.listed("?include=service_periods,wave_periods,recent_payslips,recent_payslips_with_data")
    assert set(company.patch(employee_id, **read).json()) == {"message", "id", "number"}


def test_an_unknown_attribute_is_named_in_warnings(company: Company) -> None:
    assert company.patch(company.hire(), emial="a@example.com").json()["warnings"] == {
        "emial": "Unknown attribute, ignored. Did you mean email?"
    }


@pytest.mark.parametrize(
    "supplied",
    [
        {"email": "a@example.com"},
        {"job_title": "Accountant"},
        {"bank_account": BANK_ACCOUNT},
        {"nationality": "SG"},
        {"pr_date": "2015-01-01"},
        {"passport_number": "E1234567N"},
    ],
)
def test_null_clears_what_is_optional(company: Company, supplied: dict[str, Any]) -> None:
    employee_id = company.hire(**supplied)
    [name] = supplied
    assert company.employee(employee_id)[name] is not None
    assert company.patch(employee_id, **{name: None}).status_code == 200
    assert company.employee(employee_id)[name] is None


@pytest.mark.parametrize(
    ("name", "value", "default"),
    [("name_format", 2, 1), ("pr_cpf_rates", "FF", "GG"), ("employment_act_group", "workman", "non_workman")],
)
def test_null_gives_what_has_a_default_its_default(company: Company, name: str, value: object, default: object) -> None:
    employee_id = company.hire(**{name: value})
    company.patch(employee_id, **{name: None})
    assert company.employee(employee_id)[name] == default


def test_null_clears_a_pay_point(company: Company) -> None:
    pay_point_id = company.member.new_pay_point(company.id)
    employee_id = company.hire(pay_point_id=pay_point_id)
    assert "in use" in assert_problem(company.member.delete(f"/pay_points/{pay_point_id}"), 409)["message"]
    company.patch(employee_id, pay_point_id=None)
    assert company.employee(employee_id)["pay_point_id"] is None
    assert company.member.delete(f"/pay_points/{pay_point_id}").status_code == 200


@pytest.mark.parametrize("name", ["wave_id", "first_name", "birthdate", "appointment_date", "gender", "sdl_exempt"])
def test_what_is_required_cannot_be_cleared(company: Company, name: str) -> None:
    assert refusal(company, company.hire(), **{name: None}) == {name: "is required"}


def test_required_if_is_checked_on_the_merged_record(company: Company) -> None:
    employee_id = company.hire(name_format=3, last_name="")
    assert refusal(company, employee_id, payment_method="eft_manual") == {
        "bank_account": "is required when payment_method is eft_manual"
    }
    assert refusal(company, employee_id, legal_status="FOREIGNER") == {
        "fin": "is required when legal_status is FOREIGNER",
        "nationality": "is required when legal_status is FOREIGNER",
    }
    assert refusal(company, employee_id, name_format=1) == {"last_name": "is required when name_format is 1"}
    assert refusal(company, employee_id, nric=None) == {"nric": "is required when legal_status is CITIZEN"}
    company.patch(employee_id, bank_account=BANK_ACCOUNT)
    assert company.patch(employee_id, payment_method="eft_manual").status_code == 200
    assert refusal(company, employee_id, bank_account=None) == {
        "bank_account": "is required when payment_method is eft_manual"
    }
    assert refusal(company, employee_id, bank_account={"branch_code": "06"}) == {
        "bank_account.branch_code": "must be exactly 3 characters"
    }


def test_another_legal_status_drops_what_no_longer_applies_and_takes_its_own_pass(company: Company) -> None:
    employee_id = created(company.post(of_status("FOREIGNER_WP", pass_from="2024-01-01")))
    company.patch(employee_id, legal_status="PR", nric=new_nric(), pr_date="2025-01-01")
    employee = company.employee(employee_id)
    assert (employee["work_pass"], employee["pass_from"]) == (None, None)
    assert employee["fin"] == STATUSES["FOREIGNER_WP"]["fin"]
    company.patch(employee_id, legal_status="CITIZEN", citizenship_date="2026-01-01")
    employee = company.employee(employee_id)
    assert (employee["pr_date"], employee["citizenship_date"]) == ("2025-01-01", "2026-01-01")
    company.patch(employee_id, legal_status="FOREIGNER")
    employee = company.employee(employee_id)
    assert (employee["pr_date"], employee["citizenship_date"], employee["work_pass"]) == (None, None, "EP")


def test_supplied_attributes_that_do_not_apply_are_rejected(company: Company) -> None:
    employee_id = company.hire()
    assert refusal(company, employee_id, work_pass="EP", pass_to="2026-01-01") == {
        "work_pass": "is only allowed when legal_status is FOREIGNER or FOREIGNER_WP or FD_MALAYSIA or FD_OTHER",
        "pass_to": "is only allowed when legal_status is FOREIGNER or FOREIGNER_WP",
    }


def test_all_errors_of_a_change_are_reported_at_once_also_those_of_service(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-02-01")
    company.leave(employee_id, "2024-12-31")
    company.act(employee_id, "reinstate", appointment_date="2025-03-01")
    errors = refusal(
        company,
        employee_id,
        appointment_date="2024-12-31",
        gender="X",
        email="none",
        wave_id=999_999_999,
        custom_fields={"5": "x"},
    )
    assert set(errors) == {"appointment_date", "gender", "email", "wave_id", "custom_fields.5"}


def test_the_wrapper_is_left_out_of_error_keys(company: Company) -> None:
    where = f"/employees/{company.hire()}"
    for body in ({"employee": {"gender": "X"}}, {"gender": "X"}):
        assert field_errors(company.member.patch(where, body)) == {"gender": "must be one of M, F"}


def test_a_wave_of_another_client_is_rejected(company: Company) -> None:
    theirs = Company.of(company.member).wave_id
    assert refusal(company, company.hire(), wave_id=theirs) == {
        "wave_id": f"wave {theirs} does not exist in this client"
    }


def test_an_employee_who_does_not_exist_is_a_404(company: Company) -> None:
    assert_problem(company.patch(999_999_999, first_name="x"), 404)


def test_a_viewer_cannot_change(company: Company) -> None:
    employee_id = company.hire()
    viewer = company.member.colleague(company.id, "viewer")
    before = company.member.service.fingerprint()
    message = assert_problem(viewer.patch(f"/employees/{employee_id}", {"employee": {"first_name": "x"}}), 403)[
        "message"
    ]
    assert message == f"The role viewer can read client {company.id} but cannot change it"
    assert company.member.service.fingerprint() == before


def test_two_concurrent_changes_both_take_effect(company: Company) -> None:
    employee_id = company.hire()
    answers = at_once(
        [
            lambda: company.patch(employee_id, job_title="Accountant"),
            lambda: company.patch(employee_id, email="a@example.com"),
        ]
    )
    assert [answer.status_code for answer in answers] == [200, 200]
    employee = company.employee(employee_id)
    assert (employee["job_title"], employee["email"]) == ("Accountant", "a@example.com")


def test_a_concurrently_deleted_wave_is_reported(company: Company) -> None:
    employee_id, spare = company.hire(), company.wave(**WEEKLY)
    answer = while_changing(
        company.member.service,
        "DELETE FROM waves WHERE id = $1",
        spare,
        request=lambda: company.patch(employee_id, wave_id=spare),
    )
    assert field_errors(answer) == {"wave_id": "was deleted from this client by another request"}
    assert company.employee(employee_id)["wave_id"] == company.wave_id


def test_attributes_next_to_the_wrapper_are_ignored_with_a_warning(company: Company) -> None:
    employee_id = company.hire()
    answer = company.member.patch(f"/employees/{employee_id}", {"employee": {"first_name": "Zed"}, "utf8": "x"})
    assert answer.json()["warnings"] == {"utf8": "Unknown attribute, ignored."}
    assert company.employee(employee_id)["first_name"] == "Zed"


@pytest.mark.parametrize("wrapped", [None, [1], "x", 5])
def test_a_wrapper_that_holds_no_object_is_rejected(company: Company, wrapped: Any) -> None:
    employee_id = company.hire()
    assert field_errors(company.member.patch(f"/employees/{employee_id}", {"employee": wrapped})) == {
        "employee": "must be an object"
    }


def test_a_default_work_pass_changes_with_the_status(company: Company) -> None:
    employee_id = created(company.post(of_status("FOREIGNER_WP")))
    assert company.employee(employee_id)["work_pass"] == "WP"
    assert company.patch(employee_id, legal_status="FOREIGNER").status_code == 200
    assert company.employee(employee_id)["work_pass"] == "EP"
    company.patch(employee_id, work_pass="SPASS")
    company.patch(employee_id, legal_status="FOREIGNER_WP")
    assert company.employee(employee_id)["work_pass"] == "SPASS"


def test_a_birthdate_after_an_earlier_service_is_rejected(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-01-01", birthdate="1990-01-01")
    company.leave(employee_id, "2025-02-28")
    company.act(employee_id, "reinstate", appointment_date="2025-03-01")
    assert refusal(company, employee_id, birthdate="2025-01-15") == {
        "birthdate": "must not be after the start of an earlier service 2024-01-01"
    }


def test_a_blank_number_is_no_number(company: Company) -> None:
    manual = Company.of(company.member, employee_number_mode="EMPLOYEE_NUMBER_MANUAL")
    assert "number" in field_errors(manual.post(attributes(number="  ")))
    assert company.employee(company.hire(number="  "))["number"] == "1"


def test_a_day_of_citizenship_needs_the_day_of_permanent_residence(company: Company) -> None:
    employee_id = company.hire()
    assert "pr_date" in refusal(company, employee_id, citizenship_date="2020-01-01")
    assert company.patch(employee_id, citizenship_date="2020-01-01", pr_date="2015-01-01").status_code == 200


def test_an_unknown_status_causes_no_errors_of_other_attributes(company: Company) -> None:
    assert list(field_errors(company.post({**of_status("PR"), "legal_status": "PRR"}))) == ["legal_status"]
