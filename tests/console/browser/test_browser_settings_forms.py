"""Every settings page in Chromium: the API returns what was saved."""

import io
import re
import secrets
from collections.abc import Mapping
from typing import Any

import openpyxl
import pytest
from playwright.sync_api import Browser, Download, Page, expect

from tests.console.browser.windows import BrowserWindow, open_window
from tests.console.console_user import PASSWORD
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company

pytestmark = pytest.mark.slow

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def read(company: Company, path: str = "") -> Any:
    """What the API shows of the company."""
    answer = company.member.get(f"/clients/{company.id}{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def save(page: Page, notice: str) -> None:
    """Save, and read what is said then."""
    page.get_by_role("button", name=re.compile("^Save")).click()
    expect(page.get_by_role("status")).to_contain_text(notice)


def test_company_details_pay_schedules_and_pay_points(owner_window: BrowserWindow, company: Company) -> None:
    page = owner_window.page
    owner_window.go(f"/companies/{company.id}/settings")
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("UEN", exact=True).fill("12345")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#uen-error")).to_contain_text("not a valid UEN")
    page.get_by_label("UEN", exact=True).fill("202699999E")
    page.get_by_label("Employee numbers").select_option("EMPLOYEE_NUMBER_MANUAL")
    page.locator("#features-custom_wave_names").check()
    page.locator("#features-pay_dates").check()
    page.locator("#features-leave_any_day").check()
    save(page, "Company details saved")
    client = read(company)["client"]
    assert (client["uen"], client["employee_number_mode"]) == ("202699999E", "EMPLOYEE_NUMBER_MANUAL")
    assert client["features"]["custom_wave_names"]
    assert client["features"]["leave_any_day"]

    frequencies, points = (
        page.locator("section.card", has=page.get_by_role("heading", name=name, exact=True))
        for name in ("Pay schedules", "Pay points")
    )
    frequencies.get_by_role("link", name="Add").click()
    page.get_by_label("Frequency").select_option("weekly")
    page.get_by_label("First period ends on").fill("2026-01-02")
    page.locator("#name, #custom_name").fill("Drivers")
    save(page, "Pay schedule added")
    frequencies.get_by_role("link", name="Drivers").click()
    page.get_by_label("Name").fill("Riders")
    expect(page.get_by_label("Pay date", exact=True)).to_be_hidden()
    page.get_by_label("Pay on other dates than the period end").check()
    page.get_by_label("Pay date", exact=True).select_option("relative")
    page.get_by_label("Days", exact=True).fill("3")
    page.get_by_label("Before, after, or which month").select_option("after")
    save(page, "Pay schedule saved")
    assert read(company, "/waves")[1]["wave"]["pay_dates"]["days_offset"] == 3
    assert [wave["wave"]["custom_name"] for wave in read(company, "/waves")][1:] == ["Riders"]

    points.get_by_role("link", name="Add").click()
    page.locator("#name, #custom_name").fill("Ubi")
    save(page, "Pay point added")
    points.get_by_role("link", name="Ubi").click()
    page.locator("#name, #custom_name").fill("Changi")
    save(page, "Pay point saved")
    assert [pay_point["pay_point"]["name"] for pay_point in read(company, "/pay_points")] == ["Changi"]
    points.get_by_role("button", name="Delete Changi").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("status")).to_contain_text("Pay point deleted")
    assert read(company, "/pay_points") == []


