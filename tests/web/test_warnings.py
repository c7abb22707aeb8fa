"""`warnings`: unknown attributes of a body, in responses that succeed and in those that fail."""

from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from gaji.app import OPERATIONS
from gaji.web.openapi import document
from tests.support.company import Company, attributes
from tests.support.problems import assert_problem
from tests.support.running import Member

PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem", "components": document(OPERATIONS)["components"]}
IGNORED = "Unknown attribute, ignored."


def employee(company: Company, **changes: Any) -> dict[str, Any]:
    """Return a body without an NRIC, which a citizen needs."""
    wave_id = company.member.get(f"/clients/{company.id}/waves").json()[0]["wave"]["id"]
    return {"employee": attributes(nric=None, wave_id=wave_id, **changes)}


def test_a_failing_create_says_what_is_required_and_what_was_ignored(company: Company) -> None:
    body = employee(company, nirc="S1234567D")
    problem = assert_problem(company.member.post(f"/clients/{company.id}/employees", body), 422)
    assert problem["errors"] == {"nric": "is required when legal_status is CITIZEN"}
    assert problem["warnings"] == {"nirc": f"{IGNORED} Did you mean nric?"}
    jsonschema.validate(problem, PROBLEM_SCHEMA)


def test_a_nested_attribute_is_named_by_its_path(account: Member) -> None:
    body = {"bank_account": {"bank_id": 7171, "acount_number": "0012345678", "branch_code": "001"}}
    problem = assert_problem(account.post("/clients", body), 422)
    assert set(problem["errors"]) == {"name", "bank_account.account_number"}
    assert problem["warnings"] == {"bank_account.acount_number": f"{IGNORED} Did you mean account_number?"}


def test_a_failing_update_has_warnings(account: Member) -> None:
    client_id = account.new_client()
    problem = assert_problem(account.patch(f"/clients/{client_id}", {"uen": "wrong", "nmae": "Kopi"}), 422)
    assert problem["warnings"] == {"nmae": f"{IGNORED} Did you mean name?"}


def test_a_body_that_is_valid_but_rejected_by_the_database_has_warnings(company: Company) -> None:
    path = f"/clients/{company.id}/employees"
    body = employee(company)
    body["employee"] |= {"nric": "S1234567D", "colour": "red"}
    assert company.member.post(path, body).json()["warnings"] == {"colour": IGNORED}
    problem = assert_problem(company.member.post(path, body), 422)
    assert list(problem["errors"]) == ["nric"]
    assert problem["warnings"] == {"colour": IGNORED}


def test_a_conflict_has_warnings(company: Company) -> None:
    company.member.post(f"/clients/{company.id}/employees", employee(company, legal_status="PR"))
    wave_id = company.member.get(f"/clients/{company.id}/waves").json()[0]["wave"]["id"]
    body = {"wave_id": wave_id, "period_end_date": "2090-01-31", "specail": True}
    response = company.member.post(f"/clients/{company.id}/payment_runs", body)
    assert assert_problem(response, 409)["warnings"] == {"specail": f"{IGNORED} Did you mean special?"}


def test_an_update_that_fails_after_validation_has_warnings(company: Company) -> None:
    company.hire()
    body = {"frequency": "weekly", "first_end_date": "2026-01-02", "costum_name": "x"}
    problem = assert_problem(company.member.patch(f"/waves/{company.wave_id}", body), 409)
    assert problem["warnings"] == {"costum_name": f"{IGNORED} Did you mean custom_name?"}


def test_a_calculation_that_is_updated_with_another_type_has_all_errors_and_warnings(company: Company) -> None:
    employee = f"/employees/{company.hire()}/calculations"
    bonus = {"calc_type": "bonus", "calculation_details": {"amount": 5}}
    calculation_id = company.member.post(employee, bonus).json()["id"]
    body = {"calc_type": "commission", "multiplyer": 2, "multiplier": -1}
    problem = assert_problem(company.member.patch(f"/calculations/{calculation_id}", body), 422)
    assert set(problem["errors"]) == {"calc_type", "multiplier"}
    assert problem["warnings"] == {"multiplyer": f"{IGNORED} Did you mean multiplier?"}


def test_each_element_of_an_array_has_its_warnings(account: Member) -> None:
    client_id = account.new_client()
    body = [{"account": {"item": "sdl", "categry": "x"}}, {"account": {"item": "nonsense", "colour": "red"}}]
    problem = assert_problem(account.call("PUT", f"/clients/{client_id}/accounts", json=body), 422)
    assert list(problem["errors"]) == ["1.item"]
    assert problem["warnings"] == {"0.categry": f"{IGNORED} Did you mean category?", "1.colour": IGNORED}


def test_the_elements_of_a_nested_array_have_their_warnings(account: Member) -> None:
    client_id = account.new_client()
    body = {"mode": "employee", "splits": [{"id": "A", "name": "Alpha"}, {"name": "Beta", "idd": "B"}]}
    answer = account.call("PUT", f"/clients/{client_id}/accounting_splits", json=body)
    assert answer.json()["warnings"] == {"splits.1.idd": f"{IGNORED} Did you mean id?"}


def test_the_elements_of_an_array_that_is_too_long_are_not_examined(account: Member) -> None:
    client_id = account.new_client()
    body = {"mode": "employee", "splits": [{"name": "Alpha", "idd": "A"}] * 501}
    problem = assert_problem(account.call("PUT", f"/clients/{client_id}/accounting_splits", json=body), 422)
    assert list(problem["errors"]) == ["splits"]
    assert "warnings" not in problem


@pytest.mark.parametrize("body", [{"name": 5}, {"name": 5, "id": 1, "created_at": "2026-01-01"}])
def test_without_unknown_attributes_there_are_no_warnings(account: Member, body: dict[str, Any]) -> None:
    assert "warnings" not in assert_problem(account.post("/clients", body), 422)


def test_a_stored_response_repeats_its_warnings(account: Member) -> None:
    headers = {"Idempotency-Key": "with warnings"}
    responses = [account.post("/clients", {"nmae": "x"}, headers=headers) for _ in range(2)]
    assert responses[1].headers["idempotent-replayed"] == "true"
    assert [response.json()["warnings"] for response in responses] == [{"nmae": f"{IGNORED} Did you mean name?"}] * 2
