"""Two-step sign-in."""

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
    result = re.search(r'<code id="secret">([A-Z2-7 ]+)</code>', page.text)
    assert result
    assert f"?secret={result[1].replace(' ', '')}&amp;issuer=" in page.text, "no link that opens the app"
    return base64.b32decode(result[1].replace(" ", ""))


def code(secret: bytes, steps: int = 0) -> str:
    """The code that an app shows now, or so many steps later."""
    return code_at(secret, int(time.time()) // STEP_S + steps)


def turned_on(member: Member) -> tuple[ConsoleUser, bytes, list[str]]:
    """Someone who turned it on: they, their secret and their recovery codes. No code is used up yet."""
    user = signed_in_user(member)
    secret = secret_on(user.get("/two-steps"))
    answer = user.post("/two-steps/on", {"code": code(secret), "password": PASSWORD}, page="/two-steps")
    assert answer.status_code == 200, page_text(answer)
    forget_codes(member)
    return user, secret, re.findall(r"<li><code>([a-z2-7-]{19})</code></li>", answer.text)


def forget_codes(member: Member) -> None:
    """Let the codes of now be good again, so that a test need not wait for the next."""
    member.service.as_owner(
        "UPDATE second_factors SET last_step = 0 WHERE id = (SELECT id FROM users WHERE email = $1)", member.email
    )


def half(member: Member) -> ConsoleUser:
    """Someone who gave their password, and no code yet."""
    user = ConsoleUser(with_password(member))
    answer = user.sign_in()
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in/code"), page_text(answer)
    return user


def give(user: ConsoleUser, submitted: str, **data: str) -> httpx.Response:
    """Give a code."""
    return user.post("/sign-in/code", {"code": submitted, **data})


def test_signing_in_with_two_steps(account: Member) -> None:
    user, secret, _ = turned_on(account)
    assert "On since" in page_text(user.get("/two-steps"))
    again = ConsoleUser(account)
    answer = again.sign_in(next="/api-keys?x=1")
    assert answer.headers["location"] == "/sign-in/code?next=/api-keys%3Fx%3D1"
    assert "gaji_session" not in again.browser.cookies
    assert "Open your authenticator app" in page_text(again.get("/sign-in/code"))
    answer = give(again, code(secret), next="/api-keys?x=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/api-keys?x=1")
    assert again.get("/api-keys").status_code == 200
    assert "gaji_half_session" not in again.browser.cookies


def test_the_qr_code_complies_with_the_content_security_policy_and_stays_the_same(owner: ConsoleUser) -> None:
    page = owner.get("/two-steps")
    assert "<svg" in page.text
    assert not re.search(r"\sstyle=|<style|data:", page.text)
    assert secret_on(owner.get("/two-steps")) == secret_on(page)
    assert secret_on(signed_in_user(owner.member).get("/two-steps")) != secret_on(page)


def test_turning_it_on_requires_password_and_code_and_lists_all_errors(owner: ConsoleUser) -> None:
    secret = secret_on(owner.get("/two-steps"))
    answer = owner.post("/two-steps/on", {"code": "000000", "password": "wrong"}, page="/two-steps")
    assert answer.status_code == 422
    assert "Is incorrect" in page_text(answer)
    assert "Does not match the current code in the app" in page_text(answer)
    assert secret_on(answer) == secret
    for data in ({}, {"code": code(secret)}, {"password": PASSWORD}, {"code": "１２３４５６", "password": PASSWORD}):
        assert owner.post("/two-steps/on", data, page="/two-steps").status_code == 422
    assert signed_in_user(owner.member).get("/companies").status_code == 200


def test_turning_it_on_or_off_ends_other_sessions_but_not_keys(account: Member) -> None:
    elsewhere = signed_in_user(account)
    user, secret, _ = turned_on(account)
    assert elsewhere.get("/password").status_code == 303
    assert user.get("/password").status_code == 200
    elsewhere = half(account)
    assert give(elsewhere, code(secret)).status_code == 303
    forget_codes(account)
    answer = user.post("/two-steps/off", {"code": code(secret), "password": PASSWORD}, page="/two-steps")
    assert answer.status_code == 303
    assert "Two-step sign-in is off" in page_text(user.get("/two-steps"))
    assert elsewhere.get("/password").status_code == 303
    assert account.get("/clients").status_code == 200
    assert ConsoleUser(account).sign_in().headers["location"] == "/"


def test_turning_it_off_requires_password_and_code(account: Member) -> None:
    user, secret, recovery = turned_on(account)
    wrong = [
        ("", ""),
        ("wrong", code(secret)),
        (PASSWORD, "000000"),
        ("wrong", recovery[0]),
        (PASSWORD, "no-such-code"),
    ]
    for password, data in wrong:
        answer = user.post("/two-steps/off", {"code": data, "password": password}, page="/two-steps")
        assert answer.status_code == 422
    text = page_text(user.post("/two-steps/off", {"code": "1", "password": "wrong"}, page="/two-steps"))
    assert "Is incorrect" in text
    assert "Is incorrect or was used before" in text
    answer = user.post("/two-steps/off", {"code": recovery[0], "password": PASSWORD}, page="/two-steps")
    assert answer.status_code == 303


def test_two_open_pages_turn_it_on_once(account: Member) -> None:
    user, other = signed_in_user(account), signed_in_user(account)
    pages = [(each, secret_on(each.get("/two-steps")), each.token("/two-steps")) for each in (user, other)]

    def turn_on(each: ConsoleUser, secret: bytes, token: str) -> int:
        data = {"code": code(secret), "password": PASSWORD, "form_token": token}
        return each.browser.post("/two-steps/on", data=data).status_code

    with ThreadPoolExecutor(2) as at_once:
        statuses = sorted(at_once.map(lambda page: turn_on(*page), pages))
    assert statuses[0] == 200
    assert statuses[1] in (303, 409)  # signed out by the first, or in the middle of it


CLOSED = [page for page in PAGES if not page.public]


def test_a_partial_session_opens_no_page(account: Member) -> None:
    turned_on(account)
    user = half(account)
    user.browser.cookies.set(
        "gaji_session", user.browser.cookies["gaji_half_session"]
    )  # nor does it pass for a whole one
    assert len(CLOSED) > 50
    for page in CLOSED:
        path = re.sub(r"{[a-z_]+}", "1", page.path)
        answer = user.browser.request(page.method, path)
        assert answer.status_code == 303, path
        assert answer.headers["location"].startswith("/sign-in"), path


def test_a_code_works_once(account: Member) -> None:
    _, secret, _ = turned_on(account)
    data = code(secret)
    first, second = half(account), half(account)
    assert give(first, data).status_code == 303
    answer = give(second, data)
    assert answer.status_code == 422
    assert "The code is incorrect or was used before" in page_text(answer)
    assert give(second, code(secret, -1)).status_code == 422  # older than the one that was used
    assert give(second, code(secret, 1)).status_code == 303


def test_the_enrolment_code_cannot_be_used_to_sign_in(account: Member) -> None:
    user = signed_in_user(account)
    data = code(secret_on(user.get("/two-steps")))
    assert user.post("/two-steps/on", {"code": data, "password": PASSWORD}, page="/two-steps").status_code == 200
    assert give(half(account), data).status_code == 422


def test_concurrent_use_of_a_code_succeeds_once(account: Member) -> None:
    _, secret, _ = turned_on(account)
    people = [half(account) for _ in range(4)]
    data = [{"code": code(secret), "form_token": user.token("/sign-in/code")} for user in people]
    with ThreadPoolExecutor(4) as at_once:
        answers = list(at_once.map(lambda item, sent: item.browser.post("/sign-in/code", data=sent), people, data))
    assert sorted(answer.status_code for answer in answers) == [303, 422, 422, 422]


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_a_code_may_be_one_step_early_or_late(account: Member, steps: int) -> None:
    _, secret, _ = turned_on(account)
    user = half(account)
    for _ in range(5):
        step = time.time() // STEP_S
        data = code(secret, steps)
        answer = give(user, f" {data[:3]} {data[3:]} ")
        if answer.status_code == 303 or time.time() // STEP_S == step:  # else the code grew older on its way
            break
    assert answer.status_code == 303


@pytest.mark.parametrize(
    "given", ["", "0", "12345", "1234567", "x" * 5000, "\0", "１２３４５６", "aaaa-aaaa-aaaa-aaaa"]
)
def test_invalid_codes_are_rejected(account: Member, given: str) -> None:
    turned_on(account)
    answer = give(half(account), given)
    assert answer.status_code == 422
    assert "The code is incorrect" in page_text(answer)


def test_old_and_future_codes_are_rejected(account: Member) -> None:
    _, secret, _ = turned_on(account)
    user = half(account)
    assert [give(user, code(secret, steps)).status_code for steps in (-3, 3)] == [422, 422]


def test_a_recovery_code_works_once_and_is_stored_as_a_hash(account: Member) -> None:
    _, _, recovery = turned_on(account)
    assert len(set(recovery)) == 10
    answer = give(half(account), recovery[0].upper().replace("-", " "))
    assert answer.status_code == 303
    user = half(account)
    assert give(user, recovery[0]).status_code == 422
    assert give(user, recovery[1]).status_code == 303
    assert "8 recovery codes left" in page_text(user.get("/companies"))
    assert "Recovery codes left 8" in page_text(user.get("/two-steps"))
    stored = str(account.service.rows()["second_factors"])
    assert not any(text in stored for text in (recovery[2], recovery[2].replace("-", "")))


def test_the_secret_is_encrypted_for_its_user(account: Member) -> None:
    _, secret, _ = turned_on(account)
    [row] = account.service.as_owner(
        "SELECT f.* FROM second_factors f JOIN users u ON u.id = f.id WHERE u.email = $1", account.email
    )
    assert secret not in row["secret_sealed"]
    assert account.service.vault.open_bytes(row["secret_sealed"], second_factor.sealed_cell(row["id"])) == secret


def test_too_many_wrong_codes_are_rejected_and_a_password_does_not_reset_the_count(
    account: Member,
) -> None:
    _, secret, recovery = turned_on(account)
    statuses = [give(half(account), "000000").status_code for _ in range(10)]
    assert statuses == [422] * 10
    for data in (code(secret), recovery[0]):
        answer = give(half(account), data)
        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "30"
    account.service.as_owner("UPDATE sign_in_attempts SET at = at - interval '16 minutes'")
    assert give(half(account), code(secret)).status_code == 303


def test_codes_are_rate_limited_when_turning_off(account: Member) -> None:
    user, secret, _ = turned_on(account)
    wrong = {"code": "000000", "password": PASSWORD}
    statuses = [user.post("/two-steps/off", wrong, page="/two-steps").status_code for _ in range(11)]
    assert statuses == [422] * 10 + [429]
    right = {"code": code(secret), "password": PASSWORD}
    assert user.post("/two-steps/off", right, page="/two-steps").status_code == 429


def test_a_partial_session_ends_on_expiry_and_on_password_change(account: Member) -> None:
    user, secret, _ = turned_on(account)
    late = half(account)
    account.service.as_owner("UPDATE console_sessions SET expires_at = now() WHERE half")
    for answer in (late.get("/sign-in/code"), late.post("/sign-in/code", {"code": code(secret)}, page="/sign-in")):
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert "Your sign-in has expired" in page_text(late.get("/sign-in"))
    other = half(account)
    new = "another one, long enough"
    assert user.post("/password", {"current": PASSWORD, "new": new, "again": new}).status_code == 303
    assert user.get("/two-steps").status_code == 200  # who is signed in stays so
    answer = other.post("/sign-in/code", {"code": code(secret)}, page="/sign-in")
    assert answer.headers["location"] == "/sign-in"


def test_the_second_step_requires_the_first(service: Service, account: Member) -> None:
    turned_on(account)
    user = ConsoleUser(account)
    assert user.get("/sign-in/code").headers["location"] == "/sign-in"
    user.browser.cookies.set("gaji_half_session", "made up")
    assert user.get("/sign-in/code").headers["location"] == "/sign-in"
    assert give_by_hand(user, "000000").headers["location"] == "/sign-in"
    whole = signed_in_user(service.new_account())
    other = ConsoleUser(account)
    other.browser.cookies.set("gaji_half_session", whole.browser.cookies["gaji_session"])
    assert give_by_hand(other, "000000").headers["location"] == "/sign-in"  # a whole session is no half one


def give_by_hand(user: ConsoleUser, data: str) -> httpx.Response:
    """Give a code without its page."""
    result = TOKEN.search(user.get("/sign-in").text)
    assert result
    return user.browser.post("/sign-in/code", data={"code": data, "form_token": result[1]})


def test_submitting_a_code_requires_a_form_token(account: Member) -> None:
    _, secret, _ = turned_on(account)
    user = half(account)
    assert user.browser.post("/sign-in/code", data={"code": code(secret)}).status_code == 403
    assert give(user, code(secret)).status_code == 303


def test_two_step_changes_and_recovery_codes_are_audited(account: Member) -> None:
    user, secret, recovery = turned_on(account)
    give(half(account), recovery[0])
    give(half(account), code(secret))
    user.post("/two-steps/off", {"code": recovery[1], "password": PASSWORD}, page="/two-steps")
    rows = account.service.as_owner(
        "SELECT l.action, l.actor, l.user_id = u.id AS own, l.account_id = u.account_id AS there, l.before, l.after "
        "FROM audit_log l JOIN users u ON u.id = l.row_id "
        "WHERE u.email = $1 AND l.action LIKE 'second_factors.%' ORDER BY l.id",
        account.email,
    )
    assert [row["action"].partition(".")[2] for row in rows] == ["insert", "update", "update", "delete"]
    assert {(row["actor"], row["own"], row["there"]) for row in rows} == {("console", True, True)}
    text = str(rows)
    assert secret.hex() not in text
    assert text.count('"hidden"') >= 6


def test_an_operator_can_turn_two_step_sign_in_off(account: Member) -> None:
    user, _, _ = turned_on(account)
    run, database = account.service.runner.run, account.service.database
    completed = gaji(account.service.settings, "user", "two-steps-off", "--email", account.email.upper())
    assert completed.returncode == 0, completed.stderr
    assert user.get("/companies").status_code == 303
    assert ConsoleUser(account).sign_in().headers["location"] == "/"
    with pytest.raises(Conflict, match="Two-step sign-in is not enabled"):
        run(second_factor.reset_second_factor(database, account.email))
    with pytest.raises(NotFound):
        run(second_factor.reset_second_factor(database, "nobody@example.com"))
    [row] = account.service.as_owner(
        "SELECT l.account_id FROM audit_log l JOIN users u ON u.id = l.row_id AND u.account_id = l.account_id "
        "WHERE u.email = $1 AND l.action = 'second_factors.delete'",
        account.email,
    )
    assert row


def test_employees_can_use_two_step_sign_in(company: Company) -> None:
    member = company.member.colleague(company.id, "employee", company.hire())
    user, secret, _ = turned_on(member)
    assert user.get("/two-steps").status_code == 200
    again = half(member)
    assert give(again, code(secret)).headers["location"] == "/"
    assert again.get("/own").status_code == 303
