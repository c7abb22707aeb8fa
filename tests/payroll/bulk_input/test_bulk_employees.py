"""POST and PATCH /clients/:client_id/employees/bulk."""

import secrets
from functools import partial
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from gaji.payroll.bulk_input.schemas import EMPLOYEE_RESULTS
from tests.payroll.bulk_input.test_bulk_input import calculated
from tests.payroll.payslips.slips import slips
from tests.support.company import BANK_ACCOUNT, Company, attributes, new_nric
from tests.support.problems import assert_problem
from tests.support.races import at_once


def send(company: Company, method: str, employees: Any, **details: Any) -> dict[str, Any]:
    """Send employees, and return the response."""
    path = f"/clients/{company.id}/employees/bulk"
    response = company.member.call(method, path, json={"employees": employees}, **details)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    jsonschema.validate(body, EMPLOYEE_RESULTS)
    assert body["saved"] == sum(result["success"] for result in body["results"])
    assert body["saved"] + body["failed"] == len(body["results"]) == len(employees)
    return body


def create(company: Company, *employees: Any, **details: Any) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = send(company, "POST", list(employees), **details)["results"]
    return results


def update(company: Company, *employees: Any) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = send(company, "PATCH", list(employees))["results"]
    return results


def person(company: Company, **changes: Any) -> dict[str, Any]:
    return {"wave_id": company.wave_id, **attributes(**changes)}


class TestCreate:
    def test_employees_are_created_with_periods_and_a_draft_like_single_ones(self, company: Company) -> None:
        single = company.hire()
        results = create(company, person(company), {"employee": person(company, first_name="Siti")})
        assert [(result["success"], result["number"]) for result in results] == [(True, "2"), (True, "3")]
        bulk = results[0]["id"]
        volatile = {"id", "number", "nric", "created_at", "updated_at"}
        expected, created = company.employee(single), company.employee(bulk)
        assert {name for name in expected if expected[name] != created[name]} <= volatile
        assert company.service_of(bulk) == company.service_of(single)
        assert [payslip["date"] for payslip in slips(company, bulk)] == [
            payslip["date"] for payslip in slips(company, single)
        ]
        assert company.employee(results[1]["id"])["first_name"] == "Siti"

    def test_each_is_saved_or_explained(self, company: Company) -> None:
        taken = company.employee(company.hire())["nric"]
        repeated = new_nric()
        good, wrong, incomplete, duplicate, first, second, *malformed = create(
            company,
            person(company),
            person(company, birthdate="soon", wave_id=999),
            {"wave_id": company.wave_id},
            person(company, nric=taken),
            person(company, nric=repeated),
            person(company, nric=repeated),
            7,
            {"employee": None},
        )
        assert good["success"]
        assert first["success"]
        assert wrong["errors"].keys() == {"birthdate", "wave_id"}
        assert (wrong["id"], wrong["number"]) == (None, None)
        assert {detail["path"]: detail["code"] for detail in wrong["error_details"]} == {
            "birthdate": "not_a_date",
            "wave_id": "unknown_id",
        }
        assert "first_name" in incomplete["errors"]
        assert duplicate["error_details"][0]["code"] == "nric_taken"
        assert second["errors"] == {"nric": "duplicates 4.nric"}
        assert [result["errors"] for result in malformed] == [{"employee": "must be an object"}] * 2
        assert len(company.listed()) == 3

    def test_unknown_attributes_are_ignored_with_a_warning(self, company: Company) -> None:
        [result] = create(company, person(company, nirc="S1234567D"))
        assert result["warnings"] == {"nirc": "Unknown attribute, ignored. Did you mean nric?"}

    def test_the_same_idempotency_key_creates_once(self, company: Company) -> None:
        employees = [person(company), person(company)]
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        first = send(company, "POST", employees, headers=headers)
        assert send(company, "POST", employees, headers=headers) == first
        assert len(company.listed()) == 2

    def test_of_concurrent_requests_with_one_number_one_is_saved(self, company: Company) -> None:
        bodies = [[person(company, number="K7"), person(company)] for _ in range(3)]
        path = f"/clients/{company.id}/employees/bulk"
        requests = [partial(company.member.post, path, {"employees": body}) for body in bodies]
        results = [response.json()["results"] for response in at_once(requests)]
        assert sorted(result[0]["success"] for result in results) == [False, False, True]
        assert all(result[1]["success"] for result in results)
        failed = next(result[0] for result in results if not result[0]["success"])
        assert failed["error_details"][0]["code"] == "employee_number_taken"

    def test_many_get_drafts_that_a_task_calculates(self, company: Company) -> None:
        results = create(company, *(person(company) for _ in range(250)))
        assert all(result["success"] for result in results)
        assert [int(result["number"]) for result in results] == list(range(1, 251))
        assert calculated(company, results[-1]["id"])["nett_pay"] == 0


