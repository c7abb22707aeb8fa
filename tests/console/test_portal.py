"""The employee portal: its pages, access and sessions."""

import re
from datetime import timedelta

import pytest

from gaji.console.routes import PAGES
from gaji.core import clock
from tests.console.console_user import PASSWORD, ConsoleUser, page_forms, page_text
from tests.console.portal_pair import MONDAY, WEDNESDAY, Pair
from tests.leave.people import OnLeave
from tests.support.company import Company


def test_employees_start_at_their_payslips(pair: Pair) -> None:
    assert pair.own.get("/").headers["location"] == "/own"
    assert pair.own.get("/own").headers["location"] == pair.start
    text = page_text(pair.own.get(pair.start))
    assert "Aisha Tan" in text
    assert "31 Jan 2026" in text
    assert "$3,358.50" in text
    assert "Wei Jie" not in text


def test_every_item_of_the_menu_opens(pair: Pair) -> None:
    [menu] = re.findall(r'<header class="sidebar">(.*?)</header>', pair.own.get(pair.start).text, re.DOTALL)
    paths = set(re.findall(r'<a href="([^"]+)"', menu))
    assert {pair.start, f"{pair.start}/leave", "/email", "/password", "/passkeys", "/devices"} <= paths
    assert {path: pair.own.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)


def test_every_other_page_is_not_found(pair: Pair) -> None:
    """All of the company pages, filled in with the ids of the employee's own company, colleague and payslip."""
    slip_id = pair.payslip_of(pair.other_id)
    ids = {"client_id": pair.company.id, "employee_id": pair.other_id, "payslip_id": slip_id, "step": "finalise"}
    token = pair.own.token("/password")
    tried = 0
    for page in PAGES:
        path = page.path
        for part in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
            path = path.replace(f"{{{part}}}", str(ids.get(part, 1)))
        if (
            page.public
            or path in ("/", "/own", "/password", "/sign-out", "/unsent-form")
            or path.startswith(("/two-steps", "/devices", "/passkeys", "/confirm-identity", "/email"))
        ):
            continue
        data = {"form_token": token, "confirmed": "yes"}
        answer = pair.own.get(path) if page.method == "GET" else pair.own.browser.post(path, data=data)
        assert answer.status_code == 404, (page, answer.text)
        assert "Wei Jie" not in answer.text
        tried += 1
    assert tried > 40


def test_employees_cannot_open_the_officers_pages_about_themselves(pair: Pair) -> None:
    slip_id = pair.payslip_of(pair.id)
    for path in (f"/employees/{pair.id}", f"/payslips/{slip_id}", f"/employees/{pair.id}/edit", "/companies"):
        answer = pair.own.get(path)
        assert answer.status_code == 404
        assert "Go to your payslips" in page_text(answer)
        assert "/api-keys" not in answer.text
        assert "/problems/" not in answer.text


def test_details_show_names_that_only_the_company_can_read(pair: Pair) -> None:
    company = pair.company
    point = company.member.new_pay_point(company.id, name="Warehouse")
    shirt = company.field(name="Shirt", type="text")
    nric = company.employee(pair.id)["nric"]
    answer = company.patch(pair.id, pay_point_id=point, custom_fields={str(shirt): "Large"}, job_title="Driver")
    assert answer.status_code == 200, answer.text
    page_text_ = page_text(pair.own.get(f"{pair.start}/details"))
    for text in ("Warehouse", "Shirt Large", "Driver", "Monthly", nric, "12 Apr 1990"):
        assert text in page_text_
    assert page_forms(pair.own.get(f"{pair.start}/details")) == []


def test_details_leave_out_what_only_concerns_the_employer(pair: Pair) -> None:
    values = {"business_owner": True, "enabling_employment_credit_from": "2026-01-01", "enabling_new_hire": True}
    assert pair.company.patch(pair.id, **values).status_code == 200
    text = page_text(pair.own.get(f"{pair.start}/details"))
    assert f"You sign in as {pair.own.member.email}. Change your email address" in text
    assert "Your details" in text
    for word in ("Wage offsets", "Owner of the business", "Credit"):
        assert word not in text


