"""Single sign-on with a provider on the loopback: settings, sign-in, attacks, and enforcement."""

import asyncio
import re
import secrets
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from gaji.identity.single_sign_on import service as single_sign_on
from tests.console.console_user import PASSWORD, ConsoleUser, page_text, signed_in_user, with_password
from tests.console.single_sign_on_user import (
    SETTINGS,
    SingleSignOn,
    is_signed_in,
    set_up,
    set_up_and_tried,
    settings,
)
from tests.console.test_passkeys import at_localhost, visitor, with_passkey
from tests.console.test_passkeys import sign_in as sign_in_with_passkey
from tests.support.company import Company
from tests.support.identity_provider import CLIENT_SECRET, IdentityProvider, Person, new_key, running_provider
from tests.support.races import at_once, while_changing
from tests.support.running import Member, http_client

SECOND_KEY = new_key("first")


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    """A provider on the loopback."""
    with running_provider() as running:
        yield running


@pytest.fixture
def sso(account: Member, provider: IdentityProvider) -> SingleSignOn:
    """An account with single sign-on."""
    return set_up(account, provider)


def events(member: Member, kind: str) -> list[dict[str, Any]]:
    answer = member.get("/access_events", params={"kind": kind})
    assert answer.status_code == 200, answer.text
    return [element["access_event"] for element in answer.json()]


def invited(owner: ConsoleUser, client_id: int, email: str, role: str = "payroll") -> str:
    """Invite someone and return the path of the link."""
    path = f"/companies/{client_id}/settings/users/new"
    answer = owner.post(path, {"email": email, "role": role})
    link = re.search(r"/invitation\?token=[\w-]+", answer.text)
    assert link, page_text(answer)
    return link[0]


def test_a_user_signs_in_at_the_provider(sso: SingleSignOn, account: Member) -> None:
    client_id = account.new_client()
    officer = account.colleague(client_id, "payroll")
    user, answer = sso.sign_in(Person(officer.email.upper()))
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert user.get(f"/companies/{client_id}").status_code == 200
    assert "Single sign-on" in page_text(user.get("/devices"))
    [event] = events(account, "sign_in")[:1]
    assert (event["user_id"], event["path"]) == (officer.user_id, "single_sign_on")
    assert event["address"].startswith("198.51.100.")
    assert "Firefox" in event["user_agent"]


def test_the_person_is_recognised_when_the_email_changes(sso: SingleSignOn, account: Member) -> None:
    person = Person(account.email)
    sso.sign_in(person)
    person.email = f"{secrets.token_hex(6)}@example.com"
    user, answer = sso.sign_in(person)
    assert answer.headers["location"] == "/"
    assert account.email in page_text(user.get("/password"))


def test_a_device_remembers_the_address(sso: SingleSignOn, account: Member) -> None:
    user, _ = sso.sign_in(Person(account.email))
    user.post("/sign-out", page="/devices")
    assert user.get("/sign-in/sso?next=/devices").headers["location"] == f"{sso.path}?next=/devices"
    assert 'href="/sign-in/sso"' in user.get("/sign-in").text


def test_the_sign_in_page_offers_it_if_an_account_has_it(sso: SingleSignOn, account: Member) -> None:
    link = "Continue with single sign-on"
    assert link in sso.browser().get("/sign-in").text
    assert link in sso.browser().post("/sign-in", {"email": account.email, "password": "wrong"}).text
    disabled = account.service.as_owner("UPDATE single_sign_on SET enabled = false, required_of = 'nobody' RETURNING 1")
    assert disabled
    assert link not in sso.browser().get("/sign-in").text
    assert link not in sso.browser().post("/sign-in", {"email": account.email, "password": "wrong"}).text


def test_without_mail_the_answer_is_the_same_for_everyone(sso: SingleSignOn, account: Member) -> None:
    user = sso.browser()
    assert "ask an administrator of your company" in page_text(user.get("/sign-in/sso"))
    assert account.email not in user.get("/sign-in/sso").text
    assert user.get(f"/sso/{'x' * 22}").status_code == 404


