"""Passkeys: added by their user, and used to sign in alone, after the password, and to confirm."""

import json
import random
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from gaji.identity import user_administration
from gaji.identity.passkeys import MAX_PASSKEYS
from tests.console.console_user import PASSWORD, ConsoleUser, page_text, signed_in_user, with_password
from tests.console.test_access_log import events
from tests.console.test_required_two_factor import require
from tests.console.test_two_factor import code, give, half, secret_on, turned_on
from tests.db.databases import gaji
from tests.support.authenticator import USER_PRESENT, Authenticator, decode, encode
from tests.support.company import Company
from tests.support.running import Member, http_client


def at_localhost(user: ConsoleUser) -> ConsoleUser:
    """Return the user with the address at which passkeys work, from a network address of their own."""
    user.browser.headers["Host"] = httpx.URL(origin(user.member)).netloc.decode()
    user.browser.headers["X-Forwarded-For"] = f"198.18.{random.randrange(256)}.{random.randrange(256)}"
    return user


def origin(member: Member) -> str:
    return f"http://localhost:{httpx.URL(member.service.url).port}"


def options(user: ConsoleUser, path: str, page: str) -> dict[str, Any]:
    """Return the options that the page asks for."""
    headers = {"Accept": "application/json", "X-Form-Token": user.token(page)}
    answer = user.browser.post(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


def register(user: ConsoleUser, passkey: Authenticator, name: str = "Phone") -> httpx.Response:
    response = passkey.register(options(user, "/passkeys/options", "/passkeys"))
    return user.post("/passkeys", {"name": name, "credential": response})


def with_passkey(member: Member, **properties: Any) -> tuple[ConsoleUser, Authenticator, list[str]]:
    """Return a signed-in user with a passkey, the passkey and the recovery codes."""
    user, passkey = at_localhost(signed_in_user(member)), Authenticator(origin(member), **properties)
    answer = register(user, passkey)
    assert answer.status_code == 200, page_text(answer)
    return user, passkey, re.findall(r"<li><code>([a-z2-7-]{19})</code></li>", answer.text)


def visitor(member: Member) -> ConsoleUser:
    return at_localhost(ConsoleUser(member))


def sign_in(user: ConsoleUser, passkey: Authenticator, **data: str) -> httpx.Response:
    """Sign in with a passkey alone."""
    response = passkey.sign(options(user, "/sign-in/passkey/options", "/sign-in"))
    return user.post("/sign-in/passkey", {"credential": response, **data}, page="/sign-in")


def second_step(user: ConsoleUser, passkey: Authenticator) -> httpx.Response:
    """Sign in with a passkey after the password."""
    response = passkey.sign(options(user, "/sign-in/code/passkey/options", "/sign-in/code"))
    return user.post("/sign-in/code/passkey", {"credential": response}, page="/sign-in/code")


def test_a_passkey_signs_in_alone_and_counts_as_two_steps(account: Member) -> None:
    with_passkey(account)
    user, passkey, codes = with_passkey(account.colleague(account.new_client(), "owner"))
    assert len(codes) == 10
    again = visitor(user.member)
    answer = sign_in(again, passkey, next="/devices")
    assert (answer.status_code, answer.headers["location"]) == (303, "/devices")
    assert again.get("/companies").status_code == 200
    assert events(user.member, "sign_in")
    assert "Phone" in page_text(user.get("/passkeys"))


def test_options_require_user_verification_and_prefer_discoverable_credentials(account: Member) -> None:
    user, passkey, _ = with_passkey(account)
    creation = options(user, "/passkeys/options", "/passkeys")
    assert creation["rp"] == {"id": "localhost", "name": "Gaji"}
    assert creation["authenticatorSelection"] == {
        "residentKey": "preferred",
        "requireResidentKey": False,
        "userVerification": "required",
    }
    assert creation["attestation"] == "none"
    assert [decode(item["id"]) for item in creation["excludeCredentials"]] == [passkey.credential_id]
    request = options(visitor(account), "/sign-in/passkey/options", "/sign-in")
    assert (request["userVerification"], request["allowCredentials"], request["rpId"]) == ("required", [], "localhost")


def test_a_passkey_replaces_the_code_after_the_password(account: Member) -> None:
    _, passkey, _ = with_passkey(account)
    user = at_localhost(half(account))
    text = page_text(user.get("/sign-in/code"))
    assert "Use your passkey" in text
    assert "authenticator app" not in text
    allowed = options(user, "/sign-in/code/passkey/options", "/sign-in/code")["allowCredentials"]
    assert [decode(item["id"]) for item in allowed] == [passkey.credential_id]
    assert second_step(user, passkey).status_code == 303
    assert user.get("/companies").status_code == 200
    assert "gaji_half_session" not in user.browser.cookies


def test_the_password_alone_does_not_suffice_and_a_recovery_code_does(account: Member) -> None:
    _, _, codes = with_passkey(account)
    user = half(account)
    assert give(user, "000000").status_code == 422
    assert give(user, codes[0]).status_code == 303
    assert "9 recovery codes left" in page_text(user.get("/companies"))


def test_the_first_passkey_ends_other_sessions_and_the_second_does_not(account: Member) -> None:
    elsewhere = signed_in_user(account)
    user, _, _ = with_passkey(account)
    assert elsewhere.get("/password").status_code == 303
    elsewhere = visitor(account)
    sign_in(elsewhere, with_second(user))
    assert elsewhere.get("/password").status_code == 200
    assert user.get("/password").status_code == 200


def with_second(user: ConsoleUser) -> Authenticator:
    second = Authenticator(origin(user.member))
    assert register(user, second, "Laptop").status_code == 303
    return second


def test_a_passkey_satisfies_the_requirement_of_the_account(account: Member) -> None:
    client_id = account.new_client()
    officer = at_localhost(signed_in_user(account.colleague(client_id, "payroll")))
    administrator, _, _ = with_passkey(account)
    require(administrator)
    assert officer.get(f"/companies/{client_id}").headers["location"] == "/two-steps"
    assert register(officer, Authenticator(origin(account))).status_code == 200
    assert officer.get(f"/companies/{client_id}").status_code == 200
    refused = officer.post(f"/passkeys/{passkey_id(officer)}/delete", page="/passkeys")
    assert "requires two-step sign-in" in page_text(refused)
    with_second(officer)
    removed = officer.post(f"/passkeys/{passkey_id(officer)}/delete", page="/passkeys")
    assert removed.status_code == 303


def passkey_id(user: ConsoleUser) -> int:
    """Return the ID of the user's first passkey."""
    result = re.search(r"/passkeys/(\d+)/delete", user.get("/passkeys").text)
    assert result
    return int(result[1])


def test_passkeys_are_renamed_and_removed_by_their_user_only(account: Member) -> None:
    user, passkey, codes = with_passkey(account)
    number = passkey_id(user)
    stranger = signed_in_user(account.colleague(account.new_client(), "owner"))
    for action in ("rename", "delete"):
        answer = stranger.post(f"/passkeys/{number}/{action}", {"name": "Mine"}, page="/password")
        assert answer.status_code == 404
    assert user.post(f"/passkeys/{number}/rename", {"name": " Key "}, page="/passkeys").status_code == 303
    assert 'value="Key"' in user.get("/passkeys").text
    for name in ("", "x" * 51, "a\0b"):
        assert user.post(f"/passkeys/{number}/rename", {"name": name}, page="/passkeys").status_code == 422
    assert user.post(f"/passkeys/{number}/delete", page="/passkeys").status_code == 303
    assert "Two-step sign-in is off now" in page_text(user.get("/passkeys"))
    assert sign_in(visitor(account), passkey).status_code == 422
    assert ConsoleUser(account).sign_in().headers["location"] == "/"
    assert codes


def test_wrong_registrations_are_refused(account: Member) -> None:
    user = at_localhost(signed_in_user(account))
    wrong: list[dict[str, Any]] = [{"flags": USER_PRESENT}, {"rp_id": "example.com"}, {"origin": "https://example.com"}]
    for properties in wrong:
        passkey = Authenticator(**{"origin": origin(account), **properties})
        assert register(user, passkey).status_code == 422, properties
    passkey = Authenticator(origin(account))
    answer = passkey.register(options(user, "/passkeys/options", "/passkeys"))
    other = at_localhost(signed_in_user(account))  # a challenge belongs to one session
    assert other.post("/passkeys", {"name": "Phone", "credential": answer}).status_code == 422
    for credential in ("", "{}", "[" * 30_000, "null", json.dumps({"id": 1}), answer[:-30]):
        options(user, "/passkeys/options", "/passkeys")
        assert user.post("/passkeys", {"name": "Phone", "credential": credential}).status_code == 422
    assert "No passkeys yet" in page_text(user.get("/passkeys"))


def test_a_challenge_works_once_and_for_some_minutes(account: Member) -> None:
    user, passkey, _ = with_passkey(account, counts=False)
    answer = Authenticator(origin(account)).register(options(user, "/passkeys/options", "/passkeys"))
    assert user.post("/passkeys", {"name": "Laptop", "credential": answer}).status_code == 303
    assert user.post("/passkeys", {"name": "Again", "credential": answer}).status_code == 422
    again = visitor(account)
    response = passkey.sign(options(again, "/sign-in/passkey/options", "/sign-in"))
    token = again.token("/sign-in")
    copy = at_localhost(ConsoleUser(account))
    copy.browser.cookies.update(again.browser.cookies)
    data = {"credential": response, "form_token": token}
    assert again.browser.post("/sign-in/passkey", data=data).status_code == 303
    assert copy.browser.post("/sign-in/passkey", data=data).status_code == 422
    late = visitor(account)
    response = passkey.sign(options(late, "/sign-in/passkey/options", "/sign-in"))
    account.service.as_owner("UPDATE passkey_challenges SET expires_at = now() - interval '1 second'")
    assert late.post("/sign-in/passkey", {"credential": response}, page="/sign-in").status_code == 422


def test_a_challenge_belongs_to_one_browser_and_purpose(account: Member) -> None:
    user, passkey, _ = with_passkey(account, counts=False)
    first, second = visitor(account), visitor(account)
    response = passkey.sign(options(first, "/sign-in/passkey/options", "/sign-in"))
    assert second.post("/sign-in/passkey", {"credential": response}, page="/sign-in").status_code == 422
    waiting = at_localhost(half(account))
    response = passkey.sign(options(waiting, "/sign-in/code/passkey/options", "/sign-in/code"))
    assert waiting.post("/sign-in/passkey", {"credential": response}, page="/sign-in").status_code == 422
    response = passkey.sign(options(user, "/confirm-identity/options", "/password"))
    assert waiting.post("/sign-in/code/passkey", {"credential": response}, page="/sign-in/code").status_code == 422


@pytest.mark.parametrize(
    "properties",
    [
        {"flags": USER_PRESENT},
        {"rp_id": "example.com"},
        {"origin": "https://example.com"},
        {"user_handle": None},
        {"user_handle": encode(b"1234567")},
        {"credential_id": b"unknown credential"},
        {"key": Authenticator("").key},
    ],
    ids=lambda properties: next(iter(properties)),
)
def test_wrong_answers_are_refused_alike(account: Member, properties: dict[str, Any]) -> None:
    _, passkey, _ = with_passkey(account)
    for name, value in properties.items():
        setattr(passkey, name, value)
    answer = sign_in(visitor(account), passkey)
    assert answer.status_code == 422
    assert "The passkey was not accepted" in page_text(answer)


def test_a_passkey_of_another_user_does_not_complete_a_sign_in(account: Member) -> None:
    with_passkey(account)
    _, foreign, _ = with_passkey(account.colleague(account.new_client(), "owner"))
    user = at_localhost(half(account))
    assert second_step(user, foreign).status_code == 422
    assert user.get("/companies").status_code == 303


def test_disabled_users_are_refused_like_unknown_passkeys(account: Member) -> None:
    member = account.colleague(account.new_client(), "payroll")
    _, passkey, _ = with_passkey(member)
    run, database = account.service.runner.run, account.service.database
    run(user_administration.disable_user(database, member.email))
    assert "The passkey was not accepted" in page_text(sign_in(visitor(member), passkey))
    run(user_administration.enable_user(database, member.email))
    assert sign_in(visitor(member), passkey).status_code == 303


def test_a_count_that_does_not_increase_is_refused_and_recorded(account: Member) -> None:
    _, passkey, _ = with_passkey(account)
    assert sign_in(visitor(account), passkey).status_code == 303
    passkey.sign_count -= 1
    assert sign_in(visitor(account), passkey).status_code == 422
    assert events(account, "passkey_refused")
    passkey.sign_count += 5
    assert sign_in(visitor(account), passkey).status_code == 303


def test_concurrent_use_of_one_answer_succeeds_once(account: Member) -> None:
    _, passkey, _ = with_passkey(account, counts=False)
    user = visitor(account)
    response = passkey.sign(options(user, "/sign-in/passkey/options", "/sign-in"))
    data = {"credential": response, "form_token": user.token("/sign-in")}
    cookies, headers = dict(user.browser.cookies), dict(user.browser.headers)

    def send(_: int) -> int:
        with http_client(base_url=account.service.url, headers=headers, cookies=cookies) as browser:
            return browser.post("/sign-in/passkey", data=data).status_code

    with ThreadPoolExecutor(3) as at_once:
        assert sorted(at_once.map(send, range(3))) == [303, 422, 422]


def test_failed_attempts_are_limited_and_recorded_but_not_on_known_devices(account: Member) -> None:
    user, passkey, _ = with_passkey(account)
    key = passkey.key
    passkey.key = Authenticator("").key
    stranger = visitor(account)
    statuses = [sign_in(stranger, passkey).status_code for _ in range(11)]
    assert statuses == [422] * 10 + [429]
    assert events(account, "sign_in_failed")
    passkey.key = key
    assert sign_in(visitor(account), passkey).status_code == 429
    user.post("/sign-out", page="/password")
    assert sign_in(user, passkey).status_code == 303


def test_options_are_limited_by_address(account: Member) -> None:
    user = visitor(account)
    headers = {"Accept": "application/json", "X-Form-Token": user.token("/sign-in")}
    statuses = [user.browser.post("/sign-in/passkey/options", headers=headers).status_code for _ in range(101)]
    assert statuses == [200] * 100 + [429]


def test_a_user_has_a_limited_number_of_passkeys(account: Member) -> None:
    user, passkey, _ = with_passkey(account)
    waiting = Authenticator(origin(account)).register(options(user, "/passkeys/options", "/passkeys"))
    account.service.as_owner(
        "INSERT INTO passkeys (account_id, user_id, name, credential_id, public_key, sign_count, transports) "
        "SELECT account_id, user_id, 'Spare', sha256(number::text::bytea || credential_id), public_key, 0, '{}' "
        "FROM passkeys CROSS JOIN generate_series(2, $2) number WHERE credential_id = $1",
        passkey.credential_id,
        MAX_PASSKEYS,
    )
    assert 'action="/passkeys"' not in user.get("/passkeys").text
    answer = user.post("/passkeys", {"name": "One more", "credential": waiting})
    assert answer.status_code == 409
    headers = {"Accept": "application/json", "X-Form-Token": user.token("/passkeys")}
    assert user.browser.post("/passkeys/options", headers=headers).status_code == 409


def test_a_passkey_cannot_be_registered_twice(account: Member) -> None:
    user, passkey, _ = with_passkey(account)
    assert register(user, passkey).status_code == 409


def test_an_app_and_passkeys_stay_independent(account: Member) -> None:
    user, _, old_codes = with_passkey(account)
    assert "the app is optional" in page_text(user.get("/two-steps"))
    secret = secret_on(user.get("/two-steps"))
    answer = user.post("/two-steps/on", {"code": code(secret), "password": PASSWORD}, page="/two-steps")
    codes = re.findall(r"<li><code>([a-z2-7-]{19})</code></li>", answer.text)
    assert give(half(account), old_codes[0]).status_code == 422
    answer = user.post("/two-steps/off", {"code": codes[0], "password": PASSWORD}, page="/two-steps")
    assert answer.status_code == 303
    assert "Your passkeys remain" in page_text(user.get("/two-steps"))
    assert give(half(account), codes[1]).status_code == 303
    user, *_ = turned_on(account.colleague(account.new_client(), "owner"))
    at_localhost(user)
    assert register(user, Authenticator(origin(account))).status_code == 303
    assert user.post(f"/passkeys/{passkey_id(user)}/delete", page="/passkeys").status_code == 303
    assert "On since" in page_text(user.get("/two-steps"))


def test_the_operators_reset_removes_passkeys(account: Member) -> None:
    user, passkey, _ = with_passkey(account)
    completed = gaji(account.service.settings, "user", "two-steps-off", "--email", account.email)
    assert completed.returncode == 0, completed.stderr
    assert user.get("/companies").status_code == 303
    assert sign_in(visitor(account), passkey).status_code == 422
    assert ConsoleUser(account).sign_in().headers["location"] == "/"


def test_changes_are_audited_and_uses_are_not(account: Member) -> None:
    user, passkey, _ = with_passkey(account)
    sign_in(visitor(account), passkey)
    user.post(f"/passkeys/{passkey_id(user)}/rename", {"name": "Key"}, page="/passkeys")
    user.post(f"/passkeys/{passkey_id(user)}/delete", page="/passkeys")
    rows = account.service.as_owner(
        "SELECT action, actor FROM audit_log WHERE user_id = $1 AND action LIKE 'passkeys.%' ORDER BY id",
        account.user_id,
    )
    assert [row["action"] for row in rows] == ["passkeys.insert", "passkeys.update", "passkeys.delete"]
    assert {row["actor"] for row in rows} == {"console"}


def test_employees_can_use_passkeys(company: Company) -> None:
    member = company.member.colleague(company.id, "employee", company.hire())
    _, passkey, _ = with_passkey(member)
    again = visitor(member)
    assert sign_in(again, passkey).status_code == 303
    assert again.get("/passkeys").status_code == 200


def test_passkeys_are_not_offered_where_browsers_have_none(account: Member) -> None:
    user = signed_in_user(account)  # at 127.0.0.1, which is no domain
    assert "Passkeys need an address with a name" in page_text(user.get("/passkeys"))
    assert "passkey" not in page_text(ConsoleUser(account).get("/sign-in"))
    headers = {"Accept": "application/json", "X-Form-Token": user.token("/passkeys")}
    assert user.browser.post("/passkeys/options", headers=headers).status_code == 409
    assert with_password(account)
