"""Forgotten passwords: links that owners and operators make."""

import re
from functools import partial
from html import unescape
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from gaji.identity import password_resets
from tests.console.console_user import ConsoleUser, page_text, signed_in_user, signed_out_user
from tests.console.test_two_factor import turned_on
from tests.support.company import Company
from tests.support.races import at_once
from tests.support.running import Member

NEW = "seven green kettles sing"


def reset_path(company: Company, member: Member) -> str:
    """The path of the action that makes a link."""
    return f"/companies/{company.id}/settings/users/{member.user_id}/reset"


def create_link(owner: ConsoleUser, company: Company, member: Member) -> httpx.Response:
    """Make a link for a member."""
    return owner.post(reset_path(company, member), page="/password")


def token_in(answer: httpx.Response) -> str:
    """The token of the link on a page."""
    assert answer.status_code == 200, page_text(answer)
    [link] = re.findall(r'<code id="link">([^<]+)</code>', answer.text)
    [token] = parse_qs(urlsplit(unescape(link)).query)["token"]
    return token


def use(user: ConsoleUser, token: str, new: str = NEW, again: str | None = None) -> httpx.Response:
    """Set a password with a link."""
    data = {"token": token, "new": new, "again": new if again is None else again}
    return user.post("/reset-password", data, page=f"/reset-password?token={token}")


@pytest.fixture
def member(company: Company) -> Member:
    """A payroll officer of the company."""
    return company.member.colleague(company.id, "payroll")


class TestOwnersLink:
    def test_a_user_sets_a_password_with_the_link_and_other_sessions_end(
        self, owner: ConsoleUser, company: Company, member: Member
    ) -> None:
        elsewhere = signed_in_user(member)
        edit_page = owner.get(f"/companies/{company.id}/settings/users/{member.user_id}/edit")
        assert f'action="{reset_path(company, member)}"' in edit_page.text
        token = token_in(create_link(owner, company, member))
        user = signed_out_user(company.member.service)
        assert member.email in user.get(f"/reset-password?token={token}").text
        assert elsewhere.get("/companies").status_code == 200
        assert use(user, token).headers["location"] == "/"
        assert user.get(f"/companies/{company.id}/employees").status_code == 200
        assert elsewhere.get("/companies").status_code == 303
        assert ConsoleUser(member).sign_in().status_code == 422
        assert ConsoleUser(member).sign_in(NEW).status_code == 303

    def test_an_employee_sets_a_password_with_the_code_of_a_slip(self, owner: ConsoleUser, company: Company) -> None:
        employee_id = company.hire(first_name="Siti")
        employee = company.member.colleague(company.id, "employee", employee_id)
        access = f"/companies/{company.id}/self-service"
        assert f'action="{reset_path(company, employee)}"' in owner.get(access).text
        slip = owner.post(reset_path(company, employee), {"origin": "self-service"}, page=access)
        assert f'<a class="button" href="{access}">Done</a>' in slip.text
        assert "<svg" in slip.text
        assert "Phones cannot open" in page_text(slip)
        [code] = re.findall(r"\b(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}\b", page_text(slip))
        user = signed_out_user(company.member.service)
        assert 'action="/reset-password"' in user.get("/reset-password").text
        short = user.get(f"/reset-password?token={code[:14]}")
        assert short.status_code == 404
        assert "The code has 16 letters and digits. You entered 12." in page_text(short)
        wrong = user.get("/reset-password?token=0000-0000-0000-0000")
        assert "Check the code for typing errors. If it has none, it has been used or replaced" in page_text(wrong)
        typed = code.lower().replace("-", " ")
        assert employee.email in user.get(f"/reset-password?token={typed}").text
        location = user.get(f"/invitation?token={typed}").headers["location"]
        assert location.startswith("/reset-password?")
        assert employee.email in user.get(location).text
        assert use(user, typed).status_code == 303
        assert user.get(f"/own/{employee_id}").status_code == 200
        for page in ("reset-password", "invitation"):
            used = user.get(f"/{page}?token={code}")
            assert used.status_code == 404
            assert "If you have used it already, sign in instead." in page_text(used)

    def test_a_link_works_once_and_not_after_a_day(self, owner: ConsoleUser, company: Company, member: Member) -> None:
        service = company.member.service
        token = token_in(create_link(owner, company, member))
        users = [signed_out_user(service) for _ in range(3)]
        tokens = [user.token(f"/reset-password?token={token}") for user in users]
        data = [{"token": token, "form_token": form_token, "new": NEW, "again": NEW} for form_token in tokens]
        calls = [
            partial(user.browser.post, "/reset-password", data=sent) for user, sent in zip(users, data, strict=True)
        ]
        answers = sorted(at_once(calls), key=lambda answer: answer.status_code)
        assert [answer.status_code for answer in answers] == [303, 404, 404]
        for refused in answers[1:]:
            assert "it has been used or replaced, or is older than a day; start again" in page_text(refused)
            assert "If you have just used it yourself, sign in instead" in page_text(refused)
            assert 'href="/sign-in"' in refused.text
        token = token_in(create_link(owner, company, member))
        service.as_owner("UPDATE password_resets SET expires_at = now() WHERE user_id = $1", member.user_id)
        assert signed_out_user(service).get(f"/reset-password?token={token}").status_code == 404

    def test_a_new_link_or_a_new_password_ends_the_old_link(
        self, owner: ConsoleUser, company: Company, member: Member
    ) -> None:
        tokens = [token_in(create_link(owner, company, member)) for _ in range(2)]
        user = signed_out_user(company.member.service)
        assert [user.get(f"/reset-password?token={token}").status_code for token in tokens] == [404, 200]
        member.service.as_owner("UPDATE users SET password_hash = 'another' WHERE id = $1", member.user_id)
        assert user.get(f"/reset-password?token={tokens[1]}").status_code == 404

    def test_bad_passwords_are_rejected_and_the_link_still_works(
        self, owner: ConsoleUser, company: Company, member: Member
    ) -> None:
        token, user = token_in(create_link(owner, company, member)), signed_out_user(company.member.service)
        for new, again in (("short", "short"), (NEW, "different"), ("Password2026!", "Password2026!")):
            answer = use(user, token, new, again)
            assert answer.status_code == 422
            assert new not in answer.text
        assert use(user, token).status_code == 303

    def test_a_password_of_the_own_name_is_rejected(self, owner: ConsoleUser, company: Company, member: Member) -> None:
        service = company.member.service
        service.as_owner("UPDATE users SET name = 'Rosnah Ibrahim' WHERE id = $1", member.user_id)
        token, user = token_in(create_link(owner, company, member)), signed_out_user(service)
        answer = use(user, token, "Rosnah.Ibrahim.88", "Rosnah.Ibrahim.88")
        assert answer.status_code == 422
        assert "is easy to guess" in answer.text

    def test_the_second_factor_is_still_asked_for(self, owner: ConsoleUser, company: Company, member: Member) -> None:
        turned_on(member)
        token, user = token_in(create_link(owner, company, member)), signed_out_user(company.member.service)
        assert use(user, token).headers["location"] == "/sign-in/code"
        assert user.get("/companies").status_code == 303

    def test_the_token_is_stored_as_a_hash_and_the_audit_log_has_every_step(
        self, owner: ConsoleUser, company: Company, member: Member
    ) -> None:
        token, service = token_in(create_link(owner, company, member)), company.member.service
        use(signed_out_user(service), token)
        assert not any(token in row for rows in service.rows().values() for row in rows)
        assert not any(token in line for line in service.log_lines())
        rows = service.as_owner(
            "SELECT user_id, action FROM audit_log WHERE coalesce(before, after)->>'user_id' = $1 "
            "AND action LIKE 'password_resets.%' ORDER BY id",
            str(member.user_id),
        )
        steps = [(row["user_id"], row["action"].partition(".")[2]) for row in rows]
        assert steps == [(company.member.user_id, "insert"), (member.user_id, "delete")]


