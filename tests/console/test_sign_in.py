"""Sign-in, sessions, form tokens, rate limits and passwords."""

import hashlib
import re
from http.client import HTTPConnection

import httpx
import pytest

from gaji.identity import sign_in_limits, user_administration
from gaji.identity.sign_in_limits import FREE_FAILURES_OF_ADDRESS
from tests.console.console_user import PASSWORD, ConsoleUser, page_text, signed_in_user, signed_out_user, with_password
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import Member, Service


def test_signing_in_continues_to_the_requested_page(account: Member) -> None:
    user = ConsoleUser(with_password(account))
    assert user.get("/companies").headers["location"] == "/sign-in?next=/companies"
    answer = user.sign_in(next="/companies")
    assert (answer.status_code, answer.headers["location"]) == (303, "/companies")
    assert "No companies yet" in page_text(user.get("/companies"))


def test_the_session_cookie_is_protected_and_its_token_stored_as_a_hash(account: Member) -> None:
    user = ConsoleUser(with_password(account))
    [cookie] = [text for text in user.sign_in().headers.get_list("set-cookie") if text.startswith("gaji_session=")]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie  # plain HTTP on the loopback
    token = user.browser.cookies["gaji_session"]
    sample = account.service.as_owner("SELECT token_hash FROM console_sessions")
    assert hashlib.sha256(token.encode()).digest() in [row["token_hash"] for row in sample]
    assert not any(token.encode() in row["token_hash"] for row in sample)


@pytest.mark.parametrize("password", ["", "wrong", PASSWORD + " ", "x" * 5000])
def test_a_wrong_password_looks_like_an_unknown_email(account: Member, password: str) -> None:
    user = ConsoleUser(with_password(account))
    answer = user.sign_in(password)
    assert answer.status_code == 422
    assert "Incorrect email or password" in page_text(answer)
    assert account.email in answer.text  # what was typed is kept
    unknown = signed_out_user(account.service).sign_in()
    assert page_text(unknown) == page_text(answer)


def test_signing_out_ends_the_session(owner: ConsoleUser) -> None:
    token = owner.browser.cookies["gaji_session"]
    answer = owner.post("/sign-out", page="/companies")
    assert answer.headers["location"] == "/sign-in"
    owner.browser.cookies.set("gaji_session", token)
    assert owner.get("/companies").headers["location"] == "/sign-in?next=/companies"


def test_a_session_ends_on_expiry_and_when_its_user_is_disabled(owner: ConsoleUser) -> None:
    service, email = owner.member.service, owner.member.email
    hashed = hashlib.sha256(owner.browser.cookies["gaji_session"].encode()).digest()
    service.as_owner("UPDATE console_sessions SET expires_at = now() WHERE token_hash = $1", hashed)
    assert owner.get("/companies").status_code == 303
    again = signed_in_user(owner.member)
    service.as_owner("UPDATE users SET disabled_at = now() WHERE email = $1", email)
    assert again.get("/companies").status_code == 303
    assert again.sign_in().status_code == 422


def test_a_session_ends_when_it_is_not_used_for_two_hours(owner: ConsoleUser) -> None:
    service = owner.member.service
    hashed = hashlib.sha256(owner.browser.cookies["gaji_session"].encode()).digest()
    for minutes, status in ((119, 200), (119, 200), (120, 303)):
        service.as_owner(
            "UPDATE console_sessions SET last_seen_at = now() - make_interval(mins => $2) WHERE token_hash = $1",
            hashed,
            minutes,
        )
        assert owner.get("/companies").status_code == status


def test_users_see_their_devices_and_sign_them_out(account: Member) -> None:
    here, phone, tablet = (signed_in_user(account) for _ in range(3))
    phone.post("/sign-out", page="/companies")
    phone.browser.headers["User-Agent"] = (
        "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/130.0 Safari/537.36"
    )
    phone.sign_in()
    text = page_text(here.get("/devices"))
    assert "Chrome on Android" in text
    assert text.count("Unknown device") == 2
    assert text.count("This device") == 1
    [session] = account.service.as_owner(
        "SELECT id FROM console_sessions WHERE user_id = $1 AND device LIKE '%Android%'", account.user_id
    )
    stranger = signed_in_user(account.service.new_account())
    path = f"/devices/{session['id']}/sign-out"
    assert stranger.post(path, page="/devices").status_code == 404
    assert phone.get("/devices").status_code == 200
    assert here.post(path, page="/devices").headers["location"] == "/devices"
    assert phone.get("/devices").status_code == 303
    here.post("/devices/sign-out", page="/devices")
    assert "Signed out on 1 other device" in page_text(here.get("/devices"))
    assert tablet.get("/devices").status_code == 303
    assert stranger.get("/devices").status_code == 200