@pytest.mark.parametrize(("years_ago", "is_shown"), [(1, True), (6, False)])
def test_details_have_the_elected_cpf_rates_in_the_first_two_years_of_permanent_residence(
    pair: Pair, years_ago: int, is_shown: bool
) -> None:
    pr_date = f"{clock.today().year - years_ago}-12-01"
    answer = pair.company.patch(pair.id, legal_status="PR", pr_date=pr_date, nationality="MY")
    assert answer.status_code == 200, answer.text
    text = page_text(pair.own.get(f"{pair.start}/details"))
    assert "Permanent resident" in text
    assert ("CPF rates as PR Graduated employer and employee" in text) == is_shown


def test_an_employee_of_two_companies_chooses_one(pair: Pair) -> None:
    company = pair.company
    second = Company.of(company.member, name="Kopi Trading Pte Ltd")
    employee_id = second.hire(first_name="Aisha")
    company.member.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role, employee_id) "
        "SELECT $1, id, 'employee', $2 FROM users WHERE email = $3",
        second.id,
        employee_id,
        pair.own.member.email,
    )
    text = pair.own.get("/own")
    assert "Kopi Trading Pte Ltd" in page_text(text)
    assert f'href="/own/{employee_id}"' in text.text
    assert "No payslips yet" in page_text(pair.own.get(f"/own/{employee_id}"))


def test_an_officer_employed_elsewhere_has_console_and_portal(pair: Pair) -> None:
    company = pair.company
    second = Company.of(company.member, name="Kopi Trading Pte Ltd")
    company.member.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role) SELECT $1, id, 'payroll' FROM users WHERE email = $2",
        second.id,
        pair.own.member.email,
    )
    page = pair.own.get(f"/companies/{second.id}")
    assert page.status_code == 200
    assert "Your payslips" in page_text(page)
    assert pair.own.get(pair.start).status_code == 200
    assert pair.own.get(f"/companies/{company.id}").status_code == 404
    foreign = second.hire()
    assert pair.own.get(f"/employees/{foreign}").status_code == 200
    assert pair.own.get(f"/own/{foreign}").status_code == 404


def test_officers_have_no_portal(owner: ConsoleUser, viewer: ConsoleUser) -> None:
    assert owner.get("/own").status_code == 404
    assert viewer.get("/own").status_code == 404


def test_removing_access_applies_immediately(pair: Pair) -> None:
    assert pair.own.get(pair.start).status_code == 200
    pair.company.member.service.as_owner(
        "DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = $1)", pair.own.member.email
    )
    assert pair.own.get(pair.start).status_code == 404


def test_employees_can_change_their_password_in_the_portal(pair: Pair) -> None:
    page = pair.own.get("/password")
    assert page.status_code == 200
    assert f'href="{pair.start}/leave"' in page.text
    form = {"current": PASSWORD, "new": "teh tarik kurang manis", "again": "teh tarik kurang manis"}
    assert pair.own.post("/password", form).headers["location"] == "/"
    assert "Password changed" in page_text(pair.own.get(pair.start))


def test_a_form_that_is_not_kept_says_so_at_sign_in(pair: Pair) -> None:
    pair.own.browser.cookies.clear()
    data = {"form_token": "0" * 64, "from": MONDAY}
    answer = pair.own.browser.post(f"{pair.start}/leave", data=data)
    assert answer.status_code == 303
    assert "You were signed out, so nothing was saved" in page_text(pair.own.get("/sign-in"))


def test_a_lost_confirmation_continues_with_the_start_page(pair: Pair) -> None:
    path = f"{pair.start}/leave_requests/1/cancel"
    pair.own.browser.cookies.clear()
    data = {"form_token": "0" * 64, "confirmed": "yes"}
    answer = pair.own.browser.post(
        path, data=data, headers={"referer": f"{pair.own.browser.base_url}".rstrip("/") + path}
    )
    assert answer.headers["location"] == "/sign-in"
    assert "You were signed out, so nothing was saved" in page_text(pair.own.get("/sign-in"))


