"""Error responses: all have the same form, and change nothing."""

import json
import re
import socket
from typing import Any

import pytest

from gaji.core.errors import PROBLEMS
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member

MEBIBYTE = 1024 * 1024
DIGITS = "9" * 25


def bank(**attributes: Any) -> dict[str, Any]:
    return {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001", **attributes}


@pytest.mark.parametrize("path", ["/nowhere", "/v1/nowhere", "/v1", "/", "/v1/clients/1/2/3/4", "/%ff", "/%00", "/é"])
def test_an_unknown_path_is_404(account: Member, path: str) -> None:
    for headers in ({}, {"Authorization": account.key}):
        assert_problem(account.service.http.get(account.service.url + path, headers=headers), 404)


@pytest.mark.parametrize(
    "record_id", ["0", "-1", "99999999999999999999", "abc", "1.0", "1e1", "%00", "%20", "%EF%BC%91"]
)
def test_an_invalid_identifier_is_404(account: Member, record_id: str) -> None:
    assert_problem(account.get(f"/clients/{record_id}"), 404)
    assert_problem(account.get(f"/clients/{record_id}/pay_points"), 404)
    assert_problem(account.delete(f"/pay_points/{record_id}"), 404)


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v1/clients", "GET, POST"),
        ("DELETE", "/v1/clients/", "GET, POST"),
        ("OPTIONS", "/v1/clients", "GET, POST"),
        ("BREW", "/api/v1/clients", "GET, POST"),
        ("POST", "/v1/clients/1", "GET, PATCH"),
        ("POST", "/v1/pay_points/1", "GET, PATCH, DELETE"),
        ("POST", "/healthz", "GET"),
        ("PATCH", "/problems/validation", "GET"),
    ],
)
def test_an_unsupported_method_is_405_with_allow(account: Member, method: str, path: str, allow: str) -> None:
    headers = {"Authorization": account.key}
    response = account.service.http.request(method, account.service.url + path, headers=headers)
    assert allow in assert_problem(response, 405)["message"]
    assert response.headers["allow"] == allow


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"name": "Kopi"',
        b'{"name": "Kopi"} and more',
        b"name=Kopi",
        b"[]",
        b'[{"name": "Kopi"}]',
        b'"Kopi"',
        b"42",
        b"null",
        b"[" * 100_000,
        b'{"name":' * 100_000,
        b'{"name": "\xff"}',
        b'{"name": "\\ud800"}',
        b'{"\\udfff": 1, "name": "Kopi"}',
        b'{"name": "a\x00b"}',
        b'{"name": NaN}',
    ],
)
@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_body_that_is_not_json_or_not_an_object_is_400_and_nothing_is_saved(
    account: Member, method: str, body: bytes
) -> None:
    client_id = account.new_client()
    before = account.service.fingerprint()
    path = "/clients" if method == "POST" else f"/clients/{client_id}"
    assert_problem(account.call(method, path, content=body), 400)
    assert account.service.fingerprint() == before


def test_a_body_announced_as_larger_than_10_mib_is_413(account: Member) -> None:
    before = account.service.fingerprint()
    body = b'{"name": "' + b"x" * 20 * MEBIBYTE + b'"}'
    document = assert_problem(account.call("POST", "/clients", content=body), 413)
    assert "10 MiB" in document["message"]
    assert account.service.fingerprint() == before


def test_a_body_of_20_mb_that_announces_no_length_is_413(account: Member) -> None:
    before = account.service.fingerprint()
    assert_problem(account.call("POST", "/clients", content=(b"x" * MEBIBYTE for _ in range(20))), 413)
    assert account.service.fingerprint() == before


def test_a_large_body_is_rejected_without_waiting_for_it(account: Member) -> None:
    host, port = account.service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(
            f"POST /v1/clients HTTP/1.1\r\nHost: {host}\r\nAuthorization: {account.key}\r\n"
            f"Content-Length: {20 * MEBIBYTE}\r\n\r\n".encode()
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_large_body_is_rejected_where_no_body_is_wanted(account: Member) -> None:
    pay_point_id = account.new_pay_point(account.new_client())
    assert_problem(account.call("DELETE", f"/pay_points/{pay_point_id}", content=b"x" * 20 * MEBIBYTE), 413)


def test_a_body_of_just_under_10_mib_is_read(account: Member) -> None:
    body = b'{"name": "Kopi"' + b" " * (10 * MEBIBYTE - 16) + b"}"
    assert len(body) == 10 * MEBIBYTE
    assert account.call("POST", "/clients", content=body).status_code == 200
    assert_problem(account.call("POST", "/clients", content=body + b" "), 413)


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "application/xml", "x"])
def test_a_body_announced_as_something_else_than_json_is_415(account: Member, content_type: str) -> None:
    before = account.service.fingerprint()
    response = account.call("POST", "/clients", content=b'{"name": "Kopi"}', headers={"Content-Type": content_type})
    assert content_type in assert_problem(response, 415)["message"]
    assert account.service.fingerprint() == before