def test_a_form_without_its_token_is_rejected(owner: ConsoleUser, company: Company) -> None:
    others = signed_in_user(company.member.service.new_account())
    for token in ({}, {"form_token": ""}, {"form_token": "0" * 64}, {"form_token": others.token("/companies")}):
        answer = owner.browser.post("/companies/new", data={"name": "Forged", **token})
        assert answer.status_code == 403
    assert len(owner.member.get("/clients").json()) == 1


def test_a_form_from_another_site_is_rejected(owner: ConsoleUser) -> None:
    data = {"name": "Forged", "form_token": owner.token("/companies/new")}
    answer = owner.browser.post("/companies/new", data=data, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert "sent from another site" in page_text(answer)


def test_sign_in_requires_the_form_token_of_the_same_browser(account: Member) -> None:
    user, other = ConsoleUser(with_password(account)), signed_out_user(account.service)
    data = {"email": account.email, "password": PASSWORD, "form_token": other.token("/sign-in")}
    assert user.browser.post("/sign-in", data=data).status_code == 403


def test_cookies_are_secure_and_bound_to_the_host_behind_an_https_proxy(account: Member) -> None:
    user = ConsoleUser(with_password(account))
    headers = {"X-Forwarded-Proto": "https"}
    page = user.browser.get("/sign-in", headers=headers)
    [cookie] = page.headers.get_list("set-cookie")
    assert cookie.startswith("__Host-gaji_visitor=")
    assert "; Secure" in cookie
    assert "Domain" not in cookie
    [token] = re.findall(r'name="form_token" value="(\w+)"', page.text)
    data = {"email": account.email, "password": PASSWORD, "form_token": token}
    visitor = cookie.partition("=")[2].partition(";")[0]
    plain = {**headers, "Cookie": f"gaji_visitor={visitor}"}
    assert user.browser.post("/sign-in", data=data, headers=plain).status_code == 403
    prefixed = {**headers, "Cookie": f"__Host-gaji_visitor={visitor}"}
    assert user.browser.post("/sign-in", data=data, headers=prefixed).status_code == 303


def fail_sign_ins(account: Member) -> ConsoleUser:
    """Return someone whose attempts to sign in as the member failed until they were delayed."""
    account.service.as_owner("DELETE FROM sign_in_attempts")
    user = ConsoleUser(with_password(account))
    assert [user.sign_in("wrong").status_code for _ in range(10)] == [422] * 10
    return user


def let_time_pass(service: Service, seconds: int) -> None:
    service.as_owner("UPDATE sign_in_attempts SET at = at - make_interval(secs => $1)", seconds)


def test_attempts_for_an_email_from_an_address_are_delayed_longer_each_time(account: Member) -> None:
    user = fail_sign_ins(account)
    for delay_s in ("30", "60", "120", "240", "480", "900", "900"):
        answer = user.sign_in()
        assert (answer.status_code, answer.headers["retry-after"]) == (429, delay_s)
        let_time_pass(account.service, int(delay_s))
        assert user.sign_in("wrong").status_code == 422
    let_time_pass(account.service, 900)
    assert user.sign_in().status_code == 303
    assert ConsoleUser(account).sign_in("wrong").status_code == 422  # success resets the count


def test_attempts_that_come_too_early_do_not_make_the_delay_longer(account: Member) -> None:
    user = fail_sign_ins(account)
    assert [user.sign_in("wrong").status_code for _ in range(5)] == [429] * 5
    let_time_pass(account.service, 30)
    assert user.sign_in().status_code == 303


def test_attempts_from_one_address_do_not_delay_the_user_at_another(account: Member) -> None:
    fail_sign_ins(account)
    elsewhere = ConsoleUser(account)
    elsewhere.browser.headers["X-Forwarded-For"] = "203.0.113.77"
    assert elsewhere.sign_in().status_code == 303


def test_strangers_cannot_lock_a_known_device(account: Member) -> None:
    known, other = signed_in_user(account), signed_in_user(account.service.new_account())
    stranger = fail_sign_ins(account)
    subject, vault = sign_in_limits.account_subject(account.service.vault, account.email), account.service.vault
    address = sign_in_limits.address_subject(vault, "127.0.0.1")
    account.service.as_owner(
        "INSERT INTO sign_in_attempts (subject_hash) SELECT unnest($1::bytea[]) FROM generate_series(1, 200)",
        [subject, address],
    )
    assert stranger.sign_in().status_code == 429
    stranger.browser.headers["X-Forwarded-For"] = "203.0.113.78"
    assert stranger.sign_in().status_code == 429  # too many from all addresses together
    known.post("/sign-out", page="/companies")
    assert known.sign_in("wrong").status_code == 422
    assert known.sign_in().status_code == 303
    other.member = account
    other.post("/sign-out", page="/companies")
    assert other.sign_in().status_code == 429  # known for another user only
    account.service.as_owner("DELETE FROM sign_in_attempts")


def test_a_known_device_is_delayed_by_its_own_failures(account: Member) -> None:
    known = signed_in_user(account)
    known.post("/sign-out", page="/companies")
    assert [known.sign_in("wrong").status_code for _ in range(11)] == [422] * 10 + [429]


def test_an_operator_can_unlock_a_user(account: Member) -> None:
    user = fail_sign_ins(account)
    assert user.sign_in().status_code == 429
    service = account.service
    service.runner.run(user_administration.unlock_user(service.database, service.vault, account.email.upper()))
    assert user.sign_in().status_code == 303


def test_too_many_attempts_from_an_address_are_rejected(service: Service) -> None:
    service.as_owner("DELETE FROM sign_in_attempts")
    user = signed_out_user(service)
    token = user.token("/sign-in")
    for number in range(FREE_FAILURES_OF_ADDRESS):
        data = {"email": f"{number}@example.com", "password": "x" * 2000, "form_token": token}
        assert user.browser.post("/sign-in", data=data).status_code == 422
    assert user.sign_in().status_code == 429
    user.browser.headers["X-Forwarded-For"] = "203.0.113.9"  # someone else behind the same proxy
    assert user.sign_in().status_code == 422
    service.as_owner("DELETE FROM sign_in_attempts")


def test_an_ipv6_network_counts_as_one_address(service: Service) -> None:
    user = signed_out_user(service)
    token = user.token("/sign-in")
    for number in range(51):
        user.browser.headers["X-Forwarded-For"] = f"2001:db8::{number}:1"
        data = {"email": f"{number}@example.com", "password": "x" * 2000, "form_token": token}
        assert user.browser.post("/sign-in", data=data).status_code == (422 if number < 50 else 429)
    user.browser.headers["X-Forwarded-For"] = "2001:db8:0:1::1"  # the neighbours
    assert user.sign_in().status_code == 422
    service.as_owner("DELETE FROM sign_in_attempts")


def test_successful_sign_ins_do_not_count_as_attempts(account: Member) -> None:
    assert signed_out_user(account.service).sign_in("wrong").status_code == 422
    assert [ConsoleUser(with_password(account)).sign_in().status_code for _ in range(3)] == [303] * 3
    [left] = account.service.as_owner("SELECT count(*) AS noted FROM sign_in_attempts")
    assert left["noted"] == 3  # of the unknown email, of the address, and of both together


@pytest.mark.parametrize(
    "after", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:1", "/a\r\nb"]
)
def test_redirects_stay_on_this_site(account: Member, after: str) -> None:
    assert ConsoleUser(with_password(account)).sign_in(next=after).headers["location"] == "/"


def test_changing_the_password_ends_other_sessions_but_not_keys(account: Member) -> None:
    user, elsewhere = signed_in_user(account), signed_in_user(account)
    new = "another one, long enough"
    answer = user.post("/password", {"current": PASSWORD, "new": new, "again": new})
    assert answer.status_code == 303
    assert "Password changed" in page_text(user.get("/password"))
    assert elsewhere.get("/password").status_code == 303
    assert account.get("/clients").status_code == 200
    assert ConsoleUser(account).sign_in().status_code == 422
    assert ConsoleUser(account).sign_in(new).status_code == 303


def test_all_errors_of_a_new_password_are_listed(owner: ConsoleUser) -> None:
    answer = owner.post("/password", {"current": "no", "new": "short", "again": "else"})
    assert answer.status_code == 422
    text = page_text(answer)
    for error in ("Is incorrect", "Must be at least 12 characters", "Does not match the password"):
        assert error in text
    assert "short" not in answer.text


def test_a_password_that_is_too_long_is_rejected(owner: ConsoleUser) -> None:
    answer = owner.post("/password", {"current": PASSWORD, "new": "x" * 1001, "again": "x" * 1001})
    assert answer.status_code == 422
    assert "Must be at most 1000 characters" in page_text(answer)


def test_pages_have_a_strict_content_security_policy_and_are_not_cached(owner: ConsoleUser) -> None:
    for path in ("/sign-in", "/companies", "/nowhere"):
        headers = owner.get(path).headers
        assert "unsafe" not in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"


def test_api_clients_get_problem_documents(service: Service) -> None:
    for path in ("/", "/nowhere", "/companies/x/y/z"):
        assert_problem(service.http.get(service.url + path), 404)
    assert_problem(service.http.put(f"{service.url}/companies"), 405)
    assert_problem(service.http.get(f"{service.url}/v1/clients", headers={"Accept": "text/html"}), 401)
    assert service.http.get(f"{service.url}/docs", headers={"Accept": "text/html"}).status_code == 200


def test_static_files_are_immutable_and_named_by_their_content(
    owner: ConsoleUser,
) -> None:
    page = owner.get("/companies").text
    files = re.findall(r'(?:href|src)="(/console/[^"]+)"', page)
    assert [path.partition("?")[0] for path in files] == ["/console/console.css", "/console/console.js"]
    for path in files:
        answer = signed_out_user(owner.member.service).get(path)
        assert "immutable" in answer.headers["cache-control"]
        assert "set-cookie" not in answer.headers
        assert hashlib.sha256(answer.content).hexdigest().startswith(path.partition("?")[2])
    assert owner.get("/console/nothing.css").status_code == 404


def test_pages_have_no_inline_scripts_or_styles(owner: ConsoleUser, company: Company) -> None:
    for path in ("/sign-in", "/companies", f"/companies/{company.id}", f"/companies/{company.id}/bulk_input"):
        page = owner.get(path).text
        assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son[a-z]+=|javascript:|https?://(?!127)", page)


def test_an_unknown_page_shows_an_error_page(service: Service) -> None:
    answer = signed_out_user(service).get("/nowhere")
    assert answer.status_code == 404
    assert "/nowhere" in page_text(answer)


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_options_requests_for_the_server_are_not_found(service: Service, accept: str) -> None:
    connection = HTTPConnection(httpx.URL(service.url).netloc.decode(), timeout=60)
    connection.request("OPTIONS", "*", headers={"Accept": accept})
    answer = connection.getresponse()
    assert (answer.status, b"Nothing found at *" in answer.read()) == (404, True)
    connection.close()


@pytest.mark.parametrize("email", ["\0", "İsmail@example.com", "a" * 5000])
def test_unusual_emails_are_rejected(service: Service, email: str) -> None:
    user = signed_out_user(service)
    data = {"email": email, "password": "x" * 20, "form_token": user.token("/sign-in")}
    assert user.browser.post("/sign-in", data=data).status_code == 422


def test_changing_the_password_is_rate_limited(account: Member) -> None:
    user = signed_in_user(account)
    wrong = {"current": "wrong", "new": "another-password-1", "again": "another-password-1"}
    statuses = [user.post("/password", wrong).status_code for _ in range(11)]
    assert statuses == [422] * 10 + [429]


def test_any_page_number_is_accepted(owner: ConsoleUser, company: Company) -> None:
    for number in ("9" * 5000, "-1", "0", "x", "1000001"):
        assert owner.get(f"/companies/{company.id}/employees?page={number}").status_code == 200