def test_an_invited_person_becomes_a_user(sso: SingleSignOn, account: Member) -> None:
    client_id = account.new_client()
    person = Person(f"{secrets.token_hex(6)}@example.com")
    invited(sso.administrator, client_id, person.email)
    user, answer = sso.sign_in(person)
    assert answer.headers["location"] == "/"
    assert user.get(f"/companies/{client_id}").status_code == 200
    members = page_text(sso.administrator.get(f"/companies/{client_id}/settings/users"))
    assert person.name in members
    assert "Pending" not in members


@pytest.mark.parametrize("what", ["stranger", "other account", "disabled", "another person", "withdrawn"])
def test_nobody_else_gets_access(sso: SingleSignOn, account: Member, what: str) -> None:
    client_id = account.new_client()
    member = account.colleague(client_id, "viewer")
    email = member.email
    if what == "stranger":
        email = f"{secrets.token_hex(6)}@example.com"
    elif what == "other account":
        email = account.service.new_account().email
    elif what == "disabled":
        account.service.as_owner("UPDATE users SET disabled_at = now() WHERE email = $1", email)
    elif what == "another person":
        assert sso.sign_in(Person(email))[1].status_code == 303
    else:
        email = f"{secrets.token_hex(6)}@example.com"
        invited(sso.administrator, client_id, email)
        account.service.as_owner("UPDATE invitations SET expires_at = now() WHERE email = $1", email)
    user, answer = sso.sign_in(Person(email))
    assert answer.status_code == 403
    assert not is_signed_in(user)
    [event] = events(account, "sign_in_failed")
    assert event["path"].startswith("single_sign_on: ")
    assert (event["user_id"] is None) == (what in ("stranger", "other account", "withdrawn"))


class TestFirstSignInsAtOnce:
    @pytest.fixture
    def person(self, sso: SingleSignOn, account: Member) -> Person:
        """Someone who is invited and has not signed in yet."""
        invitee = Person(f"{secrets.token_hex(6)}@example.com")
        invited(sso.administrator, account.new_client(), invitee.email)
        sso.provider.person = invitee
        return invitee

    def test_a_person_who_signs_in_twice_at_once_becomes_one_user(
        self, sso: SingleSignOn, account: Member, person: Person
    ) -> None:
        users = [sso.browser() for _ in range(4)]
        calls = [partial(user.browser.get, sso.answer(user)) for user in users]
        assert [answer.status_code for answer in at_once(calls)] == [303] * 4
        assert all(is_signed_in(user) for user in users)
        rows = account.service.as_owner("SELECT id FROM users WHERE email = $1", person.email)
        assert len(rows) == 1

    def test_a_user_of_the_account_who_is_made_at_the_same_moment_is_used(
        self, sso: SingleSignOn, account: Member, person: Person
    ) -> None:
        browser = sso.browser()
        path = sso.answer(browser)
        answer = while_changing(
            account.service,
            "INSERT INTO users (account_id, email, password_hash) "
            "SELECT account_id, $1, 'none' FROM users WHERE id = $2",
            person.email,
            account.user_id,
            request=lambda: browser.browser.get(path),
        )
        assert answer.status_code == 303
        rows = account.service.as_owner("SELECT id FROM users WHERE email = $1", person.email)
        assert len(rows) == 1


def test_the_provider_of_an_account_says_nothing_about_the_same_email_elsewhere(
    sso: SingleSignOn, account: Member
) -> None:
    other = signed_in_user(account.service.new_account())
    client_id, other_client_id = account.new_client(), other.member.new_client()
    invited(sso.administrator, client_id, other.member.email)
    user, answer = sso.sign_in(Person(other.member.email))
    assert answer.status_code == 303
    assert user.get(f"/companies/{client_id}").status_code == 200
    assert user.get(f"/companies/{other_client_id}").status_code == 404
    assert "/account/switch" not in user.get("/companies").text
    assert other.get(f"/companies/{client_id}").status_code == 404
    assert "198.51.100" not in page_text(other.get("/devices"))
    assert ConsoleUser(other.member).sign_in().status_code == 303


