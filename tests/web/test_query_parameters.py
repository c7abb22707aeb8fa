"""Query parameters: an operation accepts those that it declares and rejects all others."""

from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gaji.app import OPERATIONS
from gaji.web.openapi import document
from gaji.web.operations import Operation, parse_query_string
from tests.support.case_tables import for_every
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member
from tests.web.every_operation import TenantRecords, path, sent, title

pytestmark = pytest.mark.slow

DOCUMENT = document(OPERATIONS)
EMPLOYEES = [
    *("include", "ids", "number", "nric", "fin", "email", "external_id", "search", "wave_id", "pay_point_id", "state"),
    *("updated_since", "fields", "page", "per_page"),
]
"""The query parameters of the list of employees."""


@for_every("operation", OPERATIONS, title)
def test_every_operation_rejects_a_parameter_that_it_does_not_declare(
    tenant: TenantRecords, operation: Operation
) -> None:
    address = path(operation, tenant.ids)
    before = tenant.member.service.fingerprint() if operation.writes else {}
    response = tenant.member.call(
        operation.method, f"{address}{'&' if '?' in address else '?'}zzz=1", **sent(operation, tenant.ids)
    )
    assert list(field_errors(response)) == ["zzz"]
    assert not operation.writes or tenant.member.service.fingerprint() == before


@for_every("operation", OPERATIONS, title)
def test_the_openapi_document_has_exactly_the_parameters_that_are_accepted(operation: Operation) -> None:
    entry = DOCUMENT["paths"][operation.path][operation.method.lower()]
    documented = {parameter["name"] for parameter in entry["parameters"] if parameter.get("in") == "query"}
    assert documented == set(operation.query_parameters)


def test_a_misspelt_parameter_is_rejected_with_a_suggestion(account: Member) -> None:
    client_id = account.new_client()
    problem = assert_problem(account.get(f"/clients/{client_id}/employees?inlcude=wave_periods"), 422)
    assert problem["error_details"] == [
        {
            "path": "inlcude",
            "code": "unknown_parameter",
            "message": f"is not a query parameter of this operation; use {', '.join(EMPLOYEES)}; did you mean include?",
            "params": {"allowed": EMPLOYEES, "suggestion": "include"},
        }
    ]


def test_a_filter_that_does_not_exist_does_not_return_everyone(account: Member) -> None:
    client_id = account.new_client()
    assert list(field_errors(account.get(f"/clients/{client_id}/employees?race=CHINESE"))) == ["race"]


def test_an_operation_without_parameters_says_so(account: Member) -> None:
    assert field_errors(account.get("/constants?format=simplified")) == {
        "format": "is not allowed, because this operation has no query parameters"
    }


def test_a_parameter_with_one_value_must_not_appear_twice(account: Member) -> None:
    assert field_errors(account.get("/clients?page=1&page=2")) == {"page": "must not appear twice"}


def test_names_may_be_repeated_or_separated_by_commas(account: Member) -> None:
    client_id = account.new_client()
    for query in ("include=service_periods&include=wave_periods", "include=service_periods,wave_periods"):
        assert account.get(f"/clients/{client_id}/employees?{query}").status_code == 200


def test_errors_of_the_query_and_of_the_path_are_reported_at_once(account: Member) -> None:
    client_id = account.new_client()
    response = account.get(f"/clients/{client_id}/filings/2026-13?advice_code=0&advice=1")
    assert set(field_errors(response)) == {"month", "advice_code", "advice"}


def test_errors_of_the_query_and_of_the_body_are_reported_at_once(account: Member) -> None:
    before = account.service.fingerprint()
    body = {"uen": "wrong", "nmae": "Kopi"}
    problem = assert_problem(account.post("/clients?dry_run=true", body), 422)
    assert set(problem["errors"]) == {"dry_run", "name", "uen"}
    assert problem["warnings"] == {"nmae": "Unknown attribute, ignored. Did you mean name?"}
    assert account.service.fingerprint() == before


