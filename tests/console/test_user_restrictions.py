"""Owners disable users, end their sessions and revoke their API keys."""

import httpx
import pytest

from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.support.company import Company
from tests.support.running import Member


def edit_path(company: Company, member: Member) -> str:
    """The path of the page with the buttons."""
    return f"/companies/{company.id}/settings/users/{member.user_id}/edit"


def restrict(
    user: ConsoleUser, company: Company, member: Member, decision: str, confirmed: str = "yes"
) -> httpx.Response:
    """Restrict a member, with an answer to the question."""
    path = f"/companies/{company.id}/settings/users/{member.user_id}/access/{decision}"
    return user.post(path, {"confirmed": confirmed}, page="/password")


def audited(company: Company, user_id: int) -> list[tuple[int, str]]:
    """What the audit log has about a user and who did it."""
    rows = company.member.service.as_owner(
        "SELECT user_id, action FROM audit_log WHERE user_id IS NOT NULL AND (row_id = $1 AND action IN "
        "('users.update', 'console_sessions.delete') OR action = 'api_keys.update' AND row_id IN "
        "(SELECT id FROM api_keys WHERE user_id = $1)) ORDER BY id",
        user_id,
    )
    return [(row["user_id"], row["action"]) for row in rows]


@pytest.fixture
def member(company: Company) -> Member:
    """A payroll officer of the company."""
    return company.member.colleague(company.id, "payroll")


def test_a_disabled_user_can_do_nothing_until_enabled(owner: ConsoleUser, company: Company, member: Member) -> None:
    elsewhere = signed_in_user(member)
    question = restrict(owner, company, member, "disable", confirmed="")
    assert "Disable this user?" in page_text(question)
    assert elsewhere.get("/companies").status_code == 200
    assert restrict(owner, company, member, "disable").headers["location"] == edit_path(company, member)
    assert "can no longer sign in" in page_text(owner.get(edit_path(company, member)))
    assert elsewhere.get("/companies").status_code == 303
    assert ConsoleUser(member).sign_in().status_code == 422
    assert member.get("/clients").status_code == 401
    owner_id = company.member.user_id
    assert audited(company, member.user_id) == [(owner_id, "users.update"), (owner_id, "console_sessions.delete")]
    assert restrict(owner, company, member, "enable").status_code == 303
    assert ConsoleUser(member).sign_in().status_code == 303
    assert member.get("/clients").status_code == 200


def test_owners_do_not_enable_a_user_whom_the_operator_disabled(
    owner: ConsoleUser, company: Company, member: Member
) -> None:
    disable = "UPDATE users SET disabled_at = now(), disabled_by = NULL WHERE email = $1"
    company.member.service.as_owner(disable, member.email)
    assert restrict(owner, company, member, "enable").status_code == 403
    assert member.get("/clients").status_code == 401


def test_sessions_end_and_keys_are_revoked(owner: ConsoleUser, company: Company, member: Member) -> None:
    elsewhere, another = signed_in_user(member), member.with_another_key()
    assert restrict(owner, company, member, "sign-out").status_code == 303
    assert "has been signed out on all devices" in page_text(owner.get(edit_path(company, member)))
    assert elsewhere.get("/companies").status_code == 303
    assert restrict(owner, company, member, "revoke-keys").status_code == 303
    assert "have been revoked" in page_text(owner.get(edit_path(company, member)))
    assert [key.get("/clients").status_code for key in (member, another)] == [401, 401]
    assert ConsoleUser(member).sign_in().status_code == 303
    owner_id = company.member.user_id
    assert audited(company, member.user_id) == [
        (owner_id, "users.update"),
        (owner_id, "console_sessions.delete"),
        (owner_id, "api_keys.update"),
        (owner_id, "api_keys.update"),
    ]


@pytest.mark.parametrize("decision", ["disable", "sign-out", "revoke-keys"])
def test_it_takes_an_owner_of_all_companies_of_the_user(company: Company, member: Member, decision: str) -> None:
    administrator = company.member
    owner = signed_in_user(administrator.colleague(company.id, "owner"))
    officer = signed_in_user(administrator.colleague(company.id, "payroll"))
    elsewhere = administrator.new_client()
    administrator.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role) VALUES ($1, $2, 'viewer')", elsewhere, member.user_id
    )
    for user, target, status in (
        (officer, member, 403),
        (owner, member, 403),
        (owner, administrator, 403),
        (owner, owner.member, 409),
    ):
        assert restrict(user, company, target, decision).status_code == status
    assert member.get("/clients").status_code == administrator.get("/clients").status_code == 200
    assert restrict(signed_in_user(administrator), company, member, decision).status_code == 303


def test_own_page_and_unknown_decisions(owner: ConsoleUser, company: Company, member: Member) -> None:
    assert "/access/" not in owner.get(edit_path(company, company.member)).text
    assert restrict(owner, company, member, "promote").status_code == 404