def test_only_the_domains_of_the_account(sso: SingleSignOn, account: Member) -> None:
    domain = account.email.rpartition("@")[2]
    assert sso.save(email_domains=f"payroll.example, {domain.upper()}").status_code == 303
    assert sso.sign_in(Person(account.email))[1].status_code == 303
    assert sso.save(email_domains="payroll.example").status_code == 303
    assert sso.sign_in(Person(account.email))[1].status_code == 403


ATTACKS: dict[str, dict[str, Any]] = {
    "wrong nonce": {"claims": {"nonce": "another"}},
    "no nonce": {"claims": {"nonce": None}},
    "wrong audience": {"claims": {"aud": "another client"}},
    "several audiences": {"claims": {"aud": ["gaji-tests", "another"], "azp": "gaji-tests"}},
    "wrong issuer": {"claims": {"iss": "https://evil.example.com"}},
    "expired": {"claims": {"exp": 1_700_000_000}},
    "from the future": {"claims": {"iat": 4_000_000_000}},
    "algorithm none": {"algorithm": "none"},
    "public key as secret": {"algorithm": "HS256"},
    "another key": {"keys": [SECOND_KEY]},
    "email not verified": {"claims": {"email_verified": False}},
    "answer of another provider": {"issuer_in_answer": "https://evil.example.com"},
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_wrong_answer_of_the_provider_is_refused(sso: SingleSignOn, account: Member, name: str) -> None:
    assert sso.sign_in(Person(account.email))[1].status_code == 303
    for attribute, value in ATTACKS[name].items():
        setattr(sso.provider, attribute, value)
    user, answer = sso.sign_in()
    assert answer.status_code == 403
    assert "did not confirm who you are" in page_text(answer)
    assert not is_signed_in(user)
    [event] = events(account, "sign_in_failed")
    assert event["user_id"] is None


def test_an_answer_counts_only_in_the_browser_that_began_and_once(sso: SingleSignOn, account: Member) -> None:
    sso.provider.person = Person(account.email)
    user, other = sso.browser(), sso.browser()
    answer = sso.answer(user)
    assert other.browser.get(answer).status_code == 403
    sso.answer(other)
    assert other.browser.get(answer).status_code == 403
    pending = user.browser.cookies["gaji_pending_sign_in"]
    assert user.browser.get(answer.replace("state=", "state=x")).status_code == 403
    user.browser.cookies["gaji_pending_sign_in"] = pending
    assert user.browser.get(answer).status_code == 303
    user.post("/sign-out", page="/devices")
    user.browser.cookies["gaji_pending_sign_in"] = pending
    assert user.browser.get(answer).status_code == 403
    assert not is_signed_in(user)
    assert not is_signed_in(other)


def test_a_code_cannot_be_used_twice(sso: SingleSignOn, account: Member) -> None:
    sso.provider.person = Person(account.email)
    first, second = sso.browser(), sso.browser()
    code = sso.answer(first).partition("code=")[2].partition("&")[0]
    own = sso.answer(second)
    stolen = re.sub(r"code=[^&]+", f"code={code}", own)
    assert second.browser.get(stolen).status_code == 403
    assert not is_signed_in(second)


def test_an_answer_without_a_code_is_refused(sso: SingleSignOn) -> None:
    for change in ("error=access_denied", "code="):
        user = sso.browser()
        assert user.browser.get(re.sub(r"code=[^&]+", change, sso.answer(user))).status_code == 403
    user = sso.browser()
    assert user.browser.get(re.sub(r"&iss=[^&]+", "", sso.answer(user))).status_code == 403


def test_the_answer_for_one_account_is_refused_by_another(sso: SingleSignOn, provider: IdentityProvider) -> None:
    other = set_up(sso.administrator.member.service.new_account(), provider)
    provider.person = Person(other.administrator.member.email)
    user = sso.browser()
    assert user.browser.get(sso.answer(user).replace(sso.path, other.path)).status_code == 403
    assert not is_signed_in(user)


@pytest.mark.parametrize(
    ("next_path", "expected"),
    [
        ("/devices", "/devices"),
        ("//evil.example", "/"),
        ("https://evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("/a b", "/"),
    ],
)
def test_users_continue_on_this_site_only(sso: SingleSignOn, account: Member, next_path: str, expected: str) -> None:
    sso.provider.person = Person(account.email)
    user = sso.browser()
    location = user.browser.get(sso.answer(user, next_path)).headers["location"]
    assert location == expected


@pytest.mark.parametrize(
    "issuer",
    [
        "https://127.0.0.1",
        "http://127.0.0.1:8000",
        "https://169.254.169.254",
        "https://[::1]",
        "https://10.1.2.3/realms/gaji",
        "http://login.example.com",
        "https://user:password@login.example.com",
        "file:///etc/passwd",
        "https://login.example.com?x=1",
        "login.example.com",
        "",
    ],
)
def test_an_issuer_inside_the_network_cannot_be_saved(account: Member, provider: IdentityProvider, issuer: str) -> None:
    administrator = signed_in_user(account)
    administrator.post(f"{SETTINGS}/new", page=SETTINGS)
    answer = administrator.post(SETTINGS, {**settings(provider), "issuer": issuer})
    assert answer.status_code == 422
    assert CLIENT_SECRET not in answer.text
    assert provider.requests == []


def test_a_provider_that_does_not_work_cannot_be_turned_on(account: Member, provider: IdentityProvider) -> None:
    administrator = signed_in_user(account)
    administrator.post(f"{SETTINGS}/new", page=SETTINGS)
    wrong = {**settings(provider), "issuer": f"{provider.issuer}/"}
    assert "names another issuer" in page_text(administrator.post(SETTINGS, wrong))
    assert administrator.post(SETTINGS, {**wrong, "enabled": ""}).status_code == 303


def test_only_administrators_see_and_change_the_settings(sso: SingleSignOn, account: Member) -> None:
    owner = signed_in_user(account.colleague(account.new_client(), "owner"))
    assert owner.get(SETTINGS).status_code == 403
    for path in (SETTINGS, f"{SETTINGS}/new", f"{SETTINGS}/required"):
        form = {**settings(sso.provider), "required_of": "everyone"}
        assert owner.post(path, form, page="/devices").status_code == 403, path
    assert SETTINGS not in owner.get("/devices").text


def test_changes_are_audited_without_the_secret(sso: SingleSignOn, account: Member) -> None:
    sso.sign_in(Person(account.email))
    rows = account.service.as_owner(
        "SELECT action, coalesce(after::text, '') AS after FROM audit_log WHERE action LIKE 'single_sign_on%' "
        "AND account_id = (SELECT account_id FROM users WHERE email = $1) ORDER BY id",
        account.email,
    )
    actions = ["single_sign_on.insert", "single_sign_on.update", "single_sign_on_identities.insert"]
    assert [row["action"] for row in rows] == actions
    assert sso.provider.issuer in rows[1]["after"]
    assert '"client_secret_sealed": "hidden"' in rows[1]["after"]
    assert CLIENT_SECRET not in sso.administrator.get(SETTINGS).text


def test_the_secret_of_one_provider_is_not_sent_to_another(sso: SingleSignOn) -> None:
    assert sso.save(client_secret="", email_domains="").status_code == 303
    with running_provider() as other:
        assert sso.save(client_secret="", issuer=other.issuer).status_code == 422


def test_it_can_be_turned_off(sso: SingleSignOn, account: Member) -> None:
    assert sso.save(enabled="").status_code == 303
    assert sso.browser().get(sso.path).status_code == 404


def test_two_step_sign_in_is_not_asked_for(sso: SingleSignOn, account: Member) -> None:
    officer = account.colleague(account.new_client(), "payroll")
    account.service.as_owner(
        "UPDATE accounts SET two_step_required = true WHERE id = (SELECT account_id FROM users WHERE email = $1)",
        account.email,
    )
    user, answer = sso.sign_in(Person(officer.email))
    assert answer.headers["location"] == "/"
    assert user.get("/api-keys").status_code == 200
    assert signed_in_user(officer).get("/api-keys").headers["location"] == "/two-steps"


def needs_confirmation(user: ConsoleUser) -> bool:
    return user.post(f"{SETTINGS}/new", page="/devices").headers["location"].startswith("/confirm-identity")


def test_a_proof_at_the_provider_counts_when_it_is_recent(sso: SingleSignOn, account: Member) -> None:
    person = Person(account.email)
    assert not needs_confirmation(sso.sign_in(person)[0])
    for old in ({"auth_time": 1_700_000_000}, {"auth_time": None}):
        sso.provider.claims = old
        assert needs_confirmation(sso.sign_in(person)[0])
    user, _ = sso.sign_in(person)
    page = user.get("/confirm-identity?next=/devices")
    link = re.search(r'href="(/sso/[^"]+)"', page.text)
    assert link
    begun = user.get(link[1].replace("&amp;", "&")).headers["location"]
    assert "prompt=login" in begun
    assert "max_age=0" in begun
    with http_client() as http:
        answer = user.get(http.get(begun).headers["location"])
    assert answer.headers["location"] == "/devices"
    assert not needs_confirmation(user)


def test_it_is_required_after_the_administrator_has_tried_it(sso: SingleSignOn, account: Member) -> None:
    refused = sso.require("everyone")
    assert "Sign in with single sign-on yourself first" in page_text(refused)
    sso.administrator, _ = sso.sign_in(Person(account.email))
    assert sso.require("someone").status_code == 422
    assert sso.require("everyone").status_code == 303
    assert is_signed_in(sso.administrator)


def test_passwords_are_refused_where_it_is_required(account: Member, provider: IdentityProvider) -> None:
    client_id = account.new_client()
    officer = with_password(account.colleague(client_id, "payroll"))
    waiting, passkey, _ = with_passkey(officer)
    sso = set_up_and_tried(account, provider)
    assert sso.require("everyone").status_code == 303
    assert not is_signed_in(waiting)
    refused = ConsoleUser(officer).sign_in()
    assert refused.status_code == 409
    assert "requires single sign-on" in page_text(refused)
    wrong = ConsoleUser(officer).sign_in("a wrong password")
    assert "single sign-on, so" not in page_text(wrong)
    user, _ = sso.sign_in(Person(officer.email))
    assert "requires single sign-on" in page_text(user.get("/password"))
    typed = {"current": PASSWORD, "new": "a quite different one", "again": "a quite different one"}
    assert user.post("/password", typed, page="/devices").status_code == 409
    assert user.post("/two-steps/on", {"code": "1", "password": PASSWORD}, page="/two-steps").status_code == 409
    at_localhost(user)
    assert "passkeys are not accepted" in page_text(user.post("/passkeys/options", page="/devices"))
    assert "passkeys are not accepted" in page_text(sign_in_with_passkey(visitor(officer), passkey))
    refused = user.post("/confirm-identity", {"password": PASSWORD}, page="/devices")
    assert "passwords are not accepted" in page_text(refused)
    assert is_signed_in(user)
    path = f"/companies/{client_id}/settings/users/{officer.user_id}"
    link = sso.administrator.post(f"{path}/reset", page=f"{path}/edit")
    assert "must sign in with single sign-on" in page_text(link)
    assert account.get("/clients").status_code == 200, "API keys keep working"


def test_password_links_end_when_it_is_required(account: Member, provider: IdentityProvider) -> None:
    officer = account.colleague(account.new_client(), "payroll")
    account.service.as_owner(
        "INSERT INTO password_resets (account_id, user_id, origin, token_hash, expires_at) "
        "SELECT account_id, id, 'operator', sha256('link'), now() + interval '1 day' FROM users WHERE email = $1",
        officer.email,
    )
    sso = set_up_and_tried(account, provider)
    user = sso.browser()
    assert user.get("/reset-password?token=link").status_code == 200
    assert sso.require("everyone").status_code == 303
    assert user.get("/reset-password?token=link").status_code == 404


def test_employees_can_be_exempt(company: Company, provider: IdentityProvider) -> None:
    employee = with_password(company.member.colleague(company.id, "employee", company.hire()))
    viewer = with_password(company.member.colleague(company.id, "viewer"))
    sso = set_up_and_tried(company.member, provider)
    assert sso.require("staff").status_code == 303
    assert ConsoleUser(employee).sign_in().status_code == 303
    assert ConsoleUser(viewer).sign_in().status_code == 409
    access = f"/companies/{company.id}/self-service"
    user = f"/companies/{company.id}/settings/users/{employee.user_id}"
    assert f'action="{user}/reset"' in sso.administrator.get(access).text
    assert "Create password slip" in sso.administrator.get(f"{user}/edit").text
    assert sso.require("everyone").status_code == 303
    assert ConsoleUser(employee).sign_in().status_code == 409
    page = sso.administrator.get(access)
    assert f'action="{user}/reset"' not in page.text
    assert f'href="{user}/edit"' in page.text
    assert "Single sign-on only" in page_text(page)
    assert "Create password slip" not in sso.administrator.get(f"{user}/edit").text


def test_invited_people_need_no_password_where_it_is_required(account: Member, provider: IdentityProvider) -> None:
    client_id, sso = account.new_client(), set_up_and_tried(account, provider)
    assert sso.require("everyone").status_code == 303
    person = Person(f"{secrets.token_hex(6)}@example.com")
    link = invited(sso.administrator, client_id, person.email)
    user = sso.browser()
    page = user.get(link)
    assert sso.path in page.text
    assert 'name="new"' not in page.text
    typed = {"token": link.partition("=")[2], "new": PASSWORD, "again": PASSWORD}
    assert user.post("/invitation", typed, page="/sign-in").status_code == 409
    user, answer = sso.sign_in(person, user)
    assert answer.headers["location"] == "/"
    assert user.get(f"/companies/{client_id}").status_code == 200


def test_another_provider_lifts_the_requirement(account: Member, provider: IdentityProvider) -> None:
    sso = set_up_and_tried(account, provider)
    assert sso.require("everyone").status_code == 303
    assert sso.save(client_secret="").status_code == 303
    assert ConsoleUser(with_password(account)).sign_in().status_code == 409
    assert sso.save(client_secret="another-secret").status_code == 303
    assert ConsoleUser(account).sign_in().status_code == 303
    assert "when you have signed in with it yourself" in page_text(sso.administrator.get(SETTINGS))


def test_the_operator_lifts_the_requirement(account: Member, provider: IdentityProvider) -> None:
    sso = set_up_and_tried(account, provider)
    assert sso.require("everyone").status_code == 303
    asyncio.run(single_sign_on.lift_requirement(account.service.database, account.email))
    assert ConsoleUser(with_password(account)).sign_in().status_code == 303


def test_the_operator_unlinks_a_user(sso: SingleSignOn, account: Member) -> None:
    sso.sign_in(Person(account.email))
    assert sso.sign_in(Person(account.email))[1].status_code == 403
    asyncio.run(single_sign_on.unlink_user(account.service.database, account.email))
    assert sso.sign_in(Person(account.email))[1].status_code == 303


def test_a_person_with_users_in_two_accounts(account: Member, provider: IdentityProvider) -> None:
    """A user belongs to one account. Who works for two accounts has a user, and an address, in each."""
    other = account.service.new_account()
    sso, others = set_up_and_tried(account, provider), set_up(other, provider)
    person = Person(other.email, subject=sso.provider.person.subject)
    user, answer = others.sign_in(person)
    assert answer.status_code == 303
    assert sso.require("everyone").status_code == 303
    assert is_signed_in(user)
    assert ConsoleUser(with_password(other)).sign_in().status_code == 303
    assert sso.sign_in(person)[0].get("/password").text.count(account.email), "the same person, in the other account"
