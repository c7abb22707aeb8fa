"""The changes that belong to no client: users, API keys and sign-in, for administrators and owners."""

from typing import Any

from gaji.identity import user_administration
from tests.console.console_user import page_text, signed_in_user
from tests.support.company import Company
from tests.support.running import Member, Service


def entries(member: Member, query: str = "") -> list[dict[str, Any]]:
    """The entries that a member sees."""
    answer = member.get(f"/audit_log{query}")
    assert answer.status_code == 200, answer.text
    return [row["audit_entry"] for row in answer.json()]


def rename(service: Service, user: Member, name: str) -> None:
    """Change the name of a user, which is an entry without a client."""
    service.as_owner("UPDATE users SET name = $2 WHERE id = $1", user.user_id, name)


def test_administrators_see_the_changes_of_the_account(company: Company, service: Service) -> None:
    user = company.member.colleague(company.id, "payroll")
    rename(service, user, "Siti Aminah")
    rows = entries(company.member, "?record_type=users&action=update")
    [change] = next(row["changes"] for row in rows if row["record_id"] == user.user_id)
    assert (change["attribute"], change["after"]) == ("name", "Siti Aminah")
    page = page_text(signed_in_user(company.member).get("/account/changes"))
    assert "changed the user Siti Aminah" in page


def test_an_account_without_a_client_has_its_entries(account: Member, service: Service) -> None:
    rename(service, account, "Mei Ling")
    assert [row["record_type"] for row in entries(account, "?action=update")] == ["users"]
    assert "Mei Ling" in page_text(signed_in_user(account).get("/account/changes"))


def test_owners_see_members_of_their_companies_and_others_see_their_own(company: Company, service: Service) -> None:
    owner = company.member.colleague(company.id, "owner")
    officer = company.member.colleague(company.id, "payroll")
    stranger = company.member.colleague(company.member.new_client(), "payroll")
    for user in (officer, stranger):
        rename(service, user, f"Officer {user.user_id}")
    key = service.as_owner("SELECT id FROM api_keys WHERE user_id = $1", officer.user_id)[0]["id"]
    service.as_owner("UPDATE api_keys SET name = 'Renamed' WHERE id = $1", key)
    seen = {(row["record_type"], row["record_id"]) for row in entries(owner)}
    assert {("users", officer.user_id), ("api_keys", key)} <= seen
    assert ("users", stranger.user_id) not in seen
    assert officer.get("/audit_log").status_code == 403
    page = page_text(signed_in_user(officer).get("/account/changes"))
    assert f"Officer {officer.user_id}" in page
    assert f"Officer {stranger.user_id}" not in page


def test_entries_of_other_accounts_are_not_shown(account: Member, company: Company, service: Service) -> None:
    other = service.new_account()
    rename(service, other, "Someone Else")
    assert other.user_id not in {row["record_id"] for row in entries(account, "?record_type=users")}


def test_a_deleted_user_is_named(company: Company, service: Service) -> None:
    named, unnamed = (company.member.colleague(company.id, "payroll") for _ in range(2))
    rename(service, named, "Siti Aminah")
    for user in (named, unnamed):
        service.runner.run(user_administration.delete_user(service.database, service.vault, user.email))
    page = page_text(signed_in_user(company.member).get("/account/changes"))
    assert "deleted the user Siti Aminah" in page
    assert f"deleted the user {unnamed.email}" in page


def test_a_key_that_is_limited_to_clients_sees_what_their_owner_sees(company: Company, service: Service) -> None:
    officer = company.member.colleague(company.id, "payroll")
    stranger = company.member.colleague(company.member.new_client(), "payroll")
    for user in (officer, stranger):
        rename(service, user, f"Officer {user.user_id}")
    limited = company.member.with_another_key(client_ids=[company.id])
    seen = {row["record_id"] for row in entries(limited, "?record_type=users&action=update")}
    assert officer.user_id in seen
    assert stranger.user_id not in seen
    service.as_owner("UPDATE memberships SET role = 'viewer' WHERE user_id = $1", company.member.user_id)
    assert limited.get("/audit_log").status_code == 403
    assert company.member.get("/audit_log").status_code == 200


def test_secrets_are_not_shown(company: Company) -> None:
    [row] = entries(company.member, "?record_type=api_keys&per_page=1")[:1]
    assert not [change for change in row["changes"] if "hash" in change["attribute"]]


def test_a_kind_of_record_that_a_client_has_is_refused(account: Member) -> None:
    assert account.get("/audit_log?record_type=employees").status_code == 422
