"""Self-service access for many employees: who is invited, who is left out and why, and printed codes."""

import re
import secrets

import httpx
import pytest

from tests.console.console_user import PASSWORD, ConsoleUser, page_text, signed_in_user, signed_out_user
from tests.payroll.payment_runs.runs import done, hired, opened
from tests.support.company import Company

CODE = re.compile(r'<code class="nowrap">((?:[0-9A-Z]{4}-){3}[0-9A-Z]{4})</code>')
ASK = {"confirmed": ""}
NEW = {"new": PASSWORD, "again": PASSWORD}


@pytest.fixture
def access(company: Company) -> str:
    """Where the page is."""
    return f"/companies/{company.id}/self-service"


def new_email() -> str:
    """An email that nobody has."""
    return f"{secrets.token_hex(6)}@example.com"


def printed(owner: ConsoleUser, access: str, *employee_ids: int, **more: str) -> httpx.Response:
    """The slips of these employees."""
    data = {"by": "print", "employee_ids": ",".join(map(str, employee_ids)), **more}
    return owner.post(access, data)


def accepted(user: ConsoleUser, code: str, **data: str) -> httpx.Response:
    """The answer to someone who uses a code."""
    return user.post("/invitation", {"token": code, "name": "Siti", **NEW, **data}, page=f"/invitation?token={code}")


def employees_with_access(company: Company) -> dict[int, str]:
    """The sign-in of each employee."""
    rows = company.member.service.as_owner(
        "SELECT m.employee_id, u.email FROM memberships m JOIN users u ON u.id = m.user_id "
        "WHERE m.client_id = $1 AND m.role = 'employee'",
        company.id,
    )
    return {row["employee_id"]: row["email"] for row in rows}


def test_employees_are_listed_by_the_name_that_is_shown(owner: ConsoleUser, company: Company, access: str) -> None:
    company.hire(first_name="Guan Hock", last_name="Ng", name_format=2)
    company.hire(first_name="Huda", last_name="Rahim")
    company.hire(first_name="Suharto", last_name="", name_format=3)
    text = page_text(owner.get(access))
    assert text.index("Huda Rahim") < text.index("Ng Guan Hock") < text.index("Suharto")


def test_an_employee_without_email_signs_up_with_a_printed_code(
    owner: ConsoleUser, company: Company, access: str
) -> None:
    employee_id, email = company.hire(first_name="Siti"), new_email()
    answer = printed(owner, access, employee_id)
    [code] = CODE.findall(answer.text)
    assert "Siti Tan" in page_text(answer)
    assert f"{company.member.service.url}/invitation" in page_text(answer)
    assert "<svg" in answer.text
    user = signed_out_user(company.member.service)
    assert "Code" in page_text(user.get("/invitation"))
    short = page_text(user.get(f"/invitation?token={code[:14]}"))
    assert "The code has 16 letters and digits. You entered 12." in short
    assert "has been used" not in short
    page = user.get(f"/invitation?token={code.lower().replace('-', ' ')}")
    assert 'value="Siti Tan"' in page.text
    wrong = accepted(user, code, email="nobody", new="short", again="")
    assert wrong.status_code == 422
    assert all(name in wrong.text for name in ("email-error", "new-error", "again-error"))
    assert accepted(user, code, email=email).headers["location"] == "/"
    assert employees_with_access(company) == {employee_id: email}
    assert user.get(f"/own/{employee_id}").status_code == 200
    assert "cannot" not in page_text(owner.get(access))
    used = user.get(f"/invitation?token={code}")
    assert used.status_code == 404
    assert "If you have used it already, sign in instead." in page_text(used)
    assert 'href="/sign-in"' in used.text


def test_a_code_that_is_entered_on_the_page_for_password_slips_opens_the_invitation(
    owner: ConsoleUser, company: Company, access: str
) -> None:
    [code] = CODE.findall(printed(owner, access, company.hire(first_name="Siti")).text)
    user = signed_out_user(company.member.service)
    typed = code.lower().replace("-", "+")
    location = user.get(f"/reset-password?token={typed}").headers["location"]
    assert location.startswith("/invitation?")
    assert 'value="Siti Tan"' in user.get(location).text


def test_the_email_of_another_user_cannot_be_entered(owner: ConsoleUser, company: Company, access: str) -> None:
    employee_id = company.hire()
    [code] = CODE.findall(printed(owner, access, employee_id).text)
    user = signed_out_user(company.member.service)
    answer = accepted(user, code, email=company.member.email.upper())
    assert answer.status_code == 422
    assert "sign in with it, or enter another address" in page_text(answer)
    assert employees_with_access(company) == {}


def test_the_confirmation_names_everyone_and_all_reasons_at_once(
    owner: ConsoleUser, company: Company, access: str
) -> None:
    shared, good = new_email(), new_email()
    company.hire(first_name="Good", email=good)
    company.hire(first_name="Blank")
    company.hire(first_name="Umlaut", email="käthe@example.com")
    company.hire(first_name="First", email=shared)
    company.hire(first_name="Second", email=shared.upper())
    company.hire(first_name="Boss", email=company.member.email)
    text = page_text(owner.post(access, {"by": "mail", "all": "yes", **ASK}))
    assert "1 employee will get an invitation by email" in text
    assert "5 employees are left out" in text
    for reason in ("No email address is recorded", "cannot be used to sign in", "has another role here"):
        assert reason in text
    assert text.count("Another employee has the same email address") == 2
    slips = page_text(owner.post(access, {"by": "print", "all": "yes", **ASK}))
    assert "6 employees will get a slip" in slips
    assert good in slips
    assert company.member.service.as_owner("SELECT FROM invitations WHERE client_id = $1", company.id) == []