def test_the_address_of_a_form_explains_itself_in_a_browser(pair: Pair) -> None:
    answer = pair.own.browser.get(f"{pair.start}/leave_requests/1/cancel")
    assert answer.status_code == 405
    assert "This page opens only from a form" in page_text(answer)
    assert "POST" not in page_text(answer)
    answer = pair.own.browser.post(f"{pair.start}/payslips/1", data={"form_token": pair.own.token(pair.start)})
    assert answer.status_code == 405
    assert "This page cannot be used this way" in page_text(answer)
    assert "from a form" not in page_text(answer)


def test_employees_are_not_told_about_api_keys(pair: Pair) -> None:
    for path in ("/password", "/two-steps", f"{pair.start}/details/edit"):
        text = page_text(pair.own.get(path))
        assert "API key" not in text
        assert "ask the employee" not in text


def test_the_start_page_says_what_was_decided_lately(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    for dates in ({"from": MONDAY, "to": WEDNESDAY}, {"from": "2027-05-10"}, {"from": "2027-05-11"}):
        pair.own.post(f"{pair.start}/leave", {"type_id": str(person.types["unpaid_leave"]), **dates})
    approved, declined, pending = person.listed("leave_requests")
    assert "Decided lately" not in page_text(pair.own.get(pair.start))
    for entry, decision in ((approved, "approve"), (declined, "decline")):
        assert pair.company.member.post(f"/leave_requests/{entry['id']}/{decision}", {}).status_code == 200
    assert pair.own.post(f"/own/{pair.id}/leave_requests/{pending['id']}/cancel", page=f"{pair.start}/leave")
    text = page_text(pair.own.get(pair.start))
    assert "Leave 3 May 2027 – 5 May 2027 : approved" in text
    assert "Leave 10 May 2027 : declined" in text
    assert "11 May 2027" not in text


def test_the_start_page_lists_at_most_five_decisions_of_two_weeks(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    leave = {"type_id": str(person.types["unpaid_leave"])}
    for day in (7, 8, 9, 10, 11, 14, 15):
        pair.own.post(f"{pair.start}/leave", {**leave, "from": f"2027-06-{day:02}"})
    for entry, age in zip(person.listed("leave_requests"), (0, 1, 12, 13, 14, 15, 2), strict=True):
        assert pair.company.member.post(f"/leave_requests/{entry['id']}/decline", {}).status_code == 200
        decided_at = clock.start_of_last(timedelta(days=age + 1))
        update = "UPDATE leave_requests SET decided_at = $2 WHERE id = $1"
        pair.company.member.service.as_owner(update, entry["id"], decided_at)
    assert _decided_days(pair) == [7, 8, 15, 9, 10]
    for day in (16, 17):
        pair.own.post(f"{pair.start}/leave", {**leave, "from": f"2027-06-{day}"})
        decide = f"/leave_requests/{person.listed('leave_requests')[-1]['id']}/decline"
        assert pair.company.member.post(decide, {}).status_code == 200
    assert _decided_days(pair) == [17, 16, 7, 8, 15]


def _decided_days(pair: Pair) -> list[int]:
    """The days of June on the start page that were declined."""
    return [int(day) for day in re.findall(r"Leave (\d+) Jun 2027 : declined", page_text(pair.own.get(pair.start)))]


def test_exemptions_that_do_not_apply_are_not_shown_to_employees(pair: Pair) -> None:
    details = f"{pair.start}/details"
    assert "CPF exempt" not in page_text(pair.own.get(details))
    answer = pair.company.member.call("PATCH", f"/employees/{pair.id}", json={"cpf_exempt": True})
    assert answer.status_code == 200, answer.text
    text = page_text(pair.own.get(details))
    assert "Contributions CPF exempt Yes" in text
    assert "SDL exempt" not in text