def test_a_record_in_use_is_409(account: Member) -> None:
    pay_point_id = account.new_pay_point(account.new_client())
    service = account.service
    service.as_owner(
        "CREATE TABLE users_of_places AS SELECT client_id, id AS pay_point_id FROM pay_points WHERE id = $1",
        pay_point_id,
    )
    try:
        service.as_owner("ALTER TABLE users_of_places ADD FOREIGN KEY (client_id, pay_point_id) REFERENCES pay_points")
        before = service.fingerprint()
        assert "in use" in assert_problem(account.delete(f"/pay_points/{pay_point_id}"), 409)["message"]
        assert service.fingerprint() == before
    finally:
        service.as_owner("DROP TABLE users_of_places")


def test_all_errors_of_a_request_are_reported_at_once(account: Member) -> None:
    before = account.service.fingerprint()
    response = account.post(
        "/clients",
        {
            "name": "x" * 10_000,
            "physical_address": {"unit_no": 5, "complex": "a\x00b", "postal_code": "x" * 21},
            "uen": "1234567A",
            "cpf_submission_number": "nonsense",
            "bank_account": {"bank_id": 1, "branch_code": "01"},
            "employee_number_mode": "SOMETIMES",
            "features": {"pay_dates": "perhaps", "leave_any_day": None},
            "unknown": 1,
        },
    )
    assert set(field_errors(response)) == {
        "name",
        "physical_address.unit_no",
        "physical_address.complex",
        "physical_address.postal_code",
        "uen",
        "cpf_submission_number",
        "bank_account.bank_id",
        "bank_account.account_number",
        "bank_account.branch_code",
        "employee_number_mode",
        "features.pay_dates",
    }
    assert response.json()["message"] == "11 attributes are not valid"
    assert account.service.fingerprint() == before


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, ("name", "is required")),
        ({"name": None}, ("name", "is required")),
        ({"name": "  "}, ("name", "is required")),
        ({"name": 5}, ("name", "must be a string")),
        ({"name": 5.5}, ("name", "must be a string")),
        ({"name": True}, ("name", "must be a string")),
        ({"name": ["Kopi"]}, ("name", "must be a string")),
        ({"name": {"first": "Kopi"}}, ("name", "must be a string")),
        ({"name": "Ko\x00pi"}, ("name", "must not contain control characters")),
        ({"name": "Ko\npi"}, ("name", "must not contain control characters")),
        ({"name": "x" * 256}, ("name", "must be 1 to 255 characters")),
        ({"name": "x" * 10_000}, ("name", "must be 1 to 255 characters")),
        ({"name": "Kopi", "physical_address": "Ubi"}, ("physical_address", "must be an object")),
        ({"name": "Kopi", "bank_account": [1]}, ("bank_account", "must be an object")),
        ({"name": "Kopi", "uen": 202699999}, ("uen", "must be a string")),
        ({"name": "Kopi", "bank_account": bank(branch_code=1)}, ("bank_account.branch_code", "must be a string")),
        (
            {"name": "Kopi", "bank_account": bank(branch_code="1")},
            ("bank_account.branch_code", "must be exactly 3 chara"),
        ),
        ({"name": "Kopi", "bank_account": bank(branch_code="abc")}, ("bank_account.branch_code", "must be 3 digits")),
        (
            {"name": "Kopi", "bank_account": bank(account_number="123")},
            ("bank_account.account_number", "must be 4 to 34"),
        ),
        ({"name": "Kopi", "bank_account": bank(bank_id=0)}, ("bank_account.bank_id", "is not in the list")),
        ({"name": "Kopi", "bank_account": bank(bank_id=int(DIGITS))}, ("bank_account.bank_id", "is not in the list")),
        ({"name": "Kopi", "bank_account": bank(bank_id=DIGITS)}, ("bank_account.bank_id", "is not in the list")),
        ({"name": "Kopi", "bank_account": bank(bank_id=1e300)}, ("bank_account.bank_id", "is not in the list")),
        ({"name": "Kopi", "bank_account": bank(bank_id=7171.5)}, ("bank_account.bank_id", "is not in the list")),
        ({"name": "Kopi", "bank_account": bank(bank_id=True)}, ("bank_account.bank_id", "is not in the list")),
    ],
)
def test_an_invalid_attribute_is_422_with_its_dotted_path_and_nothing_is_saved(
    account: Member, body: dict[str, Any], error: tuple[str, str]
) -> None:
    before = account.service.fingerprint()
    errors = field_errors(account.post("/clients", body))
    assert list(errors) == [error[0]]
    assert errors[error[0]].startswith(error[1])
    assert account.service.fingerprint() == before


