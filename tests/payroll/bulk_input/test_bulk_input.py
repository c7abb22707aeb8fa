"""POST /clients/:client_id/bulk_input."""

import time
from typing import Any

import pytest

from tests.payroll.payslips.slips import detail, draft, enter, finalise, slips
from tests.support.company import BANK_ACCOUNT, Company, attributes, new_nric
from tests.support.problems import faults, refused


def bulk(company: Company, *entities: Any) -> list[dict[str, Any]]:
    """The outcomes of these entities."""
    answer = company.member.post(f"/clients/{company.id}/bulk_input", {"entities": list(entities)})
    assert answer.status_code == 200, answer.text
    outcomes: list[dict[str, Any]] = answer.json()
    return outcomes


def entity(employee_id: int, given: dict[str, Any] | None = None, **keys: Any) -> dict[str, Any]:
    """An entity about an employee."""
    return {"id": str(employee_id), **keys, "attributes": given or {}}


def income(company: Company, payslip_id: int) -> dict[str, str]:
    """The income of a payslip by item."""
    return dict(detail(company, payslip_id)["income"])


def calculated(company: Company, employee_id: int) -> dict[str, Any]:
    """The draft of an employee, once the worker has calculated it."""
    deadline = time.monotonic() + 60
    while (shown := slips(company, employee_id)[0])["dirty"]:
        assert "nett_pay" not in shown
        assert time.monotonic() < deadline, "the draft still waits for calculation"
        time.sleep(0.1)
    return shown


