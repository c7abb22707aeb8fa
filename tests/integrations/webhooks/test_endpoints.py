"""Webhook endpoints and deliveries over HTTP. Nothing is sent: the name of the receiver has no address."""

import base64
from typing import Any

import pytest

from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member, Service

URL = "https://receiver.invalid/gaji"
RARE = {"url": URL, "types": ["law.updated"]}
"""An endpoint that gets nothing during a test."""


def create(member: Member, client_id: int | None = None, **attributes: Any) -> dict[str, Any]:
    """Create an endpoint and return the response."""
    path = "/webhook_endpoints" if client_id is None else f"/clients/{client_id}/webhook_endpoints"
    answer = member.post(path, RARE | attributes)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def read(member: Member, endpoint_id: int) -> dict[str, Any]:
    """Return an endpoint without its wrapper."""
    endpoint: dict[str, Any] = member.get(f"/webhook_endpoints/{endpoint_id}").json()["webhook_endpoint"]
    return endpoint


def listed(member: Member, path: str = "/webhook_endpoints") -> list[int]:
    return [element["webhook_endpoint"]["id"] for element in member.get(path).json()]


def test_the_secret_of_a_new_endpoint_is_shown_once(company: Company) -> None:
    created = create(company.member, company.id, description="HR system")
    assert created["message"] == "The webhook endpoint has been created"
    assert created["secret"].startswith("whsec_")
    assert len(base64.b64decode(created["secret"].removeprefix("whsec_"))) == 32
    answer = company.member.get(f"/webhook_endpoints/{created['id']}")
    assert "secret" not in answer.json()["webhook_endpoint"]
    assert created["secret"] not in answer.text
    endpoint = read(company.member, created["id"])
    assert endpoint == {
        "id": created["id"],
        "client_id": company.id,
        "url": URL,
        "description": "HR system",
        "types": ["law.updated"],
        "enabled": True,
        "disabled_reason": None,
        "previous_secret_expires_at": None,
        "pending": 0,
        "created_at": endpoint["created_at"],
        "updated_at": endpoint["updated_at"],
    }


def test_the_secret_is_stored_encrypted(company: Company, service: Service) -> None:
    created = create(company.member, company.id)
    stored = service.as_owner("SELECT e::text AS row FROM webhook_endpoints e WHERE id = $1", created["id"])
    assert created["secret"].removeprefix("whsec_") not in stored[0]["row"]
    [entry] = service.as_owner(
        "SELECT after::text AS after FROM audit_log WHERE action = 'webhook_endpoints.insert' AND row_id = $1",
        created["id"],
    )
    assert '"secret_sealed": "hidden"' in entry["after"]


def test_an_endpoint_is_changed_and_deleted(company: Company) -> None:
    endpoint_id = create(company.member, company.id)["id"]
    path = f"/webhook_endpoints/{endpoint_id}"
    answer = company.member.patch(path, {"types": None, "enabled": False, "description": "Other"})
    assert answer.json() == {"message": "The webhook endpoint has been updated", "id": endpoint_id}
    endpoint = read(company.member, endpoint_id)
    assert (endpoint["types"], endpoint["enabled"], endpoint["description"]) == ([], False, "Other")
    assert endpoint["url"] == URL
    assert company.member.delete(path).status_code == 200
    assert_problem(company.member.get(path), 404)


def test_all_errors_are_reported_at_once(company: Company) -> None:
    path = f"/clients/{company.id}/webhook_endpoints"
    body = {"url": "http://hr.example.com/", "types": ["employee.created", "employee.paid", "employee.created"]}
    assert field_errors(company.member.post(path, body)).keys() == {"url", "types.1", "types.2"}
    assert field_errors(company.member.post(path, {"types": "all", "enabled": 1})).keys() == {"url", "types", "enabled"}
    assert listed(company.member) == []


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://169.254.169.254/latest", "169.254.169.254 is not a public address"),
        ("https://[::1]/", "::1 is not a public address"),
        ("http://hr.example.com/", "The URL must begin with https"),
        ("https://me:secret@hr.example.com/", "The URL must not have a user name, a password or a fragment"),
    ],
)
def test_an_address_that_is_refused_has_a_reason(company: Company, url: str, reason: str) -> None:
    answer = company.member.post(f"/clients/{company.id}/webhook_endpoints", {"url": url})
    assert field_errors(answer) == {"url": f"cannot be used: {reason}"}