def test_ledger_accounts_splits_leave_types_and_policies(owner_window: BrowserWindow, company: Company) -> None:
    page = owner_window.page
    owner_window.go(f"/companies/{company.id}/settings/accounts")
    page.locator("#basic_salary-debit_account").fill("5000 Wages")
    save(page, "Accounts saved")
    accounts = {account["account"]["item"]: account["account"] for account in read(company, "/accounts")}
    assert accounts["basic_salary"]["debit_account"] == "5000 Wages"

    owner_window.go(f"/companies/{company.id}/settings/splits")
    page.get_by_label("Split journals by").select_option("employee")
    page.get_by_label("New split 1").fill("Retail")
    save(page, "Journal splits saved")
    division = read(company, "/accounting_splits")
    assert (division["mode"], [split["name"] for split in division["splits"]]) == ("employee", ["Retail"])

    owner_window.go(f"/companies/{company.id}/settings/leave_types")
    page.get_by_role("link", name="Add type").click()
    page.locator("#name, #custom_name").fill("Birthday leave")
    save(page, "Leave type added")
    page.get_by_role("link", name="Birthday leave").click()
    page.get_by_label("Accrual").select_option("yearly")
    page.locator("#entitlement0-year").fill("1")
    page.locator("#entitlement0-days").fill("2")
    save(page, "Policy saved")
    [type_id] = [key for key, name in read(company, "/leave_types").items() if name == "Birthday leave"]
    policy = company.member.get(f"/leave_types/{type_id}/policy").json()
    policy = policy.get("policy", policy)
    assert policy["accrual"] == "yearly"
    assert [float(step["days"]) for step in policy["entitlement"]] == [2]


def test_profiles_mappings_and_payslip_template(owner_window: BrowserWindow, company: Company) -> None:
    employee_id = hired(company, first_name="Aisha")
    page = owner_window.page
    owner_window.go(f"/companies/{company.id}/settings/profiles")
    page.get_by_role("link", name="Add profile").click()
    page.locator("#name, #custom_name").fill("Drivers")
    save(page, "Profile added")
    page.get_by_role("link", name="Drivers").click()
    page.get_by_label("Pay item").select_option("transport_allowance")
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Amount").fill("150")
    save(page, "Profile saved")
    page.get_by_role("link", name="Drivers").click()
    page.get_by_role("link", name="0 employees").click()
    page.get_by_role("textbox").fill("aisha")
    page.get_by_role("button", name="Add employee").click()
    expect(page.get_by_role("status")).to_contain_text("Aisha Tan added to the profile")
    mappings = f"/employees/{employee_id}/profile_mappings"
    [element] = company.member.get(mappings).json()
    assert element["profile_mapping"]["calculations"] == {"transport_allowance": True}
    page.get_by_role("link", name="Pay items").click()
    page.get_by_label("Transport allowance").uncheck()
    save(page, "Pay items of Aisha Tan saved")
    [element] = company.member.get(mappings).json()
    assert element["profile_mapping"]["calculations"] == {"transport_allowance": False}
    page.get_by_role("button", name="Remove… Aisha Tan").click()
    page.get_by_role("button", name="Remove from profile").click()
    expect(page.get_by_text("No employees yet")).to_be_visible()
    assert company.member.get(mappings).json() == []

    owner_window.go(f"/companies/{company.id}/settings/payslip_template")
    source = page.get_by_label("Typst template")
    source.fill("#let data = json(bytes(sys.inputs.data))\n#data.nothing")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Line 2, character 7")
    source.fill("#let data = json(bytes(sys.inputs.data))\n= #data.employee.name")
    with owner_window.context.expect_event("response", lambda answer: "pdf" in answer.headers.get("content-type", "")):
        page.get_by_role("button", name="Preview").click()
    template = "/payslip_template"
    assert not read(company, template)["payslip_template"]["own"]
    save(page, "Template saved")
    assert read(company, template)["payslip_template"]["template"].endswith("= #data.employee.name")
    page.get_by_role("button", name="Use the standard template").click()
    page.get_by_role("button", name="Delete template").click()
    expect(page.get_by_role("status")).to_contain_text("standard template")
    assert not read(company, template)["payslip_template"]["own"]


