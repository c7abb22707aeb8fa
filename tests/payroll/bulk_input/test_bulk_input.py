"""POST /clients/:client_id/bulk_input."""

import time
from operator import itemgetter
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from gaji.payroll.bulk_input.schemas import RESULT
from tests.payroll.payslips.slips import detail, draft, enter, finalise, slips
from tests.support.company import BANK_ACCOUNT, Company, attributes, new_nric
from tests.support.problems import assert_problem, field_errors


def bulk(company: Company, *entities: Any) -> list[dict[str, Any]]:
    """Send entities, and return their results."""
    answer = company.member.post(f"/clients/{company.id}/bulk_input", {"entities": list(entities)})
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()
    return results


def entity(employee_id: int, attributes: dict[str, Any] | None = None, **keys: Any) -> dict[str, Any]:
    """Return an entity for an employee."""
    return {"id": str(employee_id), **keys, "attributes": attributes or {}}


def hours(company: Company, employee_id: int) -> dict[str, Any]:
    """Return the regular hours of an employee."""
    [calculation] = company.member.get(f"/employees/{employee_id}/inherited_calculations").json()
    element: dict[str, Any] = calculation
    return element


def income(company: Company, payslip_id: int) -> dict[str, str]:
    """Return the income of a payslip by item."""
    return dict(detail(company, payslip_id)["income"])


def calculated(company: Company, employee_id: int) -> dict[str, Any]:
    """Wait for the worker to calculate the draft of an employee, and return it."""
    deadline = time.monotonic() + 60
    while (payslip := slips(company, employee_id)[0])["dirty"]:
        assert "nett_pay" not in payslip
        assert time.monotonic() < deadline, "the draft was not calculated in time"
        time.sleep(0.1)
    return payslip


