"""Signing in and out: sessions, forms of our own, throttling, and changing a password."""

import hashlib
import re
from http.client import HTTPConnection

import httpx
import pytest

from tests.console.console_user import PASSWORD, ConsoleUser, page_text, signed_in_user, signed_out_user, with_password
from tests.support.company import Company
from tests.support.problems import refused
from tests.support.running import Member, Service


def test_it_works(account: Member) -> None:
    one = ConsoleUser(with_password(account))
    assert one.get("/companies").headers["location"] == "/sign-in?next=/companies"
    answer = one.sign_in(next="/companies")
    assert (answer.status_code, answer.headers["location"]) == (303, "/companies")
    assert "No companies yet" in page_text(one.get("/companies"))


def test_the_cookie_is_for_this_site_and_no_script_and_its_token_is_kept_as_a_hash(account: Member) -> None:
    one = ConsoleUser(with_password(account))
    [cookie] = [text for text in one.sign_in().headers.get_list("set-cookie") if text.startswith("gaji_session=")]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie  # plain HTTP on the loopback
    token = one.browser.cookies["gaji_session"]
    kept = account.service.as_owner("SELECT token_hash FROM console_sessions")
    assert hashlib.sha256(token.encode()).digest() in [row["token_hash"] for row in kept]
    assert not any(token.encode() in row["token_hash"] for row in kept)


@pytest.mark.parametrize("password", ["", "wrong", PASSWORD + " ", "x" * 5000])
def test_a_wrong_password_is_told_like_an_unknown_email(account: Member, password: str) -> None:
    one = ConsoleUser(with_password(account))
    answer = one.sign_in(password)
    assert answer.status_code == 422
    assert "The email or the password is wrong" in page_text(answer)
    assert account.email in answer.text  # what was typed is kept
    unknown = signed_out_user(account.service).sign_in()
    assert page_text(unknown) == page_text(answer)


def test_signing_out_ends_the_session(owner: ConsoleUser) -> None:
    token = owner.browser.cookies["gaji_session"]
    answer = owner.post("/sign-out", page="/companies")
    assert answer.headers["location"] == "/sign-in"
    owner.browser.cookies.set("gaji_session", token)
    assert owner.get("/companies").headers["location"] == "/sign-in?next=/companies"


def test_a_session_ends_with_its_time_and_with_its_user(owner: ConsoleUser) -> None:
    service, email = owner.member.service, owner.member.email
    hashed = hashlib.sha256(owner.browser.cookies["gaji_session"].encode()).digest()
    service.as_owner("UPDATE console_sessions SET expires_at = now() WHERE token_hash = $1", hashed)
    assert owner.get("/companies").status_code == 303
    again = signed_in_user(owner.member)
    service.as_owner("UPDATE users SET disabled_at = now() WHERE email = $1", email)
    assert again.get("/companies").status_code == 303
    assert again.sign_in().status_code == 422


def test_a_form_without_its_token_does_nothing(owner: ConsoleUser, company: Company) -> None:
    others = signed_in_user(company.member.service.new_account())
    for token in ({}, {"form_token": ""}, {"form_token": "0" * 64}, {"form_token": others.token("/companies")}):
        answer = owner.browser.post("/companies/new", data={"name": "Forged", **token})
        assert answer.status_code == 403
    assert len(owner.member.get("/clients").json()) == 1