@pytest.mark.parametrize("suffix", ["", "/async"])
def test_an_invalid_parameter_of_a_write_is_rejected(tenant: TenantRecords, suffix: str) -> None:
    [operation] = [item for item in OPERATIONS if item.path == f"/clients/{{client_id}}/employees/import{suffix}"]
    address = f"{path(operation, tenant.ids)}?dry_run=perhaps"
    response = tenant.member.call("POST", address, **sent(operation, tenant.ids))
    assert field_errors(response) == {"dry_run": "must be true or false"}


def test_a_report_does_not_run_for_an_invalid_parameter(account: Member) -> None:
    client_id = account.new_client()
    response = account.post(f"/clients/{client_id}/reports/variance?force=true", {})
    assert list(field_errors(response)) == ["force"]


def test_a_valid_body_with_an_unknown_parameter_saves_nothing(account: Member) -> None:
    before = account.service.fingerprint()
    assert list(field_errors(account.post("/clients?dry_run=true", {"name": "Kopi"}))) == ["dry_run"]
    assert account.service.fingerprint() == before


def test_a_rejected_query_is_replayed_with_its_idempotency_key(account: Member) -> None:
    headers = {"Idempotency-Key": "with a query"}
    first = account.post("/clients?dry_run=true", {"uen": "wrong"}, headers=headers)
    again = account.post("/clients?dry_run=true", {"uen": "wrong"}, headers=headers)
    assert set(field_errors(first)) == {"dry_run", "name", "uen"}
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json()["errors"] == first.json()["errors"]
    assert account.get("/clients").json() == []


def test_a_state_that_forbids_the_request_does_not_hide_the_errors_of_the_query(company: Company) -> None:
    wave = company.member.get(f"/clients/{company.id}/waves").json()[0]["wave"]
    response = company.member.delete(f"/waves/{wave['id']}?force=true")
    assert list(field_errors(response)) == ["force"]


@pytest.mark.parametrize(
    ("query", "errors"),
    [
        ("wave=1", {"wave": "variance", "wave_id": None, "period_offset": None}),
        ("wave_id=1&period_offset=x&date=2026-01-31", {"date": "variance", "period_offset": None, "wave_id": None}),
    ],
)
def test_fields_that_a_report_does_not_have_are_rejected(
    account: Member, query: str, errors: dict[str, str | None]
) -> None:
    client_id = account.new_client()
    body = dict(part.split("=") for part in query.split("&"))
    responses = [
        account.get(f"/clients/{client_id}/reports/variance?{query}"),
        account.post(f"/clients/{client_id}/reports/variance", body),
        account.post(f"/clients/{client_id}/reports/variance", {"report": body}),
        account.post(f"/clients/{client_id}/reports/variance/async", body),
    ]
    for response in responses:
        problem = assert_problem(response, 422)
        assert set(problem["errors"]) == set(errors)
        unknown = {detail["path"]: detail for detail in problem["error_details"] if detail["code"] == "unknown_field"}
        assert {name: detail["params"]["report"] for name, detail in unknown.items()} == {
            name: report for name, report in errors.items() if report
        }


def test_an_unknown_field_of_a_report_is_rejected_with_a_suggestion(account: Member) -> None:
    client_id = account.new_client()
    body: dict[str, Any] = {"start_date": "2026-01-01", "end_date": "2026-01-31", "employee_id": [1]}
    for response in (
        account.post(f"/clients/{client_id}/reports/transaction_history", body),
        account.get(f"/clients/{client_id}/reports/transaction_history", params=body),
    ):
        message = "is not a field of the report transaction_history; did you mean employee_ids?"
        assert field_errors(response) == {"employee_id": message}


def test_a_report_takes_parameters_of_the_query_only_with_get(account: Member) -> None:
    client_id = account.new_client()
    body = {"date": "2026-01-31"}
    response = account.post(f"/clients/{client_id}/reports/tracked_balances?date=2026-01-31", body)
    assert list(field_errors(response)) == ["date"]


@given(st.text("ab=&+%;4é0\x00 ", max_size=20).map(lambda text: text.encode("latin-1")))
@example(b"search=Tan+Ah%20Kow&ids=1&&ids=2&page&=3&a=b=c&e=%C3%A9&%zz=%")
@settings(max_examples=100)
def test_a_query_is_parsed_as_the_standard_library_does(query: bytes) -> None:
    assert parse_query_string(query) == parse_qs(query.decode("latin-1"), keep_blank_values=True)
