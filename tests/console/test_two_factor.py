"""Signing in with two steps: turned on and off, codes that are good once, and half sessions that open nothing."""

import base64
import re
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from gaji.console.routes import PAGES
from gaji.core.errors import Conflict, NotFound
from gaji.identity import second_factor
from gaji.identity.one_time_codes import STEP_S, code_at
from tests.console.console_user import PASSWORD, TOKEN, ConsoleUser, page_text, signed_in_user, with_password
from tests.db.databases import gaji
from tests.support.company import Company
from tests.support.running import Member, Service


def secret_on(page: httpx.Response) -> bytes:
    """The secret that a page offers."""
    found = re.search(r'<code id="secret">([A-Z2-7 ]+)</code>', page.text)
    assert found
    return base64.b32decode(found[1].replace(" ", ""))


def code(secret: bytes, steps: int = 0) -> str:
    """The code that an app shows now, or so many steps later."""
    return code_at(secret, int(time.time()) // STEP_S + steps)


def turned_on(member: Member) -> tuple[ConsoleUser, bytes, list[str]]:
    """Someone who turned it on: they, their secret and their recovery codes. No code is used up yet."""
    one = signed_in_user(member)
    secret = secret_on(one.get("/two-steps"))
    answer = one.post("/two-steps/on", {"code": code(secret), "password": PASSWORD}, page="/two-steps")
    assert answer.status_code == 200, page_text(answer)
    forget_codes(member)
    return one, secret, re.findall(r"<li><code>([a-z2-7-]{19})</code></li>", answer.text)


def forget_codes(member: Member) -> None:
    """Let the codes of now be good again, so that a test need not wait for the next."""
    member.service.as_owner(
        "UPDATE second_factors SET last_step = 0 WHERE id = (SELECT id FROM users WHERE email = $1)", member.email
    )


def half(member: Member) -> ConsoleUser:
    """Someone who gave their password, and no code yet."""
    one = ConsoleUser(with_password(member))
    answer = one.sign_in()
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in/code"), page_text(answer)
    return one


def give(one: ConsoleUser, given: str, **data: str) -> httpx.Response:
    """Give a code."""
    return one.post("/sign-in/code", {"code": given, **data})


def test_it_works(account: Member) -> None:
    one, secret, _ = turned_on(account)
    assert "On since" in page_text(one.get("/two-steps"))
    again = ConsoleUser(account)
    answer = again.sign_in(next="/api-keys?x=1")
    assert answer.headers["location"] == "/sign-in/code?next=/api-keys%3Fx%3D1"
    assert "gaji_session" not in again.browser.cookies
    assert "Open your authenticator app" in page_text(again.get("/sign-in/code"))
    answer = give(again, code(secret), next="/api-keys?x=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/api-keys?x=1")
    assert again.get("/api-keys").status_code == 200
    assert "gaji_half_session" not in again.browser.cookies


def test_it_is_offered_with_a_picture_that_the_policy_allows_and_stays_when_loaded_again(owner: ConsoleUser) -> None:
    page = owner.get("/two-steps")
    assert "<svg" in page.text
    assert not re.search(r"\sstyle=|<style|data:", page.text)
    assert secret_on(owner.get("/two-steps")) == secret_on(page)
    assert secret_on(signed_in_user(owner.member).get("/two-steps")) != secret_on(page)


def test_turning_it_on_needs_the_password_and_the_code_and_tells_all_faults_at_once(owner: ConsoleUser) -> None:
    secret = secret_on(owner.get("/two-steps"))
    answer = owner.post("/two-steps/on", {"code": "000000", "password": "wrong"}, page="/two-steps")
    assert answer.status_code == 422
    assert "Is not your password" in page_text(answer)
    assert "Is not what the app shows now" in page_text(answer)
    assert secret_on(answer) == secret
    for data in ({}, {"code": code(secret)}, {"password": PASSWORD}, {"code": "１２３４５６", "password": PASSWORD}):
        assert owner.post("/two-steps/on", data, page="/two-steps").status_code == 422
    assert signed_in_user(owner.member).get("/companies").status_code == 200


def test_turning_it_on_and_off_ends_every_other_session_and_no_key(account: Member) -> None:
    elsewhere = signed_in_user(account)
    one, secret, _ = turned_on(account)
    assert elsewhere.get("/password").status_code == 303
    assert one.get("/password").status_code == 200
    elsewhere = half(account)
    assert give(elsewhere, code(secret)).status_code == 303
    forget_codes(account)
    answer = one.post("/two-steps/off", {"code": code(secret), "password": PASSWORD}, page="/two-steps")
    assert answer.status_code == 303
    assert "Two-step sign-in is off" in page_text(one.get("/two-steps"))
    assert elsewhere.get("/password").status_code == 303
    assert account.get("/clients").status_code == 200
    assert ConsoleUser(account).sign_in().headers["location"] == "/"


def test_turning_it_off_needs_the_password_and_a_code(account: Member) -> None:
    one, secret, recovery = turned_on(account)
    wrong = [
        ("", ""),
        ("wrong", code(secret)),
        (PASSWORD, "000000"),
        ("wrong", recovery[0]),
        (PASSWORD, "no-such-code"),
    ]
    for password, given in wrong:
        answer = one.post("/two-steps/off", {"code": given, "password": password}, page="/two-steps")
        assert answer.status_code == 422
    told = page_text(one.post("/two-steps/off", {"code": "1", "password": "wrong"}, page="/two-steps"))
    assert "Is not your password" in told
    assert "Is not right, or was used before" in told
    answer = one.post("/two-steps/off", {"code": recovery[0], "password": PASSWORD}, page="/two-steps")
    assert answer.status_code == 303


def test_the_page_that_is_open_twice_turns_it_on_once(account: Member) -> None:
    one, other = signed_in_user(account), signed_in_user(account)
    pages = [(each, secret_on(each.get("/two-steps")), each.token("/two-steps")) for each in (one, other)]

    def turn_on(each: ConsoleUser, secret: bytes, token: str) -> int:
        data = {"code": code(secret), "password": PASSWORD, "form_token": token}
        return each.browser.post("/two-steps/on", data=data).status_code

    with ThreadPoolExecutor(2) as at_once:
        statuses = sorted(at_once.map(lambda page: turn_on(*page), pages))
    assert statuses[0] == 200
    assert statuses[1] in (303, 409)  # signed out by the first, or in the middle of it


CLOSED = [page for page in PAGES if not page.public]


def test_a_half_session_reaches_no_page(account: Member) -> None:
    turned_on(account)
    one = half(account)
    one.browser.cookies.set(
        "gaji_session", one.browser.cookies["gaji_half_session"]
    )  # nor does it pass for a whole one
    assert len(CLOSED) > 50
    for page in CLOSED:
        path = re.sub(r"{[a-z_]+}", "1", page.path)
        answer = one.browser.request(page.method, path)
        assert answer.status_code == 303, path
        assert answer.headers["location"].startswith("/sign-in"), path


def test_a_code_is_good_once(account: Member) -> None:
    _, secret, _ = turned_on(account)
    given = code(secret)
    first, second = half(account), half(account)
    assert give(first, given).status_code == 303
    answer = give(second, given)
    assert answer.status_code == 422
    assert "The code is wrong, or was used before" in page_text(answer)
    assert give(second, code(secret, -1)).status_code == 422  # older than the one that was used
    assert give(second, code(secret, 1)).status_code == 303


def test_the_code_that_turned_it_on_does_not_sign_in(account: Member) -> None:
    one = signed_in_user(account)
    given = code(secret_on(one.get("/two-steps")))
    assert one.post("/two-steps/on", {"code": given, "password": PASSWORD}, page="/two-steps").status_code == 200
    assert give(half(account), given).status_code == 422


def test_two_who_give_the_same_code_at_once_are_one(account: Member) -> None:
    _, secret, _ = turned_on(account)
    people = [half(account) for _ in range(4)]
    data = [{"code": code(secret), "form_token": one.token("/sign-in/code")} for one in people]
    with ThreadPoolExecutor(4) as at_once:
        answers = list(at_once.map(lambda one, sent: one.browser.post("/sign-in/code", data=sent), people, data))
    assert sorted(answer.status_code for answer in answers) == [303, 422, 422, 422]


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_a_clock_may_be_one_step_off(account: Member, steps: int) -> None:
    _, secret, _ = turned_on(account)
    one = half(account)
    for _ in range(5):
        step = time.time() // STEP_S
        given = code(secret, steps)
        answer = give(one, f" {given[:3]} {given[3:]} ")
        if answer.status_code == 303 or time.time() // STEP_S == step:  # else the code grew older on its way
            break
    assert answer.status_code == 303


@pytest.mark.parametrize(
    "given", ["", "0", "12345", "1234567", "x" * 5000, "\0", "１２３４５６", "aaaa-aaaa-aaaa-aaaa"]
)
def test_what_is_no_code_is_refused_in_words(account: Member, given: str) -> None:
    turned_on(account)
    answer = give(half(account), given)
    assert answer.status_code == 422
    assert "The code is wrong" in page_text(answer)


def test_codes_of_long_ago_and_of_later_are_refused(account: Member) -> None:
    _, secret, _ = turned_on(account)
    one = half(account)
    assert [give(one, code(secret, steps)).status_code for steps in (-3, 3)] == [422, 422]


def test_a_recovery_code_is_good_once_and_kept_as_a_hash(account: Member) -> None:
    _, _, recovery = turned_on(account)
    assert len(set(recovery)) == 10
    answer = give(half(account), recovery[0].upper().replace("-", " "))
    assert answer.status_code == 303
    one = half(account)
    assert give(one, recovery[0]).status_code == 422
    assert give(one, recovery[1]).status_code == 303
    assert "8 recovery codes left" in page_text(one.get("/companies"))
    assert "Recovery codes left 8" in page_text(one.get("/two-steps"))
    stored = str(account.service.rows()["second_factors"])
    assert not any(text in stored for text in (recovery[2], recovery[2].replace("-", "")))


def test_the_secret_is_kept_sealed_for_its_user(account: Member) -> None:
    _, secret, _ = turned_on(account)
    [row] = account.service.as_owner(
        "SELECT f.* FROM second_factors f JOIN users u ON u.id = f.id WHERE u.email = $1", account.email
    )
    assert secret not in row["secret_sealed"]
    assert account.service.vault.open_bytes(row["secret_sealed"], second_factor.sealed_cell(row["id"])) == secret


def test_too_many_wrong_codes_are_refused_whatever_the_code_and_the_password_lets_none_be_forgotten(
    account: Member,
) -> None:
    _, secret, recovery = turned_on(account)
    statuses = [give(half(account), "000000").status_code for _ in range(10)]
    assert statuses == [422] * 10
    for given in (code(secret), recovery[0]):
        answer = give(half(account), given)
        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "900"
    account.service.as_owner("UPDATE sign_in_attempts SET at = at - interval '16 minutes'")
    assert give(half(account), code(secret)).status_code == 303


def test_codes_are_not_guessed_on_the_page_that_turns_it_off(account: Member) -> None:
    one, secret, _ = turned_on(account)
    wrong = {"code": "000000", "password": PASSWORD}
    statuses = [one.post("/two-steps/off", wrong, page="/two-steps").status_code for _ in range(11)]
    assert statuses == [422] * 10 + [429]
    right = {"code": code(secret), "password": PASSWORD}
    assert one.post("/two-steps/off", right, page="/two-steps").status_code == 429


def test_a_half_session_ends_with_its_time_and_with_its_password(account: Member) -> None:
    one, secret, _ = turned_on(account)
    late = half(account)
    account.service.as_owner("UPDATE console_sessions SET expires_at = now() WHERE half")
    for answer in (late.get("/sign-in/code"), late.post("/sign-in/code", {"code": code(secret)}, page="/sign-in")):
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert "Your sign-in has expired" in page_text(late.get("/sign-in"))
    other = half(account)
    new = "another one, long enough"
    assert one.post("/password", {"current": PASSWORD, "new": new, "again": new}).status_code == 303
    assert one.get("/two-steps").status_code == 200  # who is signed in stays so
    answer = other.post("/sign-in/code", {"code": code(secret)}, page="/sign-in")
    assert answer.headers["location"] == "/sign-in"


def test_nobody_comes_to_the_second_step_without_the_first(service: Service, account: Member) -> None:
    turned_on(account)
    one = ConsoleUser(account)
    assert one.get("/sign-in/code").headers["location"] == "/sign-in"
    one.browser.cookies.set("gaji_half_session", "made up")
    assert one.get("/sign-in/code").headers["location"] == "/sign-in"
    assert give_by_hand(one, "000000").headers["location"] == "/sign-in"
    whole = signed_in_user(service.new_account())
    other = ConsoleUser(account)
    other.browser.cookies.set("gaji_half_session", whole.browser.cookies["gaji_session"])
    assert give_by_hand(other, "000000").headers["location"] == "/sign-in"  # a whole session is no half one


def give_by_hand(one: ConsoleUser, given: str) -> httpx.Response:
    """Give a code without its page."""
    found = TOKEN.search(one.get("/sign-in").text)
    assert found
    return one.browser.post("/sign-in/code", data={"code": given, "form_token": found[1]})


def test_a_code_needs_the_form_of_ones_own_browser(account: Member) -> None:
    _, secret, _ = turned_on(account)
    one = half(account)
    assert one.browser.post("/sign-in/code", data={"code": code(secret)}).status_code == 403
    assert give(one, code(secret)).status_code == 303


def test_turning_it_on_and_off_and_using_a_recovery_code_are_in_the_audit_log(account: Member) -> None:
    one, secret, recovery = turned_on(account)
    give(half(account), recovery[0])
    give(half(account), code(secret))
    one.post("/two-steps/off", {"code": recovery[1], "password": PASSWORD}, page="/two-steps")
    rows = account.service.as_owner(
        "SELECT l.action, l.actor, l.user_id = u.id AS own, l.account_id = u.account_id AS there, l.before, l.after "
        "FROM audit_log l JOIN users u ON u.id = l.row_id "
        "WHERE u.email = $1 AND l.action LIKE 'second_factors.%' ORDER BY l.id",
        account.email,
    )
    assert [row["action"].partition(".")[2] for row in rows] == ["insert", "update", "update", "delete"]
    assert {(row["actor"], row["own"], row["there"]) for row in rows} == {("console", True, True)}
    told = str(rows)
    assert secret.hex() not in told
    assert told.count('"hidden"') >= 6


def test_an_operator_turns_it_off_for_someone_who_lost_the_phone(account: Member) -> None:
    one, _, _ = turned_on(account)
    run, database = account.service.runner.run, account.service.database
    done = gaji(account.service.settings, "user", "two-steps-off", "--email", account.email.upper())
    assert done.returncode == 0, done.stderr
    assert one.get("/companies").status_code == 303
    assert ConsoleUser(account).sign_in().headers["location"] == "/"
    with pytest.raises(Conflict, match="nothing to turn off"):
        run(second_factor.reset_second_factor(database, account.email))
    with pytest.raises(NotFound):
        run(second_factor.reset_second_factor(database, "nobody@example.com"))
    [row] = account.service.as_owner(
        "SELECT l.account_id FROM audit_log l JOIN users u ON u.id = l.row_id AND u.account_id = l.account_id "
        "WHERE u.email = $1 AND l.action = 'second_factors.delete'",
        account.email,
    )
    assert row


def test_employees_have_it_too(company: Company) -> None:
    member = company.member.colleague(company.id, "employee", company.hire())
    one, secret, _ = turned_on(member)
    assert one.get("/two-steps").status_code == 200
    again = half(member)
    assert give(again, code(secret)).headers["location"] == "/"
    assert again.get("/own").status_code == 303