def test_invitations_are_idempotent_and_replaced_only_on_request(
    owner: ConsoleUser, company: Company, access: str
) -> None:
    employee_id = company.hire(email=new_email())
    first = printed(owner, access, employee_id)
    [code] = CODE.findall(first.text)
    again = printed(owner, access, employee_id)
    assert again.headers["location"] == access
    user = signed_out_user(company.member.service)
    assert user.get(f"/invitation?token={code}").status_code == 200
    question = owner.post(access, {"by": "print", "employee_id": str(employee_id), **ASK})
    assert "1 employee is invited already" in page_text(question)
    [until] = re.findall(r'name="until" value="([^"]+)"', question.text)
    changes = {"replace": "yes", "until": until}
    [second] = CODE.findall(printed(owner, access, employee_id, **changes).text)
    assert user.get(f"/invitation?token={code}").status_code == 404
    # A second submission of the same form, such as reloading the page of slips, changes nothing.
    assert printed(owner, access, employee_id, **changes).status_code == 303
    assert user.get(f"/invitation?token={second}").status_code == 200


def test_users_of_the_account_get_access_at_once(owner: ConsoleUser, company: Company, access: str) -> None:
    other = Company.of(company.member)
    colleague = company.member.colleague(other.id, "employee", other.hire())
    employee_id = company.hire(email=colleague.email)
    question = page_text(owner.post(access, {"by": "print", "all": "yes", **ASK}))
    assert "1 employee gets access at once" in question
    assert printed(owner, access, employee_id).headers["location"] == access
    assert employees_with_access(company) == {employee_id: colleague.email}
    page = owner.get(f"{access}?group=active")
    assert "Has access" in page_text(page)
    assert f"/settings/users/{colleague.user_id}/edit" in page.text


def test_the_list_shows_states_and_withdraws_invitations(owner: ConsoleUser, company: Company, access: str) -> None:
    invited, expired = company.hire(first_name="Invited"), company.hire(first_name="Expired")
    company.hire(first_name="Fresh")
    company.leave(company.hire(first_name="Gone"), "2024-03-31")
    printed(owner, access, invited, expired)
    company.member.service.as_owner("UPDATE invitations SET expires_at = now() WHERE employee_id = $1", expired)
    text = page_text(owner.get(access))
    for part in ("All 3", "Not invited 2", "Invited 1", "Have access 0", "Invitation expired", "Invited until"):
        assert part in text
    assert "Gone" not in text
    [row] = company.member.service.as_owner("SELECT id FROM invitations WHERE employee_id = $1", invited)
    path = f"/companies/{company.id}/settings/users/invitations/{row['id']}/delete"
    assert owner.post(path, {"back": access}, page=access).headers["location"] == access
    assert "Not invited 3" in page_text(owner.get(access))


def test_only_owners_invite_and_only_their_own_employees(
    owner: ConsoleUser, viewer: ConsoleUser, company: Company, access: str
) -> None:
    employee_id = company.hire()
    officer = signed_in_user(company.member.colleague(company.id, "payroll"))
    data = {"by": "print", "employee_ids": str(employee_id)}
    for user in (viewer, officer):
        assert "Only owners can give access" in page_text(user.get(access))
        assert user.post(access, data, page="/password").status_code == 403
    stranger = Company.of(company.member)
    other = f"/companies/{stranger.id}/self-service"
    assert printed(owner, other, employee_id).headers["location"] == other
    assert owner.post(access, {"by": "mail", "employee_ids": str(employee_id)}).status_code == 409
    assert owner.post(access, {"by": "print", **ASK}).status_code == 422
    odd = {"by": "print", "employee_ids": "x,-1,9999999999999999999", "replace": "yes", "until": "soon"}
    assert owner.post(access, odd).status_code == 303
    assert company.member.service.as_owner("SELECT FROM invitations WHERE client_id = $1", company.id) == []


def test_the_page_that_releases_payslips_counts_employees_without_access(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    hired(company)
    company.member.colleague(company.id, "employee", employee_id)
    run_id = opened(company)
    done(company, run_id, "finalise")
    text = page_text(owner.get(f"/payment_runs/{run_id}/release"))
    assert "1 employee of the company has no access to the portal yet" in text


def test_the_question_warns_of_an_address_that_phones_cannot_open(
    owner: ConsoleUser, company: Company, access: str
) -> None:
    employee_id = company.hire(first_name="Siti")
    asked = owner.post(access, {"by": "print", "employee_id": str(employee_id), **ASK})
    assert f"Phones cannot open {company.member.service.url}." in page_text(asked)
    assert "<details open><summary>Show names</summary>" in asked.text
