"""Change of email without mail: an owner hands over a code. tests/mail has the links."""

import re
from dataclasses import replace
from functools import partial

import httpx
import pytest

from gaji.core.errors import Conflict, NotFound, ValidationError
from gaji.identity import email_changes
from tests.console.console_user import PASSWORD, ConsoleUser, page_text, signed_in_user, signed_out_user
from tests.console.test_access_log import events
from tests.console.test_password_reset import create_link
from tests.console.test_password_reset import token_in as reset_token
from tests.support.company import Company
from tests.support.races import at_once
from tests.support.running import Member


def ask(user: ConsoleUser, email: str) -> None:
    """Ask for a new address."""
    assert user.post("/email", {"email": email}).headers["location"] == "/email"


def code_path(company: Company, member: Member) -> str:
    """The path of the action that makes a code."""
    return f"/companies/{company.id}/settings/users/{member.user_id}/email"


def code_in(answer: httpx.Response) -> str:
    """The code on a page."""
    assert answer.status_code == 200, page_text(answer)
    [code] = re.findall(r'<code id="code">([^<]+)</code>', answer.text)
    return str(code)


def make_code(owner: ConsoleUser, company: Company, member: Member) -> str:
    """Make a code for what the member asked for."""
    return code_in(owner.post(code_path(company, member), page="/password"))


def confirm(user: ConsoleUser, code: str, **data: str) -> httpx.Response:
    """Confirm the new address."""
    return user.post("/email/confirm", {"token": code, **data}, page=f"/email/confirm?token={code}")


def exists(member: Member, email: str | None = None) -> bool:
    """Whether a user has the member's address, or another one."""
    rows = member.service.as_owner("SELECT FROM users WHERE email = $1", email or member.email)
    return len(rows) == 1


def new_address(member: Member) -> str:
    return f"New.{member.email}"


@pytest.fixture
def member(company: Company) -> Member:
    """A payroll officer of the company."""
    return company.member.colleague(company.id, "payroll")


def test_a_code_of_an_owner_confirms_the_new_address(owner: ConsoleUser, company: Company, member: Member) -> None:
    user, elsewhere, new = signed_in_user(member), signed_in_user(member), new_address(member)
    link = reset_token(create_link(owner, company, member))
    ask(user, new)
    assert f"You asked to sign in with {new}" in page_text(user.get("/email"))
    edit_page = owner.get(f"/companies/{company.id}/settings/users/{member.user_id}/edit")
    assert new in edit_page.text
    assert f'action="{code_path(company, member)}"' in edit_page.text
    code = make_code(owner, company, member)
    assert exists(member)
    assert confirm(user, code).headers["location"] == "/"
    assert exists(member, new)
    assert not exists(member)
    assert user.get("/companies").status_code == 200
    assert elsewhere.get("/companies").status_code == 303
    assert user.get(f"/reset-password?token={link}").status_code == 404
    assert user.get(f"/email/confirm?token={code}").status_code == 404
    assert [row["count"] for row in events(replace(member, email=new), "email_changed")] == [1]
    assert ConsoleUser(member).sign_in().status_code == 422
    assert signed_out_user(member.service).post("/sign-in", {"email": new, "password": PASSWORD}).status_code == 303


def test_employees_change_their_address(owner: ConsoleUser, company: Company) -> None:
    member = company.member.colleague(company.id, "employee", company.hire())
    user, new = signed_in_user(member), new_address(member)
    ask(user, new)
    assert user.post("/email/keep", page="/email").headers["location"] == "/email"
    ask(user, new)
    wrong = user.get("/email/confirm?token=0000")
    assert 'aria-label="Portal"' in wrong.text
    assert 'href="/companies"' not in wrong.text
    assert confirm(user, make_code(owner, company, member)).headers["location"] == "/"
    assert exists(member, new)
    assert user.get("/").headers["location"] == "/own"


def test_a_mistyped_code_leads_back_to_the_form(owner: ConsoleUser, company: Company, member: Member) -> None:
    user = signed_in_user(member)
    ask(user, new_address(member))
    code = make_code(owner, company, member)
    answer = user.get(f"/email/confirm?token={code}X")
    assert answer.status_code == 404
    assert "This code does not work. Check it for typing errors" in page_text(answer)
    assert f'value="{code}X"' in answer.text
    assert 'action="/email/confirm"' in answer.text
    assert confirm_unknown(user).status_code == 404
    assert confirm(user, code).status_code == 303