def test_endpoints_of_the_account_are_for_its_administrators(company: Company) -> None:
    account_wide, own = create(company.member)["id"], create(company.member, company.id)["id"]
    assert read(company.member, account_wide)["client_id"] is None
    assert listed(company.member) == [account_wide, own]
    assert listed(company.member, f"/clients/{company.id}/webhook_endpoints") == [own]
    limited = company.member.with_another_key(client_ids=[company.id])
    officer = company.member.colleague(company.id, "payroll")
    for member in (limited, officer):
        assert listed(member) == [own]
        assert_problem(member.get(f"/webhook_endpoints/{account_wide}"), 404)
        assert_problem(member.delete(f"/webhook_endpoints/{account_wide}"), 404)
        assert_problem(member.post("/webhook_endpoints", RARE), 403)


def test_a_viewer_reads_and_an_employee_sees_nothing(company: Company) -> None:
    endpoint_id = create(company.member, company.id)["id"]
    viewer = company.member.colleague(company.id, "viewer")
    assert listed(viewer) == [endpoint_id]
    assert_problem(viewer.patch(f"/webhook_endpoints/{endpoint_id}", {"enabled": False}), 403)
    create(company.member)
    employee = company.member.colleague(company.id, "employee", company.hire())
    assert listed(employee) == []


def test_a_rotation_shows_a_new_secret_and_keeps_the_old_one_for_a_day(company: Company) -> None:
    created = create(company.member, company.id)
    rotated = company.member.post(f"/webhook_endpoints/{created['id']}/rotate_secret").json()
    assert rotated["secret"].startswith("whsec_")
    assert rotated["secret"] != created["secret"]
    assert read(company.member, created["id"])["previous_secret_expires_at"] is not None


def test_a_test_message_is_a_delivery_with_its_attempts(company: Company, service: Service) -> None:
    endpoint_id = create(company.member, company.id)["id"]
    delivery_id = company.member.post(f"/webhook_endpoints/{endpoint_id}/test").json()["id"]
    path = f"/webhook_endpoints/{endpoint_id}/deliveries"
    service.as_owner("UPDATE webhook_endpoints SET enabled = false WHERE id = $1", endpoint_id)
    [element] = company.member.get(path).json()
    delivery = element["webhook_delivery"]
    assert (delivery["id"], delivery["type"], delivery["event_id"]) == (delivery_id, "webhook.test", None)
    assert delivery["resource"] == {"type": "webhook_endpoint", "id": endpoint_id}
    assert all(attempt["reason"] == "receiver.invalid has no address" for attempt in delivery["attempts"])
    assert company.member.get(f"{path}?state=delivered").json() == []
    assert_problem(company.member.get(f"{path}?state=lost"), 422)


def test_a_disabled_endpoint_is_neither_tested_nor_replayed(company: Company) -> None:
    endpoint_id = create(company.member, company.id, enabled=False)["id"]
    for action in ("test", "replay"):
        assert_problem(company.member.post(f"/webhook_endpoints/{endpoint_id}/{action}", {"after": 0}), 409)


def test_an_account_has_a_limited_number_of_endpoints(company: Company, service: Service) -> None:
    create(company.member, company.id)
    service.as_owner(
        "INSERT INTO webhook_endpoints (account_id, for_client_id, url, types, enabled, secret_sealed) "
        "SELECT account_id, id, 'https://receiver.invalid', '{}', false, '' FROM clients, generate_series(1, 99) "
        "WHERE id = $1",
        company.id,
    )
    for client_id in (company.id, company.member.new_client()):
        assert_problem(company.member.post(f"/clients/{client_id}/webhook_endpoints", RARE), 409)
