"""X-Request-Id: in every response, and in the log."""

import pytest

from tests.support.problems import assert_problem
from tests.support.running import Member


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/clients", 200),
        ("HEAD", "/v1/clients", 200),
        ("GET", "/healthz", 200),
        ("GET", "/openapi.json", 200),
        ("GET", "/docs", 200),
        ("GET", "/nowhere", 404),
        ("GET", "/v1/clients/0", 404),
        ("PUT", "/v1/clients", 405),
        ("OPTIONS", "/v1/clients", 405),
        ("POST", "/v1/clients", 400),
    ],
)
def test_every_response_has_one(account: Member, method: str, path: str, status: int) -> None:
    headers = {"Authorization": account.key}
    response = account.service.http.request(method, account.service.url + path, headers=headers)
    assert response.status_code == status
    assert len(response.headers["x-request-id"]) >= 8


def test_a_response_to_our_own_failure_has_one(account: Member) -> None:
    service = account.service
    service.as_owner("ALTER TABLE clients RENAME TO clients_elsewhere")
    try:
        response = account.get("/clients", headers={"X-Request-Id": "failing-request"})
    finally:
        service.as_owner("ALTER TABLE clients_elsewhere RENAME TO clients")
    assert assert_problem(response, 500)["request_id"] == "failing-request"
    [failure] = [line for line in service.logged("failing-request") if line["event"] == "failure"]
    assert failure["error"] == "UndefinedTableError"


def test_two_requests_have_different_ones(account: Member) -> None:
    assert account.get("/clients").headers["x-request-id"] != account.get("/clients").headers["x-request-id"]


def test_the_request_id_of_the_caller_is_used(account: Member) -> None:
    response = account.get("/clients", headers={"X-Request-Id": "order-4711.retry_2"})
    assert response.headers["x-request-id"] == "order-4711.retry_2"
    [line] = account.service.logged("order-4711.retry_2")
    assert line["request_id"] == "order-4711.retry_2"


@pytest.mark.parametrize("request_id", ["short", "with space", "x" * 129, "quote'quote", '{"json": 1}', "é" * 8])
def test_an_invalid_request_id_is_replaced(account: Member, request_id: str) -> None:
    response = account.get("/clients", headers={"X-Request-Id": request_id.encode("latin-1")})
    assert response.headers["x-request-id"] != request_id