def test_owners_are_told_whom_to_ask_if_they_are_alone(owner: ConsoleUser, company: Company, member: Member) -> None:
    alone = "gaji user change-email"
    assert alone in page_text(owner.get("/email"))
    ask(owner, new_address(company.member))
    assert alone in page_text(owner.get("/email"))
    assert alone not in page_text(signed_in_user(member).get("/email"))


def test_the_audit_log_has_every_step_and_no_code(owner: ConsoleUser, company: Company, member: Member) -> None:
    user, service, user_id = signed_in_user(member), member.service, member.user_id
    ask(user, new_address(member))
    code = make_code(owner, company, member).replace("-", "")
    confirm(user, code)
    rows = service.as_owner(
        "SELECT user_id, action FROM audit_log WHERE action LIKE 'email_changes.%' "
        "AND account_id = (SELECT account_id FROM users WHERE id = $1) ORDER BY id",
        user_id,
    )
    steps = [(row["user_id"], row["action"].partition(".")[2]) for row in rows]
    assert steps == [(user_id, "insert"), (company.member.user_id, "update"), (user_id, "delete")]
    assert not any(code in row for rows in service.rows().values() for row in rows)


def test_a_new_password_says_that_it_ends_a_pending_change(member: Member) -> None:
    user, new = signed_in_user(member), new_address(member).lower()
    assert "not confirmed yet" not in page_text(user.get("/password"))
    ask(user, new)
    assert f"Your new email address {new} is not confirmed yet." in page_text(user.get("/password"))
    data = {"current": PASSWORD, "new": "correct horse battery 7", "again": "correct horse battery 7"}
    assert user.post("/password", data).headers["location"] == "/email"
    text = page_text(user.get("/email"))
    assert "Password changed. You are signed out on all other devices." in text
    assert (
        f"Your request to change your email address to {new} has ended for your safety. Request it again here" in text
    )
    assert "Waiting for confirmation" not in text


def test_someone_who_is_not_signed_in_enters_the_password(owner: ConsoleUser, company: Company, member: Member) -> None:
    ask(signed_in_user(member), new_address(member))
    code, stranger = make_code(owner, company, member), signed_out_user(member.service)
    for wrong in ({}, {"password": "wrong"}):
        assert confirm(stranger, code, **wrong).status_code == 422
        assert confirm(owner, code, **wrong).status_code == 422
    assert exists(member)
    assert confirm(stranger, code, password=PASSWORD).status_code == 303
    assert exists(member, new_address(member))
    assert stranger.get("/companies").status_code == 303


def test_a_taken_address_looks_the_same_and_is_never_given(
    owner: ConsoleUser, company: Company, member: Member
) -> None:
    foreign = member.service.new_account()
    user = signed_in_user(member)
    pages = []
    for email in (foreign.email.upper(), new_address(member)):
        ask(user, email)
        text = page_text(user.get("/email")).replace(email, "…")
        edit = owner.get(f"/companies/{company.id}/settings/users/{member.user_id}/edit")
        pages.append((text, page_text(edit).replace(email, "…")))
    assert pages[0] == pages[1]
    ask(user, foreign.email)
    code = make_code(owner, company, member)
    answer = confirm(user, code)
    assert answer.status_code == 404
    texts = [page_text(page).partition("Request ID")[0] for page in (answer, confirm_unknown(user))]
    assert texts[0] == texts[1]
    assert exists(member)
    assert exists(foreign)


def confirm_unknown(user: ConsoleUser) -> httpx.Response:
    """Send a code that does not exist."""
    return user.post("/email/confirm", {"token": "0000-0000-0000-0000"}, page="/email")


def test_of_two_users_who_confirm_one_address_at_once_one_gets_it(owner: ConsoleUser, company: Company) -> None:
    members = [company.member.colleague(company.id, "viewer") for _ in range(2)]
    users, new = [signed_in_user(member) for member in members], new_address(members[0])
    for user in users:
        ask(user, new)
    codes = [make_code(owner, company, member) for member in members]
    tokens = [user.token("/email") for user in users]
    calls = [
        partial(user.browser.post, "/email/confirm", data={"token": code, "form_token": token})
        for user, code, token in zip(users, codes, tokens, strict=True)
    ]
    assert sorted(answer.status_code for answer in at_once(calls)) == [303, 404]
    assert sorted(exists(member) for member in members) == [False, True]
    assert exists(members[0], new)


def test_bad_addresses_are_rejected(owner: ConsoleUser, member: Member) -> None:
    user = signed_in_user(member)
    for email in ("", "nobody", "ä@example.com", "x" * 250 + "@example.com", "a\0@example.com", member.email.upper()):
        assert user.post("/email", {"email": email}).status_code == 422, email
    assert "Waiting" not in page_text(user.get("/email"))


