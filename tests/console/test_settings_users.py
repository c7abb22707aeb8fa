"""Users, roles and invitations."""

import re
import secrets
from functools import partial
from html import unescape
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.console.console_user import PASSWORD, ConsoleUser, page_forms, page_text, signed_in_user, signed_out_user
from tests.support.company import Company
from tests.support.races import at_once
from tests.support.running import Member

NEW = {"name": "Siti", "new": PASSWORD, "again": PASSWORD}


@pytest.fixture
def users(company: Company) -> str:
    """Where the list is."""
    return f"/companies/{company.id}/settings/users"


@pytest.fixture
def email() -> str:
    """An email that nobody has."""
    return f"{secrets.token_hex(6)}@example.com"


def link_in(answer: httpx.Response) -> str:
    """The link of an invitation."""
    assert answer.status_code == 200, page_text(answer)
    [result] = re.findall(r'<code id="link">([^<]+)</code>', answer.text)
    return unescape(result)


def invited(owner: ConsoleUser, users: str, email: str, role: str = "viewer", **more: str) -> str:
    """The token of an invitation."""
    link = link_in(owner.post(f"{users}/new", {"email": email, "role": role, **more}))
    [token] = parse_qs(urlsplit(link).query)["token"]
    return token


def accepted(user: ConsoleUser, token: str, **data: str) -> httpx.Response:
    """The answer to someone who uses an invitation."""
    page = f"/invitation?token={token}"
    return user.post("/invitation", {"token": token, **NEW, **data}, page=page)


def role_of(member: Member, client_id: int) -> str | None:
    """The role that someone has for a company."""
    rows = member.service.as_owner(
        "SELECT m.role FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = $1 AND m.client_id = $2",
        member.email,
        client_id,
    )
    return rows[0]["role"] if rows else None


def logged(company: Company, kind: str) -> list[str]:
    """What the audit log has of a kind, in its order."""
    rows = company.member.service.as_owner(
        "SELECT action FROM audit_log WHERE client_id = $1 AND action LIKE $2 ORDER BY id", company.id, f"{kind}.%"
    )
    return [row["action"].partition(".")[2] for row in rows]


