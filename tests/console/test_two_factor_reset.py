"""Owners turn off the two-step sign-in of users who have lost the phone and the recovery codes."""

import httpx
import pytest

from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.console.test_passkeys import with_passkey
from tests.console.test_two_factor import half, turned_on
from tests.support.company import Company
from tests.support.running import Member


def reset_path(company: Company, member: Member) -> str:
    """The path of the action."""
    return f"/companies/{company.id}/settings/users/{member.user_id}/two-steps-off"


def edit_path(company: Company, member: Member) -> str:
    """The path of the page with the button."""
    return f"/companies/{company.id}/settings/users/{member.user_id}/edit"


def reset(owner: ConsoleUser, company: Company, member: Member) -> httpx.Response:
    """Turn off the two-step sign-in of a member, with a yes to the question."""
    return owner.post(reset_path(company, member), page="/password")


@pytest.fixture
def member(company: Company) -> Member:
    """A payroll officer of the company."""
    return company.member.colleague(company.id, "payroll")


def test_a_user_without_phone_and_codes_signs_in_with_the_password_again(
    owner: ConsoleUser, company: Company, member: Member
) -> None:
    assert reset_path(company, member) not in owner.get(edit_path(company, member)).text
    elsewhere = turned_on(member)[0]
    waiting = half(member)
    assert f'action="{reset_path(company, member)}"' in owner.get(edit_path(company, member)).text
    question = owner.post(reset_path(company, member), {"confirmed": ""}, page="/password")
    assert "Turn off two-step sign-in for this user?" in page_text(question)
    assert elsewhere.get("/companies").status_code == 200
    assert reset(owner, company, member).headers["location"] == edit_path(company, member)
    assert "Two-step sign-in is off for" in page_text(owner.get(edit_path(company, member)))
    assert elsewhere.get("/companies").status_code == 303
    assert waiting.get("/sign-in/code").status_code == 303
    assert ConsoleUser(member).sign_in().headers["location"] == "/"


def test_passkeys_are_removed_and_the_audit_log_says_who_did_it(
    owner: ConsoleUser, company: Company, member: Member
) -> None:
    with_passkey(member)
    assert reset(owner, company, member).status_code == 303
    service = member.service
    assert not service.as_owner("SELECT FROM passkeys WHERE user_id = $1", member.user_id)
    rows = service.as_owner(
        "SELECT user_id, action FROM audit_log WHERE action IN ('second_factors.delete', 'passkeys.delete') "
        "AND coalesce(before->>'user_id', before->>'id') = $1 ORDER BY action",
        str(member.user_id),
    )
    owner_id = company.member.user_id
    assert [(row["user_id"], row["action"]) for row in rows] == [
        (owner_id, "passkeys.delete"),
        (owner_id, "second_factors.delete"),
    ]
    assert signed_in_user(member).get("/companies").status_code == 200


def test_only_owners_may(company: Company, member: Member) -> None:
    turned_on(member)
    for role in ("payroll", "viewer"):
        user = signed_in_user(company.member.colleague(company.id, role))
        assert reset(user, company, member).status_code == 403
    stranger = signed_in_user(company.member.service.new_account())
    assert reset(stranger, company, member).status_code == 404
    assert ConsoleUser(member).sign_in().headers["location"] == "/sign-in/code"


def test_not_for_oneself_and_not_for_an_administrator_by_an_ordinary_owner(company: Company) -> None:
    owner = turned_on(company.member)[0]
    assert reset(owner, company, company.member).status_code == 409
    ordinary_owner = signed_in_user(company.member.colleague(company.id, "owner"))
    assert reset(ordinary_owner, company, company.member).status_code == 403
    assert ConsoleUser(company.member).sign_in().headers["location"] == "/sign-in/code"


def test_an_owner_may_for_another_owner_of_the_same_companies_only(company: Company) -> None:
    other = company.member.colleague(company.id, "owner")
    turned_on(other)
    second_id = company.member.new_client(name="Another company")
    insert = "INSERT INTO memberships (client_id, user_id, role) VALUES ($1, $2, 'viewer')"
    other.service.as_owner(insert, second_id, other.user_id)
    owner_of_one = signed_in_user(company.member.colleague(company.id, "owner"))
    refused = reset(owner_of_one, company, other)
    assert refused.status_code == 403
    assert "Only an administrator of the account" in page_text(refused)
    assert reset(signed_in_user(company.member), company, other).status_code == 303


def test_it_must_be_on_and_the_user_able_to_sign_in(owner: ConsoleUser, company: Company, member: Member) -> None:
    assert reset(owner, company, member).status_code == 409
    turned_on(member)
    member.service.as_owner("UPDATE users SET disabled_at = now() WHERE id = $1", member.user_id)
    assert reset_path(company, member) not in owner.get(edit_path(company, member)).text
    assert reset(owner, company, member).status_code == 409