def test_requests_are_limited(member: Member) -> None:
    user = signed_in_user(member)
    for number in range(email_changes.MAX_REQUESTS):
        ask(user, f"{number}.{new_address(member)}")
    answer = user.post("/email", {"email": new_address(member)})
    assert answer.status_code == 429
    assert "Too many requests" in page_text(answer)


class TestEndOfCodes:
    def test_a_new_request_a_new_code_or_a_new_password_ends_the_code(
        self, owner: ConsoleUser, company: Company, member: Member
    ) -> None:
        user = signed_in_user(member)
        ask(user, new_address(member))
        codes = [make_code(owner, company, member) for _ in range(2)]
        assert [user.get(f"/email/confirm?token={code}").status_code for code in codes] == [404, 200]
        ask(user, f"other.{new_address(member)}")
        assert user.get(f"/email/confirm?token={codes[1]}").status_code == 404
        code = make_code(owner, company, member)
        member.service.as_owner("UPDATE users SET password_hash = 'another' WHERE id = $1", member.user_id)
        assert user.get(f"/email/confirm?token={code}").status_code == 404

    def test_the_user_can_cancel_and_codes_expire(self, owner: ConsoleUser, company: Company, member: Member) -> None:
        user = signed_in_user(member)
        ask(user, new_address(member))
        code = make_code(owner, company, member)
        member.service.as_owner("UPDATE email_changes SET expires_at = now() WHERE user_id = $1", member.user_id)
        assert user.get(f"/email/confirm?token={code}").status_code == 404
        assert "Waiting" not in page_text(user.get("/email"))
        ask(user, new_address(member))
        code = make_code(owner, company, member)
        assert user.post("/email/keep", page="/email").headers["location"] == "/email"
        assert user.get(f"/email/confirm?token={code}").status_code == 404

    def test_a_code_ends_when_its_maker_is_no_longer_an_owner(self, company: Company, member: Member) -> None:
        maker = company.member.colleague(company.id, "owner")
        user = signed_in_user(member)
        ask(user, new_address(member))
        code = make_code(signed_in_user(maker), company, member)
        maker.service.as_owner("UPDATE memberships SET role = 'viewer' WHERE user_id = $1", maker.user_id)
        assert user.get(f"/email/confirm?token={code}").status_code == 404


class TestWhoMayMakeACode:
    def test_others_than_owners_and_the_user_may_not(
        self, owner: ConsoleUser, company: Company, member: Member
    ) -> None:
        ask(signed_in_user(member), new_address(member))
        for role in ("payroll", "viewer"):
            colleague = signed_in_user(company.member.colleague(company.id, role))
            assert colleague.post(code_path(company, member), page="/password").status_code == 403
        ask(owner, new_address(company.member))
        assert owner.post(code_path(company, company.member), page="/password").status_code == 409
        foreign = signed_in_user(Company.of(member.service.new_account()).member)
        assert foreign.post(code_path(company, member), page="/password").status_code == 404

    def test_an_owner_of_one_company_may_not_for_users_of_others(self, company: Company, member: Member) -> None:
        other_id = company.member.new_client(name="Another company")
        insert = "INSERT INTO memberships (client_id, user_id, role) VALUES ($1, $2, 'viewer')"
        member.service.as_owner(insert, other_id, member.user_id)
        ask(signed_in_user(member), new_address(member))
        owner_of_one = signed_in_user(company.member.colleague(company.id, "owner"))
        assert owner_of_one.post(code_path(company, member), page="/password").status_code == 409
        edit_page = owner_of_one.get(f"/companies/{company.id}/settings/users/{member.user_id}/edit")
        assert new_address(member) not in edit_page.text

    def test_there_is_no_code_without_a_request(self, owner: ConsoleUser, company: Company, member: Member) -> None:
        assert owner.post(code_path(company, member), page="/password").status_code == 409


def test_an_operator_changes_an_address_at_once(member: Member) -> None:
    user, service, new = signed_in_user(member), member.service, new_address(member)

    def change(email: str, new_email: str) -> None:
        service.runner.run(email_changes.change_as_operator(service.database, email, new_email))

    with pytest.raises(Conflict):
        change(member.email, service.new_account().email)
    with pytest.raises(ValidationError):
        change(member.email, "nobody")
    change(member.email, new)
    assert exists(member, new)
    assert user.get("/companies").status_code == 303
    with pytest.raises(NotFound):
        change(member.email, f"other.{new}")
