"""Settings and self-service in a real Chromium, against the real server."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.windows import BrowserWindow, open_window
from tests.payroll.payment_runs.runs import done, hired, opened
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def window(browser: Browser, service: Service, request: pytest.FixtureRequest) -> Iterator[BrowserWindow]:
    """Someone with a fresh window, with and without scripts; whatever a page complained about is a failure."""
    window = open_window(browser, service.url, scripts=request.param)
    yield window
    window.context.close()
    assert window.page_errors == []


def test_a_custom_field_added_in_settings_appears_in_the_api(window: BrowserWindow, company: Company) -> None:
    page = window.page
    window.sign_in(company.member)
    window.go(f"/companies/{company.id}/settings")
    page.get_by_role("link", name="Custom fields").click()
    page.get_by_role("link", name="Add field").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Please correct 2 errors")
    page.get_by_label("Name").fill("Shirt size")
    page.get_by_label("Type").select_option("dropdown")
    page.get_by_label("New option 1").fill("Small")
    page.get_by_label("New option 2").fill("Large")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("Field added")
    [result] = company.member.get(f"/clients/{company.id}/custom_employee_fields").json()
    field = result["custom_employee_field"]
    assert [option["name"] for option in field["options"]] == ["Small", "Large"]
    expect(page.get_by_role("row", name=re.compile("Shirt size"))).to_contain_text(str(field["id"]))


def test_a_formula_is_corrected_previewed_and_saved(window: BrowserWindow, company: Company) -> None:
    hired(company, "4200.00", first_name="Aisha")
    page = window.page
    window.sign_in(company.member)
    window.go(f"/companies/{company.id}/settings/items/new")
    page.get_by_label("Name").fill("Meal money")
    page.get_by_label("Kind").select_option("allowance")
    page.get_by_label("Amount comes from").select_option("formula")
    page.get_by_label("Formula").fill("basic_salary ** 0.05")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#formula-error")).to_contain_text("haracter 15")
    expect(page.get_by_label("Formula")).to_have_value("basic_salary ** 0.05")
    page.get_by_label("Formula").fill("basic_salary * 0.05")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("status")).to_contain_text("Meal money $210.00")
    assert company.member.get(f"/clients/{company.id}/calculation_definitions").json() == []
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("row", name=re.compile("Meal money"))).to_be_visible()
    [result] = company.member.get(f"/clients/{company.id}/calculation_definitions").json()
    assert result["calculation_definition"]["formula"] == "basic_salary * 0.05"


def test_employees_see_only_their_own_records(window: BrowserWindow, company: Company) -> None:
    own_id, other = hired(company, first_name="Aisha"), hired(company, first_name="Wei Jie")
    run_id = opened(company)
    done(company, run_id, "finalise")
    done(company, run_id, "release")
    page = window.page
    window.sign_in(company.member.colleague(company.id, "employee", own_id))
    expect(page).to_have_url(re.compile(rf"/own/{own_id}$"))
    page.get_by_role("link", name="31 Jan 2026").click()
    line = page.locator("details", has=page.locator("summary", has_text="CPF, employee's share"))
    line.locator("summary").first.click()
    expect(line.locator(".explanation")).to_contain_text("840.00")
    expect(line.locator(".explanation")).to_be_visible()
    page.get_by_role("link", name="Details").click()
    expect(page.get_by_role("heading", name="Your details")).to_be_visible()
    slips = [company.member.get(f"/employees/{item}/payslips").json()[0]["payslip"]["id"] for item in (own_id, other)]
    for path in (
        f"/own/{other}",
        f"/own/{other}/leave",
        f"/own/{other}/details",
        f"/own/{own_id}/payslips/{slips[1]}",
        f"/employees/{other}",
        f"/employees/{own_id}",
        f"/payslips/{slips[0]}",
        f"/companies/{company.id}",
        f"/companies/{company.id}/employees",
        f"/companies/{company.id}/settings/users",
        "/companies",
        "/api-keys",
    ):
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 404, path
        expect(page.locator("main")).not_to_contain_text("Wei Jie")
    page.get_by_role("link", name="Go to your payslips").click()
    expect(page).to_have_url(re.compile(rf"/own/{own_id}$"))


def test_an_employee_requests_leave_and_sees_the_decision(window: BrowserWindow, company: Company) -> None:
    own_id = hired(company, first_name="Aisha")
    page = window.page
    window.sign_in(company.member.colleague(company.id, "employee", own_id))
    page.get_by_role("link", name="Leave").click()
    page.get_by_role("button", name="Request leave").click()
    expect(page.get_by_role("alert")).to_contain_text("Leave type")
    page.get_by_label("Leave type").select_option(label="Annual leave")
    page.get_by_label("First day").fill("2027-05-03")
    page.get_by_label("Last day").fill("2027-05-05")
    page.get_by_role("button", name="Request leave").click()
    expect(page.get_by_role("status")).to_contain_text("Request for 3 days of annual leave sent")
    [result] = company.member.get(f"/employees/{own_id}/leave_requests").json()
    path = f"/leave_requests/{result['leave_request']['id']}/decline"
    assert company.member.post(path, {"answer": "Too many are away"}).status_code == 200
    page.reload()
    expect(page.locator("main")).to_contain_text("Comment: Too many are away")
    expect(page.get_by_text("Declined")).to_be_visible()