class TestInvitations:
    def test_a_new_user_accepts_an_invitation(
        self, owner: ConsoleUser, company: Company, users: str, email: str
    ) -> None:
        link = link_in(owner.post(f"{users}/new", {"email": email, "role": "payroll"}))
        assert link.startswith(f"{company.member.service.url}/invitation?token=")
        user = signed_out_user(company.member.service)
        text = page_text(user.get(link))
        assert "Kopi Trading" in text
        assert "payroll officer" in text
        token = link.partition("=")[2]
        assert accepted(user, token).headers["location"] == "/"
        assert user.get(f"/companies/{company.id}/employees/new").status_code == 200
        assert email in page_text(owner.get(users))
        assert "Pending invitations" not in page_text(owner.get(users))
        assert ConsoleUser(Member(company.member.service, email, "")).sign_in().status_code == 303

    def test_a_link_does_not_contain_the_host_of_the_request(self, owner: ConsoleUser, users: str, email: str) -> None:
        data = {"form_token": owner.token(f"{users}/new"), "email": email, "role": "viewer"}
        answer = owner.browser.post(f"{users}/new", data=data, headers={"Host": "evil.example"})
        assert "<span data-origin>(address of this site)</span>/invitation?token=" in answer.text
        assert "evil.example" not in answer.text

    def test_an_invitation_works_once(self, owner: ConsoleUser, company: Company, users: str, email: str) -> None:
        token, service = invited(owner, users, email), company.member.service
        user, other = signed_out_user(service), signed_out_user(service)
        form_token = other.token(f"/invitation?token={token}")
        assert accepted(user, token).status_code == 303
        data = {"token": token, "form_token": form_token, **NEW, "new": "another password", "again": "another password"}
        refused = other.browser.post("/invitation", data=data)
        assert refused.status_code == 404
        assert "the invitation has been used or withdrawn" in page_text(refused)
        assert "If you have just used it yourself, sign in instead" in page_text(refused)
        assert other.get(f"/invitation?token={token}").status_code == 404
        assert ConsoleUser(Member(service, email, "")).sign_in().status_code == 303

    def test_concurrent_use_of_an_invitation_succeeds_once(
        self, owner: ConsoleUser, company: Company, users: str, email: str
    ) -> None:
        token, service = invited(owner, users, email), company.member.service
        people = [signed_out_user(service) for _ in range(4)]
        tokens = [user.token(f"/invitation?token={token}") for user in people]

        data = [{"token": token, "form_token": form_token, **NEW} for form_token in tokens]
        answers = at_once(
            [partial(item.browser.post, "/invitation", data=sent) for item, sent in zip(people, data, strict=True)]
        )
        assert sorted(answer.status_code for answer in answers) == [303, 404, 404, 404]

    def test_the_invitation_token_is_stored_as_a_hash_and_not_logged(
        self, owner: ConsoleUser, company: Company, users: str, email: str
    ) -> None:
        token, service = invited(owner, users, email), company.member.service
        accepted(signed_out_user(service), token)
        assert not any(token in row for rows in service.rows().values() for row in rows)
        assert not any(token in line for line in service.log_lines())
        assert token not in owner.get(users).text

    def test_invitations_expire_after_a_week_and_can_be_renewed_or_withdrawn(
        self, owner: ConsoleUser, company: Company, users: str, email: str
    ) -> None:
        token, service = invited(owner, users, email), company.member.service
        [row] = service.as_owner("SELECT id, expires_at - now() AS left FROM invitations WHERE email = $1", email)
        assert 6.9 < row["left"].total_seconds() / 86400 <= 7
        service.as_owner("UPDATE invitations SET expires_at = now() WHERE email = $1", email)
        user = signed_out_user(service)
        assert user.get(f"/invitation?token={token}").status_code == 404
        assert "Expired" in page_text(owner.get(users))
        where = f"{users}/invitations/{row['id']}"
        renewed = link_in(owner.post(f"{where}/renew", page=users)).partition("=")[2]
        assert user.get(f"/invitation?token={token}").status_code == 404
        assert user.get(f"/invitation?token={renewed}").status_code == 200
        assert owner.post(f"{where}/delete", page=users).status_code == 303
        assert user.get(f"/invitation?token={renewed}").status_code == 404
        assert owner.post(f"{where}/delete", page="/password").status_code == 404
        assert owner.post(f"{where}/renew", page="/password").status_code == 404
        assert logged(company, "invitations") == ["insert", "update", "update", "delete"]

    def test_inviting_again_replaces_the_link(
        self, owner: ConsoleUser, company: Company, users: str, email: str
    ) -> None:
        first, second = invited(owner, users, email), invited(owner, users, email.upper(), "payroll")
        user = signed_out_user(company.member.service)
        assert user.get(f"/invitation?token={first}").status_code == 404
        assert "payroll officer" in page_text(user.get(f"/invitation?token={second}"))

    def test_an_invitation_ends_when_its_creator_is_no_longer_owner(
        self, owner: ConsoleUser, company: Company, users: str, email: str
    ) -> None:
        colleague = company.member.colleague(company.id, "owner")
        token = invited(signed_in_user(colleague), users, email, "owner")
        assert owner.post(f"{users}/{colleague.user_id}/edit", {"role": "viewer"}).status_code == 303
        assert signed_out_user(company.member.service).get(f"/invitation?token={token}").status_code == 404
        assert email not in owner.get(users).text

    def test_all_errors_are_listed_and_nothing_is_saved(self, owner: ConsoleUser, company: Company, users: str) -> None:
        before = len(logged(company, "%"))
        answer = owner.post(f"{users}/new", {"email": "no address", "role": "employee", "employee_id": "Nobody"})
        assert answer.status_code == 422
        assert "Must be an email address" in page_text(answer)
        assert "Matches no employee" in page_text(answer)
        assert 'value="no address"' in answer.text
        for data in (
            {"email": "\0@example.com", "role": "viewer"},
            {"email": "İ@example.com", "role": "viewer"},
            {"email": "a@" + "x" * 300, "role": "viewer"},
            {"email": "a@example.com", "role": "king"},
            {"email": "a@example.com", "role": "none"},
            {"email": "a@example.com", "role": "employee"},
            {},
        ):
            assert owner.post(f"{users}/new", data).status_code == 422, data
        assert len(logged(company, "%")) == before

    def test_passwords_of_invitations_are_validated(
        self, owner: ConsoleUser, company: Company, users: str, email: str
    ) -> None:
        token, user = invited(owner, users, email), signed_out_user(company.member.service)
        answer = accepted(user, token, new="short", again="else", name="\0")
        assert answer.status_code == 422
        text = page_text(answer)
        assert "At least 12 characters" in text
        assert "Does not match the password" in text
        assert "control characters" in text
        assert "short" not in answer.text
        assert accepted(user, token).status_code == 303

    @pytest.mark.parametrize("token", ["x", "\0", "İ" * 50, "x" * 5000])
    def test_invalid_tokens_are_not_found(self, company: Company, token: str) -> None:
        user = signed_out_user(company.member.service)
        assert user.browser.get("/invitation", params={"token": token}).status_code == 404
        assert user.post("/invitation", {"token": token, **NEW}, page="/sign-in").status_code == 404


