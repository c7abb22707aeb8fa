"""`error_details`: the errors of a problem document, for programs."""

import re
from decimal import Decimal
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest

from gaji.app import OPERATIONS
from gaji.core.error_codes import NOT_ALLOWED, OUT_OF_RANGE, UNKNOWN_ID
from gaji.core.errors import ERROR_CODES, Conflict, Errors, GajiError, NotFound, ValidationError, invalid
from gaji.web.openapi import document
from gaji.web.problems import encode_problem
from tests.leave.people import leave_types
from tests.payroll.payslips.slips import finalise
from tests.support.company import Company, attributes
from tests.support.problems import assert_problem
from tests.support.running import Member, Service, created

COMPONENTS = document(OPERATIONS)["components"]
PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem", "components": COMPONENTS}
CODE_SCHEMA = COMPONENTS["schemas"]["ErrorDetailCode"]


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


@pytest.mark.parametrize(
    ("calc_type", "inputs", "detail"),
    [
        ("bonus", {"amount": "a lot"}, ("amount", "not_an_amount", {})),
        ("bonus", {"amount": -1}, ("amount", "negative", {})),
        ("bonus", {"amount": "1.005"}, ("amount", "too_many_decimals", {"maximum": 2})),
        ("bonus", {"amount": 10**9}, ("amount", "too_large", {"maximum": 100_000_000})),
        ("notice_pay", {"days": "x"}, ("days", "not_a_number", {})),
        ("notice_pay", {"days": "1.0001"}, ("days", "too_many_decimals", {"maximum": 3})),
        ("basic_salary", {"hours_input": 745}, ("hours_input", "too_large", {"maximum": 744})),
        (
            "basic_salary",
            {"pay_type": "yearly"},
            ("pay_type", "not_allowed", {"allowed": ["monthly", "daily", "hourly"]}),
        ),
        (
            "basic_salary",
            {"rest_day_employee_days": "0.3"},
            ("rest_day_employee_days", "not_a_multiple", {"step": "0.5"}),
        ),
        ("basic_salary", {"overtime_period": "March"}, ("overtime_period", "not_a_month", {})),
        ("transport_allowance", {"prorate": "maybe"}, ("prorate", "not_a_boolean", {})),
        ("loan", {"start_date": "soon"}, ("start_date", "not_a_date", {})),
        (
            "loan",
            {"start_date": "1850-01-01"},
            ("start_date", "out_of_range", {"minimum": "1900-01-01", "maximum": "2199-12-31"}),
        ),
        ("reimbursement", {"description": 5}, ("description", "not_a_string", {})),
        ("reimbursement", {"description": "x" * 256}, ("description", "too_long", {"max_length": 255})),
        ("reimbursement", {"description": "a\nb"}, ("description", "control_character", {})),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_each_error_of_a_calculation_input_has_a_code(
    company: Company, calc_type: str, inputs: dict[str, Any], detail: tuple[str, str, dict[str, Any]]
) -> None:
    body = {"calc_type": calc_type, "calculation_details": inputs}
    payslip = company.member.get(f"/employees/{company.hire()}/payslips").json()[0]["payslip"]
    problem = assert_problem(company.member.post(f"/payslips/{payslip['id']}/calculations", body), 422)
    name, code, params = detail
    assert [(entry["path"], entry["code"], entry["params"]) for entry in problem["error_details"]] == [
        (f"calculation_details.{name}", code, params)
    ]


def test_regular_hours_have_codes(company: Company) -> None:
    details = {"full_day_hours_input": 0, "full_days_per_week": "4.5"}
    body = {"calc_type": "week_hours", "calculation_details": details}
    path = f"/employees/{company.hire()}/inherited_calculations"
    problem = assert_problem(company.member.patch(path, body), 422)
    assert [entry["code"] for entry in problem["error_details"]] == ["not_positive", "not_an_integer"]


@pytest.mark.parametrize(
    ("entitlement", "code", "params"),
    [
        (
            [{"year": 1, "days": 10}],
            "below_legal_minimum",
            {"days": "10", "year": 5, "minimum": "11"},
        ),
        (
            [{"year": 1, "days": 14}],
            "below_legal_minimum_during_year",
            {"days": "0", "year": 1, "months": 3, "minimum": "2"},
        ),
    ],
)
def test_a_leave_policy_below_the_legal_minimum_has_a_code(
    company: Company, entitlement: list[dict[str, int]], code: str, params: dict[str, Any]
) -> None:
    type_id = leave_types(company.member, company.id)["annual_leave"]
    months = 6 if code == "below_legal_minimum_during_year" else 0
    policy = {"accrual": "monthly", "entitlement": entitlement, "least_months": months}
    [detail] = assert_problem(company.member.call("PUT", f"/leave_types/{type_id}/policy", json=policy), 422)[
        "error_details"
    ]
    assert (detail["path"], detail["code"], detail["params"]) == ("entitlement", code, params)


def test_a_formula_without_a_result_has_a_code(company: Company) -> None:
    definition = {"name": "Per piece", "kind": "income", "input": "formula", "formula": "100 / meal_allowance"}
    definition_id = created(company.member.post(f"/clients/{company.id}/calculation_definitions", definition))
    body = {
        "employee": {"birthdate": "1990-01-01", "legal_status": "CITIZEN"},
        "period_end_date": "2026-01-31",
        "calculations": [{"calc_type": definition_id, "calculation_details": {}}],
    }
    problem = assert_problem(company.member.post(f"/clients/{company.id}/payslip_preview", body), 422)
    assert [(entry["path"], entry["code"], entry["params"]) for entry in problem["error_details"]] == [
        ("calculations.0", "divides_by_zero", {"item": "Per piece"})
    ]


def test_a_conflict_about_an_attribute_has_its_code(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-01-01")
    finalise(company, employee_id)
    problem = assert_problem(company.patch(employee_id, appointment_date="2024-05-06"), 409)
    assert problem["error_details"] == [
        {
            "path": "appointment_date",
            "code": "after_finalised_start",
            "message": "is after 2024-01-01, the start of a finalised period; unfinalise its pay run first, "
            "or record this as late",
            "params": {"first": "2024-01-01"},
        }
    ]


def test_no_error_code_is_only_a_sentence() -> None:
    """`month_not_covered` has further parameters; a template error comes from the typesetter."""
    sentences = {code for code, kind in ERROR_CODES.items() if re.fullmatch(r"\{\w+\}", kind.template)}
    assert sentences == {"month_not_covered", "template_error"}


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
    assert {"required", "too_long", "unknown_id"} <= set(CODE_SCHEMA["enum"])
    assert CODE_SCHEMA["x-enumDescriptions"] == {name: ERROR_CODES[name].template for name in CODE_SCHEMA["enum"]}


def test_the_page_about_validation_errors_lists_every_code(service: Service) -> None:
    page = service.http.get(f"{service.url}/problems/validation").text
    assert [code for code in CODE_SCHEMA["enum"] if f"<code>{code}</code>" not in page] == []
