"""GET /me: who an API key belongs to, and what it can do."""

from datetime import UTC, datetime, timedelta

from tests.support.company import Company
from tests.support.problems import assert_problem


def test_a_key_shows_its_user_account_clients_and_limits(company: Company) -> None:
    member = company.member
    answer = member.get("/me")
    assert answer.status_code == 200
    me = answer.json()
    assert me["user"] == {"id": member.user_id, "email": member.email, "name": "", "administrator": True}
    assert me["account"]["name"] == "An account"
    assert me["clients"] == [{"id": company.id, "name": "Kopi Trading", "role": "owner", "employee_id": None}]
    key = me["api_key"]
    assert member.key.endswith(key["hint"])
    assert (key["read_only"], key["hide_identifiers"], key["limited_to_clients"]) == (False, False, False)
    assert (key["name"], key["expires_at"]) == ("API key", None)
    assert key["requests_per_minute"] is None or key["requests_per_minute"] > 0


def test_a_limited_key_shows_its_limits_and_only_its_clients(company: Company) -> None:
    other_id = company.member.new_client(name="Another company")
    expires_at = datetime.now(UTC) + timedelta(days=30)
    limited = company.member.with_another_key(
        name="Rostering", client_ids=[other_id], read_only=True, hide_identifiers=True, expires_at=expires_at
    )
    me = limited.get("/me").json()
    assert [client["id"] for client in me["clients"]] == [other_id]
    key = me["api_key"]
    assert (key["read_only"], key["hide_identifiers"], key["limited_to_clients"]) == (True, True, True)
    assert datetime.fromisoformat(key["expires_at"]) == expires_at


def test_a_viewer_sees_the_role_and_no_other_clients(company: Company) -> None:
    company.member.new_client(name="Another company")
    me = company.member.colleague(company.id, "viewer").get("/me").json()
    assert [(client["id"], client["role"]) for client in me["clients"]] == [(company.id, "viewer")]
    assert me["user"]["administrator"] is False


def test_an_employee_sees_their_own_record(company: Company) -> None:
    employee_id = company.hire()
    company.hire()
    me = company.member.colleague(company.id, "employee", employee_id).get("/me").json()
    assert me["clients"] == [{"id": company.id, "name": None, "role": "employee", "employee_id": employee_id}]


def test_a_revoked_key_shows_nothing(company: Company) -> None:
    member = company.member.with_another_key()
    key_id = member.get("/me").json()["api_key"]["id"]
    company.member.service.as_owner("UPDATE api_keys SET revoked_at = now() WHERE id = $1", key_id)
    assert_problem(member.get("/me"), 401)
