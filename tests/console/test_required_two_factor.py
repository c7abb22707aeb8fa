"""Two-step sign-in that an administrator requires for the account."""

import re

from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.console.test_two_factor import turned_on
from tests.support.company import Company
from tests.support.running import Member


def require(user: ConsoleUser, required: str = "yes") -> None:
    answer = user.post("/two-steps/required", {"required": required}, page="/two-steps")
    assert answer.status_code == 303, page_text(answer)


def test_users_turn_it_on_before_they_see_anything_else(account: Member) -> None:
    client_id = account.new_client()
    officer = account.colleague(client_id, "payroll")
    waiting = signed_in_user(officer)
    administrator, *_ = turned_on(account)
    require(administrator)
    for path in ("/", f"/companies/{client_id}", f"/companies/{client_id}/employees", "/api-keys", "/devices"):
        assert waiting.get(path).headers["location"] == "/two-steps", path
    assert "requires two-step sign-in" in page_text(waiting.get("/two-steps"))
    ready, *_ = turned_on(officer)
    assert ready.get(f"/companies/{client_id}").status_code == 200


def test_nothing_is_saved_without_it(account: Member) -> None:
    client_id = account.new_client()
    officer = signed_in_user(account.colleague(client_id, "payroll"))
    token = officer.token("/two-steps")
    administrator, *_ = turned_on(account)
    require(administrator)
    answer = officer.browser.post(
        f"/companies/{client_id}/pay_points/new", data={"form_token": token, "name": "Kitchen"}
    )
    assert answer.status_code == 403
    assert account.get(f"/clients/{client_id}/pay_points").json() == []


def test_employees_and_api_keys_are_exempt(company: Company) -> None:
    employee = company.member.colleague(company.id, "employee", company.hire())
    administrator, *_ = turned_on(company.member)
    require(administrator)
    assert signed_in_user(employee).get("/own").headers.get("location") != "/two-steps"
    assert company.member.get("/clients").status_code == 200


def test_it_cannot_be_turned_off_while_required(account: Member) -> None:
    administrator, *_ = turned_on(account)
    require(administrator)
    page = administrator.get("/two-steps")
    assert not re.search(r'action="/two-steps/off"', page.text)
    refused = administrator.post("/two-steps/off", {"code": "1", "password": "1"}, page="/two-steps")
    assert "requires two-step sign-in" in page_text(refused)
    require(administrator, "no")
    assert re.search(r'action="/two-steps/off"', administrator.get("/two-steps").text)


def test_only_administrators_who_use_it_can_require_it(account: Member) -> None:
    client_id = account.new_client()
    owner, *_ = turned_on(account.colleague(client_id, "owner"))
    assert owner.post("/two-steps/required", {"required": "yes"}, page="/two-steps").status_code == 403
    administrator = signed_in_user(account)
    refused = administrator.post("/two-steps/required", {"required": "yes"}, page="/two-steps")
    assert "for yourself first" in page_text(refused)
    assert owner.get(f"/companies/{client_id}").status_code == 200


def test_other_accounts_are_not_affected(account: Member) -> None:
    administrator, *_ = turned_on(account)
    require(administrator)
    other = account.service.new_account()
    client_id = other.new_client()
    assert signed_in_user(other).get(f"/companies/{client_id}").status_code == 200


def test_the_requirement_is_audited(account: Member) -> None:
    administrator, *_ = turned_on(account)
    require(administrator)
    [entry] = account.service.as_owner(
        "SELECT after->>'two_step_required' AS required FROM audit_log WHERE action = 'accounts.update' "
        "AND account_id = (SELECT account_id FROM users WHERE email = $1)",
        account.email,
    )
    assert entry["required"] == "true"
