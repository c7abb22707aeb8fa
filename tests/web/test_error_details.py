"""`error_details`: the errors of a problem document, for programs."""

from decimal import Decimal

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest

from gaji.app import OPERATIONS
from gaji.core.errors import ERROR_CODES, Conflict, Errors, GajiError, NotFound, ValidationError, invalid
from gaji.core.validation import NOT_ALLOWED, OUT_OF_RANGE, UNKNOWN_ID
from gaji.web.openapi import document
from gaji.web.problems import encode_problem
from tests.support.company import Company, attributes
from tests.support.problems import assert_problem
from tests.support.running import Member, Service

PROBLEM_SCHEMA = document(OPERATIONS)["components"]["schemas"]["Problem"]


def test_each_invalid_attribute_has_a_path_a_code_a_message_and_parameters(account: Member) -> None:
    body = {"name": 5, "bank_account": {"bank_id": 7171, "account_number": "0012345678", "branch_code": "1"}}
    problem = assert_problem(account.post("/clients", body), 422)
    assert problem["error_details"] == [
        {"path": "name", "code": "not_a_string", "message": "must be a string", "params": {}},
        {
            "path": "bank_account.branch_code",
            "code": "wrong_length",
            "message": "must be exactly 3 characters",
            "params": {"length": 3},
        },
    ]
    jsonschema.validate(problem, PROBLEM_SCHEMA)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"uen": "12345"}, ("uen", "invalid_uen", {"value": "12345"})),
        (
            {"cpf_submission_number": "1"},
            ("cpf_submission_number", "invalid_submission_number", {"example": "202699999EPTE01"}),
        ),
    ],
)
def test_a_number_with_the_wrong_form_has_its_own_code(
    account: Member, body: dict[str, str], detail: tuple[str, str, dict[str, str]]
) -> None:
    problem = assert_problem(account.post("/clients", {"name": "Kopi", **body}), 422)
    assert [(entry["path"], entry["code"], entry["params"]) for entry in problem["error_details"]] == [detail]


def test_an_identity_number_and_a_period_end_have_their_own_codes(company: Company) -> None:
    wrong = attributes(nric="S1234567A", wave_id=company.wave_id)
    [detail] = assert_problem(company.member.post(company.people, {"employee": wrong}), 422)["error_details"]
    assert (detail["code"], detail["params"]) == ("wrong_check_letter", {"value": "S1234567A"})
    run = {"wave_id": company.wave_id, "period_end_date": "2026-01-15"}
    [detail] = assert_problem(company.member.post(f"/clients/{company.id}/payment_runs", run), 422)["error_details"]
    assert detail["code"] == "not_a_period_end"
    assert detail["params"] == {"date": "2026-01-15", "previous": "2025-12-31", "next": "2026-01-31"}


def test_a_query_parameter_that_is_out_of_range_has_its_code(account: Member) -> None:
    problem = assert_problem(account.get("/clients?per_page=0"), 422)
    assert problem["error_details"] == [
        {
            "path": "per_page",
            "code": "out_of_range",
            "message": "must be from 1 to 1000",
            "params": {"minimum": 1, "maximum": 1000},
        }
    ]


def test_a_conflict_with_errors_has_details() -> None:
    error = Conflict("2 payslips are not ready", errors=Errors.single("payslips.4", UNKNOWN_ID, resource="wave", id=4))
    problem = msgspec.json.decode(encode_problem(error, "http://127.0.0.1:8000", "request"))
    message = "wave 4 does not exist in this client"
    assert problem["errors"] == {"payslips.4": message}
    assert problem["error_details"] == [
        {"path": "payslips.4", "code": "unknown_id", "message": message, "params": {"resource": "wave", "id": 4}}
    ]
    jsonschema.validate(problem, PROBLEM_SCHEMA)


@pytest.mark.parametrize(
    "error", [Conflict("In use"), NotFound("Client 4 does not exist")], ids=lambda error: error.kind
)
def test_an_error_about_no_attribute_has_no_details(error: GajiError) -> None:
    problem = msgspec.json.decode(encode_problem(error, "http://127.0.0.1:8000", "request"))
    assert "errors" not in problem
    assert "error_details" not in problem


@pytest.mark.parametrize(
    ("error", "params"),
    [
        (invalid("size", NOT_ALLOWED, allowed=(size for size in ("S", "M"))), {"allowed": ["S", "M"]}),
        (invalid("size", NOT_ALLOWED, allowed={"S": 1}.keys()), {"allowed": ["S"]}),
        (invalid("size", OUT_OF_RANGE, minimum=Decimal("0.05"), maximum=1), {"minimum": "0.05", "maximum": 1}),
    ],
    ids=["generator", "keys", "decimal"],
)
def test_parameters_are_json(error: ValidationError, params: dict[str, object]) -> None:
    problem = msgspec.json.decode(encode_problem(error, "http://127.0.0.1:8000", "request"))
    [detail] = problem["error_details"]
    assert detail["params"] == params
    assert ERROR_CODES[detail["code"]].render(params) == detail["message"] == problem["errors"]["size"]


def test_the_openapi_document_lists_every_code_with_its_message() -> None:
    code = PROBLEM_SCHEMA["properties"]["error_details"]["items"]["properties"]["code"]
    assert {"required", "too_long", "unknown_id"} <= set(code["enum"])
    assert code["x-enumDescriptions"] == {name: ERROR_CODES[name].template for name in code["enum"]}


def test_the_page_about_validation_errors_lists_every_code(service: Service) -> None:
    page = service.http.get(f"{service.url}/problems/validation").text
    codes = PROBLEM_SCHEMA["properties"]["error_details"]["items"]["properties"]["code"]["enum"]
    assert [code for code in codes if f"<code>{code}</code>" not in page] == []