class TestEmailsThatAreKnown:
    def test_an_existing_user_gets_the_role_immediately_and_keeps_the_password(
        self, owner: ConsoleUser, company: Company, users: str
    ) -> None:
        other_company = company.member.new_client()
        colleague = company.member.colleague(other_company, "viewer")
        user = signed_in_user(colleague)
        assert user.get(f"/companies/{company.id}").status_code == 404
        answer = owner.post(f"{users}/new", {"email": colleague.email.upper(), "role": "viewer"})
        assert answer.status_code == 303
        assert user.get(f"/companies/{company.id}").status_code == 200
        assert colleague.get(f"/clients/{company.id}").status_code == 200
        again = owner.post(f"{users}/new", {"email": colleague.email, "role": "owner"})
        assert again.status_code == 422
        assert "already has a role for this company" in page_text(again)
        assert role_of(colleague, company.id) == "viewer"

    def test_an_email_of_another_account_looks_new_and_its_user_does_not_change(
        self, owner: ConsoleUser, company: Company, users: str
    ) -> None:
        service = company.member.service
        foreign = signed_in_user(service.new_account()).member
        token = invited(owner, users, foreign.email)
        user = signed_out_user(service)
        assert "You already have a Gaji account" not in page_text(user.get(f"/invitation?token={token}"))
        answer = accepted(user, token, new="taken over, or not", again="taken over, or not")
        assert answer.status_code == 409
        assert "sign in with it to accept" in page_text(answer)
        assert ConsoleUser(foreign).sign_in("taken over, or not").status_code == 422
        assert ConsoleUser(foreign).sign_in().status_code == 303
        assert role_of(foreign, company.id) is None

    def test_an_invitation_never_changes_the_password_of_an_existing_user(
        self, owner: ConsoleUser, company: Company, users: str
    ) -> None:
        colleague = company.member.colleague(company.member.new_client(), "viewer")
        service = company.member.service
        other_email = f"{secrets.token_hex(6)}@example.com"
        token = invited(owner, users, other_email, "payroll")
        service.as_owner("UPDATE users SET email = $2 WHERE email = $1", colleague.email, other_email)
        known = signed_in_user(Member(service, other_email, colleague.key))
        user = signed_out_user(service)
        assert "Your password does not change" in page_text(user.get(f"/invitation?token={token}"))
        assert accepted(user, token, new="taken over, or not", again="taken over, or not").status_code == 303
        assert "gaji_session" not in user.browser.cookies
        assert ConsoleUser(known.member).sign_in("taken over, or not").status_code == 422
        assert role_of(known.member, company.id) == "payroll"

    def test_an_existing_user_who_is_signed_in_has_access_at_once(
        self, owner: ConsoleUser, company: Company, users: str
    ) -> None:
        colleague = company.member.colleague(company.member.new_client(), "viewer")
        service = company.member.service
        emails = [f"{secrets.token_hex(6)}@example.com" for _ in range(2)]
        tokens = [invited(owner, users, email) for email in emails]
        service.as_owner("UPDATE users SET email = $2 WHERE email = $1", colleague.email, emails[0].upper())
        user = signed_in_user(Member(service, emails[0].upper(), colleague.key))
        assert accepted(user, tokens[0]).status_code == 303
        page = page_text(user.get("/companies"))
        assert "Invitation accepted. You now have access to" in page
        assert "existing password" not in page
        assert user.get(f"/companies/{company.id}").status_code == 200
        other = company.member.colleague(company.member.new_client(), "viewer")
        service.as_owner("UPDATE users SET email = $2 WHERE email = $1", other.email, emails[1])
        accepted(user, tokens[1])
        assert f"Sign in as {emails[1]} with your existing password" in page_text(user.get("/companies"))


