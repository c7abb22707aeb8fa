"""The log of sign-ins, downloads and the use of API keys."""

import time
from typing import Any

import httpx

from tests.console.console_user import PASSWORD, ConsoleUser, page_text, signed_in_user, with_password
from tests.console.test_password_reset import create_link, token_in, use
from tests.support.company import Company
from tests.support.running import Member

TIMEOUT_S = 30


def events(member: Member, kind: str, count: int = 1) -> list[dict[str, Any]]:
    """The events of a user of one kind, when there are as many. They are recorded after the response."""
    deadline = time.monotonic() + TIMEOUT_S
    query = "SELECT * FROM access_events WHERE user_id = $1 AND kind = $2 ORDER BY id"
    while len(rows := member.service.as_owner(query, member.user_id, kind)) < count:
        assert time.monotonic() < deadline, kind
        time.sleep(0.05)
    return rows


def test_sign_ins_and_failures_are_recorded_once_a_day_for_each_place(company: Company) -> None:
    member = with_password(company.member.colleague(company.id, "viewer"))
    user = ConsoleUser(member)
    user.browser.headers["User-Agent"] = "Mozilla/5.0 (Windows NT 10.0) Firefox/132.0"
    for password in ("wrong password", "wrong again", PASSWORD):
        user.sign_in(password)
    [success] = events(member, "sign_in")
    assert (success["address"], success["user_agent"]) == ("127.0.0.1", "Mozilla/5.0 (Windows NT 10.0) Firefox/132.0")
    deadline = time.monotonic() + TIMEOUT_S
    while events(member, "sign_in_failed")[0]["count"] < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    [failure] = events(member, "sign_in_failed")
    assert failure["count"] == 2
    text = page_text(user.get("/access-log"))
    assert "Signed in 127.0.0.1 Firefox on Windows" in text
    assert "Failed to sign in" in text


def test_downloads_are_recorded_and_pages_are_not(company: Company) -> None:
    owner = signed_in_user(company.member)
    export = f"/clients/{company.id}/employees/export"
    for _ in range(2):
        assert company.member.get(export).status_code == 200
    assert owner.get(f"/companies/{company.id}/employees").status_code == 200
    deadline = time.monotonic() + TIMEOUT_S
    while events(company.member, "download")[0]["count"] < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    [event] = events(company.member, "download")
    assert event["path"] == f"/v1{export}"
    assert event["key_id"] is not None


def test_downloads_name_companies_that_the_user_can_see(account: Member) -> None:
    company, other = (Company.of(account, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    owner = signed_in_user(account.colleague(company.id, "owner"))
    viewer_of_both = account.colleague(company.id, "viewer")
    account.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role) VALUES ($1, $2, 'viewer')", other.id, viewer_of_both.user_id
    )
    for each in (company, other):
        assert viewer_of_both.get(f"/clients/{each.id}/employees/export").status_code == 200
    events(viewer_of_both, "download", 2)
    text = page_text(owner.get("/access-log"))
    assert f"Downloaded a file Bedok Tailors /v1/clients/{company.id}/employees/export" in text
    assert f"Downloaded a file /v1/clients/{other.id}/employees/export" in text
    assert "Yishun Clinic" not in text


def test_a_key_at_a_new_address_is_recorded_once(company: Company) -> None:
    member = company.member.colleague(company.id, "payroll")
    for address in ("203.0.113.7", "203.0.113.8", "203.0.113.7"):
        headers = {"Authorization": member.key, "X-Forwarded-For": address, "User-Agent": "rostering/1.0"}
        assert httpx.get(f"{member.service.url}/v1/clients", headers=headers).status_code == 200
    rows = events(member, "new_address", 2)
    assert [(row["address"], row["user_agent"], row["count"]) for row in rows] == [
        ("203.0.113.7", "rostering/1.0", 1),
        ("203.0.113.8", "rostering/1.0", 1),
    ]


def test_owners_see_their_members_and_others_see_themselves(company: Company) -> None:
    member = company.member
    other_id = member.new_client(name="Another company")
    owner, viewer = (member.colleague(company.id, role) for role in ("owner", "viewer"))
    elsewhere = member.colleague(other_id, "viewer")
    users = {user.email: signed_in_user(user) for user in (member, owner, viewer, elsewhere)}
    seen = {
        email: {other for other in users if other in page_text(user.get("/access-log"))}
        for email, user in users.items()
    }
    assert seen[member.email] == set(users)
    assert seen[owner.email] == {member.email, owner.email, viewer.email}
    assert seen[viewer.email] == {viewer.email}
    stranger = signed_in_user(member.service.new_account())
    assert member.email not in page_text(stranger.get("/access-log"))


def test_an_account_without_a_company_has_a_log(account: Member) -> None:
    user = signed_in_user(account)
    events(account, "sign_in")
    assert "Signed in" in page_text(user.get("/access-log"))


def test_a_password_set_with_a_link_is_recorded(company: Company, owner: ConsoleUser) -> None:
    member = company.member.colleague(company.id, "viewer")
    use(ConsoleUser(member), token_in(create_link(owner, company, member)))
    assert [row["count"] for row in events(member, "password_reset")] == [1]