class TestWhoMayMakeALink:
    def test_others_than_owners_may_not(self, company: Company, member: Member) -> None:
        for role in ("payroll", "viewer"):
            user = signed_in_user(company.member.colleague(company.id, role))
            assert create_link(user, company, member).status_code == 403

    def test_an_owner_gets_no_access_to_other_companies_of_a_user(self, company: Company, member: Member) -> None:
        other_id = company.member.new_client(name="Another company")
        owner_of_one = signed_in_user(company.member.colleague(company.id, "owner"))
        token = token_in(create_link(owner_of_one, company, member))
        insert = "INSERT INTO memberships (client_id, user_id, role) VALUES ($1, $2, 'viewer')"
        member.service.as_owner(insert, other_id, member.user_id)
        answer = create_link(owner_of_one, company, member)
        assert answer.status_code == 403
        assert "Only an administrator of the account" in page_text(answer)
        # A link from before ends as well.
        assert signed_out_user(member.service).get(f"/reset-password?token={token}").status_code == 404
        assert create_link(signed_in_user(company.member), company, member).status_code == 200

    def test_an_owner_cannot_reset_an_administrator_or_themselves(self, company: Company, owner: ConsoleUser) -> None:
        ordinary_owner = signed_in_user(company.member.colleague(company.id, "owner"))
        assert create_link(ordinary_owner, company, company.member).status_code == 403
        assert create_link(owner, company, company.member).status_code == 409

    def test_a_link_ends_when_its_maker_is_no_longer_an_owner(self, company: Company, member: Member) -> None:
        maker = company.member.colleague(company.id, "owner")
        token = token_in(create_link(signed_in_user(maker), company, member))
        maker.service.as_owner("UPDATE memberships SET role = 'viewer' WHERE user_id = $1", maker.user_id)
        assert signed_out_user(member.service).get(f"/reset-password?token={token}").status_code == 404

    def test_disabled_users_get_no_link(self, owner: ConsoleUser, company: Company, member: Member) -> None:
        token = token_in(create_link(owner, company, member))
        member.service.as_owner("UPDATE users SET disabled_at = now() WHERE id = $1", member.user_id)
        assert create_link(owner, company, member).status_code == 409
        assert signed_out_user(member.service).get(f"/reset-password?token={token}").status_code == 404


def test_an_operator_makes_a_link(company: Company, member: Member) -> None:
    async def create() -> str:
        return await password_resets.create_reset_as_operator(member.service.database, member.email)

    tokens = [member.service.runner.run(create()) for _ in range(2)]
    user = signed_out_user(member.service)
    assert user.get(f"/reset-password?token={tokens[0]}").status_code == 404
    assert use(user, tokens[1]).status_code == 303
    assert ConsoleUser(member).sign_in(NEW).status_code == 303


def test_the_sign_in_page_says_what_to_do(company: Company) -> None:
    user = signed_out_user(company.member.service)
    assert 'href="/sign-in/forgotten"' in user.get("/sign-in").text
    assert "Ask the person who does your payroll for a password slip" in page_text(user.get("/sign-in/forgotten"))
