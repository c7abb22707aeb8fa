"""API keys in the console."""

import re

import httpx

from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.support.company import Company


def made(owner: ConsoleUser, **data: str) -> str:
    """The text of a new key."""
    answer = owner.post("/api-keys", {"name": "Rostering", **data})
    assert answer.status_code == 200, page_text(answer)
    return str(re.findall(r'<code id="key">([^<]+)</code>', answer.text)[0])


def test_a_key_is_shown_once_with_a_working_curl_command(owner: ConsoleUser, company: Company) -> None:
    answer = owner.post("/api-keys", {"name": "Rostering"})
    key = re.findall(r'<code id="key">([^<]+)</code>', answer.text)[0]
    line = re.findall(r'<pre id="curl">(.+)</pre>', answer.text)[0].replace("&#39;", "'")
    sent, url = re.findall(r"curl -H 'Authorization: (\S+)' (\S+)", line)[0]
    assert sent == key
    result = httpx.get(url, headers={"Authorization": sent})
    assert result.json()[0]["client"]["id"] == company.id
    later = owner.get("/api-keys").text
    assert key not in later
    assert f"…{key[-4:]}" in later


def test_the_address_of_another_host_is_not_shown(owner: ConsoleUser) -> None:
    form = {"form_token": owner.token("/api-keys"), "name": "Rostering"}
    answer = owner.browser.post("/api-keys", data=form, headers={"Host": "other.example"})
    assert "other.example" not in answer.text
    assert "(address of this site)" in answer.text


def test_a_key_can_be_limited(owner: ConsoleUser, company: Company) -> None:
    other = company.member.new_client(name="Another")
    key = made(owner, client_ids=str(company.id), read_only="true", expires_in_days="30")
    http = httpx.Client(base_url=f"{company.member.service.url}/v1", headers={"Authorization": key})
    assert [client["client"]["id"] for client in http.get("/clients").json()] == [company.id]
    assert http.get(f"/clients/{other}").status_code == 404
    assert http.post(f"/clients/{company.id}/pay_points", json={"name": "x"}).status_code == 403


def test_a_revoked_key_is_rejected_immediately(owner: ConsoleUser, company: Company) -> None:
    key = made(owner)
    http = httpx.Client(base_url=f"{company.member.service.url}/v1", headers={"Authorization": key})
    assert http.get("/clients").status_code == 200
    [number] = re.findall(r'/api-keys/(\d+)/revoke">[^/]*aria-label="Revoke Rostering"', owner.get("/api-keys").text)
    assert owner.post(f"/api-keys/{number}/revoke", page="/api-keys").status_code == 303
    assert http.get("/clients").status_code == 401
    assert owner.post(f"/api-keys/{number}/revoke", page="/api-keys").status_code == 404


def test_keys_of_other_users_cannot_be_seen_or_revoked(owner: ConsoleUser, company: Company) -> None:
    made(owner, name="Mine alone")
    numbers = re.findall(r"/api-keys/(\d+)/revoke", owner.get("/api-keys").text)
    colleague = signed_in_user(company.member.colleague(company.id, "owner"))
    assert "Mine alone" not in colleague.get("/api-keys").text
    for number in numbers:
        assert colleague.post(f"/api-keys/{number}/revoke", page="/api-keys").status_code == 404


def test_all_errors_are_listed(owner: ConsoleUser) -> None:
    answer = owner.post("/api-keys", {"name": "", "expires_in_days": "0", "client_ids": "x"})
    assert answer.status_code == 422
    text = page_text(answer)
    assert "Please correct 3 errors" in text
    assert "must be an array of client IDs" in text


def test_a_user_can_have_100_active_keys(owner: ConsoleUser, company: Company) -> None:
    company.member.service.as_owner(
        "INSERT INTO api_keys (account_id, user_id, name, key_hash, hint, revoked_at) "
        "SELECT account_id, id, 'Old', sha256((email || n)::bytea), 'abcd', CASE WHEN n > 98 THEN now() END "
        "FROM users, generate_series(1, 120) AS n WHERE email = $1",
        company.member.email,
    )
    made(owner)
    answer = owner.post("/api-keys", {"name": "Rostering"})
    assert answer.status_code == 422
    assert "you have reached the limit of 100 active keys" in page_text(answer)