def test_an_update_with_one_error_changes_nothing(account: Member) -> None:
    client_id = account.new_client(uen="202699999E")
    before = account.service.fingerprint()
    response = account.patch(f"/clients/{client_id}", {"name": "Changed", "uen": "wrong"})
    assert list(field_errors(response)) == ["uen"]
    assert account.service.fingerprint() == before


def test_an_internal_error_is_500_in_the_same_form_without_its_cause(account: Member) -> None:
    service = account.service
    before = service.fingerprint()
    service.as_owner("ALTER TABLE clients ADD CONSTRAINT fault CHECK (name <> 'Fault') NOT VALID")
    try:
        response = account.post("/clients", {"name": "Fault"})
    finally:
        service.as_owner("ALTER TABLE clients DROP CONSTRAINT fault")
    document = assert_problem(response, 500)
    assert "constraint" not in json.dumps(document)
    assert "Fault" not in json.dumps(document)
    assert service.fingerprint() == before


@pytest.mark.parametrize("host", ["localhost:1", "evil.example/\\", '"><script>', "é"])
def test_the_form_is_the_same_for_any_host_header(account: Member, host: str) -> None:
    response = account.get("/clients/0", headers={"Host": host.encode()})
    assert response.status_code in (400, 404)
    assert isinstance(response.json()["message"], str)


@pytest.mark.parametrize("error", PROBLEMS, ids=lambda error: error.kind)
def test_the_type_of_a_problem_is_the_address_of_a_page_about_it(account: Member, error: Any) -> None:
    response = account.service.http.get(f"{account.service.url}/problems/{error.kind}")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    assert error.title in response.text


def test_a_record_of_another_account_looks_like_one_that_does_not_exist(account: Member) -> None:
    stranger = account.service.new_account()
    theirs = stranger.new_client(name="Theirs")
    their_pay_point = stranger.new_pay_point(theirs)
    nobodys, unknown_pay_point = theirs + 1_000_000, their_pay_point + 1_000_000
    requests: list[tuple[str, str, Any]] = [
        ("GET", "/clients/{client}", None),
        ("PATCH", "/clients/{client}", {"name": "x"}),
        ("PATCH", "/clients/{client}", {"name": 5}),
        ("PATCH", "/clients/{client}", []),
        ("GET", "/clients/{client}/pay_points", None),
        ("GET", "/clients/{client}/pay_points?page=0", None),
        ("POST", "/clients/{client}/pay_points", {"name": "Warehouse"}),
        ("POST", "/clients/{client}/pay_points", {}),
        ("PATCH", "/pay_points/{pay_point_id}", {"name": "x"}),
        ("PATCH", "/pay_points/{pay_point_id}", {"name": 5}),
        ("DELETE", "/pay_points/{pay_point_id}", None),
    ]
    for method, path, body in requests:
        texts, texts_without_ids = [], []
        for client_id, pay_point_id in ((theirs, their_pay_point), (nobodys, unknown_pay_point)):
            headers = {"X-Request-Id": "the-same-for-both"}
            where = path.format(client=client_id, pay_point_id=pay_point_id)
            response = account.call(method, where, json=body, headers=headers)
            assert response.status_code >= 400
            texts.append(response.text)
            texts_without_ids.append(re.sub(rf"\b({client_id}|{pay_point_id})\b", "ID", response.text))
        # A small ID may also be another number of the text.
        assert texts[0] == texts[1] or texts_without_ids[0] == texts_without_ids[1], f"{method} {path}"