def test_it_works(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    [outcome] = bulk(
        company,
        {
            "id": str(employee_id),
            "payslip_id": str(payslip_id),
            "attributes": {"first_name": "Siew", "calc.basic_salary.fixed_amount": "3000", "calc.bonus.amount": 100},
        },
    )
    number = company.employee(employee_id)["number"]
    assert outcome == {
        "id": str(employee_id),
        "payslip_id": str(payslip_id),
        "success": "true",
        "message": f"Mei Ling Tan ({number}) has been updated",
    }
    assert company.employee(employee_id)["first_name"] == "Siew"
    assert income(company, payslip_id) == {"basic_salary": "3000.00", "bonus": "100.00", "total": "3100.00"}


def test_with_a_payslip_inputs_are_for_it_alone_and_without_they_recur(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    bulk(company, entity(employee_id, {"calc.basic_salary.fixed_amount": "2000.00"}))
    bulk(company, entity(employee_id, {"calc.bonus.amount": "50"}, payslip_id=payslip_id))
    assert income(company, payslip_id) == {"basic_salary": "2000.00", "bonus": "50.00", "total": "2050.00"}
    finalise(company, employee_id)
    assert income(company, draft(company, employee_id)) == {"basic_salary": "2000.00", "total": "2000.00"}


def test_a_date_stands_for_the_regular_payslip_whose_period_ends_on_it(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-02-01")
    [shown] = slips(company, employee_id)
    given = entity(employee_id, {"calc.basic_salary.overtime_hours_input": "2"}, payslip_date=shown["date"])
    [outcome] = bulk(company, given)
    assert (outcome["success"], outcome["payslip_id"], outcome["payslip_date"]) == (
        "true",
        str(shown["id"]),
        shown["date"],
    )


def test_ids_are_given_back_as_they_were_sent(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    [number] = bulk(company, {"id": employee_id, "payslip_id": payslip_id, "attributes": {}})
    assert (number["id"], number["payslip_id"]) == (employee_id, payslip_id)
    [text] = bulk(company, {"id": f"00{employee_id}", "attributes": {}})
    assert text["id"] == f"00{employee_id}"
    assert "payslip_id" not in text


def test_nested_attributes_are_written_with_dots(company: Company) -> None:
    field_id = company.field(name="Shirt", type="text")
    employee_id = company.hire(payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    [outcome] = bulk(
        company,
        entity(employee_id, {"bank_account.account_number": "9988776655", f"custom_fields.{field_id}": "Large"}),
    )
    assert outcome["success"] == "true", outcome
    shown = company.employee(employee_id)
    assert shown["bank_account"] == BANK_ACCOUNT | {"account_number": "9988776655"}
    assert shown["custom_fields"] == {str(field_id): "Large"}


def test_an_entity_is_saved_whole_or_not_at_all_and_tells_all_its_faults(company: Company) -> None:
    good, bad = company.hire(), company.hire()
    outcomes = bulk(
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
    assert [one["success"] for one in outcomes] == ["true", "false"]
    assert outcomes[1]["message"].endswith("has not been updated: 7 attributes are not valid")
    assert outcomes[1]["errors"] == {
        "gender": "must be one of M, F",
        "calc.basic_salary.fixed_amount": "must not be negative",
        "calc.basic_salry.fixed_amount": "there is no calculation 'basic_salry'; did you mean basic_salary?",
        "calc.bonus.amonut": "bonus has no such input; did you mean amount?",
        "calc.bonus": "must be calc.<calculation>.<input>",
        "frist_name": "is no attribute of an employee; did you mean first_name?",
        "calc.basic_salary.overtime_hours_input": "can only be entered for a payslip",
    }
    assert company.employee(good)["job_title"] == "Clerk"
    assert company.employee(bad)["job_title"] is None
    assert income(company, draft(company, good))["basic_salary"] == "2000.00"


def test_an_employee_that_is_not_there_is_a_failed_entity(company: Company) -> None:
    other = Company.of(company.member)
    stranger = other.hire()
    outcomes = bulk(company, entity(stranger, {"job_title": "X"}), entity(999999999), {"id": "x", "attributes": {}}, 5)
    assert [one["success"] for one in outcomes] == ["false"] * 4
    assert outcomes[0]["message"] == f"There is no employee {stranger} in this client"
    assert outcomes[2]["errors"] == {"id": "must be the ID of an employee"}
    assert outcomes[3]["errors"] == {"id": "an entity must be an object"}
    assert other.employee(stranger)["job_title"] is None


def test_the_same_employee_and_payslip_twice_fails_both(company: Company) -> None:
    employee_id = company.hire()
    payslip = slips(company, employee_id)[0]
    outcomes = bulk(
        company,
        entity(employee_id, {"calc.bonus.amount": "1"}, payslip_id=payslip["id"]),
        entity(employee_id, {"calc.bonus.amount": "2"}, payslip_date=payslip["date"]),
        entity(employee_id, {"job_title": "Clerk"}),
    )
    assert [one["success"] for one in outcomes] == ["false", "false", "true"]
    assert income(company, payslip["id"]) == {"total": "0.00"}


def test_finalised_payslips_cannot_be_updated(company: Company) -> None:
    employee_id = company.hire()
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="1000")
    payslip_id = finalise(company, employee_id)
    before = detail(company, payslip_id)
    day = slips(company, employee_id)[0]["date"]
    for key, value in (("payslip_id", payslip_id), ("payslip_date", day)):
        [outcome] = bulk(company, entity(employee_id, {"calc.bonus.amount": "1"}, **{key: value}))
        assert outcome["success"] == "false"
        assert outcome["errors"] == {key: f"the payslip of {day} is finalised and cannot change"}
    assert detail(company, payslip_id) == before


def test_a_payslip_of_somebody_else_and_a_date_outside_any_period_are_refused(company: Company) -> None:
    one, other = company.hire(), company.hire()
    foreign = draft(company, other)
    outcomes = bulk(
        company,
        entity(one, {"calc.bonus.amount": "1"}, payslip_id=foreign),
        entity(other, {"calc.bonus.amount": "1"}, payslip_date="2024-02-15"),
    )
    assert outcomes[0]["errors"] == {"payslip_id": f"there is no payslip {foreign} of this employee"}
    assert outcomes[1]["errors"] == {
        "payslip_date": "the employee has no regular payslip whose period ends on 2024-02-15"
    }


def test_values_that_only_one_employee_can_have_stay_so(company: Company) -> None:
    nric, taken = new_nric(), new_nric()
    first, second, third = company.hire(), company.hire(), company.hire(nric=taken)
    outcomes = bulk(
        company,
        entity(first, {"nric": nric}),
        entity(second, {"nric": nric}),
        entity(third, {"nric": taken, "job_title": "Clerk"}),
    )
    assert [one["success"] for one in outcomes] == ["false", "false", "true"]
    assert outcomes[0]["errors"] == {"nric": "is the NRIC of another employee of this client"}


def test_attributes_that_move_periods_are_changed_like_any_other(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-02-01")
    finalised = company.hire(appointment_date="2024-02-01")
    finalise(company, finalised)
    outcomes = bulk(
        company,
        entity(employee_id, {"appointment_date": "2024-05-06", "calc.basic_salary.fixed_amount": "1000"}),
        entity(finalised, {"appointment_date": "2024-05-06", "job_title": "Clerk"}),
    )
    assert [one["success"] for one in outcomes] == ["true", "false"]
    assert [one["date"] for one in slips(company, employee_id)] == ["2024-05-31"]
    assert company.employee(finalised)["job_title"] is None


def test_regular_hours_are_entered_for_employees(company: Company) -> None:
    employee_id, paid = company.hire(), company.hire()
    finalise(company, paid)
    given = {"calc.week_hours.schedule": "fixed", "calc.week_hours.works_mon": "true"}
    outcomes = bulk(company, entity(employee_id, given), entity(paid, given | {"job_title": "Clerk"}))
    assert [one["success"] for one in outcomes] == ["true", "false"]
    [hours] = company.member.get(f"/employees/{employee_id}/inherited_calculations").json()
    assert hours["inputs"] == {"schedule": "fixed", "works_mon": True}
    assert company.employee(paid)["job_title"] is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {"entities": "is required"}),
        ({"entities": {}}, {"entities": "must be an array"}),
        ({"entities": [{"id": "1"}] * 5001}, {"entities": "must be at most 5,000; there are 5,001"}),
    ],
)
def test_a_request_without_a_fitting_list_is_refused(company: Company, body: Any, expected: dict[str, str]) -> None:
    answer = company.member.post(f"/clients/{company.id}/bulk_input", body)
    assert faults(answer) == expected


def test_no_entities_are_no_mistake(company: Company) -> None:
    assert bulk(company) == []


def test_many_are_saved_and_calculated_by_a_job(company: Company) -> None:
    bodies = [attributes(wave_id=company.wave_id) for _ in range(210)]
    ids = [company.member.post(company.people, {"employee": body}).json()["id"] for body in bodies]
    outcomes = bulk(company, *(entity(one, {"calc.basic_salary.fixed_amount": "1500"}) for one in ids))
    assert {one["success"] for one in outcomes} == {"true"}
    for employee_id in (ids[0], ids[-1]):
        assert calculated(company, employee_id)["nett_pay"] == 1199.5


def test_another_client_is_not_found(company: Company) -> None:
    refused(company.member.post("/clients/999999999/bulk_input", {"entities": []}), 404)