class TestUpdate:
    def test_each_is_saved_or_explained(self, company: Company) -> None:
        first, second, third = company.hire(), company.hire(), company.hire()
        nric = company.employee(first)["nric"]
        results = update(
            company,
            {"id": first, "job_title": "Packer", "bank_account": BANK_ACCOUNT, "payment_method": "eft_manual"},
            {"id": str(second), "gender": "X", "bank_account": {"branch_code": "5"}},
            {"employee": {"id": third, "nric": nric}},
            {"id": 999_999_999, "job_title": "Nobody"},
            {"job_title": "Nobody"},
            "nobody",
        )
        assert [result["success"] for result in results] == [True] + [False] * 5
        assert company.employee(first)["job_title"] == "Packer"
        assert {"gender", "bank_account.branch_code"} <= results[1]["errors"].keys()
        assert results[2]["error_details"][0]["code"] == "nric_taken"
        assert [list(result["errors"]) for result in results[3:]] == [["id"]] * 3
        assert (results[2]["id"], results[3]["number"], results[4]["id"]) == (third, None, None)

    def test_the_same_employee_twice_fails_twice(self, company: Company) -> None:
        employee_id = company.hire(job_title="Packer")
        results = update(company, {"id": employee_id, "job_title": "A"}, {"id": employee_id, "job_title": "B"})
        message = "appears twice for the same employee or payslip; combine both into one"
        assert [result["errors"] for result in results] == [{"id": message}] * 2
        assert company.employee(employee_id)["job_title"] == "Packer"

    def test_periods_move_and_complete_records_can_be_sent_back(self, company: Company) -> None:
        moved, unchanged = company.hire(), company.hire(job_title="Packer")
        record = company.employee(unchanged)
        record["job_title"] = "Driver"
        results = update(company, {"id": moved, "appointment_date": "2024-03-01"}, record)
        assert [result["success"] for result in results] == [True, True]
        assert "warnings" not in results[1]
        assert company.service_of(moved) == [("2024-03-01", None)]
        before = {name: value for name, value in record.items() if name != "updated_at"}
        after = company.employee(unchanged)
        assert {name: after[name] for name in before} == before

    def test_a_new_number_is_reported(self, company: Company) -> None:
        [result] = update(company, {"id": company.hire(), "number": "K7"})
        assert (result["number"], result["success"]) == ("K7", True)

    def test_unknown_attributes_are_ignored_with_a_warning(self, company: Company) -> None:
        [result] = update(company, {"id": company.hire(), "jobtitle": "Packer"})
        assert result["success"]
        assert list(result["warnings"]) == ["jobtitle"]


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_body_without_a_list_is_rejected(company: Company, method: str) -> None:
    path = f"/clients/{company.id}/employees/bulk"
    for body, code in (({}, "required"), ({"employees": {}}, "not_an_array"), ({"employees": [1] * 5001}, "too_many")):
        problem = assert_problem(company.member.call(method, path, json=body), 422)
        assert problem["error_details"][0]["code"].startswith(code)


def test_a_viewer_cannot_write(company: Company) -> None:
    viewer = company.member.colleague(company.id, "viewer")
    assert_problem(viewer.post(f"/clients/{company.id}/employees/bulk", {"employees": [person(company)]}), 403)
    assert company.listed() == []