def test_a_form_from_another_site_does_nothing(owner: ConsoleUser) -> None:
    data = {"name": "Forged", "form_token": owner.token("/companies/new")}
    answer = owner.browser.post("/companies/new", data=data, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert "sent from another site" in page_text(answer)


def test_signing_in_needs_the_token_of_ones_own_browser(account: Member) -> None:
    one, other = ConsoleUser(with_password(account)), signed_out_user(account.service)
    data = {"email": account.email, "password": PASSWORD, "form_token": other.token("/sign-in")}
    assert one.browser.post("/sign-in", data=data).status_code == 403


def test_behind_a_proxy_with_https_cookies_are_for_https_only(account: Member) -> None:
    one = ConsoleUser(with_password(account))
    one.browser.headers["X-Forwarded-Proto"] = "https"
    assert all("; Secure" in cookie for cookie in one.get("/sign-in").headers.get_list("set-cookie"))
    assert one.get("/sign-in").headers.get_list("set-cookie")


def test_too_many_attempts_are_refused_whatever_the_password(account: Member) -> None:
    one = ConsoleUser(with_password(account))
    statuses = [one.sign_in("wrong").status_code for _ in range(10)]
    answer = one.sign_in()
    assert statuses == [422] * 10
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "900"
    account.service.as_owner("UPDATE sign_in_attempts SET at = at - interval '16 minutes'")
    assert one.sign_in().status_code == 303


def test_too_many_attempts_from_one_address_are_refused_whoever_it_is(service: Service) -> None:
    service.as_owner("DELETE FROM sign_in_attempts")
    one = signed_out_user(service)
    token = one.token("/sign-in")
    for number in range(50):
        data = {"email": f"{number}@example.com", "password": "x" * 2000, "form_token": token}
        assert one.browser.post("/sign-in", data=data).status_code == 422
    assert one.sign_in().status_code == 429
    one.browser.headers["X-Forwarded-For"] = "203.0.113.9"  # someone else behind the same proxy
    assert one.sign_in().status_code == 422
    service.as_owner("DELETE FROM sign_in_attempts")


def test_the_many_addresses_of_one_home_are_counted_as_one(service: Service) -> None:
    one = signed_out_user(service)
    token = one.token("/sign-in")
    for number in range(51):
        one.browser.headers["X-Forwarded-For"] = f"2001:db8::{number}:1"
        data = {"email": f"{number}@example.com", "password": "x" * 2000, "form_token": token}
        assert one.browser.post("/sign-in", data=data).status_code == (422 if number < 50 else 429)
    one.browser.headers["X-Forwarded-For"] = "2001:db8:0:1::1"  # the neighbours
    assert one.sign_in().status_code == 422
    service.as_owner("DELETE FROM sign_in_attempts")


def test_those_who_sign_in_rightly_do_not_use_up_the_attempts_of_their_address(account: Member) -> None:
    assert signed_out_user(account.service).sign_in("wrong").status_code == 422
    assert [ConsoleUser(with_password(account)).sign_in().status_code for _ in range(3)] == [303] * 3
    [left] = account.service.as_owner("SELECT count(*) AS noted FROM sign_in_attempts")
    assert left["noted"] == 2  # of the unknown email, and of the address


@pytest.mark.parametrize(
    "after", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:1", "/a\r\nb"]
)
def test_one_is_led_to_pages_of_ours_only(account: Member, after: str) -> None:
    assert ConsoleUser(with_password(account)).sign_in(next=after).headers["location"] == "/"


def test_changing_the_password_ends_every_other_session_and_no_key(account: Member) -> None:
    one, elsewhere = signed_in_user(account), signed_in_user(account)
    new = "another one, long enough"
    answer = one.post("/password", {"current": PASSWORD, "new": new, "again": new})
    assert answer.status_code == 303
    assert "Password changed" in page_text(one.get("/password"))
    assert elsewhere.get("/password").status_code == 303
    assert account.get("/clients").status_code == 200
    assert ConsoleUser(account).sign_in().status_code == 422
    assert ConsoleUser(account).sign_in(new).status_code == 303


def test_all_that_is_wrong_with_a_new_password_is_told_at_once(owner: ConsoleUser) -> None:
    answer = owner.post("/password", {"current": "no", "new": "short", "again": "else"})
    assert answer.status_code == 422
    told = page_text(answer)
    for fault in ("Is not your password", "Must be at least 12 characters", "Is not the same as the new password"):
        assert fault in told
    assert "short" not in answer.text


def test_a_password_that_is_too_long_is_told_so(owner: ConsoleUser) -> None:
    answer = owner.post("/password", {"current": PASSWORD, "new": "x" * 1001, "again": "x" * 1001})
    assert answer.status_code == 422
    assert "Must be at most 1000 characters" in page_text(answer)


def test_pages_let_nothing_in_from_elsewhere_and_are_not_kept(owner: ConsoleUser) -> None:
    for path in ("/sign-in", "/companies", "/nowhere"):
        headers = owner.get(path).headers
        assert "unsafe" not in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"


def test_the_api_keeps_its_words(service: Service) -> None:
    for path in ("/", "/nowhere", "/companies/x/y/z"):
        refused(service.http.get(service.url + path), 404)
    refused(service.http.put(f"{service.url}/companies"), 405)
    refused(service.http.get(f"{service.url}/v1/clients", headers={"Accept": "text/html"}), 401)
    assert service.http.get(f"{service.url}/docs", headers={"Accept": "text/html"}).status_code == 200


def test_browsers_keep_stylesheet_and_scripts_whose_addresses_change_with_their_contents(
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


def test_no_page_has_scripts_or_styles_of_its_own(owner: ConsoleUser, company: Company) -> None:
    for path in ("/sign-in", "/companies", f"/companies/{company.id}", f"/companies/{company.id}/bulk_input"):
        page = owner.get(path).text
        assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son[a-z]+=|javascript:|https?://(?!127)", page)


def test_an_unknown_page_is_told_in_words(service: Service) -> None:
    answer = signed_out_user(service).get("/nowhere")
    assert answer.status_code == 404
    assert "/nowhere" in page_text(answer)


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_options_of_no_page_at_all_are_told_in_words(service: Service, accept: str) -> None:
    connection = HTTPConnection(httpx.URL(service.url).netloc.decode(), timeout=60)
    connection.request("OPTIONS", "*", headers={"Accept": accept})
    answer = connection.getresponse()
    assert (answer.status, b"There is nothing at *" in answer.read()) == (404, True)
    connection.close()


@pytest.mark.parametrize("email", ["\0", "İsmail@example.com", "a" * 5000])
def test_odd_emails_are_nobodys(service: Service, email: str) -> None:
    one = signed_out_user(service)
    data = {"email": email, "password": "x" * 20, "form_token": one.token("/sign-in")}
    assert one.browser.post("/sign-in", data=data).status_code == 422


def test_the_current_password_is_not_guessed_on_the_page_that_changes_it(account: Member) -> None:
    one = signed_in_user(account)
    wrong = {"current": "wrong", "new": "another-password-1", "again": "another-password-1"}
    statuses = [one.post("/password", wrong).status_code for _ in range(11)]
    assert statuses == [422] * 10 + [429]


def test_a_page_number_of_any_length_is_a_page(owner: ConsoleUser, company: Company) -> None:
    for number in ("9" * 5000, "-1", "0", "x", "1000001"):
        assert owner.get(f"/companies/{company.id}/employees?page={number}").status_code == 200