class TestRoles:
    def test_a_changed_role_applies_immediately_to_pages_and_keys(
        self, owner: ConsoleUser, company: Company, users: str
    ) -> None:
        colleague = company.member.colleague(company.id, "payroll")
        user = signed_in_user(colleague)
        assert user.get(f"/companies/{company.id}/employees/new").status_code == 200
        assert colleague.patch(f"/clients/{company.id}", {"name": "Changed"}).status_code == 200
        page = f"{users}/{colleague.user_id}"
        assert owner.post(f"{page}/edit", {"role": "viewer"}).status_code == 303
        assert user.get(f"/companies/{company.id}/employees/new").status_code == 403
        assert colleague.patch(f"/clients/{company.id}", {"name": "Again"}).status_code == 403
        assert owner.post(f"{page}/delete", page=f"{page}/edit").status_code == 303
        assert user.get(f"/companies/{company.id}").status_code == 404
        assert colleague.get(f"/clients/{company.id}").status_code == 401
        assert owner.get(f"{page}/edit").status_code == 404
        assert logged(company, "memberships")[-3:] == ["insert", "update", "delete"]

    def test_the_employee_role_requires_an_employee_of_the_company(
        self, owner: ConsoleUser, company: Company, users: str
    ) -> None:
        own_id, _ = company.hire(first_name="Aisha", last_name="Binte"), company.hire(first_name="Wei Jie")
        colleague = company.member.colleague(company.id, "viewer")
        page = f"{users}/{colleague.user_id}/edit"
        for text in ("", "x", "mei"):
            assert owner.post(page, {"role": "employee", "employee_id": text}).status_code == 422, text
        assert role_of(colleague, company.id) == "viewer"
        assert owner.post(page, {"role": "employee", "employee_id": "aisha"}).status_code == 303
        assert signed_in_user(colleague).get("/own").headers["location"] == f"/own/{own_id}"
        number = company.employee(own_id)["number"]
        assert re.search(rf'name="employee_id"[^>]*value="{number}"', owner.get(page).text)
        assert owner.post(page, {"role": "payroll", "employee_id": number}).status_code == 303
        assert role_of(colleague, company.id) == "payroll"

    def test_an_employee_id_is_not_accepted_as_a_number(self, owner: ConsoleUser, company: Company, users: str) -> None:
        employee_id = company.hire()
        colleague = company.member.colleague(company.id, "viewer")
        data = {"role": "employee", "employee_id": str(employee_id + 10**9)}
        assert owner.post(f"{users}/{colleague.user_id}/edit", data).status_code == 422

    def test_the_last_owner_cannot_be_removed(self, owner: ConsoleUser, company: Company, users: str) -> None:
        service = company.member.service
        service.as_owner("UPDATE users SET administrator = false WHERE email = $1", company.member.email)
        page = f"{users}/{company.member.user_id}"
        for answer in (
            owner.post(f"{page}/edit", {"role": "payroll"}),
            owner.post(f"{page}/delete", page=f"{page}/edit"),
        ):
            assert answer.status_code == 409
            assert "is the only owner of this company" in page_text(answer)
        colleague = company.member.colleague(company.id, "owner")
        service.as_owner("UPDATE users SET disabled_at = now() WHERE email = $1", colleague.email)
        assert owner.post(f"{page}/edit", {"role": "payroll"}).status_code == 409
        service.as_owner("UPDATE users SET disabled_at = NULL WHERE email = $1", colleague.email)
        left = owner.post(f"{page}/delete", page=f"{page}/edit")
        assert left.headers["location"] == "/"
        assert owner.get(users).status_code == 404

    def test_administrators_own_every_company(self, owner: ConsoleUser, company: Company, users: str) -> None:
        company.member.colleague(company.id, "owner")
        page = f"{users}/{company.member.user_id}"
        assert owner.post(f"{page}/edit", {"role": "payroll"}).status_code == 409
        assert owner.post(f"{page}/delete", page=f"{page}/edit").status_code == 409
        assert "Remove access" not in page_text(owner.get(f"{page}/edit"))

    def test_two_owners_cannot_remove_each_other_concurrently(self, company: Company, users: str) -> None:
        service = company.member.service
        pair = [company.member.colleague(company.id, "owner") for _ in range(2)]
        service.as_owner(
            "DELETE FROM memberships m USING users u WHERE u.id = m.user_id AND u.email = $1", company.member.email
        )
        people = [signed_in_user(user) for user in pair]
        forms = [{"form_token": user.token("/password"), "confirmed": "yes"} for user in people]
        paths = [f"{users}/{user.user_id}/delete" for user in reversed(pair)]
        answers = at_once(
            [partial(item.browser.post, path, data=data) for item, path, data in zip(people, paths, forms, strict=True)]
        )
        assert [answer.status_code for answer in answers].count(303) == 1
        assert len([user for user in pair if role_of(user, company.id) == "owner"]) == 1