def test_attributes_and_calculation_inputs_are_saved(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    [result] = bulk(
        company,
        {
            "id": str(employee_id),
            "payslip_id": str(payslip_id),
            "attributes": {"first_name": "Siew", "calc.basic_salary.fixed_amount": "3000", "calc.bonus.amount": 100},
        },
    )
    number = company.employee(employee_id)["number"]
    assert result == {
        "id": str(employee_id),
        "payslip_id": str(payslip_id),
        "success": "true",
        "message": f"Mei Ling Tan ({number}) has been updated",
    }
    assert company.employee(employee_id)["first_name"] == "Siew"
    assert income(company, payslip_id) == {"basic_salary": "3000.00", "bonus": "100.00", "total": "3100.00"}


def test_inputs_apply_to_the_named_payslip_or_recur_without_one(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    bulk(company, entity(employee_id, {"calc.basic_salary.fixed_amount": "2000.00"}))
    bulk(company, entity(employee_id, {"calc.bonus.amount": "50"}, payslip_id=payslip_id))
    assert income(company, payslip_id) == {"basic_salary": "2000.00", "bonus": "50.00", "total": "2050.00"}
    finalise(company, employee_id)
    assert income(company, draft(company, employee_id)) == {"basic_salary": "2000.00", "total": "2000.00"}


def test_a_date_selects_the_regular_payslip_of_the_period(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-02-01")
    [payslip] = slips(company, employee_id)
    inputs = {"calc.basic_salary.overtime_hours_input": "2"}
    [result] = bulk(company, entity(employee_id, inputs, payslip_date=payslip["date"]))
    assert (result["success"], result["payslip_id"], result["payslip_date"]) == (
        "true",
        str(payslip["id"]),
        payslip["date"],
    )


def test_ids_are_returned_as_they_were_sent(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    [number] = bulk(company, {"id": employee_id, "payslip_id": payslip_id, "attributes": {}})
    assert (number["id"], number["payslip_id"]) == (employee_id, payslip_id)
    [text] = bulk(company, {"id": f"00{employee_id}", "attributes": {}})
    assert text["id"] == f"00{employee_id}"
    assert "payslip_id" not in text
    [fraction] = bulk(company, {"id": float(employee_id), "payslip_id": 1.5, "attributes": {}})
    assert (fraction["id"], fraction["payslip_id"]) == (float(employee_id), 1.5)


def test_nested_attributes_are_written_with_dots(company: Company) -> None:
    field_id = company.field(name="Shirt", type="text")
    employee_id = company.hire(payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    [result] = bulk(
        company,
        entity(employee_id, {"bank_account.account_number": "9988776655", f"custom_fields.{field_id}": "Large"}),
    )
    assert result["success"] == "true", result
    employee = company.employee(employee_id)
    assert employee["bank_account"] == BANK_ACCOUNT | {"account_number": "9988776655"}
    assert employee["custom_fields"] == {str(field_id): "Large"}


def test_an_entity_is_saved_completely_or_rejected_with_all_its_errors(company: Company) -> None:
    good, bad = company.hire(), company.hire()
    results = bulk(
        company,
        entity(good, {"calc.basic_salary.fixed_amount": "2000", "job_title": "Clerk"}),
        entity(
            bad,
            {
                "job_title": "Clerk",
                "gender": "X",
                "calc.basic_salary.fixed_amount": "-1",
                "calc.basic_salry.fixed_amount": "1",
                "calc.bonus.amonut": "1",
                "calc.bonus": "1",
                "frist_name": "Ann",
                "calc.basic_salary.overtime_hours_input": "3",
            },
        ),
    )
    assert [result["success"] for result in results] == ["true", "false"]
    assert results[1]["message"].endswith("has not been updated: 7 attributes are not valid")
    assert results[1]["errors"] == {
        "gender": "must be one of M, F",
        "calc.basic_salary.fixed_amount": "must not be negative",
        "calc.basic_salry.fixed_amount": "calculation 'basic_salry' does not exist in this client; "
        "did you mean basic_salary?",
        "calc.bonus.amonut": "is not an input of bonus; did you mean amount?",
        "calc.bonus": "must be calc.<calculation>.<input>",
        "frist_name": "is not an attribute of an employee; did you mean first_name?",
        "calc.basic_salary.overtime_hours_input": "can only be entered for a payslip",
    }
    assert company.employee(good)["job_title"] == "Clerk"
    assert company.employee(bad)["job_title"] is None
    assert income(company, draft(company, good))["basic_salary"] == "2000.00"


def test_a_finalised_payslip_fails_each_input_together_with_other_errors(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = finalise(company, employee_id)
    day = slips(company, employee_id)[0]["date"]
    inputs = {"calc.bonus.amount": "1", "calc.basic_salary.fixed_amount": "x", "calc.week_hours.works_sat": "true"}
    attributes = {**inputs, "gender": "X", "appointment_date": "1999-02-30", "frist_name": "Ann"}
    [result] = bulk(company, entity(employee_id, attributes, payslip_id=payslip_id))
    message = f"the payslip of {day} is finalised and cannot change"
    assert result["errors"] == {
        "frist_name": "is not an attribute of an employee; did you mean first_name?",
        **dict.fromkeys(inputs, message),
        "gender": "must be one of M, F",
        "appointment_date": "1999-02-30 is not a valid calendar date",
    }


def test_errors_are_complete_whatever_else_is_wrong(company: Company) -> None:
    employee_id, paid = company.hire(), company.hire()
    finalise(company, paid)
    wrong = {
        "appointment_date": "soon",
        "gender": "X",
        "calc.bonus.amount": "x",
        "calc.week_hours.works_sat": "perhaps",
        "calc.week_hours.partial_hours_mon": "4",
    }
    results = bulk(
        company,
        entity(employee_id, wrong),
        entity(employee_id, wrong, payslip_id="999999999"),
        entity(paid, wrong | {"calc.week_hours.schedule": "casual"}),
    )
    assert set(results[0]["errors"]) == set(wrong)
    assert set(results[1]["errors"]) == {*wrong, "payslip_id"}
    assert set(results[2]["errors"]) == {*wrong, "calc.week_hours.schedule"}


def test_errors_have_the_keys_that_were_sent(company: Company) -> None:
    long_name = "x" * 300
    employee_id, finalised = company.hire(), company.hire(appointment_date="2024-02-01")
    finalise(company, finalised)
    unknown = {f"calc.bonus.{name}": "1" for name in (long_name, f"{long_name}y")}
    unknown |= {f"calc.meal_allowance.wrong{number}": "1" for number in range(60)}
    unknown |= {f"wrong{number}": "1" for number in range(60)}
    account = {"bank_id": 7171, "branch_code": "5"}
    results = bulk(
        company,
        entity(employee_id, unknown | {"bank_account": account}),
        entity(finalised, {"appointment_date": "2024-05-06"}),
    )
    assert set(results[0]["errors"]) == {*unknown, "bank_account"}
    assert results[0]["errors"]["bank_account"] == (
        "branch_code must be exactly 3 characters; account_number is required"
    )
    assert set(results[1]["errors"]) == {"appointment_date"}


def test_failed_entities_have_error_details(company: Company) -> None:
    wrong = {
        "bank_account": {"bank_id": 7171, "branch_code": "5"},
        "calc.bonus.amount": "1.005",
        "frist_name": "Siew",
    }
    [result] = bulk(company, entity(company.hire(), wrong))
    assert sorted(result["error_details"], key=itemgetter("code")) == [
        {
            "path": "bank_account",
            "attribute": "account_number",
            "code": "required",
            "message": "is required",
            "params": {},
        },
        {
            "path": "calc.bonus.amount",
            "code": "too_many_decimals",
            "message": "must have at most 2 decimals",
            "params": {"maximum": 2},
        },
        {
            "path": "frist_name",
            "code": "unknown_employee_attribute",
            "message": "is not an attribute of an employee; did you mean first_name?",
            "params": {"suggestion": "first_name"},
        },
        {
            "path": "bank_account",
            "attribute": "branch_code",
            "code": "wrong_length",
            "message": "must be exactly 3 characters",
            "params": {"length": 3},
        },
    ]
    jsonschema.validate(result, RESULT)


def test_conflicts_of_an_entity_have_error_details(company: Company) -> None:
    first, second = company.hire(appointment_date="2024-02-01"), company.hire(appointment_date="2024-02-01")
    for employee_id in (first, second):
        finalise(company, employee_id)
    results = bulk(
        company,
        entity(first, {"appointment_date": "2024-05-06"}),
        entity(second, {"calc.week_hours.works_sat": "true"}, effective_date="2024-01-01"),
    )
    details = [detail for result in results for detail in result["error_details"]]
    assert [(detail["path"], detail["code"], detail["params"]) for detail in details] == [
        ("appointment_date", "after_finalised_start", {"first": "2024-02-01"}),
        ("effective_date", "not_after_finalised", {"last_end": "2024-02-29"}),
    ]


def test_a_saved_entity_has_no_error_details(company: Company) -> None:
    [result] = bulk(company, entity(company.hire(), {"first_name": "Siew"}))
    assert result["success"] == "true"
    assert not result.keys() & {"errors", "error_details"}


def test_an_unknown_employee_is_a_failed_entity(company: Company) -> None:
    other = Company.of(company.member)
    stranger = other.hire()
    results = bulk(company, entity(stranger, {"job_title": "X"}), entity(999999999), {"id": "x", "attributes": {}}, 5)
    assert [result["success"] for result in results] == ["false"] * 4
    assert results[0]["message"] == f"Employee {stranger} does not exist in this client"
    assert results[2]["errors"] == {"id": "must be the ID of an employee"}
    assert results[3]["errors"] == {"id": "an entity must be an object"}
    assert other.employee(stranger)["job_title"] is None


def test_two_entities_for_the_same_payslip_both_fail(company: Company) -> None:
    employee_id = company.hire()
    payslip = slips(company, employee_id)[0]
    results = bulk(
        company,
        entity(employee_id, {"calc.bonus.amount": "1"}, payslip_id=payslip["id"]),
        entity(employee_id, {"calc.bonus.amount": "2"}, payslip_date=payslip["date"]),
        entity(employee_id, {"job_title": "Clerk"}),
    )
    assert [result["success"] for result in results] == ["false", "false", "true"]
    assert income(company, payslip["id"]) == {"total": "0.00"}


def test_finalised_payslips_cannot_be_updated(company: Company) -> None:
    employee_id = company.hire()
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="1000")
    payslip_id = finalise(company, employee_id)
    before = detail(company, payslip_id)
    day = slips(company, employee_id)[0]["date"]
    for key, value in (("payslip_id", payslip_id), ("payslip_date", day)):
        [result] = bulk(company, entity(employee_id, {"calc.bonus.amount": "1"}, **{key: value}))
        assert result["success"] == "false"
        assert result["errors"] == {"calc.bonus.amount": f"the payslip of {day} is finalised and cannot change"}
    assert detail(company, payslip_id) == before


def test_another_employees_payslip_and_a_date_without_payslip_are_rejected(company: Company) -> None:
    employee_id, other_id = company.hire(), company.hire()
    foreign = draft(company, other_id)
    results = bulk(
        company,
        entity(employee_id, {"calc.bonus.amount": "1"}, payslip_id=foreign),
        entity(other_id, {"calc.bonus.amount": "1"}, payslip_date="2024-02-15"),
    )
    assert results[0]["errors"] == {"payslip_id": f"the employee has no payslip {foreign}"}
    assert results[1]["errors"] == {"payslip_date": "the employee has no regular payslip that ends on 2024-02-15"}


def test_unique_values_stay_unique(company: Company) -> None:
    nric, taken = new_nric(), new_nric()
    first, second, third = company.hire(), company.hire(), company.hire(nric=taken)
    results = bulk(
        company,
        entity(first, {"nric": nric}),
        entity(second, {"nric": nric}),
        entity(third, {"nric": taken, "job_title": "Clerk"}),
    )
    assert [result["success"] for result in results] == ["false", "false", "true"]
    assert results[0]["errors"] == {"nric": "is the NRIC of another employee of this client"}


def test_attributes_that_affect_periods_can_be_changed(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-02-01")
    finalised = company.hire(appointment_date="2024-02-01")
    finalise(company, finalised)
    results = bulk(
        company,
        entity(employee_id, {"appointment_date": "2024-05-06", "calc.basic_salary.fixed_amount": "1000"}),
        entity(finalised, {"appointment_date": "2024-05-06", "job_title": "Clerk"}),
    )
    assert [result["success"] for result in results] == ["true", "false"]
    assert [payslip["date"] for payslip in slips(company, employee_id)] == ["2024-05-31"]
    assert company.employee(finalised)["job_title"] is None


def test_regular_hours_of_employees_are_saved(company: Company) -> None:
    employee_id, paid = company.hire(), company.hire()
    finalise(company, paid)
    attributes = {"calc.week_hours.schedule": "fixed", "calc.week_hours.works_sat": "true"}
    results = bulk(company, entity(employee_id, attributes), entity(paid, attributes | {"job_title": "Clerk"}))
    assert [result["success"] for result in results] == ["true", "false"]
    assert hours(company, employee_id)["inputs"]["works_sat"] == "true"
    day = slips(company, paid)[0]["date"]
    message = f"needs an effective_date, because the employee has a finalised payslip of {day}"
    assert results[1]["errors"] == dict.fromkeys(attributes, message)
    assert company.employee(paid)["job_title"] is None


def test_regular_hours_change_from_an_effective_date(company: Company) -> None:
    employee_id = company.hire()
    finalise(company, employee_id)
    inputs = {"calc.week_hours.works_sat": "true"}
    [result] = bulk(company, entity(employee_id, inputs, effective_date="2027-01-01"))
    assert result["success"] == "true", result
    assert hours(company, employee_id)["inputs_history"]["2027-01-01"] == {"works_sat": "true"}
    results = bulk(
        company,
        entity(employee_id, {"calc.week_hours.works_sat": "x"}, effective_date="2020-01-01"),
        entity(employee_id, inputs, effective_date="2020-01-01", payslip_id=draft(company, employee_id)),
        entity(company.hire(), {"job_title": "Clerk"}, effective_date="2027-01-01"),
        entity(company.hire(), inputs, effective_date="2027-02-30"),
    )
    assert [list(result["errors"]) for result in results] == [
        ["calc.week_hours.works_sat"],
        ["calc.week_hours.works_sat", "effective_date"],
        ["effective_date"],
        ["effective_date"],
    ]
    [result] = bulk(company, entity(employee_id, inputs, effective_date="2024-02-01"))
    assert list(result["errors"]) == ["effective_date"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {"entities": "is required"}),
        ({"entities": {}}, {"entities": "must be an array"}),
        ({"entities": [{"id": "1"}] * 5001}, {"entities": "must have at most 5000 items"}),
    ],
)
def test_a_request_without_a_valid_list_is_rejected(company: Company, body: Any, expected: dict[str, str]) -> None:
    answer = company.member.post(f"/clients/{company.id}/bulk_input", body)
    assert field_errors(answer) == expected


def test_an_empty_list_is_valid(company: Company) -> None:
    assert bulk(company) == []


def test_many_entities_are_calculated_in_the_background(company: Company) -> None:
    bodies = [attributes(wave_id=company.wave_id) for _ in range(210)]
    ids = [company.member.post(company.people, {"employee": body}).json()["id"] for body in bodies]
    results = bulk(company, *(entity(employee_id, {"calc.basic_salary.fixed_amount": "1500"}) for employee_id in ids))
    assert {result["success"] for result in results} == {"true"}
    for employee_id in (ids[0], ids[-1]):
        assert calculated(company, employee_id)["nett_pay"] == 1199.5


def test_an_unknown_client_is_not_found(company: Company) -> None:
    assert_problem(company.member.post("/clients/999999999/bulk_input", {"entities": []}), 404)