def test_a_user_is_invited_changed_removed_and_audited(
    owner_window: BrowserWindow, browser: Browser, company: Company
) -> None:
    email = f"{secrets.token_hex(6)}@example.com"
    page = owner_window.page
    owner_window.go(f"/companies/{company.id}/settings/users")
    page.get_by_role("link", name="Add user").click()
    expect(page.get_by_label("Employee")).to_be_hidden()  # until the role says that they are one
    page.get_by_label("Email").fill(email)
    page.get_by_label("Role").select_option("Payroll officer")
    page.get_by_role("button", name="Add").click()
    link = page.locator("#link").inner_text()

    guest = open_window(browser, company.member.service.url)
    guest.go(link)
    guest.page.get_by_label("Your name").fill("Siti Aminah")
    guest.page.locator("#new").fill(PASSWORD)
    guest.page.get_by_label("Repeat password").fill(PASSWORD)
    guest.page.get_by_role("button", name="Set password").click()
    expect(guest.page).to_have_url(re.compile(rf"/companies/{company.id}$"))
    key = company.member.service.create_key(email)
    requested = {"headers": {"Authorization": key}}
    assert company.member.patch(f"/clients/{company.id}", {"name": "Changed"}, **requested).status_code == 200

    page.get_by_role("link", name="Done").click()
    page.get_by_role("link", name="Siti Aminah").click()
    page.get_by_label("Role").select_option("Viewer")
    save(page, "changed")
    assert company.member.patch(f"/clients/{company.id}", {"name": "Again"}, **requested).status_code == 403
    page.get_by_role("link", name="Siti Aminah").click()
    page.get_by_role("button", name="Remove access").click()
    page.get_by_role("button", name="Remove access", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("no longer has access to")
    assert company.member.get("/clients", **requested).status_code == 401
    guest.page.reload()
    expect(guest.page.locator("main")).to_contain_text("does not exist")
    guest.context.close()

    owner_window.go(f"/companies/{company.id}/settings/changes")
    page.get_by_label("Record", exact=True).select_option("memberships")
    page.get_by_label("Action").select_option("update")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody")).to_contain_text("Payroll officer → Viewer")


def changed(content: bytes, changes: Mapping[str, object], sheet: str = "Employees") -> bytes:
    """A workbook with other values for the last employee."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    rows: Any = book[sheet]
    columns = {cell.value: cell.column for row in rows.iter_rows(max_row=3) for cell in row}
    for key, value in changes.items():
        rows.cell(rows.max_row, columns[key]).value = value
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def bring(page: Page, content: bytes) -> None:
    """Bring a workbook back."""
    file: Any = {"name": "employees.xlsx", "mimeType": XLSX, "buffer": content}
    page.get_by_label("Workbook").set_input_files(file)
    page.get_by_role("button", name="Check and save").click()


def downloaded(download: Download) -> bytes:
    """The bytes of a file."""
    return download.path().read_bytes()


def test_an_unchanged_workbook_does_nothing_and_all_invalid_cells_are_listed(
    owner_window: BrowserWindow, company: Company
) -> None:
    employee_id = hired(company)
    before = company.employee(employee_id)
    page = owner_window.page
    owner_window.go(f"/companies/{company.id}/employees/import")
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download workbook").click()
    content = downloaded(downloading.value)
    bring(page, content)
    expect(page.get_by_role("status")).to_have_text(re.compile("0 .*added, 0 changed"))
    assert company.employee(employee_id) == before
    owner_window.go(f"/companies/{company.id}/employees/import")
    bring(page, changed(content, {"birthdate": "soon", "gender": "Q", "nric": "S1234567A", "job_title": "Cook"}))
    expect(page.get_by_role("alert").locator("li")).to_have_count(3)
    for text in ("Birthdate “soon” · Employees!H3: must be a date", "K3: S1234567A has the wrong", "S3: is not one of"):
        expect(page.get_by_role("alert")).to_contain_text(text)
    assert company.employee(employee_id) == before


def test_the_switching_checklist_links_to_opening_balances(owner_window: BrowserWindow, company: Company) -> None:
    employee_id = hired(company, first_name="Aisha")
    page = owner_window.page
    owner_window.go(f"/companies/{company.id}/settings")
    page.get_by_role("link", name="Switching from another payroll").click()
    expect(page.locator(".steps [aria-current=step]")).to_contain_text("Company")
    page.get_by_role("link", name="Enter opening balances of Aisha Tan").click()
    page.get_by_label("Ordinary wages", exact=True).fill("31000")
    page.get_by_label("Annual leave").fill("3.5")
    save(page, "Opening balances of Aisha Tan saved")
    result = company.member.get(f"/employees/{employee_id}/take_on_balances").json()
    assert result["ordinary_wages"] == "31000.00"
    assert list(result["leave"].values()) == ["3.5"]
    expect(page.get_by_role("row", name=re.compile("Aisha Tan"))).to_contain_text("$31,000.00")