class TestWhoMay:
    def test_payroll_officers_see_users_but_cannot_change_roles(
        self, company: Company, users: str, owner: ConsoleUser
    ) -> None:
        invited(owner, users, "someone.new@example.com")
        payroll = company.member.colleague(company.id, "payroll")
        user = signed_in_user(payroll)
        page = user.get(users)
        assert page.status_code == 200
        assert [form for form in page_forms(page) if form[0] == "post"] == []
        assert "/new" not in page.text
        assert "someone.new@example.com" not in page.text
        own_id = f"{users}/{payroll.user_id}"
        for path in (f"{users}/new", f"{own_id}/edit"):
            assert user.get(path).status_code == 403
        for path in (f"{users}/new", f"{own_id}/edit", f"{own_id}/delete"):
            answer = user.post(path, {"email": "a@example.com", "role": "owner"}, page="/password")
            assert answer.status_code == 403
        assert role_of(payroll, company.id) == "payroll"

    def test_users_of_another_company_are_not_found(self, owner: ConsoleUser, company: Company, users: str) -> None:
        elsewhere = company.member.colleague(company.member.new_client(), "viewer")
        foreign = company.member.service.new_account()
        for user_id in (elsewhere.user_id, foreign.user_id, 10**9):
            assert owner.get(f"{users}/{user_id}/edit").status_code == 404
            assert owner.post(f"{users}/{user_id}/edit", {"role": "owner"}, page="/password").status_code == 404
            assert owner.post(f"{users}/{user_id}/delete", page="/password").status_code == 404
